"""Memory text is data, not instructions: what could pass for the frame around it is made harmless."""

import re
import unicodedata

# Controls, format characters (zero-width, bidirectional), private use, surrogates, unassigned.
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
FENCE_LIKE = re.compile(r"<(?=\s*/?\s*memory-context)", re.IGNORECASE)
SPACES = re.compile(r"\s+")


def neutralise(text: str) -> str:
    """One line of visible text that cannot open or close the fence, begin a heading or hide anything."""
    flat = SPACES.sub(" ", text)
    visible = "".join(char for char in flat if unicodedata.category(char) not in INVISIBLE_CATEGORIES)
    return SPACES.sub(" ", FENCE_LIKE.sub("‹", visible)).strip()

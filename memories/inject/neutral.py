"""Memory text is data, not instructions: what could pass for the frame around it is made harmless."""

import re
import unicodedata

# Controls, format characters (zero-width, bidirectional), private use, surrogates, unassigned.
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
# Letters and marks that are drawn as nothing: the rest of Unicode's Default_Ignorable_Code_Point.
INVISIBLE_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
FENCE_LIKE = re.compile(r"<(?=\s*/?\s*memory-context)", re.IGNORECASE)
SPACES = re.compile(r"\s+")


def neutralise(text: str) -> str:
    """One line of visible text that cannot open or close the fence, begin a heading or hide anything."""
    flat = INVISIBLE_LETTERS.sub("", SPACES.sub(" ", text))
    visible = "".join(char for char in flat if unicodedata.category(char) not in INVISIBLE_CATEGORIES)
    return SPACES.sub(" ", FENCE_LIKE.sub("‹", visible)).strip()

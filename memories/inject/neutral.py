"""Memory text is data, not instructions: what could pass for the frame around it is made harmless."""

import re
import unicodedata

from memories.text.instructions.plain import read_plain

# Controls, format characters (zero-width, bidirectional), private use, surrogates, unassigned.
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
# Letters and marks that are drawn as nothing: the rest of Unicode's Default_Ignorable_Code_Point.
INVISIBLE_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
FENCE_LIKE = re.compile(r"<\s{0,4}/?\s{0,4}memory[-_ ]?context")
# What NFKC makes a "<" of, itself included.
BRACKET = re.compile("[<\ufe64\uff1c]")
SPACES = re.compile(r"\s+")


def neutralise(text: str) -> str:
    """One line of visible text that cannot open or close the fence, begin a heading or hide anything."""
    flat = INVISIBLE_LETTERS.sub("", SPACES.sub(" ", text))
    # Most texts have none of them, and say so in a tenth of the time.
    if not flat.isprintable():
        flat = "".join(char for char in flat if unicodedata.category(char) not in INVISIBLE_CATEGORIES)
    return SPACES.sub(" ", without_fences(flat)).strip()


def without_fences(text: str) -> str:
    """What looks like our fence, in whatever letters, begins with another bracket."""
    if not BRACKET.search(text):
        return text
    plain, chars = read_plain(text), list(text)
    for found in FENCE_LIKE.finditer(plain.text):
        start, _ = plain.span(found.start(), found.start() + 1)
        chars[start] = "‹"
    return "".join(chars)

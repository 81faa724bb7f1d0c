"""Texts as a person who decides about them has to see them: with what is hidden in them."""

from __future__ import annotations

import re
import unicodedata
from typing import TypeVar

Value = TypeVar("Value")
# What agents are never told (memories.retrieve.injection_guard, which lies above), and what breaks lines unseen.
HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
HIDDEN_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
LAYOUT = "\n\r\t"
# What makes one picture of several, or says that it is a picture: hidden in no text that shows one.
JOINER, PICTURE = "\u200d", "\ufe0f"


def show_hidden(value: Value) -> Value | str:
    """Return a text with `⟨U+202E⟩` for each hidden or turning character; other values as they are."""
    if not isinstance(value, str) or (value.isprintable() and not HIDDEN_LETTERS.search(value)):
        return value
    return "".join(
        f"⟨U+{ord(char):04X}⟩" if is_hidden(char) and not is_of_picture(value, place) else char
        for place, char in enumerate(value)
    )


def is_hidden(char: str) -> bool:
    if char in LAYOUT:
        return False
    return unicodedata.category(char) in HIDDEN_CATEGORIES or bool(HIDDEN_LETTERS.match(char))


def is_of_picture(text: str, place: int) -> bool:
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if text[place] == PICTURE:
        return unicodedata.category(before or " ") == "So"
    joined = unicodedata.category(before or " ") in ("So", "Sk") or before == PICTURE
    return text[place] == JOINER and joined and unicodedata.category(after or " ") == "So"

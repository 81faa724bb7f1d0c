"""One word in the place of another, in a sentence that is otherwise the same to the letter: another value, if unknown.

"Runs on node heron" is not what was said with "falcon". "Takes a minute to boot" is "needs a minute to boot", though:
who says a thing again may take another verb.
"""

import re
from collections.abc import Sequence

from .evidence import Sides
from .outline import Word

_SPELT = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in {
        r"(.)\1": r"\1", r"our": "or", r"is(e|ed|es|ing|ation)$": r"iz\1", r"yse": "yze", r"tre(s?)$": r"ter\1",
        r"ogue": "og", r"ae|oe": "e", r"grey": "gray", r"e(ment|able)": r"\1", r"or$": "er", r"ence": "ense",
    }.items()
)  # fmt: skip
"""Doubled letters, and what English spells in two ways, written in one."""
NO_VALUE = ("s", "ed", "en", "ing", "ly")
"""What verbs and adverbs end in. Two that end alike may be two words for one thing."""


def find_replacement(sides: Sides) -> tuple[str, str] | None:
    """Return the two words, unless they are known to mean the same or are one word in two spellings."""
    old, new = sides.existing.tokens, sides.new.tokens
    lone = sides.aligned.lone_existing, sides.aligned.lone_new
    places = [at for at, (left, right) in enumerate(zip(old, new, strict=False)) if left != right]
    if len(old) != len(new) or len(places) != 1 or any(len(words) != 1 for words in lone):
        return None
    (left,), (right,) = lone
    if left.at != right.at or left.at != places[0] or _are_spellings(left, right) or _are_verbs(left, right, old):
        return None
    return left.text, right.text


def _are_spellings(left: Word, right: Word) -> bool:
    """One word with two of its letters turned, doubled, or otherwise spelt as on the other side of the ocean; a name,
    an address and a word with a number in it are what they are.
    """
    if left.is_name or right.is_name or not (left.text.isalpha() and right.text.isalpha()):
        return False
    return _plain(left.text) == _plain(right.text) or _is_turned(left.text, right.text)


def _plain(word: str) -> str:
    for pattern, plain in _SPELT:
        word = pattern.sub(plain, word)
    return word


def _is_turned(left: str, right: str) -> bool:
    places = [at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other]
    if len(left) != len(right) or len(places) != 2:
        return False
    first, second = places
    return second == first + 1 and left[first] == right[second] and left[second] == right[first]


def _are_verbs(left: Word, right: Word, tokens: Sequence[str]) -> bool:
    """Or adverbs, as far as their endings and what stands before them say."""
    ends_alike = any(left.text.endswith(ending) and right.text.endswith(ending) for ending in NO_VALUE)
    return ends_alike or tokens[max(left.at - 1, 0)] == "to"

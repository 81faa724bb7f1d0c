"""One word in the place of another, in a sentence that is otherwise the same to the letter: another value, if unknown.

"Runs on node heron" is not what was said with "falcon". "Takes a minute to boot" is "needs a minute to boot", though:
who says a thing again may take another verb.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

from .evidence import Sides
from .outline import Word

SPELLING = 0.8
"""From this likeness on, two words without digits are one word spelt in two ways."""
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
    has_digits = any(character.isdigit() for character in left.text + right.text)
    return not has_digits and SequenceMatcher(None, left.text, right.text, autojunk=False).ratio() >= SPELLING


def _are_verbs(left: Word, right: Word, tokens: Sequence[str]) -> bool:
    """Or adverbs, as far as their endings and what stands before them say."""
    ends_alike = any(left.text.endswith(ending) and right.text.endswith(ending) for ending in NO_VALUE)
    return ends_alike or tokens[max(left.at - 1, 0)] == "to"

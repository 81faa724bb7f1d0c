"""One word in the place of another, in a sentence that is otherwise the same to the letter: another value, if unknown.

Who says a thing again says it in other words. "Runs on node heron" is not what was said with "falcon".
"""

from difflib import SequenceMatcher

from .evidence import Sides
from .outline import Word

SPELLING = 0.8
"""From this likeness on, two words without digits are one word spelt in two ways."""


def find_replacement(sides: Sides) -> tuple[str, str] | None:
    """Return the two words, unless they are known to mean the same or are one word in two spellings."""
    old, new = sides.existing.tokens, sides.new.tokens
    lone = sides.aligned.lone_existing, sides.aligned.lone_new
    places = [at for at, (left, right) in enumerate(zip(old, new, strict=False)) if left != right]
    if len(old) != len(new) or len(places) != 1 or any(len(words) != 1 for words in lone):
        return None
    (left,), (right,) = lone
    if left.at != right.at or left.at != places[0] or _are_spellings(left, right):
        return None
    return left.text, right.text


def _are_spellings(left: Word, right: Word) -> bool:
    has_digits = any(character.isdigit() for character in left.text + right.text)
    return not has_digits and SequenceMatcher(None, left.text, right.text, autojunk=False).ratio() >= SPELLING

"""One word for another, of what the two say: another value, if no list knows that both mean the same."""

import re
from collections.abc import Iterator
from itertools import groupby

from memories.text.wordlist import words

from . import grammar
from .evidence import Sides
from .outline import Word
from .segments import HAVE
from .statement import Statement

_SPELT = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in {
        r"(.)\1": r"\1", r"our": "or", r"is(e|ed|es|ing|ation)$": r"iz\1", r"yse": "yze", r"tre(s?)$": r"ter\1",
        r"ogue": "og", r"ae|oe": "e", r"grey": "gray", r"e(ment|able)": r"\1", r"or$": "er", r"ence": "ense",
    }.items()
)  # fmt: skip
"""Doubled letters, and what English spells in two ways, written in one."""
TAKING = words("take takes took need needs needed require requires required")
"""Of what a thing takes, any of these is said: "takes a minute to boot" is "needs a minute to boot"."""
MOST_LONE = 2
_BEING = words("is are am was were feels feel gets")
_OF_WHAT = words("of with at about in on by for to from")
_NO_VERBS = ("subject", "be", HAVE)
"""Slots that tell too little of how a word is meant."""


def find_other_value(sides: Sides) -> tuple[str, str] | None:
    """Return a word of each that hangs on one preposition or is what one verb is about, and that the other has not:
    "allergic to nuts" / "an allergy to eggs", "collects old stamps" / "collects rare coins".

    Who says the same in another order leaves a word on its preposition. Nothing where more than a word or two are not
    matched: such a sentence is put in other words altogether.
    """
    if max(len(sides.aligned.lone_existing), len(sides.aligned.lone_new)) > MOST_LONE:
        return None
    old = dict(_lone_values(sides.existing_statement, sides.aligned.lone_existing))
    for slot, word in _lone_values(sides.new_statement, sides.aligned.lone_new):
        if slot in old and not are_spellings(old[slot], word):
            return old[slot].text, word.text
    return None


def find_other_state(sides: Sides) -> tuple[str, str] | None:
    """Return how the two are said to be, where neither has the other's word: "proud of Ben" / "angry with Ben"."""
    found = [
        next((word for word in lone if word.at in places), None)
        for lone, places in (
            (sides.aligned.lone_existing, _state_places(sides.existing.tokens)),
            (sides.aligned.lone_new, _state_places(sides.new.tokens)),
        )
    ]
    left, right = found
    return (left.text, right.text) if left and right and not are_spellings(left, right) else None


def _state_places(tokens: tuple[str, ...]) -> list[int]:
    """Where it is told how the first one is, before what it is like that of or about."""
    return [
        at
        for at, (before, word, behind) in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False), start=1)
        if before in _BEING and word not in grammar.PREPOSITIONS and behind in _OF_WHAT
    ][:1]


def _lone_values(statement: Statement, lone: tuple[Word, ...]) -> Iterator[tuple[str, Word]]:
    """(slot, word). Behind a verb only the last word counts: an adjective of it is often another one."""
    by_text = {word.text: word for word in lone if word.text not in TAKING and not word.text.endswith("ly")}
    told = [term for term in statement.terms if not term.is_implied]
    for slot, terms in groupby(told, key=lambda term: term.slot):
        said = [term.word for term in terms]
        if slot not in grammar.PREPOSITIONS:
            # The verb itself comes first in its slot.
            said = said[1:][-1:] if slot not in _NO_VERBS else []
        yield from ((slot, by_text[word]) for word in said if word in by_text)


def are_spellings(left: Word, right: Word) -> bool:
    """One word with two of its letters turned, doubled, or otherwise spelt as on the other side of the ocean; a name,
    an address and a word with a number in it are what they are.
    """
    if left.is_name or right.is_name or not (left.text.isalpha() and right.text.isalpha()):
        return False
    return spelt_plainly(left.text) == spelt_plainly(right.text) or _is_turned(left.text, right.text)


def spelt_plainly(word: str) -> str:
    """In one way, where English has two."""
    for pattern, plain in _SPELT:
        word = pattern.sub(plain, word)
    return word


def _is_turned(left: str, right: str) -> bool:
    places = [at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other]
    if len(left) != len(right) or len(places) != 2:
        return False
    first, second = places
    return second == first + 1 and left[first] == right[second] and left[second] == right[first]

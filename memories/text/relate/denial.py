"""A statement that is said again with a "not": whatever its words weigh, the two cannot both be true."""

import re

from memories.text.wordlist import words

from . import cues
from .alignment import COVERED, Words
from .coverage import Best
from .evidence import Evidence, Sides
from .lookup import are_opposites
from .measures import NUMBER_WORDS, TENS, UNITS
from .outline import SUBJECT_WEIGHT, Outline

_PLAIN = cues.DENIALS | words("no none stop stops stopped stopping quit quits ceased ceases")
_LONG_UNITS = frozenset(unit for unit in UNITS if len(unit) > 3 and unit.endswith("s"))
_SWITCH = {"on", "off"}
_OF_ALL = re.compile(
    r"\b(?P<who>User(?:'s [a-z-]+)?(?: [A-Z][\w-]+)?) (?:is not|isn't) "
    r"(?P<what>[a-z]+ (?:to|of|in|with)) any(?:thing|one|body)\b"
)
_NUMBERS_DIFFER = ("number_conflict", "number_both", "number_one_side", "number_unpaired")


def find_plain_denial(sides: Sides, evidence: Evidence) -> str | None:
    """Name the negation when one statement holds all that the other says, and denies it; else None.

    The model weighs a conflict by the words that show it, and "runs at night" has only light ones. What hides in a
    word ("refuses") is left to the model: it may be undone by another.
    """
    if not evidence.features["negated_one_side"] or any(evidence.features[name] for name in _NUMBERS_DIFFER):
        return None
    a, b = sides.existing.words, sides.new.words
    best_a, best_b = sides.aligned.best_existing, sides.aligned.best_new
    if _is_plain(sides) and (_is_denied(a, best_a, b) or _is_denied(b, best_b, a)):
        return evidence.notes["negated_one_side"]
    return None


def find_denial_of_all(existing: str, new: str) -> str | None:
    """Name what the one says of something and the other of nothing: "is not allergic to anything" / "… to nuts"."""
    for denied, told in ((existing, new), (new, existing)):
        match = _OF_ALL.search(denied)
        affirmed = match and rf"\b{re.escape(match['who'])} is (?:\w+ly )?{match['what']} (?!any|no)\w"
        if match and affirmed and re.search(affirmed, told):
            return f"negated: {match['what']} anything"
    return None


def find_plain_opposite(old: Outline, new: Outline) -> str | None:
    """Name the two words where one has its opposite in its place, and nothing else differs; else None."""
    places = [at for at, (left, right) in enumerate(zip(old.tokens, new.tokens, strict=False)) if left != right]
    if len(old.tokens) != len(new.tokens) or len(places) != 1:
        return None
    left, right = old.tokens[places[0]], new.tokens[places[0]]
    is_opposite = {left, right} == _SWITCH or are_opposites(left, right)
    return f"opposed: {left} / {right}" if is_opposite else None


def find_other_unit(old: Outline, new: Outline) -> str | None:
    """Name the units where one counts in others than the other, without a number: "takes minutes" / "takes hours"."""
    (mine, others) = (_counted_in(side) for side in (old, new))
    if len(mine) != 1 or len(others) != 1:
        return None
    left, right = mine.pop(), others.pop()
    (kind, factor), (other_kind, other_factor) = UNITS[left], UNITS[right]
    return f"{kind} differs: {left} / {right}" if kind == other_kind and factor != other_factor else None


def _counted_in(side: Outline) -> set[str]:
    told = zip(("", *side.tokens), side.tokens, strict=False)
    return {word for before, word in told if word in _LONG_UNITS and not _is_number(before)}


def _is_number(word: str) -> bool:
    return word[:1].isdigit() or word in NUMBER_WORDS or word in TENS


def _is_plain(sides: Sides) -> bool:
    """Tell whether all negations of both are words that do nothing else."""
    return all(side.tokens[at] in _PLAIN for side in (sides.existing, sides.new) for at in side.turns)


def _is_denied(held: Words, best: Best, others: Words) -> bool:
    """Tell whether every word of a statement, its subject aside, is in the other, one with the other sign."""
    telling = [(word, found) for word, found in zip(held, best, strict=True) if word.weight > SUBJECT_WEIGHT]
    is_contained = all(share >= COVERED for _, (share, _) in telling)
    return is_contained and any(word.sign != others[at].sign for word, (_, at) in telling)

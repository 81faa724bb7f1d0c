"""What a new statement says beyond the one already kept: it must not be swallowed as "the same"."""

from collections.abc import Sequence

from . import measures
from .evidence import Sides
from .outline import LIGHT_WEIGHT
from .statement import Statement
from .stems import stem
from .tokens import tokenize

MAX_ADDED = 2
"""Of the 479 pairs labelled the same, four add more, and the model calls none of them the same; 19 add two."""

_ARTICLES = ("a", "an", "the")
_SILENT = frozenset({"located", "situated", "o'clock"}) | measures.PARTS_OF_DAY.keys()
"""What stands somewhere is there; and times of the day are told as values."""


def find_additions(sides: Sides) -> list[str]:
    """Return what only the new statement says, when it is too much to be lost; else nothing.

    A word that is left over on the other side is taken for another word for one of these, so only the
    surplus counts. A name is no other word for anything, unless it is short for it: "on TV".
    """
    names = [word.text for word in sides.aligned.lone_new if word.is_name]
    named = [name for name in names if name.upper() not in sides.new.written]
    if named:
        return named
    words = [word.text for word in sides.aligned.lone_new if word.weight > LIGHT_WEIGHT]
    numbers = _added_numbers(sides)
    surplus = len(words) - len(sides.aligned.lone_existing) + len(numbers)
    return words + numbers if surplus > MAX_ADDED else []


def find_insertion(sides: Sides, values: list[str]) -> list[str]:
    """Return what only the new statement says, where it says all of the other and more: "allergic to nuts" / "allergic
    to nuts and eggs"; its `values` if it has no words of its own.

    Adverbs of manner do not count, nor who does it where the other leaves that open.
    """
    if not _holds(sides.new.tokens, sides.existing.tokens):
        return []
    words = [word.text for word in sides.aligned.lone_new if word.weight > LIGHT_WEIGHT]
    subjects = set() if _subject_of(sides.existing_statement) else _subject_of(sides.new_statement)
    told = [word for word in words if not word.endswith("ly") and word not in _SILENT and word not in subjects]
    return told or values


def holds_all_of(fuller: str, text: str) -> bool:
    """Tell whether a statement has all words of another, in their order; articles and endings aside."""
    return _holds([token.text for token in tokenize(fuller)], [token.text for token in tokenize(text)])


def _subject_of(statement: Statement) -> set[str]:
    return {term.word for term in statement.terms if term.slot == "subject" and term.clause == 1}


def _holds(fuller: Sequence[str], tokens: Sequence[str]) -> bool:
    said = iter([stem(token) for token in fuller])
    return all(stem(token) in said for token in tokens if token not in _ARTICLES)


def _added_numbers(sides: Sides) -> list[str]:
    """Return the texts of the digits that only the new statement has, if it has more numbers than the other."""
    old, new = sides.existing_statement.quantities, sides.new_statement.quantities
    values = {quantity.named for quantity in old}
    added = [quantity.text for quantity in new if quantity.named not in values and quantity.text[:1].isdecimal()]
    return added[: max(len(new) - len(old), 0)]

"""Days, times, numbers and limits that only one statement has: "on Mondays and Wednesdays", "every second Monday",
"after 4 pm". What the new one says of them beyond the other is an addition like any word.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from . import measures
from .evidence import Sides
from .figures import agreement, figures_of
from .outline import Outline
from .quantities import MINUTES_PER_DAY, UNITLESS, Agreement, Quantity, are_comparable, point, span
from .statement import Statement
from .stems import stem

_ORDINAL = "ordinal"
_ORDINALS = {
    "first": 1, "1": 1, "second": 2, "2": 2, "other": 2, "alternate": 2, "third": 3, "3": 3, "fourth": 4, "4": 4,
}  # fmt: skip
_LAST, _BEFORE_LAST = 5, ("the", "every", "each")
""" "The last Friday" is one of every month; "down last Friday" tells a day."""
_COMES_ROUND = {"clock": measures.DAY, "weekday": 7 * measures.DAY, "day of month": 30 * measures.DAY,
                _ORDINAL: 30 * measures.DAY, "date": 365 * measures.DAY}  # fmt: skip
"""What comes round in which time: "every March" is "each year in March"."""
_LAST_DAYS = 28
_EACH = ("every", "each")
_JOINTS = ("and", "or", ",", "to", "-", "until")
_A = ("a", "an", "per")
_OF_EACH = (*_EACH, *_A)
_DAY = re.compile(r"\d{4}-\d|\d+\.\d+\.\d{4}")


@dataclass(frozen=True)
class Told:
    """What a statement tells of days, times and numbers, the stems of its words, and its days written in digits."""

    values: tuple[Quantity, ...]
    stems: frozenset[str]
    days: tuple[str, ...]


def find_added_values(sides: Sides) -> tuple[list[str], bool]:
    """Return what the new statement says beyond the other, and whether it leaves nothing of the other's out.

    As many as it leaves out are taken for these in other words, unless they are of one kind: "twice a week" / "on two
    days a week", but not "at weekends" / "on Saturdays".
    """
    old, new = _told(sides.existing_statement, sides.existing), _told(sides.new_statement, sides.new)
    added, lost = _lacking(old, new), _lacking(new, old)
    is_more = len(added) > len(lost) or any(are_comparable(left, right) for left, right in product(lost, added))
    return ([value.text for value in added] if is_more else []), not lost


def _told(statement: Statement, side: Outline) -> Told:
    more = (*_ordinals(side.tokens), *_months_in_words(side.tokens), *_rates(side.tokens))
    days = tuple(token for token in side.tokens if _DAY.match(token))
    return Told((*figures_of(statement, side), *more), frozenset(map(stem, side.tokens)), days)


def _lacking(one: Told, other: Told) -> list[Quantity]:
    """What only the other says."""
    return [value for value in other.values if not _is_said(value, one, other)]


def _is_said(value: Quantity, one: Told, other: Told) -> bool:
    """Tell whether the one statement says a value of the other: as it is, by its words, or by what comes round then."""
    if value.text == "one":
        return True
    if value.kind == "day of month" and any(_is_ordinal(fellow, value.named) for fellow in other.values):
        return True  # "the 1st Monday"
    if value.kind == "clock" and value.is_rough and any(fellow.kind == UNITLESS for fellow in other.values):
        return True  # "at 9 in the morning"
    if value.kind == "date" and "end" in one.stems and value.named % 100 >= _LAST_DAYS:
        return True  # "by the end of March"
    if value.kind == "year" and any(value.text in day for day in one.days):
        return True
    if all(stem(word) in one.stems or word in _OF_EACH for word in value.text.split()) and value.kind != _ORDINAL:
        return True  # "every month", of "the month"
    return any(_says(held, value, one, other) for held in one.values)


def _is_ordinal(value: Quantity, number: float) -> bool:
    return value.kind == _ORDINAL and value.named == number


def _says(held: Quantity, value: Quantity, one: Told, other: Told) -> bool:
    """Tell whether a value says another one, or leaves more open: "in May", of what is on 12 May."""
    if value.kind == "period" and _COMES_ROUND.get(held.kind) == value.named:
        return True
    if _is_bare(held) and _is_bare(value):
        return held.named == value.named
    if {held.kind, value.kind} == {UNITLESS, "clock"}:
        hour, clock = (held, value) if value.kind == "clock" else (value, held)
        return any((hour.named * 60 - end) % (MINUTES_PER_DAY / 2) == 0 for end in _ends(clock))
    if not are_comparable(held, value) or (value.kind == "clock" and held.is_rough and not value.is_rough):
        return False
    found = agreement(held, value)
    if found is not Agreement.COMPATIBLE:
        return found is Agreement.EQUAL
    if value.kind == "weekday":
        return _make_up(value, one) if value.low < value.high else _make_up(held, other)
    return value.low <= held.low <= held.high <= value.high or value.high - value.low == held.high - held.low


def _make_up(days: Quantity, told: Told) -> bool:
    """Tell whether a statement names the first and the last of these days: "Saturday and Sunday"."""
    named = {day for value in told.values if value.kind == days.kind for day in (value.low, value.high)}
    return {days.low, days.high} <= named


def _ends(clock: Quantity) -> Iterator[float]:
    """The times it names: "after 4 pm" reaches to the end of the day and "before noon" to the minute before."""
    if clock.low or clock.low == clock.high:
        yield clock.low
    if clock.high < MINUTES_PER_DAY - 1:
        yield from (clock.high, clock.high + 1)


def _is_bare(value: Quantity) -> bool:
    return ":" in value.kind or value.kind in (UNITLESS, "status", "year")


def _months_in_words(tokens: tuple[str, ...]) -> Iterator[Quantity]:
    """ "Every March", "April and May": what else is read as a word."""
    for before, joint, word in zip(("", "", *tokens), ("", *tokens), tokens, strict=False):
        is_month = joint in _EACH or (joint in _JOINTS and before in measures.MONTHS)
        if is_month and word in measures.MONTHS_THAT_ARE_WORDS:
            yield span("date", measures.MONTHS[word] * 100.0, measures.MONTHS[word] * 100.0 + 31, word)


def _rates(tokens: tuple[str, ...]) -> Iterator[Quantity]:
    """Of what is so much "a month": what is told of "40 euros" alone."""
    for before, word, unit in zip(tokens, tokens[1:], tokens[2:], strict=False):
        kind, seconds = measures.UNITS.get(unit, ("", 0.0))
        if before in measures.UNITS and word in _A and kind == "duration":
            yield point("period", seconds, f"{word} {unit}")


def _ordinals(tokens: tuple[str, ...]) -> Iterator[Quantity]:
    """Of what stands before a weekday: "every second Monday", "the 1st Friday"."""
    spoken = [token for token in tokens if token not in measures.ORDINAL_ENDINGS]
    for before, word, day in zip(("", *spoken), spoken, spoken[1:], strict=False):
        number = _LAST if word == "last" and before in _BEFORE_LAST else _ORDINALS.get(word)
        if number and day in measures.WEEKDAYS:
            yield point(_ORDINAL, number, word)

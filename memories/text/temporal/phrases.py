"""Times counted from now: "yesterday", "last night", "two weeks ago", "the past three days", "recently"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memories.text.temporal import calendar
from memories.text.temporal.calendar import DAY, UNIT_CYCLES, Span
from memories.text.temporal.dates import Found, hours_of
from memories.text.temporal.tokens import Reading
from memories.text.temporal.words import CYCLE_UNITS, DAY_PARTS, NUMBERS, UNITS, VAGUE_NUMBERS

RECENT_DAYS = 30
OTHER_DAY = (10, 2)
"""How many days ago "the other day" begins and ends."""
_DAYS_AWAY = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}
ABOUT = ("about", "around", "roughly", "approximately", "almost", "nearly", "over", "exactly", "some", "maybe")
_OF = ("of",)
_MOST_DIGITS = 5
_SMALL_UNITS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 7, "month": 31, "quarter": 91, "year": 365, "decade": 3653}


def read_relative_day(reading: Reading, at: int) -> Found | None:
    """Read "yesterday", "last night", "this morning", "the day before yesterday", "the other day", "recently"."""
    first = reading.skip(at, "earlier", "later", "early", "late")
    word, following = reading.word(first), reading.word(first + 1)
    if word in _DAYS_AWAY:
        return _of_day(reading, at, first, word)
    if word in ("last", "this") and following in DAY_PARTS:
        days = -1 if word == "last" else 0
        return Found(first + 2 - at, hours_of(reading.today + days * DAY, following), "part of day")
    return _read_fixed_phrase(reading, at)


def _of_day(reading: Reading, at: int, place: int, word: str) -> Found:
    midnight = reading.today + _DAYS_AWAY[word] * DAY
    if word == "tonight":
        return Found(place + 1 - at, hours_of(midnight, "night"), "part of day")
    return Found(place + 1 - at, Span(midnight, midnight + DAY), "day")


def _read_fixed_phrase(reading: Reading, at: int) -> Found | None:
    word = reading.word(at)
    if word in ("recently", "lately"):
        return Found(1, Span(reading.local - RECENT_DAYS * DAY, reading.local), "recent")
    place = reading.skip(at, "the")
    three = tuple(reading.word(place + offset) for offset in range(3))
    if three[:2] == ("other", "day") and place > at:
        longest, shortest = OTHER_DAY
        return Found(3, Span(reading.today - longest * DAY, reading.today - (shortest - 1) * DAY), "recent")
    if three in {("day", "before", "yesterday"), ("day", "after", "tomorrow")}:
        midnight = reading.today + (-2 if three[1] == "before" else 2) * DAY
        return Found(place + 3 - at, Span(midnight, midnight + DAY), "day")
    if three[0] in CYCLE_UNITS and three[1:] == ("before", "last"):
        return _read_before_last(reading, at, place)
    return None


def _read_before_last(reading: Reading, at: int, place: int) -> Found | None:
    cycle = UNIT_CYCLES[reading.word(place)]
    last = cycle.latest(reading.today, is_over=True)
    span = last and cycle.at(cycle.number(last.start) - 1)
    return Found(place + 3 - at, span, cycle.precision) if span else None


def read_count(reading: Reading, at: int) -> tuple[int, int, int] | None:
    """The least and the most that a number means, and how many tokens say so: "3", "two or three", "a couple of"."""
    place = reading.skip(at, "a", "the")
    if reading.word(place) in VAGUE_NUMBERS:
        low, high = VAGUE_NUMBERS[reading.word(place)]
        return low, high, reading.skip(place + 1, *_OF) - at
    low = _number(reading.word(at))
    if not low:
        return None
    high = _number(reading.word(at + 2)) if reading.word(at + 1) in ("or", "to", "-", "–") else 0
    return (low, high, 3) if high > low else (low, low, 1)


def _number(word: str) -> int:
    """0 if it is none, or more than anyone counts."""
    return int(word) if word.isdecimal() and len(word) <= _MOST_DIGITS else NUMBERS.get(word, 0)


def read_ago(reading: Reading, at: int) -> Found | None:
    """Read "two weeks ago", "a couple of months back", "3 days from now".

    The window lies around the moment and is as long as the unit, as "two weeks ago" seldom means the day.
    """
    first = reading.skip(at, *ABOUT)
    count = read_count(reading, first)
    if not count:
        return None
    low, high, used = count
    place = first + used
    unit = UNITS.get(reading.word(place), "")
    following, after = reading.word(place + 1), reading.word(place + 2)
    is_past = following in ("ago", "back")
    if not unit or not (is_past or (following, after) == ("from", "now")):
        return None
    near, far = (-low, -high) if is_past else (high, low)
    span = spread(reading, unit, far, near)
    return Found(place + (2 if is_past else 3) - at, span, unit.replace("fortnight", "week")) if span else None


def spread(reading: Reading, unit: str, first: int, last: int) -> Span | None:
    """From half a unit before now + `first` units to half a unit after now + `last`."""
    if first > last:
        first, last = last, first
    small = _SMALL_UNITS.get(unit)
    if small:
        return _moments(reading, small * (first - 0.5), small * (last + 0.5))
    return spread_days(reading.today, unit, first, last)


def spread_days(midnight: datetime, unit: str, first: int, last: int) -> Span | None:
    """As `spread`, in whole days around `midnight`'s. None outside of the calendar."""
    half = _UNIT_DAYS[unit] // 2
    try:
        start = calendar.shift(midnight, unit, first) - half * DAY
        return Span(start, calendar.shift(midnight, unit, last) + (half + 1) * DAY)
    except (ValueError, OverflowError):
        return None


def _moments(reading: Reading, first: timedelta, last: timedelta) -> Span | None:
    """Hours are counted in real time, across changes of the clock. The local times keep their `fold`."""
    try:
        return Span(_moved(reading.now, first), _moved(reading.now, last))
    except (ValueError, OverflowError):
        return None


def _moved(now: datetime, delta: timedelta) -> datetime:
    if now.tzinfo is None:
        return now + delta
    return (now.astimezone(UTC) + delta).astimezone(now.tzinfo).replace(tzinfo=None)


def read_rolling(reading: Reading, at: int) -> Found | None:
    """Read "the last 3 days", "the past week", "the next few months": they end or begin now."""
    place = reading.skip(reading.skip(at, "the", "these"), "last", "past", "previous", "next", "coming")
    which = reading.word(place - 1) if place > at else ""
    if which not in {"last", "past", "previous", "next", "coming"}:
        return None
    count = read_count(reading, place)
    unit = UNITS.get(reading.word(place + count[2] if count else place), "")
    # "Last week" is the week of the calendar; "the past week" is seven days.
    if not unit or not (count or which == "past" or unit in _SMALL_UNITS):
        return None
    _, high, used = count or (1, 1, 0)
    if reading.word(place + used + 1) == "of":
        return None
    span = _from_now(reading, unit, high if which in {"next", "coming"} else -high)
    return Found(place + used + 1 - at, span, "recent") if span else None


def _from_now(reading: Reading, unit: str, count: int) -> Span | None:
    small = _SMALL_UNITS.get(unit)
    if small:
        return _moments(reading, min(small * count, 0 * small), max(small * count, 0 * small))
    try:
        moved = calendar.shift(reading.today, unit, count)
    except (ValueError, OverflowError):
        return None
    return Span(moved, reading.local) if count < 0 else Span(reading.local, moved + DAY)

"""The times a text speaks of, as windows: "last week", "in May 2023", "since March".

We find the words ourselves. Libraries that read dates take "We", "Sun", "may" and the name March for some; here
capitals and prepositions decide, and what is doubtful is no time. Without a year or a direction the most recent past
is meant, as people ask memories about what has been.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from memories.text.temporal.calendar import FIRST, LAST, Span
from memories.text.temporal.dates import Found, hours_of, read_bare_year, read_decade, read_named, read_numeric
from memories.text.temporal.parts import read_part
from memories.text.temporal.phrases import ABOUT, read_ago, read_relative_day, read_rolling
from memories.text.temporal.ranges import read_range
from memories.text.temporal.tokens import Reading, tokenize
from memories.text.temporal.words import (
    ADVERBS,
    AFTER,
    BEFORE,
    DAY_PARTS,
    OPERATORS,
    PREPOSITIONS,
    SINCE,
    TIME_WORDS,
    UNTIL,
)

MAX_WINDOWS = 32
_READERS = (
    read_range, read_relative_day, read_ago, read_rolling, read_part, read_numeric, read_named, read_decade,
    read_bare_year,
)  # fmt: skip
_LEADING = PREPOSITIONS - {"of", "about", "through", "for", "from"}
_BEGINNINGS = frozenset(TIME_WORDS).union(ABOUT, "'’")
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
# Behind these a time may begin that they belong to.
_BEFORE_A_TIME = _LEADING.union(first for first, *_ in OPERATORS)


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """`start` ≤ t < `end` in the time zone of the asker; None is open. `span` is the place of `text` in the text.

    `precision` is the unit that was told, "minute" to "decade", or "part of day", "weekend", "holiday", "range"
    ("between 3 and 5 May"), "part" ("early May") or "recent". Compare windows of hours in UTC: on the night the clocks
    go back, local times do not tell the order.
    """

    start: datetime | None
    end: datetime | None
    span: tuple[int, int]
    text: str
    precision: str


def find_windows(text: str, now: datetime) -> list[TimeWindow]:
    """The times in a text in the order they are said, at most MAX_WINDOWS. Linear in the length of the text.

    An ambiguous date ("05/07/2023") gives two windows of one span, month first before day first.
    """
    if not _may_tell_a_time(text):
        return []
    reading = Reading(tokenize(text), now)
    windows: list[TimeWindow] = []
    at = 0
    while at < len(reading.tokens) and len(windows) < MAX_WINDOWS:
        used, found = _read_window(reading, at)
        windows += [_place(window, text, reading, at, used) for window in found]
        at += max(used, 1)
    return windows


def _may_tell_a_time(text: str) -> bool:
    """Whether anything in it may begin one: a word, or a digit, also behind an apostrophe. It is told in a sixth of the
    time that reading takes.
    """
    return bool(_DIGIT.search(text)) or not _BEGINNINGS.isdisjoint(_WORD.findall(text.lower()))


@dataclass(frozen=True, slots=True)
class _Limits:
    start: datetime | None
    end: datetime | None
    precision: str


def _read_window(reading: Reading, at: int) -> tuple[int, list[_Limits]]:
    """How many tokens make a time here, and the one or two readings of it."""
    word = reading.word(at)
    if word not in _BEFORE_A_TIME and not _may_begin(word):
        return 0, []
    for length in (2, 1):
        operator = OPERATORS.get((reading.word(at), reading.word(at + 1))[:length])
        found = _read_simple(reading, at + length) if operator else None
        if operator and found:
            return length + found.words, [_apply(operator, span, found.precision) for span in _spans(found)]
    lead = 1 if reading.word(at) in _LEADING and reading.word(at + 1) not in ADVERBS else 0
    found = _read_simple(reading, at + lead)
    if not found:
        return 0, []
    return lead + found.words, [_Limits(span.start, span.end, found.precision) for span in _spans(found)]


def _spans(found: Found) -> Iterator[Span]:
    yield found.span
    if found.other:
        yield found.other


def _apply(operator: str, span: Span, precision: str) -> _Limits:
    if operator == SINCE:
        return _Limits(span.start, None, precision)
    if operator == AFTER:
        return _Limits(span.end, None, precision)
    return _Limits(None, {BEFORE: span.start, UNTIL: span.end}[operator], precision)


def _read_simple(reading: Reading, at: int) -> Found | None:
    if not _may_begin(reading.word(at)):
        return None
    place = reading.skip(at, "the")
    for read in _READERS:
        found = _read_inside(read, reading, at)
        if not found and place > at and read is read_named:
            found = _read_inside(read, reading, place)
            found = found and replace(found, words=found.words + 1)
        if found:
            return found
    return None


def _read_inside(read: Callable[[Reading, int], Found | None], reading: Reading, at: int) -> Found | None:
    """None, too, for what falls out of the calendar: "tomorrow" on 31 December 9999."""
    try:
        found = read(reading, at)
        found = found and _narrow(reading, at, found)
    except (ValueError, OverflowError):
        return None
    return found if found and all(span.start >= FIRST and span.end <= LAST for span in _spans(found)) else None


def _may_begin(word: str) -> bool:
    return word in _BEGINNINGS or word[:1].isdecimal()


def _narrow(reading: Reading, at: int, found: Found) -> Found:
    """Read "yesterday morning", "Friday night"."""
    part = reading.word(at + found.words)
    if found.precision != "day" or part not in DAY_PARTS or found.other:
        return found
    return Found(found.words + 1, hours_of(found.span.start, part), "part of day")


def _place(limits: _Limits, text: str, reading: Reading, at: int, used: int) -> TimeWindow:
    first, last = reading.tokens[at], reading.tokens[at + used - 1]
    zone = reading.now.tzinfo
    start = limits.start.replace(tzinfo=zone) if limits.start else None
    end = limits.end.replace(tzinfo=zone) if limits.end else None
    return TimeWindow(start, end, (first.start, last.end), text[first.start : last.end], limits.precision)

"""Dates of the calendar: named ones with or without a year, numeric ones, years and decades."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from memories.text.temporal import calendar
from memories.text.temporal.calendar import UNIT_CYCLES, Cycle, Span
from memories.text.temporal.names import Named, read_name
from memories.text.temporal.tokens import Reading
from memories.text.temporal.words import (
    CYCLE_UNITS,
    DAY_PARTS,
    DECADES,
    NO_PLURALS,
    NOT_AFTER_A_YEAR,
    OWNERS,
    SHORT_DECADES,
)
from memories.text.wordlist import words

INSTANT = timedelta(microseconds=1)
FIRST_YEAR, LAST_YEAR = 1000, 2999
_YEAR = re.compile(r"[12][0-9]{3}|9999")
"""With the one that stands for "without an end"; it has no dates, as they would end outside of the calendar."""
_RECENT_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_DECADE = re.compile(r"((?:1[5-9]|20)?[0-9])0s")
_ISO = re.compile(r"([0-9]{4})-([0-9]{1,2})(?:-([0-9]{1,2}))?(?:t.*)?")
_NUMERIC = re.compile(r"([0-9]{1,2})[/.-]([0-9]{1,2})[/.-]([0-9]{4}|[0-9]{2})")
_YEAR_LEADS = words("in since before after until till by during of from through around circa early late mid")
_LAST, _THIS, _NEXT = {"last", "previous", "past"}, {"this", "current"}, {"next", "coming", "upcoming"}


@dataclass(frozen=True, slots=True)
class Found:
    """What was read over `words` tokens. `cycle` is set where the year was left open; `other` is a second reading."""

    words: int
    span: Span
    precision: str
    cycle: Cycle | None = None
    other: Span | None = None


def read_named(reading: Reading, at: int, is_expected: bool = False) -> Found | None:
    """A named time: "last Friday", "May 2023", "Christmas last year", "in May". What `is_expected` needs no proof."""
    chosen = _read_demonstrative(reading, at)
    if chosen:
        return chosen
    named = read_name(reading, at)
    if not named:
        return None
    year = read_year(reading, at + named.words) if named.cycle.is_yearly else None
    if year:
        span = named.cycle.at(year[0])
        return Found(named.words + year[1], span, named.cycle.precision) if span else None
    dated = _read_inside(reading, at, named)
    if dated or not (named.is_sure or is_expected):
        return dated
    # "On Friday" said on a Friday is the week before; the current May is "in May".
    before = reading.today - INSTANT if named.cycle.number is calendar.week_number else reading.local
    span = named.cycle.latest(before)
    return Found(named.words, span, named.cycle.precision, named.cycle) if span else None


def _read_demonstrative(reading: Reading, at: int) -> Found | None:
    """Read "last May", "this week", "next Friday", "earlier this year"."""
    first = reading.skip(at, "earlier", "later")
    which, place = reading.word(first), first + 1
    if which not in _LAST | _THIS | _NEXT:
        return None
    unit = reading.word(place)
    named = Named(UNIT_CYCLES[unit], 1, is_sure=True) if unit in CYCLE_UNITS else read_name(reading, place)
    if not named or not named.is_sure:
        return None
    span = _choose(named.cycle, which, reading)
    return Found(place + named.words - at, span, named.cycle.precision) if span else None


def _choose(cycle: Cycle, which: str, reading: Reading) -> Span | None:
    """The last one is over, the next one has not begun, this one runs or belongs to the current week, month or year."""
    if which in _LAST:
        return cycle.latest(reading.today, is_over=True)
    if which in _NEXT:
        return cycle.next(reading.local)
    running = cycle.latest(reading.local)
    return running if running and running.end > reading.local else cycle.at(cycle.number(reading.local))


def read_year(reading: Reading, at: int) -> tuple[int, int] | None:
    """A year behind a date, and how many tokens it takes: "2023", ", 2023", "of 2023", "'23"."""
    place = reading.skip(reading.skip(at, "."), ",", "of")
    place = reading.skip(place, "'", "’")
    word = reading.word(place)
    if place > at and reading.word(place - 1) in ("'", "’") and re.fullmatch("[0-9]{2}", word):
        return _full_year(int(word), reading.now.year), place + 1 - at
    return (int(word), place + 1 - at) if _YEAR.fullmatch(word) and _ends_year(reading, place) else None


def _full_year(two_digits: int, this_year: int) -> int:
    """The year of these last two digits that is nearest to ours and at most twenty years ahead."""
    year = this_year // 100 * 100 + two_digits
    return year if year <= this_year + 20 else year - 100


def _ends_year(reading: Reading, at: int) -> bool:
    """Whether a number is a year and no amount ("2000 requests") or version ("2023.1")."""
    follower = reading.word(at + 1)
    if follower in {".", ",", "%", "/"} and at + 2 < len(reading.tokens) and reading.tokens[at + 1].glued:
        return not (reading.tokens[at + 2].glued and reading.word(at + 2).isalnum())
    is_plural = follower.isalpha() and follower.endswith("s") and follower not in NO_PLURALS
    return not (is_plural and not reading.is_capital(at + 1)) and follower not in NOT_AFTER_A_YEAR | {"%"}


def _read_inside(reading: Reading, at: int, named: Named) -> Found | None:
    """Read "Friday last week", "the summer of last year"."""
    place = reading.skip(at + named.words, "of", "in")
    which, unit = reading.word(place), reading.word(place + 1)
    if which not in _LAST | _THIS | _NEXT or unit not in {"week", "month", "year"}:
        return None
    around = _choose(UNIT_CYCLES[unit], which, reading)
    span = around and named.cycle.at(named.cycle.number(around.start))
    return Found(place + 2 - at, span, named.cycle.precision) if span else None


def read_numeric(reading: Reading, at: int) -> Found | None:
    """Read "2023-05-07", "2023-05", "07.05.2023", "05/07/2023".

    With slashes, both orders are read where both are dates: month first as the main reading, day first as the other.
    """
    word = reading.word(at)
    iso = _ISO.fullmatch(word)
    if iso:
        span = _day(iso[1], iso[2], iso[3]) if iso[3] else _month(iso[1], iso[2])
        return Found(1, span, "day" if iso[3] else "month") if span else None
    numeric = _NUMERIC.fullmatch(word)
    if not numeric:
        return None
    first, second, year = numeric.groups()
    full_year = year if len(year) == 4 else str(_full_year(int(year), reading.now.year))
    day_first, month_first = _day(full_year, second, first), _day(full_year, first, second)
    spans = [day_first] if "/" not in word and day_first else [month_first, day_first]
    read = list(dict.fromkeys(span for span in spans if span))
    return Found(1, read[0], "day", other=read[1] if len(read) > 1 else None) if read else None


def _day(year: str, month: str, day: str) -> Span | None:
    if not 1 <= int(month) <= 12 or not FIRST_YEAR <= int(year) <= LAST_YEAR:
        return None
    return calendar.day_of_year(int(month), int(day)).at(int(year))


def _month(year: str, month: str) -> Span | None:
    is_month = 1 <= int(month) <= 12 and FIRST_YEAR <= int(year) <= LAST_YEAR
    return calendar.month_of_year(int(month)).at(int(year)) if is_month else None


def read_bare_year(reading: Reading, at: int, is_expected: bool = False) -> Found | None:
    """Read "in 2022", "since 2019"; a four-digit number alone is a port as well."""
    word = reading.word(at)
    is_led = reading.before(at) in _YEAR_LEADS or (reading.word(at - 2), reading.word(at - 1)) == ("prior", "to")
    if not _RECENT_YEAR.fullmatch(word) or not (is_expected or is_led):
        return None
    span = UNIT_CYCLES["year"].at(int(word)) if _ends_year(reading, at) else None
    return Found(1, span, "year") if span else None


def read_decade(reading: Reading, at: int) -> Found | None:
    """Read "the 1990s", "the '90s", "the nineties"; not "her twenties", not "a 90s timeout"."""
    first = reading.skip(at, "the")
    place = reading.skip(first, "'", "’")
    tens = _tens(reading.word(place))
    is_short = tens is not None and tens < 100
    if tens is None or reading.before(first) in OWNERS or reading.before(place) in OWNERS:
        return None
    is_led = place > first or reading.before(first) in _YEAR_LEADS
    if is_short and not (tens in SHORT_DECADES and first > at and is_led):
        return None
    span = UNIT_CYCLES["decade"].at((tens + 1900 if is_short else tens) // 10)
    if not span:
        return None
    # "The 1900s" are a century, "the 2000s" ten years.
    is_century = tens % 100 == 0 and tens < 2000
    return Found(place + 1 - at, calendar.lasting(span.start, "decade", 10) if is_century else span, "decade")


def _tens(word: str) -> int | None:
    match = _DECADE.fullmatch(word)
    return int(match[1]) * 10 if match else DECADES.get(word)


def read_expected(reading: Reading, at: int) -> Found | None:
    """A date where one must stand: behind "the end of", between "from" and "to"."""
    return (
        read_numeric(reading, at)
        or read_named(reading, at, is_expected=True)
        or read_bare_year(reading, at, is_expected=True)
    )


def hours_of(midnight: datetime, part: str) -> Span:
    """The morning, afternoon, evening or night of a day. A night ends on the next morning."""
    first, last = DAY_PARTS[part]
    return Span(midnight + timedelta(hours=first), midnight + timedelta(hours=last))

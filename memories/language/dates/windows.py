"""The times a text speaks of, as windows: "last week", "in May 2023", "since March".

We find the words ourselves. Libraries that read dates take "We", "Sun", "may" and the name March for some; here
capitals and prepositions decide, and what is doubtful is no time. Without a year or a direction the most recent past
is meant, as people ask memories about what has been.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memories.language.dates import calendar
from memories.language.dates.calendar import (
    DAY,
    FIRST,
    LAST,
    SMALL_UNITS,
    UNIT_CYCLES,
    Found,
    Span,
    hours_of,
    read_bare_year,
    read_day,
    read_decade,
    read_expected,
    read_named,
    read_numeric,
)
from memories.language.dates.words import (
    ADVERBS,
    AFTER,
    BEFORE,
    CYCLE_UNITS,
    DAY_PARTS,
    NUMBERS,
    OPERATORS,
    ORDINALS,
    PLAIN_WEEKDAYS,
    PREPOSITIONS,
    SINCE,
    THIRDS,
    THIRDS_WITH_OF,
    TIME_WORDS,
    UNITS,
    UNTIL,
    VAGUE_NUMBERS,
    WEEKDAYS,
    Reading,
    tokenize,
)

RECENT_DAYS = 30
OTHER_DAY = (10, 2)
"""How many days ago "the other day" begins and ends."""
_DAYS_AWAY = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}
ABOUT = ("about", "around", "roughly", "approximately", "almost", "nearly", "over", "exactly", "some", "maybe")
_OF = ("of",)
_MOST_DIGITS = 5
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 7, "month": 31, "quarter": 91, "year": 365, "decade": 3653}


def _read_relative_day(reading: Reading, index: int) -> Found | None:
    """Read "yesterday", "last night", "this morning", "the day before yesterday", "the other day", "recently"."""
    first = reading.skip(index, "earlier", "later", "early", "late")
    word, following = reading.word(first), reading.word(first + 1)
    if word in _DAYS_AWAY:
        midnight = reading.today + _DAYS_AWAY[word] * DAY
        if word == "tonight":
            return Found(first + 1 - index, hours_of(midnight, "night"), "part of day")
        return Found(first + 1 - index, Span(midnight, midnight + DAY), "day")
    if word in ("last", "this") and following in DAY_PARTS:
        days = -1 if word == "last" else 0
        return Found(first + 2 - index, hours_of(reading.today + days * DAY, following), "part of day")
    return _read_fixed_phrase(reading, index)


def _read_fixed_phrase(reading: Reading, index: int) -> Found | None:
    word = reading.word(index)
    if word in ("recently", "lately"):
        return Found(1, Span(reading.local - RECENT_DAYS * DAY, reading.local), "recent")
    place = reading.skip(index, "the")
    three = tuple(reading.word(place + offset) for offset in range(3))
    if three[:2] == ("other", "day") and place > index:
        longest, shortest = OTHER_DAY
        return Found(3, Span(reading.today - longest * DAY, reading.today - (shortest - 1) * DAY), "recent")
    if three in {("day", "before", "yesterday"), ("day", "after", "tomorrow")}:
        midnight = reading.today + (-2 if three[1] == "before" else 2) * DAY
        return Found(place + 3 - index, Span(midnight, midnight + DAY), "day")
    if three[0] in CYCLE_UNITS and three[1:] == ("before", "last"):
        cycle = UNIT_CYCLES[reading.word(place)]
        last = cycle.latest(reading.today, is_over=True)
        span = last and cycle.period(cycle.number(last.start) - 1)
        return Found(place + 3 - index, span, cycle.precision) if span else None
    return None


def read_count(reading: Reading, index: int) -> tuple[int, int, int] | None:
    """Return the least and the most that a number means, and how many tokens say so.

    "3", "two or three", "a couple of".
    """
    place = reading.skip(index, "a", "the")
    if reading.word(place) in VAGUE_NUMBERS:
        low, high = VAGUE_NUMBERS[reading.word(place)]
        return low, high, reading.skip(place + 1, *_OF) - index
    low = _number(reading.word(index))
    if not low:
        return None
    high = _number(reading.word(index + 2)) if reading.word(index + 1) in ("or", "to", "-", "–") else 0
    return (low, high, 3) if high > low else (low, low, 1)


def _number(word: str) -> int:
    """0 if it is none, or more than anyone counts."""
    return int(word) if word.isdecimal() and len(word) <= _MOST_DIGITS else NUMBERS.get(word, 0)


def read_ago(reading: Reading, index: int) -> Found | None:
    """Read "two weeks ago", "a couple of months back", "3 days from now".

    The window lies around the moment and is as long as the unit, as "two weeks ago" seldom means the day. Like the
    other readers it raises ValueError or OverflowError outside of the calendar.
    """
    first = reading.skip(index, *ABOUT)
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
    first_unit, last_unit = (-high, -low) if is_past else (low, high)
    if unit in SMALL_UNITS:
        span = _moments(reading, SMALL_UNITS[unit] * (first_unit - 0.5), SMALL_UNITS[unit] * (last_unit + 0.5))
    else:
        span = _spread(reading.today, unit, first_unit, last_unit)
    return Found(place + (2 if is_past else 3) - index, span, unit.replace("fortnight", "week"))


def _spread(midnight: datetime, unit: str, first: int, last: int) -> Span:
    """From half a unit before `midnight` + `first` units to half a unit after its day + `last`, in whole days."""
    half = _UNIT_DAYS[unit] // 2
    start = calendar.shift(midnight, unit, first) - half * DAY
    return Span(start, calendar.shift(midnight, unit, last) + (half + 1) * DAY)


def _moments(reading: Reading, first: timedelta, last: timedelta) -> Span:
    """Hours are counted in real time, across changes of the clock. The local times keep their `fold`."""
    start, end = calendar.move_clock(reading.now, first), calendar.move_clock(reading.now, last)
    return Span(start.replace(tzinfo=None), end.replace(tzinfo=None))


def read_rolling(reading: Reading, index: int) -> Found | None:
    """Read "the last 3 days", "the past week", "the next few months": they end or begin now."""
    place = reading.skip(reading.skip(index, "the", "these"), "last", "past", "previous", "next", "coming")
    which = reading.word(place - 1) if place > index else ""
    if which not in {"last", "past", "previous", "next", "coming"}:
        return None
    count = read_count(reading, place)
    unit = UNITS.get(reading.word(place + count[2] if count else place), "")
    # "Last week" is the week of the calendar; "the past week" is seven days.
    if not unit or not (count or which == "past" or unit in SMALL_UNITS):
        return None
    _, high, used = count or (1, 1, 0)
    if reading.word(place + used + 1) == "of":
        return None
    is_ahead = which in {"next", "coming"}
    if unit in SMALL_UNITS:
        length, none = SMALL_UNITS[unit] * high, timedelta()
        span = _moments(reading, none, length) if is_ahead else _moments(reading, -length, none)
    else:
        moved = calendar.shift(reading.today, unit, high if is_ahead else -high)
        span = Span(reading.local, moved + DAY) if is_ahead else Span(moved, reading.local)
    return Found(place + used + 1 - index, span, "recent")


_DAYS_OF = {"day": 1, "days": 1, "week": 7, "weeks": 7, "weekend": 7}
_PARTS_OF = {"half": 2, "third": 3, "quarter": 4}


def read_part(reading: Reading, index: int) -> Found | None:
    """Read "early 2023", "the second half of 2023", "the first week of June", "the night of 7 May"."""
    place = reading.skip(index, "the")
    readers = (_read_third, _read_fraction, _read_week_of_month, _read_around_day, _read_beside)
    result = next(filter(None, (read(reading, place) for read in readers)), None)
    return result and replace(result, words=result.words + place - index)


def _read_inner(reading: Reading, index: int) -> Found | None:
    """Return a whole of which a part is named. "The year" is this year."""
    place = reading.skip(index, "the")
    if place > index and reading.word(place) in CYCLE_UNITS:
        cycle = UNIT_CYCLES[reading.word(place)]
        span = cycle.period(cycle.number(reading.local))
        return Found(2, span, cycle.precision) if span else None
    return read_decade(reading, index) or _read_date(reading, index)


def _read_date(reading: Reading, index: int) -> Found | None:
    place = reading.skip(index, "the")
    result = read_expected(reading, place)
    return result and replace(result, words=result.words + place - index)


def _read_third(reading: Reading, index: int) -> Found | None:
    word = reading.word(index)
    if word not in THIRDS:
        return None
    place = reading.skip(index + 1, *(("of",) if word in THIRDS_WITH_OF else ("-", "in")))
    if place == index + 1 and word in THIRDS_WITH_OF:
        return None
    inner = _read_inner(reading, place)
    if not inner:
        return None
    is_short = inner.precision in {"day", "part of day"}
    span = inner.span if is_short else _cut(inner.span, THIRDS[word], 3)
    return Found(place + inner.words - index, span, inner.precision if is_short else "part")


def _cut(span: Span, part: int, parts: int) -> Span:
    """Return the `part`-th of so many equal parts, from 0, in whole days; all of it if it has fewer days than that."""
    days = (span.end - span.start).days
    if days < parts:
        return span
    return Span(span.start + days * part // parts * DAY, span.start + days * (part + 1) // parts * DAY)


def _read_fraction(reading: Reading, index: int) -> Found | None:
    """Read "first half of 2023", "third quarter of last year"."""
    parts = _PARTS_OF.get(reading.word(index + 1), 0)
    part = (parts if reading.word(index) in {"last", "final"} else ORDINALS.get(reading.word(index), 0)) - 1
    if not 0 <= part < parts or reading.word(index + 2) not in {"of", "in"}:
        return None
    inner = _read_inner(reading, index + 3)
    if not inner:
        return None
    precision = {2: "half", 4: "quarter"}.get(parts, "part") if inner.precision == "year" else "part"
    span = _cut(inner.span, part, parts)
    if inner.precision == "year":
        start = calendar.shift(inner.span.start, "month", part * 12 // parts)
        span = calendar.lasting(start, "month", 12 // parts)
    return Found(3 + inner.words, span, precision)


def _read_week_of_month(reading: Reading, index: int) -> Found | None:
    """Read "first week of May" (its first seven days), "last two weeks of May", "last weekend of May"."""
    order = reading.word(index)
    count = NUMBERS.get(reading.word(index + 1), 0)
    place = index + (2 if count else 1)
    unit = reading.word(place)
    if unit not in _DAYS_OF or reading.word(place + 1) not in {"of", "in"}:
        return None
    inner = _read_inner(reading, place + 2) if order in {"last", "final"} | ORDINALS.keys() else None
    if not inner or inner.precision not in {"month", "year", "season", "quarter"}:
        return None
    days = _DAYS_OF[unit] * max(count, 1)
    if order in {"last", "final"}:
        span = Span(inner.span.end - days * DAY, inner.span.end)
    else:
        start = inner.span.start + (ORDINALS[order] - 1) * days * DAY
        span = Span(start, start + days * DAY)
    if unit == "weekend":
        saturday = span.start + (5 - span.start.weekday()) % 7 * DAY
        span = Span(saturday, saturday + 2 * DAY)
    return Found(place + 2 + inner.words - index, span, unit if unit in {"day", "weekend"} else "week")


def _read_around_day(reading: Reading, index: int) -> Found | None:
    """Read "evening of 7 May", "week of 7 May", "weekend of the 7th"."""
    unit, link = reading.word(index), reading.word(index + 1)
    is_week = unit in {"week", "weekend"} and link in {"of", "from", "starting", "around"}
    if not is_week and not (unit in DAY_PARTS and link == "of"):
        return None
    inner = read_numeric(reading, index + 2) or read_named(reading, index + 2, is_expected=True)
    if not inner or not (inner.precision == "day" or (is_week and inner.precision == "holiday")):
        return None
    day = inner.span.start
    if not is_week:
        return Found(2 + inner.words, hours_of(day, unit), "part of day")
    week = UNIT_CYCLES["week"]
    span = calendar.weekend_near(day) if unit == "weekend" else week.period(week.number(day))
    return Found(2 + inner.words, span, unit) if span else None


def _read_beside(reading: Reading, index: int) -> Found | None:
    """Read "the week before 7 May", "the Sunday before Christmas", "two weeks after 3 June 2023"."""
    count = read_count(reading, index)
    place = index + count[2] if count else index
    word, side = reading.word(place), reading.word(place + 1)
    unit = word if word in PLAIN_WEEKDAYS | {"weekend"} else UNITS.get(word, "")
    is_counted = bool(count) or not word.endswith("s")
    if not unit or not is_counted or unit in {"minute", "hour"} or side not in {"before", "after"}:
        return None
    inner = _read_inner(reading, place + 2)
    if not inner or inner.precision not in {"day", "holiday"}:
        return None
    is_before, day = side == "before", inner.span
    low, high, _ = count or (1, 1, 0)
    span: Span | None
    if unit in PLAIN_WEEKDAYS | {"weekend"}:
        cycle = calendar.weekday(WEEKDAYS[unit]) if unit in WEEKDAYS else UNIT_CYCLES[unit]
        span = cycle.latest(day.start, is_over=True) if is_before else cycle.next(day.end)
    elif count and unit != "day":
        first, last = (-high, -low) if is_before else (low, high)
        span = _spread(day.start, unit, first, last)
    else:
        start, first, last = (day.start, -high, 1 - low) if is_before else (day.end, low - 1, high)
        span = Span(calendar.shift(start, unit, first), calendar.shift(start, unit, last))
    precision = "day" if unit in PLAIN_WEEKDAYS else unit
    return Found(place + 2 + inner.words - index, span, precision) if span else None


_DASHES = frozenset({"-", "–", "—"})
_LINKS = {
    "between": frozenset({"and", *_DASHES}),
    "from": frozenset({"to", "until", "till", "through", *_DASHES}),
}
_BARE_LINKS = frozenset({"to", "through", *_DASHES})


def read_range(reading: Reading, index: int) -> Found | None:
    """Return a range that begins here, at "between" or "from", or at a date that a dash or "to" follows."""
    opener = reading.word(index)
    links = _LINKS.get(opener, _BARE_LINKS)
    first = index + 1 if opener in _LINKS else index
    result = _read_days(reading, first, links) or _read_days_behind_month(reading, first, links)
    if not result:
        result = _read_two(reading, first, links, is_open=opener in _LINKS)
    return result and replace(result, words=result.words + first - index)


def _read_days(reading: Reading, index: int, links: frozenset[str]) -> Found | None:
    """Read "3 and 5 May 2023", "3rd-5th of May"."""
    place = reading.skip(index, "the")
    day = read_day(reading, place)
    if not day or reading.word(place + 1) not in links:
        return None
    last_at = reading.skip(place + 2, "the")
    last = read_expected(reading, last_at) if read_day(reading, last_at) else None
    if not last or last.precision != "day" or day[0] >= last.span.start.day:
        return None
    return Found(last_at + last.words - index, _from_day(reading, last, day[0]), "range")


def _from_day(reading: Reading, last: Found, first_day: int) -> Span:
    """From a day of a month to a later one. Without a year, the latest range that has begun is meant."""
    gap = (last.span.start.day - first_day) * DAY
    span = (last.cycle.latest(reading.local + gap) if last.cycle else None) or last.span
    return Span(span.start - gap, span.end)


def _read_days_behind_month(reading: Reading, index: int, links: frozenset[str]) -> Found | None:
    """Read "May 3-5", "May 3 to 5, 2023": the month and the last day are read as if the first were not there."""
    first = read_day(reading, index + 1)
    last = read_day(reading, index + 3)
    if not first or not last or reading.word(index + 2) not in links or first[0] >= last[0]:
        return None
    tokens = [*reading.tokens[max(0, index - 2) : index + 1], *reading.tokens[index + 3 : index + 8]]
    shorter = Reading(tokens, reading.now)
    result = read_expected(shorter, index - max(0, index - 2))
    if not result or result.precision != "day":
        return None
    return Found(result.words + 2, _from_day(reading, result, first[0]), "range")


def _read_two(reading: Reading, index: int, links: frozenset[str], is_open: bool) -> Found | None:
    """Two whole dates. Without "between" or "from" before them, both must be of one kind: "May-July", "2020-2022"."""
    first = _read_end(reading, index)
    if not first or reading.word(index + first.words) not in links:
        return None
    place = index + first.words + 1
    last = _read_end(reading, place)
    if not last or not (is_open or first.precision == last.precision):
        return None
    # Where a year was left open, the range is the shortest that runs forward.
    start, end = first.span.start, last.span.end
    if first.cycle:
        span = first.cycle.latest(last.span.start)
        start = span.start if span else start
    elif last.cycle:
        span = last.cycle.latest(start)
        following = span if span and span.start >= start else last.cycle.next(start)
        end = following.end if following else end
    return Found(place + last.words - index, Span(start, end), "range") if start < end else None


def _read_end(reading: Reading, index: int) -> Found | None:
    return (
        _read_date(reading, index)
        or _read_relative_day(reading, index)
        or read_ago(reading, index)
        or read_part(reading, index)
        or read_decade(reading, index)
    )


MAX_WINDOWS = 32
_READERS = (
    read_range,
    _read_relative_day,
    read_ago,
    read_rolling,
    read_part,
    read_numeric,
    read_named,
    read_decade,
    read_bare_year,
)
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
    """Return the times in a text in the order they are said, at most MAX_WINDOWS. Linear in the length of the text.

    An ambiguous date ("05/07/2023") gives two windows of one span, month first before day first.
    """
    if not _may_tell_a_time(text):
        return []
    reading = Reading(tokenize(text), now)
    windows: list[TimeWindow] = []
    index = 0
    while index < len(reading.tokens) and len(windows) < MAX_WINDOWS:
        window = _read_window(reading, index)
        if not window:
            index += 1
            continue
        used, operator, result = window
        place = (reading.tokens[index].start, reading.tokens[index + used - 1].end)
        for span in result.spans:
            start, end = (limit and limit.replace(tzinfo=now.tzinfo) for limit in _limits(operator, span))
            windows.append(TimeWindow(start, end, place, text[slice(*place)], result.precision))
        index += used
    return windows


def _may_tell_a_time(text: str) -> bool:
    """Tell whether anything in it may begin a time: a word, or a digit, also behind an apostrophe.

    Telling takes a sixth of the time that reading takes.
    """
    return bool(_DIGIT.search(text)) or not _BEGINNINGS.isdisjoint(_WORD.findall(text.lower()))


def _read_window(reading: Reading, index: int) -> tuple[int, str, Found] | None:
    """Return how many tokens make a time here, its operator, and what it is."""
    word = reading.word(index)
    if word not in _BEFORE_A_TIME and not _may_begin(word):
        return None
    for length in (2, 1):
        operator = OPERATORS.get((word, reading.word(index + 1))[:length])
        result = _read_simple(reading, index + length) if operator else None
        if operator and result:
            return length + result.words, operator, result
    lead = 1 if word in _LEADING and reading.word(index + 1) not in ADVERBS else 0
    result = _read_simple(reading, index + lead)
    return (lead + result.words, "", result) if result else None


def _limits(operator: str, span: Span) -> tuple[datetime | None, datetime | None]:
    return {
        "": (span.start, span.end),
        SINCE: (span.start, None),
        AFTER: (span.end, None),
        BEFORE: (None, span.start),
        UNTIL: (None, span.end),
    }[operator]


def _read_simple(reading: Reading, index: int) -> Found | None:
    if not _may_begin(reading.word(index)):
        return None
    place = reading.skip(index, "the")
    for read in _READERS:
        result = _read_inside(read, reading, index)
        if not result and place > index and read is read_named:
            result = _read_inside(read, reading, place)
            result = result and replace(result, words=result.words + 1)
        if result:
            return result
    return None


def _read_inside(read: Callable[[Reading, int], Found | None], reading: Reading, index: int) -> Found | None:
    """Return what is read, with the part of the day behind it ("Friday night").

    None, too, for what falls out of the calendar: "tomorrow" on 31 December 9999.
    """
    try:
        result = read(reading, index)
        part = reading.word(index + result.words) if result else ""
        if result and result.precision == "day" and part in DAY_PARTS and not result.other:
            result = Found(result.words + 1, hours_of(result.span.start, part), "part of day")
    except (ValueError, OverflowError):
        return None
    return result if result and all(span.start >= FIRST and span.end <= LAST for span in result.spans) else None


def _may_begin(word: str) -> bool:
    return word in _BEGINNINGS or word[:1].isdecimal()

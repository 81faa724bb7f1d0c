"""Parts of longer times: "early 2023", "end of May", "first week of June", "the week of 7 May"."""

from __future__ import annotations

from dataclasses import replace

from memories.text.temporal import calendar
from memories.text.temporal.calendar import DAY, UNIT_CYCLES, Span
from memories.text.temporal.dates import Found, hours_of, read_decade, read_expected, read_named, read_numeric
from memories.text.temporal.phrases import read_count, spread_days
from memories.text.temporal.tokens import Reading
from memories.text.temporal.words import CYCLE_UNITS, DAY_PARTS, NUMBERS, ORDINALS, PLAIN_WEEKDAYS, UNITS, WEEKDAYS

_DAYS_OF = {"day": 1, "days": 1, "week": 7, "weeks": 7, "weekend": 7}
_PARTS_OF = {"half": 2, "third": 3, "quarter": 4}


def read_part(reading: Reading, at: int) -> Found | None:
    """Read "early 2023", "the second half of 2023", "the first week of June", "the night of 7 May"."""
    place = reading.skip(at, "the")
    for read in (_read_third, _read_fraction, _read_week_of_month, _read_hours_of_day, _read_week_around, _read_beside):
        found = read(reading, place)
        if found:
            return replace(found, words=found.words + place - at)
    return None


def _read_inner(reading: Reading, at: int) -> Found | None:
    """A whole of which a part is named. "The year" is this year."""
    place = reading.skip(at, "the")
    if place > at and reading.word(place) in CYCLE_UNITS:
        cycle = UNIT_CYCLES[reading.word(place)]
        span = cycle.at(cycle.number(reading.local))
        return Found(2, span, cycle.precision) if span else None
    decade = read_decade(reading, at)
    if decade:
        return decade
    found = read_expected(reading, place)
    return replace(found, words=found.words + place - at) if found else None


_THIRDS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}


def _read_third(reading: Reading, at: int) -> Found | None:
    word = reading.word(at)
    if word not in _THIRDS:
        return None
    place = reading.skip(at + 1, *(("of",) if word in {"beginning", "start", "middle", "end"} else ("-", "in")))
    if place == at + 1 and word in {"beginning", "start", "middle", "end"}:
        return None
    inner = _read_inner(reading, place)
    if not inner:
        return None
    is_short = inner.precision in {"day", "part of day"}
    span = inner.span if is_short else _cut(inner.span, _THIRDS[word], 3)
    return Found(place + inner.words - at, span, inner.precision if is_short else "part")


def _cut(span: Span, part: int, parts: int) -> Span:
    """The `part`-th of so many equal parts, from 0, in whole days; all of it if it has fewer days than that."""
    days = (span.end - span.start).days
    if days < parts:
        return span
    return Span(span.start + days * part // parts * DAY, span.start + days * (part + 1) // parts * DAY)


def _place_in_order(word: str, count: int) -> int | None:
    """ "first" → 0, "last" → the last of `count`."""
    number = count if word in {"last", "final"} else ORDINALS.get(word, 0)
    return number - 1 if 1 <= number <= count else None


def _read_fraction(reading: Reading, at: int) -> Found | None:
    """Read "first half of 2023", "third quarter of last year"."""
    parts = _PARTS_OF.get(reading.word(at + 1))
    part = _place_in_order(reading.word(at), parts) if parts else None
    if parts is None or part is None or reading.word(at + 2) not in {"of", "in"}:
        return None
    inner = _read_inner(reading, at + 3)
    if not inner:
        return None
    precision = {2: "half", 4: "quarter"}.get(parts, "part") if inner.precision == "year" else "part"
    span = _cut(inner.span, part, parts)
    if inner.precision == "year":
        start = calendar.shift(inner.span.start, "month", part * 12 // parts)
        span = calendar.lasting(start, "month", 12 // parts)
    return Found(3 + inner.words, span, precision)


def _read_week_of_month(reading: Reading, at: int) -> Found | None:
    """Read "first week of May" (its first seven days), "last two weeks of May", "last weekend of May"."""
    order = reading.word(at)
    count = NUMBERS.get(reading.word(at + 1), 0)
    place = at + (2 if count else 1)
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
    return Found(place + 2 + inner.words - at, span, unit if unit in {"day", "weekend"} else "week")


def _read_hours_of_day(reading: Reading, at: int) -> Found | None:
    """Read "evening of 7 May"."""
    if reading.word(at) not in DAY_PARTS or reading.word(at + 1) != "of":
        return None
    inner = read_numeric(reading, at + 2) or read_named(reading, at + 2, is_expected=True)
    if not inner or inner.precision != "day":
        return None
    return Found(2 + inner.words, hours_of(inner.span.start, reading.word(at)), "part of day")


def _read_week_around(reading: Reading, at: int) -> Found | None:
    """Read "week of 7 May", "weekend of the 7th"."""
    unit = reading.word(at)
    if unit not in {"week", "weekend"} or reading.word(at + 1) not in {"of", "from", "starting", "around"}:
        return None
    inner = read_numeric(reading, at + 2) or read_named(reading, at + 2, is_expected=True)
    if not inner or inner.precision not in {"day", "holiday"}:
        return None
    week = UNIT_CYCLES["week"]
    day = inner.span.start
    span = calendar.weekend_near(day) if unit == "weekend" else week.at(week.number(day))
    return Found(2 + inner.words, span, unit) if span else None


def _read_beside(reading: Reading, at: int) -> Found | None:
    """Read "the week before 7 May", "the Sunday before Christmas", "two weeks after 3 June 2023"."""
    count = read_count(reading, at)
    place = at + count[2] if count else at
    word, side = reading.word(place), reading.word(place + 1)
    unit = word if word in PLAIN_WEEKDAYS | {"weekend"} else UNITS.get(word, "")
    is_counted = bool(count) or not word.endswith("s")
    if not unit or not is_counted or unit in {"minute", "hour"} or side not in {"before", "after"}:
        return None
    inner = _read_inner(reading, place + 2)
    if not inner or inner.precision not in {"day", "holiday"}:
        return None
    span = _beside(inner.span, unit, side == "before", count)
    precision = "day" if unit in PLAIN_WEEKDAYS else unit
    return Found(place + 2 + inner.words - at, span, precision) if span else None


def _beside(day: Span, unit: str, is_before: bool, count: tuple[int, int, int] | None) -> Span | None:
    if unit in PLAIN_WEEKDAYS | {"weekend"}:
        cycle = calendar.weekday(WEEKDAYS[unit]) if unit in WEEKDAYS else UNIT_CYCLES[unit]
        return cycle.latest(day.start, is_over=True) if is_before else cycle.next(day.end)
    if count and unit != "day":
        first, last = (-count[1], -count[0]) if is_before else (count[0], count[1])
        return spread_days(day.start, unit, first, last)
    low, high = (count[0], count[1]) if count else (1, 1)
    start, first, last = (day.start, -high, 1 - low) if is_before else (day.end, low - 1, high)
    try:
        return Span(calendar.shift(start, unit, first), calendar.shift(start, unit, last))
    except (ValueError, OverflowError):
        return None

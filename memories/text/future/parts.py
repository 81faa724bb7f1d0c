"""Parts of longer times and days beside others: "end of next week", "early May", "two days before Christmas"."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memories.text.future.counted import read_amount
from memories.text.future.dates import read_day_ahead
from memories.text.future.found import Found, Proof, Speech, from_span
from memories.text.future.simple import read_inner, read_simple
from memories.text.future.words import LIMITS
from memories.text.temporal import calendar
from memories.text.temporal.calendar import DAY, UNIT_CYCLES, Span
from memories.text.temporal.words import ORDINALS, UNITS

_THIRDS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
_WITH_OF = frozenset({"beginning", "start", "middle", "end"})
_DAYS_OF = {"day": 1, "week": 7}
_ENDS_OF_DAY = (
    ("eod",),
    ("the", "end", "of", "the", "day"),
    ("the", "end", "of", "day"),
    ("end", "of", "the", "day"),
    ("end", "of", "day"),
)


def read_end_of_day(speech: Speech, at: int) -> Found | None:
    """Read "by EOD", "by the end of the day", "by end of day Friday"; "at the end of the day" is a saying."""
    for said in _ENDS_OF_DAY:
        place = at + len(said)
        if speech.word(at - 1) in LIMITS and tuple(speech.word(at + offset) for offset in range(len(said))) == said:
            day = read_simple(speech, place)
            return day.moved(len(said)) if day and not day.last else Found(len(said), speech.today)
    return None


def read_beside(speech: Speech, at: int) -> Found | None:
    """Read "two days before Christmas", "the day after May 3", "the week before Easter"."""
    amount = read_amount(speech, at)
    unit = UNITS.get(speech.word(at + 1), "") if speech.word(at) == "the" else ""
    count, unit, used = (amount[1], amount[2], amount[3]) if amount else (1, unit, 2)
    side = speech.word(at + used)
    if unit not in {"day", "week", "month"} or side not in {"before", "after"}:
        return None
    inner = read_simple(speech, at + used + 1)
    if not inner or inner.last or inner.first == datetime.min:
        return None
    words = used + 1 + inner.words
    is_before = side == "before"
    if unit != "day" and not amount:
        first = calendar.shift(inner.first, unit, -1) if is_before else inner.first + DAY
        last = inner.first - DAY if is_before else calendar.shift(inner.first, unit, 1)
        return from_span(words, Span(first, last + DAY), speech.today)
    return Found(words, calendar.shift(inner.first, unit, -count if is_before else count))


def read_around(speech: Speech, at: int) -> Found | None:
    """Read "the weekend of the 28th", "the week of May 3": the one in which that day is, or to which it is nearest."""
    place = speech.skip(at, "the")
    unit = speech.word(place)
    if unit not in {"week", "weekend"} or speech.word(place + 1) != "of":
        return None
    day = read_simple(speech, place + 2) or read_day_ahead(speech, place + 2)
    if not day or day.last or day.first == datetime.min:
        return None
    week = UNIT_CYCLES["week"]
    span = calendar.weekend_near(day.first) if unit == "weekend" else week.at(week.number(day.first))
    return from_span(place + 2 + day.words - at, span, speech.today) if span else None


def read_part(speech: Speech, at: int) -> Found | None:
    """Read "the end of next week", "early May", "mid-June", "later this month", "the end of the year"."""
    first = speech.skip(at, "the")
    word = speech.word(first)
    if word == "later":
        return _read_rest(speech, at)
    if word not in _THIRDS:
        return None
    place = speech.skip(first + 1, *(("of",) if word in _WITH_OF else ("-", "in")))
    if word in _WITH_OF and place == first + 1:
        return None
    inner = _read_whole(speech, place) or read_inner(speech, place)
    if not inner or not inner.last:
        return None
    # What is left of a running week or month does not tell where its end begins, but where it ends is sure.
    span = _third(Span(inner.begin or inner.first, inner.last + DAY), _THIRDS[word])
    is_vague = speech.word(place) == "the" and word not in _WITH_OF
    return replace(
        from_span(place + inner.words - at, span, speech.today), proof=Proof.FUTURE if is_vague else inner.proof
    )


def _read_whole(speech: Speech, at: int) -> Found | None:
    """Read "the week", "the month", "this year": the running one."""
    unit = speech.word(at + 1)
    if speech.word(at) not in {"the", "this"} or unit not in {"week", "month", "year", "quarter"}:
        return None
    cycle = UNIT_CYCLES[unit]
    span = cycle.at(cycle.number(speech.local))
    return Found(2, span.start, span.end - DAY) if span else None


def _third(span: Span, part: int) -> Span:
    """The first, middle or last third in whole days; the end of a week is Friday to Sunday."""
    days = (span.end - span.start).days
    if days == 7:
        first, last = ((0, 2), (2, 4), (4, 7))[part]
    else:
        first, last = days * part // 3, days * (part + 1) // 3
    return Span(span.start + first * DAY, span.start + max(last, first + 1) * DAY)


def _read_rest(speech: Speech, at: int) -> Found | None:
    """Read "later today", "later this week", "later in the year"."""
    place = speech.skip(at + 1, "in")
    if speech.word(place) == "today":
        return Found(place + 1 - at, speech.today)
    whole = _read_whole(speech, place)
    if not whole or not whole.last:
        return None
    return from_span(place + whole.words - at, Span(whole.first, whole.last + DAY), speech.today)


def read_nth_part(speech: Speech, at: int) -> Found | None:
    """Read "the first week of June", "the last day of the month"; a first week is the first seven days."""
    place = speech.skip(at, "the")
    order, days = speech.word(place), _DAYS_OF.get(speech.word(place + 1))
    if not days or (order != "last" and order not in ORDINALS) or speech.word(place + 2) not in {"of", "in"}:
        return None
    whole = _read_whole(speech, place + 3) or read_inner(speech, place + 3)
    if not whole or not whole.last:
        return None
    number = ORDINALS.get(order, 0)
    start = (whole.begin or whole.first) + (number - 1) * days * DAY if number else whole.last - (days - 1) * DAY
    return from_span(place + 3 + whole.words - at, Span(start, start + days * DAY), speech.today)

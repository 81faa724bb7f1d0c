"""The n-th weekday of a month: "the first Monday of June", "the last Friday of next month"; and its n-th weekend."""

from __future__ import annotations

from datetime import datetime

from memories.text.future.found import Found, Speech
from memories.text.temporal import calendar
from memories.text.temporal.calendar import DAY, UNIT_CYCLES
from memories.text.temporal.dates import read_year
from memories.text.temporal.names import read_name
from memories.text.temporal.words import ORDINALS, PLAIN_WEEKDAYS, WEEKDAYS


def read_nth_weekday(speech: Speech, at: int) -> Found | None:
    """Read "the first Monday of June", "the last Friday of next month", "the second weekend in June"."""
    nth = nth_weekday_at(speech, at) or _nth_weekend_at(speech, at)
    if not nth:
        return None
    number, day, used = nth
    more = DAY if speech.word(at + used - 1) == "weekend" else None
    place = speech.skip(at + used, "of", "in")
    months = _months_from(speech, place)
    if place == at + used or not months:
        return None
    for month in months[0]:
        found = _nth_day(month, number, day)
        if found and found >= speech.today:
            return Found(place + months[1] - at, found, found + more if more else None)
    return None


def nth_weekday_at(speech: Speech, at: int) -> tuple[int, int, int] | None:
    """Which one (-1 the last), which weekday, and the tokens of "the first Monday"."""
    place = speech.skip(at, "the")
    number = -1 if speech.word(place) == "last" else ORDINALS.get(speech.word(place), 0)
    day = WEEKDAYS.get(speech.word(place + 1)) if speech.word(place + 1) in PLAIN_WEEKDAYS else None
    return (number, day, place + 2 - at) if day is not None and -1 <= number <= 5 and number else None


def _nth_weekend_at(speech: Speech, at: int) -> tuple[int, int, int] | None:
    """The same of "the first weekend", which begins on its Saturday."""
    place = speech.skip(at, "the")
    number = -1 if speech.word(place) == "last" else ORDINALS.get(speech.word(place), 0)
    is_weekend = speech.word(place + 1) == "weekend"
    return (number, WEEKDAYS["saturday"], place + 2 - at) if is_weekend and -1 <= number <= 5 and number else None


def _months_from(speech: Speech, at: int) -> tuple[list[datetime], int] | None:
    """The months that may be meant, soonest first, and the tokens: "June", "June 2027", "next month", "the month"."""
    which, cycle = speech.word(at), UNIT_CYCLES["month"]
    number = cycle.number(speech.local)
    if which in {"this", "next", "the"} and speech.word(at + 1) == "month":
        numbers = {"this": [number], "next": [number + 1], "the": [number, number + 1]}[which]
        return [span.start for span in map(cycle.at, numbers) if span], 2
    named = read_name(speech, at)
    if not named or named.cycle.precision != "month":
        return None
    year = read_year(speech, at + named.words)
    years = [year[0]] if year else [speech.today.year, speech.today.year + 1]
    starts = [span.start for span in map(named.cycle.at, years) if span]
    return starts, named.words + (year[1] if year else 0)


def _nth_day(month: datetime, number: int, weekday: int) -> datetime | None:
    """None for a fifth Monday where there are four."""
    if number > 0:
        day = month + ((weekday - month.weekday()) % 7 + 7 * (number - 1)) * DAY
        return day if day.month == month.month else None
    last = calendar.shift(month, "month", 1) - DAY
    return last - (last.weekday() - weekday) % 7 * DAY

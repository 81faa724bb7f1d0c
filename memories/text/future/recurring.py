"""What comes round: "every Monday", "on Fridays", "each month on the 1st", "daily", "the first Monday of every month".

Where no day is said ("monthly", "every two weeks"), the first one is that on which the next week, month, quarter or
year begins; what comes daily begins today.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memories.text.future.dates import coming, read_named_date
from memories.text.future.feasts import feast, feast_at
from memories.text.future.found import BREAK, Found, Speech
from memories.text.future.nth import nth_weekday_at
from memories.text.future.rules import DAY_CODES, every, yearly_on
from memories.text.future.weekly import codes, read_every_weekday, read_plural_days, read_weekdays, ruled
from memories.text.future.words import ALTERNATE, EVERY, NO_RULE_BEHIND, PERIODS
from memories.text.temporal import calendar
from memories.text.temporal.names import read_day
from memories.text.temporal.phrases import read_count
from memories.text.temporal.words import (
    DAY_PARTS,
    DETERMINERS,
    MONTHS,
    ORDINALS,
    PREPOSITIONS,
    UNITS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
)

_RULED_UNITS = frozenset({"day", "week", "fortnight", "month", "quarter", "year"})
_MOST_INTERVAL = 999
_ADVERB_MAY_FOLLOW = PREPOSITIONS | {"", BREAK, ".", ",", "!", "?", ";", ")", "and", "or", "but", "starting", "every"}
_ORDERS = {"last": -1, **ORDINALS}


def read_recurring(speech: Speech, at: int) -> Found | None:
    """A time that comes round, its preposition included."""
    place = speech.skip(at, "on", "in", "for", "at")
    for read in (_read_every, read_plural_days, _read_adverb, _read_of_every):
        found = read(speech, place)
        if found:
            return found.moved(place - at)
    return None


def _read_every(speech: Speech, at: int) -> Found | None:
    """Read "every Monday", "each other Tuesday", "every two weeks on Friday", "every May 3", "every weekday"."""
    if speech.word(at) not in EVERY or speech.word(at - 1) in NO_RULE_BEHIND:
        return None
    place = speech.skip(at + 1, "single")
    for read in (_read_every_nth_of_month, _read_every_date, read_every_weekday, _read_every_unit):
        found = read(speech, place)
        if found:
            return found.moved(place - at)
    return None


def _read_every_nth_of_month(speech: Speech, at: int) -> Found | None:
    """Read "first Monday of the month", "1st of the month", "last day of the month" behind "every"."""
    nth = nth_weekday_at(speech, at)
    day = read_day(speech, at)
    used = nth[2] if nth else 1
    place = at + used
    if (not nth and not (day and day[1])) or speech.word(place) not in {"of", "in"}:
        return None
    if speech.word(place + 1) not in {"the", "a", *EVERY} or speech.word(place + 2) != "month":
        return None
    part = f"BYDAY={nth[0]}{DAY_CODES[nth[1]]}" if nth else f"BYMONTHDAY={day[0] if day else 1}"
    return ruled(speech, used + 3, every("month", 1, part))


def _read_every_date(speech: Speech, at: int) -> Found | None:
    """Read "May 3", "3rd of May", "May", "Christmas" behind "every"."""
    name = feast_at(speech, at)
    if name and speech.word(at) not in WEEKDAYS:
        span = coming(feast(name), speech.today)
        words = len(name.split())
        return ruled(speech, words, yearly_on(span.start.month, span.start.day)) if span else None
    dated = read_named_date(speech, at)
    if dated and dated.words > 1 and not dated.last and (MONTHS.keys() & _words(speech, at, dated.words)):
        return ruled(speech, dated.words, yearly_on(dated.first.month, dated.first.day))
    month = MONTHS.get(speech.word(at)) if speech.is_capital(at) else None
    return ruled(speech, 1, yearly_on(month, 1)) if month else None


def _words(speech: Speech, at: int, count: int) -> set[str]:
    return {speech.word(at + offset) for offset in range(count)}


def _read_every_unit(speech: Speech, at: int) -> Found | None:
    """Read "two weeks", "other month", "day", "morning" behind "every", and the day of it if one is said."""
    word = speech.word(at)
    if word in DAY_PARTS:
        found = ruled(speech, 1, every("day"))
        return found and replace(found, part=word)
    interval, used = ALTERNATE.get(word, 0), 1
    if not interval:
        count = read_count(speech, at)
        interval, used = (count[1], count[2]) if count and count[0] == count[1] else (1, 0)
    unit = UNITS.get(speech.word(at + used), "")
    # "Better each day" is a saying as often as a rule.
    is_saying = speech.word(at - 1) == "each" and interval == 1 and speech.word(at + used + 1) not in {"on", "at"}
    if is_saying or unit not in _RULED_UNITS or not 1 <= interval <= _MOST_INTERVAL:
        return None
    return _with_day(speech, unit, interval, at, at + used + 1)


def _with_day(speech: Speech, unit: str, interval: int, at: int, end: int) -> Found | None:
    """Read the day behind a period: "every month on the 1st", "every week on Monday", "yearly on May 3"."""
    named = _read_day_of(speech, unit, interval, end)
    if named:
        return ruled(speech, named[1] + end - at, named[0])
    return ruled(speech, end - at, every(unit, interval), _next_beginning(speech, unit))


def _read_day_of(speech: Speech, unit: str, interval: int, at: int) -> tuple[str, int] | None:
    place = speech.skip(at, "on", "in")
    if place == at:
        return None
    if unit in {"week", "fortnight"}:
        days, used = read_weekdays(speech, place, WEEKDAYS.keys() | WEEKDAY_PLURALS)
        return (every(unit, interval, f"BYDAY={codes(days)}"), place + used - at) if days else None
    if unit in {"month", "quarter"}:
        found = _read_day_of_month(speech, place)
        return (every(unit, interval, found[0]), place + found[1] - at) if found else None
    dated = read_named_date(speech, place) if unit == "year" else None
    if not dated:
        return None
    parts = (f"BYMONTH={dated.first.month}", f"BYMONTHDAY={1 if dated.last else dated.first.day}")
    return every(unit, interval, *parts), place + dated.words - at


def _read_day_of_month(speech: Speech, at: int) -> tuple[str, int] | None:
    """Read "the 1st", "the first", "the last day", "the first Monday"."""
    nth = nth_weekday_at(speech, at)
    if nth:
        return f"BYDAY={nth[0]}{DAY_CODES[nth[1]]}", nth[2]
    place = speech.skip(at, "the")
    word = speech.word(place)
    if speech.word(place + 1) == "day" and word in _ORDERS:
        return f"BYMONTHDAY={_ORDERS[word]}", place + 2 - at
    day = read_day(speech, place)
    number = day[0] if day else ORDINALS.get(word, 0)
    return (f"BYMONTHDAY={number}", place + 1 - at) if number and place > at else None


def _next_beginning(speech: Speech, unit: str) -> datetime:
    cycle = calendar.UNIT_CYCLES.get({"fortnight": "week"}.get(unit, unit))
    span = cycle.next(speech.local) if cycle else None
    return span.start if span else speech.today


def _read_adverb(speech: Speech, at: int) -> Found | None:
    """Read "monthly", "daily"; "the daily report" and "a weekly call" tell of what things are."""
    unit = PERIODS.get(speech.word(at))
    if not unit or speech.word(at + 1) not in _ADVERB_MAY_FOLLOW or speech.word(at - 1) in DETERMINERS:
        return None
    if speech.word(at + 1) in {"and", "or", "of", ",", "by"} or speech.is_glued(at) or speech.word(at + 1) in {"-"}:
        return None
    return _with_day(speech, unit, 1, at, at + 1)


def _read_of_every(speech: Speech, at: int) -> Found | None:
    """Read "the first Monday of every month", "the 15th of each month", "the last day of every month"."""
    found = _read_day_of_month(speech, at)
    if not found:
        return None
    place = speech.skip(at + found[1], "of", "in")
    unit = speech.word(place + 1)
    if place == at + found[1] or speech.word(place) not in EVERY or unit not in {"month", "quarter"}:
        return None
    return ruled(speech, place + 2 - at, every(unit, 1, found[0]))

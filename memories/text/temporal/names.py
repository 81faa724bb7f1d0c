"""Names of times that come round: "7 May", "May", "Friday", "summer", "Easter", "Q3".

Many of them are other words, too. What stands around them and their capital decide; `Named.is_sure` tells whether they
are times even without a year behind them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memories.text.temporal import calendar
from memories.text.temporal.calendar import Cycle
from memories.text.temporal.tokens import Reading
from memories.text.temporal.words import (
    DAY_PARTS,
    DEMONSTRATIVES,
    DETERMINERS,
    HOLIDAYS,
    LEADS,
    MONTH_LEADS,
    MONTHS,
    MONTHS_THAT_LEAVE,
    NOT_A_HOLIDAY_BEFORE,
    ORDINALS,
    PARTITIVES,
    PERSON_VERBS,
    PLAIN_MONTHS,
    PLAIN_WEEKDAYS,
    PREPOSITIONS,
    SEASONS,
    SHORT_WEEKDAYS,
    VERBLIKE_MONTHS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
    WORDLIKE_SEASONS,
    WORDLIKE_WEEKDAYS,
)
from memories.text.wordlist import words

_DAY = re.compile(r"([0-3]?[0-9])(st|nd|rd|th)?")
_QUARTER = re.compile(r"q([1-4])")
_HALF = re.compile(r"h([12])")
_DASHES = ("-", "–", "—")
_EVERY = words("every each any most no per all other alternate")
_FEAST_WEEKDAYS = words("black good cyber easter palm ash fat super")
_FEAST_PLACES = {feast.split()[0] for feast in HOLIDAYS}
_LONGER_LEADS = LEADS - {"about"}


@dataclass(frozen=True, slots=True)
class Named:
    cycle: Cycle
    words: int
    is_sure: bool


def read_name(reading: Reading, at: int) -> Named | None:
    """The name of a time that begins at a place."""
    for read in _READERS:
        named = read(reading, at)
        if named:
            return named
    return None


def read_day(reading: Reading, at: int) -> tuple[int, bool] | None:
    """A day of the month in digits, and whether it is an ordinal ("7th")."""
    match = _DAY.fullmatch(reading.word(at))
    return (int(match[1]), bool(match[2])) if match and 1 <= int(match[1]) <= 31 else None


def _read_date(reading: Reading, at: int) -> Named | None:
    """Read "7 May", "the 7th of May", "May 7th", each with or without "Sunday," before it."""
    if reading.word(at) in WEEKDAYS:
        place = reading.skip(reading.skip(at + 1, "."), ",")
        named = _read_bare_date(reading, place)
        return named and Named(named.cycle, named.words + place - at, is_sure=True)
    return _read_bare_date(reading, at)


def _read_bare_date(reading: Reading, at: int) -> Named | None:
    return _read_day_first(reading, at) or _read_month_first(reading, at)


def _read_day_first(reading: Reading, at: int) -> Named | None:
    place = reading.skip(at, "the")
    digits = read_day(reading, place)
    day, is_ordinal = digits or (ORDINALS.get(reading.word(place), 0), False)
    month_at = reading.skip(place + 1, "of")
    month = MONTHS.get(reading.word(month_at))
    has_of = month_at > place + 1
    if not (day and month) or not (digits or has_of):
        return None
    is_clear = is_ordinal or has_of or _is_clear_month(reading, month_at, at)
    return Named(calendar.day_of_year(month, day), month_at + 1 - at, is_sure=is_clear)


def _read_month_first(reading: Reading, at: int) -> Named | None:
    month = MONTHS.get(reading.word(at))
    if not month:
        return None
    place = reading.skip(at + 1, ".", "the") if reading.word(at) not in PLAIN_MONTHS else reading.skip(at + 1, "the")
    found = read_day(reading, place)
    if not found or (reading.word(place + 1) == ":" and reading.word(place + 2).isdecimal()):
        return None
    is_clear = found[1] or _is_clear_month(reading, at, at)
    return Named(calendar.day_of_year(month, found[0]), place + 1 - at, is_sure=is_clear)


def _is_clear_month(reading: Reading, month_at: int, start: int) -> bool:
    """A number beside a month makes a date of it, but "may 7" and "7 may" could be a verb."""
    is_verblike = reading.word(month_at) in VERBLIKE_MONTHS and not reading.is_capital(month_at)
    return not is_verblike or reading.before(start) in LEADS | {"and"}


def _read_month(reading: Reading, at: int) -> Named | None:
    month = MONTHS.get(reading.word(at))
    return Named(calendar.month_of_year(month), 1, _is_month(reading, at)) if month else None


def _is_month(reading: Reading, at: int) -> bool:
    word, lead = reading.word(at), reading.before(at)
    if word in PLAIN_MONTHS:
        return True
    if reading.word(at - 1) == "of":
        return reading.word(at - 2) in PARTITIVES | {"week", "weekend", "rest"}
    if lead in MONTH_LEADS:
        is_person = lead != "in" and reading.word(at + 1) in PERSON_VERBS
        return not is_person and (lead != "this" or reading.is_capital(at) or word not in VERBLIKE_MONTHS)
    is_modifier = reading.word(at - 1) in DETERMINERS and reading.word(at + 1).isalpha()
    return is_modifier and reading.is_capital(at) and reading.word(at + 1) not in MONTHS_THAT_LEAVE | PERSON_VERBS


def _read_weekday(reading: Reading, at: int) -> Named | None:
    """A weekday that is said once; "every Friday", "Monday to Friday" and "our Friday call" come round."""
    day = WEEKDAYS.get(reading.word(at))
    if day is None or reading.word(at - 1) in _EVERY | _FEAST_WEEKDAYS or _is_in_row_of_weekdays(reading, at):
        return None
    if reading.word(at) in WORDLIKE_WEEKDAYS and not reading.is_capital(at):
        return None
    return Named(calendar.weekday(day), 1, _is_weekday(reading, at))


def _is_weekday(reading: Reading, at: int) -> bool:
    word, follower = reading.word(at), reading.word(at + 1)
    if word in PLAIN_WEEKDAYS:
        is_modifier = reading.word(at - 1) in DETERMINERS - {"this"} and follower.isalpha()
        return not is_modifier or follower in DAY_PARTS
    if word in SHORT_WEEKDAYS:
        return True
    if reading.before(at) not in MONTH_LEADS | {"on", "by"}:
        return False
    if word in WORDLIKE_WEEKDAYS:
        return not follower.isalpha() or follower in DAY_PARTS or follower in MONTHS
    return True


def _is_in_row_of_weekdays(reading: Reading, at: int) -> bool:
    links = ("to", "through", "thru", *_DASHES)
    days = WEEKDAYS.keys() | WEEKDAY_PLURALS
    return (reading.word(at + 1) in links and reading.word(at + 2) in days) or (
        reading.word(at - 1) in links and reading.word(at - 2) in days
    )


def _read_season(reading: Reading, at: int) -> Named | None:
    """Without a year "in summer" is any summer and "in Spring" a framework: an article makes it one of them."""
    word = reading.word(at)
    if word not in SEASONS:
        return None
    lead = reading.before(at)
    has_article = reading.word(at - 1) == "the" and lead in PREPOSITIONS | {"since", "after", "before", "until"}
    is_long = lead in {"over", "during", "since", "throughout"} and word not in WORDLIKE_SEASONS
    is_sure = has_article or is_long or lead in DEMONSTRATIVES
    return Named(calendar.season(SEASONS[word]), 1, is_sure)


def _read_weekend(reading: Reading, at: int) -> Named | None:
    """Read "over the weekend"."""
    is_sure = reading.word(at - 1) == "the" and reading.before(at) in words("over at on during since")
    return Named(calendar.UNIT_CYCLES["weekend"], 1, is_sure) if reading.word(at) == "weekend" else None


def _read_holiday(reading: Reading, at: int) -> Named | None:
    if reading.word(at) not in _FEAST_PLACES:
        return None
    for name in HOLIDAYS:
        words = name.split()
        if all(reading.word(at + place) == word for place, word in enumerate(words)):
            is_sure = reading.before(at) in _LONGER_LEADS
            is_time = reading.word(at + len(words)) not in NOT_A_HOLIDAY_BEFORE
            return Named(calendar.holiday(name), len(words), is_sure) if is_time else None
    return None


def _read_part_of_year(reading: Reading, at: int) -> Named | None:
    """Read "Q3", "H1" and "third quarter"."""
    quarter, half = _QUARTER.fullmatch(reading.word(at)), _HALF.fullmatch(reading.word(at))
    if quarter:
        is_sure = reading.before(at) in LEADS - {"about", "on", "at"}
        return Named(calendar.part_of_year("quarter", int(quarter[1]), 3), 1, is_sure)
    if half:
        return Named(calendar.part_of_year("half", int(half[1]), 6), 1, is_sure=False)
    return None


def _read_the_day(reading: Reading, at: int) -> Named | None:
    """Read "the 7th" behind a preposition, where no noun follows it ("the 7th floor")."""
    found = read_day(reading, at + 1) if reading.word(at) == "the" else None
    if not found or not found[1]:
        return None
    is_led = reading.word(at - 1) in {"on", "since", "by", "before", "after", "until", "till"} | WEEKDAYS.keys()
    follower = reading.word(at + 2)
    is_sure = is_led and (not follower.isalpha() or follower in PREPOSITIONS | {"i", "we", "and", "or"})
    return Named(calendar.day_of_month(found[0]), 2, is_sure)


_READERS = (
    _read_date, _read_month, _read_holiday, _read_weekday, _read_weekend, _read_season, _read_part_of_year,
    _read_the_day,
)  # fmt: skip

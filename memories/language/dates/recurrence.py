"""What comes round: "every Monday", "each month on the 1st", birthdays; and its rules (RFC 5545)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from dateutil.rrule import rrulestr

from memories.language.dates import calendar
from memories.language.dates.calendar import holiday_at, read_day
from memories.language.dates.future_dates import coming, feast, nth_weekday_at, read_named_date
from memories.language.dates.speech import BREAK, Found, Proof, Speech
from memories.language.dates.windows import read_count
from memories.language.dates.words import (
    ALTERNATE,
    BIRTHDAYS,
    CELEBRATIONS,
    DAY_PARTS,
    DETERMINERS,
    EVERY,
    MONTHS,
    NO_RULE_BEHIND,
    ORDINALS,
    OWNERS,
    PERIODS,
    PREPOSITIONS,
    UNITS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
)
from memories.language.wordlists import words

DAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAYS = ",".join(DAY_CODES[:5])
_FREQUENCIES = {
    "day": "DAILY",
    "week": "WEEKLY",
    "fortnight": "WEEKLY",
    "month": "MONTHLY",
    "quarter": "MONTHLY",
    "year": "YEARLY",
}
_SIZES = {"fortnight": 2, "quarter": 3}
_RULE = re.compile(
    r"FREQ=(?:(?:DAILY|(WEEKLY))(?:;INTERVAL=([1-9][0-9]{0,3}))?(?:;BYDAY=[A-Z,]{2,20})?"
    r"|(?:MONTHLY|YEARLY)(?:;INTERVAL=[1-9][0-9]{0,3})?(?:;BYMONTH=[0-9]{1,2})?"
    r"(?:;BYMONTHDAY=-?[0-9]{1,2}|;BYDAY=-?[0-9][A-Z]{2})?)(?:;UNTIL=[0-9]{8})?"
)


def every(unit: str, interval: int = 1, *parts: str) -> str:
    """Return the rule of each `interval`-th unit of calendar.STEPS, down to days, narrowed by `parts`."""
    size = interval * _SIZES.get(unit, 1)
    return ";".join([f"FREQ={_FREQUENCIES[unit]}", *([f"INTERVAL={size}"] if size > 1 else []), *parts])


def yearly_on(month: int, day: int) -> str:
    return every("year", 1, f"BYMONTH={month}", f"BYMONTHDAY={day}")


def next_day(rule: str, first: date, after: date) -> date | None:
    """Return the next day of a rule that begins on `first`, strictly after `after`; None if there is none.

    A day some months or years lack (the 31st, 29 February) is skipped in them. None, too, for what is no rule as
    `find_coming` gives them, with a last day (UNTIL) or without.
    """
    read = _RULE.fullmatch(rule)
    if not read:
        return None
    try:
        if rule.startswith(("FREQ=DAILY", "FREQ=WEEKLY")):
            # A later first day of the same days and weeks: a rule of long ago need not be counted from there.
            days = int(read[2] or 1) * (7 if read[1] else 1)
            first += timedelta(days=max(0, (after - first).days // days - 1) * days)
        result = rrulestr(rule, dtstart=datetime.combine(first, time())).after(datetime.combine(after, time()))
    except (ValueError, TypeError, OverflowError):
        return None
    return result.date() if result else None


def first_day(rule: str, start: date) -> date | None:
    """Return the first day of a rule that is not before `start`."""
    try:
        result = rrulestr(rule, dtstart=datetime.combine(start, time())).after(
            datetime.combine(start, time()), inc=True
        )
    except (ValueError, OverflowError):
        return None
    return result.date() if result else None


_PLURAL_PARTS = frozenset(f"{part}s" for part in DAY_PARTS)
_JOINERS = frozenset({"and", ",", "/", "&", "or", "+"})


def _ruled(speech: Speech, words: int, rule: str, start: datetime | None = None) -> Found | None:
    first = first_day(rule, (start or speech.today).date())
    return Found(words, datetime.combine(first, time()), proof=Proof.NOT_OVER, rule=rule) if first else None


def _read_every_weekday(speech: Speech, index: int) -> Found | None:
    """Read "Monday", "Mon, Wed and Fri", "other Tuesday", "weekday", "weekend" behind "every"."""
    interval = ALTERNATE.get(speech.word(index), 1)
    place = index + (interval > 1)
    word = speech.word(place)
    if word in {"weekday", "workday"} and interval == 1:
        return _ruled(speech, 1, every("week", 1, f"BYDAY={WORKDAYS}"))
    if word == "weekend":
        return _ruled(speech, place + 1 - index, every("week", interval, "BYDAY=SA,SU"))
    days, used = _read_weekdays(speech, place, WEEKDAYS.keys() | WEEKDAY_PLURALS)
    rule = every("week", interval, f"BYDAY={_codes(days)}")
    return _ruled(speech, place + used - index, rule) if days else None


def _read_weekdays(speech: Speech, index: int, names: set[str]) -> tuple[list[int], int]:
    """Return the weekdays that are named one behind the other, and the tokens they take."""
    days: list[int] = []
    place = end = index
    while speech.word(place) in names and len(days) < len(DAY_CODES):
        days.append(WEEKDAYS[speech.word(place).removesuffix("s")])
        end = place + 1
        place = end
        while speech.word(place) in _JOINERS and place < end + 2:
            place += 1
        place = speech.skip(place, "on", "every")
        if place == end:
            break
    return days, end - index


def _codes(days: list[int]) -> str:
    return ",".join(DAY_CODES[day] for day in sorted(set(days)))


def _read_plural_days(speech: Speech, index: int) -> Found | None:
    """Read "Fridays", "Mondays and Thursdays", "weekends", "Mondays to Fridays", "Tuesday evenings"."""
    word = speech.word(index)
    if speech.word(index - 1) in OWNERS | DETERMINERS | NO_RULE_BEHIND:
        return None
    if word in {"weekdays", "workdays", "weekends"}:
        return _ruled(speech, 1, every("week", 1, f"BYDAY={'SA,SU' if word == 'weekends' else WORKDAYS}"))
    if word in WEEKDAYS and speech.word(index + 1) in _PLURAL_PARTS:
        return _ruled(speech, 2, every("week", 1, f"BYDAY={_codes([WEEKDAYS[word]])}"))
    if word not in WEEKDAY_PLURALS:
        return None
    if speech.word(index + 1) in {"to", "through", "-", "–"} and speech.word(index + 2) in WEEKDAY_PLURALS:
        first, last = (WEEKDAYS[speech.word(place).removesuffix("s")] for place in (index, index + 2))
        row = [day % 7 for day in range(first, first + (last - first) % 7 + 1)]
        return _ruled(speech, 3, every("week", 1, f"BYDAY={_codes(row)}"))
    days, used = _read_weekdays(speech, index, {*WEEKDAY_PLURALS})
    return _ruled(speech, used, every("week", 1, f"BYDAY={_codes(days)}"))


_RULED_UNITS = frozenset({"day", "week", "fortnight", "month", "quarter", "year"})
_MOST_INTERVAL = 999
_ADVERB_MAY_FOLLOW = PREPOSITIONS | {"", BREAK, ".", ",", "!", "?", ";", ")", "and", "or", "but", "starting", "every"}
_ORDERS = {"last": -1, **ORDINALS}


def read_recurring(speech: Speech, index: int) -> Found | None:
    """Return a time that comes round, its preposition included."""
    place = speech.skip(index, "on", "in", "for", "at")
    readers = (_read_every, _read_plural_days, _read_adverb, _read_of_every)
    result = next(filter(None, (read(speech, place) for read in readers)), None)
    return result and result.moved(place - index)


def _read_every(speech: Speech, index: int) -> Found | None:
    """Read "every Monday", "each other Tuesday", "every two weeks on Friday", "every May 3", "every weekday"."""
    if speech.word(index) not in EVERY or speech.word(index - 1) in NO_RULE_BEHIND:
        return None
    place = speech.skip(index + 1, "single")
    readers = (_read_every_nth_of_month, _read_every_date, _read_every_weekday, _read_every_unit)
    result = next(filter(None, (read(speech, place) for read in readers)), None)
    return result and result.moved(place - index)


def _read_every_nth_of_month(speech: Speech, index: int) -> Found | None:
    """Read "first Monday of the month", "1st of the month", "last day of the month" behind "every"."""
    nth = nth_weekday_at(speech, index)
    day = read_day(speech, index)
    used = nth[2] if nth else 1
    place = index + used
    if (not nth and not (day and day[1])) or speech.word(place) not in {"of", "in"}:
        return None
    if speech.word(place + 1) not in {"the", "a", *EVERY} or speech.word(place + 2) != "month":
        return None
    part = f"BYDAY={nth[0]}{DAY_CODES[nth[1]]}" if nth else f"BYMONTHDAY={day[0] if day else 1}"
    return _ruled(speech, used + 3, every("month", 1, part))


def _read_every_date(speech: Speech, index: int) -> Found | None:
    """Read "May 3", "3rd of May", "May", "Christmas" behind "every"."""
    name = holiday_at(speech, index)
    if name and speech.word(index) not in WEEKDAYS:
        span = coming(feast(name), speech.today)
        words = len(name.split())
        return _ruled(speech, words, yearly_on(span.start.month, span.start.day)) if span else None
    dated = read_named_date(speech, index)
    words_of_date = {speech.word(index + offset) for offset in range(dated.words)} if dated else set()
    if dated and dated.words > 1 and not dated.last and MONTHS.keys() & words_of_date:
        return _ruled(speech, dated.words, yearly_on(dated.first.month, dated.first.day))
    month = MONTHS.get(speech.word(index)) if speech.is_capital(index) else None
    return _ruled(speech, 1, yearly_on(month, 1)) if month else None


def _read_every_unit(speech: Speech, index: int) -> Found | None:
    """Read "two weeks", "other month", "day", "morning" behind "every", and the day of it if one is said."""
    word = speech.word(index)
    if word in DAY_PARTS:
        result = _ruled(speech, 1, every("day"))
        return result and replace(result, part=word)
    interval, used = ALTERNATE.get(word, 0), 1
    if not interval:
        count = read_count(speech, index)
        interval, used = (count[1], count[2]) if count and count[0] == count[1] else (1, 0)
    unit = UNITS.get(speech.word(index + used), "")
    # "Better each day" is a saying as often as a rule.
    is_saying = speech.word(index - 1) == "each" and interval == 1 and speech.word(index + used + 1) not in {"on", "at"}
    if is_saying or unit not in _RULED_UNITS or not 1 <= interval <= _MOST_INTERVAL:
        return None
    return _with_day(speech, unit, interval, index, index + used + 1)


def _with_day(speech: Speech, unit: str, interval: int, index: int, end: int) -> Found | None:
    """Read the day behind a period: "every month on the 1st", "every week on Monday", "yearly on May 3"."""
    place = speech.skip(end, "on", "in")
    dated = read_named_date(speech, place) if unit == "year" and place > end else None
    if place > end and unit in {"week", "fortnight"}:
        days, used = _read_weekdays(speech, place, WEEKDAYS.keys() | WEEKDAY_PLURALS)
        if days:
            return _ruled(speech, place + used - index, every(unit, interval, f"BYDAY={_codes(days)}"))
    elif place > end and unit in {"month", "quarter"}:
        day = _read_day_of_month(speech, place)
        if day:
            return _ruled(speech, place + day[1] - index, every(unit, interval, day[0]))
    elif dated:
        parts = (f"BYMONTH={dated.first.month}", f"BYMONTHDAY={1 if dated.last else dated.first.day}")
        return _ruled(speech, place + dated.words - index, every(unit, interval, *parts))
    cycle = calendar.UNIT_CYCLES.get({"fortnight": "week"}.get(unit, unit))
    span = cycle.next(speech.local) if cycle else None
    return _ruled(speech, end - index, every(unit, interval), span.start if span else speech.today)


def _read_day_of_month(speech: Speech, index: int) -> tuple[str, int] | None:
    """Read "the 1st", "the first", "the last day", "the first Monday"."""
    nth = nth_weekday_at(speech, index)
    if nth:
        return f"BYDAY={nth[0]}{DAY_CODES[nth[1]]}", nth[2]
    place = speech.skip(index, "the")
    word = speech.word(place)
    if speech.word(place + 1) == "day" and word in _ORDERS:
        return f"BYMONTHDAY={_ORDERS[word]}", place + 2 - index
    day = read_day(speech, place)
    number = day[0] if day else ORDINALS.get(word, 0)
    return (f"BYMONTHDAY={number}", place + 1 - index) if number and place > index else None


def _read_adverb(speech: Speech, index: int) -> Found | None:
    """Read "monthly", "daily"; "the daily report" and "a weekly call" tell of what things are."""
    unit = PERIODS.get(speech.word(index))
    if not unit or speech.word(index + 1) not in _ADVERB_MAY_FOLLOW or speech.word(index - 1) in DETERMINERS:
        return None
    if speech.word(index + 1) in {"and", "or", "of", ",", "by", "-"} or speech.is_glued(index):
        return None
    return _with_day(speech, unit, 1, index, index + 1)


def _read_of_every(speech: Speech, index: int) -> Found | None:
    """Read "the first Monday of every month", "the 15th of each month", "the last day of every month"."""
    result = _read_day_of_month(speech, index)
    if not result:
        return None
    place = speech.skip(index + result[1], "of", "in")
    unit = speech.word(place + 1)
    if place == index + result[1] or speech.word(place) not in EVERY or unit not in {"month", "quarter"}:
        return None
    return _ruled(speech, place + 2 - index, every(unit, 1, result[0]))


_BETWEEN = words(
    "is was are falls on in the comes coming up it's it will be this next : - – , ( = ist am es el le est de von of"
)
_MOST_BETWEEN = 5
_BEFORE_BIRTHDAY = words("is it's ist es est")


def as_birthday(speech: Speech, first: int, end: int, result: Found) -> Found | None:
    """Return the same day with a yearly rule if the words around it say that someone was born or married on it.

    A year that is over ("May 3, 1990") is left out of it. None for any other day.
    """
    if result.last or result.rule or result.first == datetime.min:
        return None
    has_date = is_dated(speech, first, end)
    is_born = has_date and speech.surface(first - 1) == "born"
    if not is_born and not _is_of_birthday(speech, first, end):
        return None
    if not has_date and result.first < speech.today:
        return None
    rule = yearly_on(result.first.month, result.first.day)
    day = first_day(rule, speech.today.date())
    return replace(result, first=datetime.combine(day, time()), rule=rule) if day else None


def is_dated(speech: Speech, first: int, end: int) -> bool:
    """Tell whether a date is named: "on Friday" with "was" is over, "on May 3" comes again."""
    return any(speech.word(index) in MONTHS or speech.word(index)[:1].isdecimal() for index in range(first, end))


def _is_of_birthday(speech: Speech, first: int, end: int) -> bool:
    """Read "my birthday falls on May 3", "May 3 is Anna's birthday"; not "the birthday party"."""
    for index in range(first - 1, max(-1, first - 2 - _MOST_BETWEEN), -1):
        if speech.word(index) in BIRTHDAYS:
            if speech.word(index + 1) not in CELEBRATIONS:
                return True
            break
        if speech.surface(index) not in _BETWEEN and not speech.is_capital(index):
            break
    is_linked = speech.surface(end) in _BEFORE_BIRTHDAY
    for index in range(end, end + 1 + _MOST_BETWEEN if is_linked else end + 1):
        if speech.word(index) in BIRTHDAYS:
            return speech.word(index + 1) not in CELEBRATIONS
        if index > end and not speech.word(index).isalpha():
            return False
    return False

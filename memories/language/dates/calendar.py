"""The calendar: periods, their names, and dates with or without a year. Local times without a zone throughout."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

from memories.language.dates.words import (
    CYCLE_UNITS,
    DAY_PARTS,
    DECADES,
    DEMONSTRATIVES,
    DETERMINERS,
    HOLIDAYS,
    MONTH_LEADS,
    MONTHS,
    MONTHS_THAT_LEAVE,
    NO_PLURALS,
    NOT_A_HOLIDAY_BEFORE,
    NOT_AFTER_A_YEAR,
    ORDINALS,
    OWNERS,
    PARTITIVES,
    PERSON_VERBS,
    PLAIN_MONTHS,
    PLAIN_WEEKDAYS,
    PREPOSITIONS,
    SEASONS,
    SHORT_DECADES,
    SHORT_WEEKDAYS,
    TIME_LEADS,
    VERBLIKE_MONTHS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
    WORDLIKE_SEASONS,
    WORDLIKE_WEEKDAYS,
    Reading,
)
from memories.language.wordlists import words

DAY = timedelta(days=1)
FIRST, LAST = datetime.min + 2 * DAY, datetime.max - 2 * DAY
"""Beyond them, a day more and another time zone fall out of the calendar."""
MOST_YEARS_BACK = 8
"""29 February may be eight years away: 1896, 1904."""
STEPS = {
    "minute": {"minutes": 1},
    "hour": {"hours": 1},
    "day": {"days": 1},
    "week": {"weeks": 1},
    "fortnight": {"weeks": 2},
    "month": {"months": 1},
    "quarter": {"months": 3},
    "year": {"years": 1},
    "decade": {"years": 10},
}


SMALL_UNITS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Cycle:
    """`build` makes the n-th period and `number` tells which n a moment is in or next to.

    `build` may raise ValueError or OverflowError where there is none: 29 February 2023, the year 10000.
    """

    precision: str
    build: Callable[[int], Span]
    number: Callable[[datetime], int]
    is_yearly: bool = False

    def period(self, number: int) -> Span | None:
        try:
            return self.build(number)
        except (ValueError, OverflowError):
            return None

    def latest(self, now: datetime, is_over: bool = False) -> Span | None:
        """Return the last period that has begun, or that `is_over`."""
        first = self.number(now) + 1
        spans = (self.period(number) for number in range(first, first - MOST_YEARS_BACK - 2, -1))
        return next((span for span in spans if span and (span.end if is_over else span.start) <= now), None)

    def next(self, now: datetime) -> Span | None:
        """Return the first period that has not begun."""
        first = self.number(now) - 1
        spans = (self.period(number) for number in range(first, first + MOST_YEARS_BACK + 3))
        return next((span for span in spans if span and span.start > now), None)


def shift(moment: datetime, unit: str, count: int) -> datetime:
    """31 March less one month is 28 February. Raises ValueError or OverflowError outside of the calendar."""
    sizes: dict[str, Any] = {name: size * count for name, size in STEPS[unit].items()}
    moved: datetime = moment + relativedelta(**sizes)
    return moved


def move_clock(now: datetime, delta: timedelta) -> datetime:
    """Return the moment after so much real time, also where the clocks change. It keeps the zone of `now`."""
    return now + delta if now.tzinfo is None else (now.astimezone(UTC) + delta).astimezone(now.tzinfo)


def lasting(start: datetime, unit: str, count: int = 1) -> Span:
    return Span(start, shift(start, unit, count))


def yearly(precision: str, build: Callable[[int], Span]) -> Cycle:
    return Cycle(precision, build, lambda moment: moment.year, is_yearly=True)


def month_of_year(month: int) -> Cycle:
    return yearly("month", lambda year: lasting(datetime(year, month, 1), "month"))


def day_of_year(month: int, day: int) -> Cycle:
    return yearly("day", lambda year: lasting(datetime(year, month, day), "day"))


def part_of_year(precision: str, part: int, months: int) -> Cycle:
    """Return the `part`-th stretch of so many months, from 1."""
    return yearly(precision, lambda year: lasting(datetime(year, (part - 1) * months + 1, 1), "month", months))


def weekday(day: int) -> Cycle:
    return Cycle("day", lambda week: lasting(week_start(week) + day * DAY, "day"), week_number)


def day_of_month(day: int) -> Cycle:
    return Cycle("day", lambda month: lasting(datetime(month // 12, month % 12 + 1, day), "day"), month_number)


def week_number(moment: datetime) -> int:
    """Weeks begin on Monday; the calendar's first day was one."""
    return (moment.toordinal() - 1) // 7


def week_start(number: int) -> datetime:
    return datetime.fromordinal(number * 7 + 1)


def month_number(moment: datetime) -> int:
    return moment.year * 12 + moment.month - 1


UNIT_CYCLES = {
    "week": Cycle("week", lambda n: lasting(week_start(n), "week"), week_number),
    "weekend": Cycle("weekend", lambda n: lasting(week_start(n) + 5 * DAY, "day", 2), week_number),
    "month": Cycle("month", lambda n: lasting(datetime(n // 12, n % 12 + 1, 1), "month"), month_number),
    "quarter": Cycle(
        "quarter",
        lambda n: lasting(datetime(n // 4, n % 4 * 3 + 1, 1), "quarter"),
        lambda moment: month_number(moment) // 3,
    ),
    "year": yearly("year", lambda year: lasting(datetime(year, 1, 1), "year")),
    "decade": Cycle("decade", lambda n: lasting(datetime(n * 10, 1, 1), "decade"), lambda moment: moment.year // 10),
}


def weekend_near(day: datetime) -> Span:
    """Return the weekend a day is in or nearest to: Monday and Tuesday belong to the one before."""
    week = week_number(day) - (day.weekday() <= 1)
    return UNIT_CYCLES["weekend"].build(week)


def holiday(name: str) -> Cycle:
    """Return the span of a name of `dates.words.HOLIDAYS`. Feasts last as long as people mean by them."""
    return yearly("holiday", lambda year: _HOLIDAY_SPANS[name.replace("years", "year").replace("tines", "tine")](year))


def _fixed(month: int, day: int, days: int = 1) -> Callable[[int], Span]:
    return lambda year: lasting(datetime(year, month, day), "day", days)


def _around_easter(offset_days: int, days: int = 1) -> Callable[[int], Span]:
    return lambda year: lasting(datetime.combine(easter(year), time()) + offset_days * DAY, "day", days)


def _thanksgiving(year: int) -> datetime:
    """Return the fourth Thursday of November, as in the United States."""
    first = datetime(year, 11, 22)
    return first + (3 - first.weekday()) % 7 * DAY


_HOLIDAY_SPANS: dict[str, Callable[[int], Span]] = {
    "christmas eve": _fixed(12, 24),
    "christmas day": _fixed(12, 25),
    "christmas": _fixed(12, 24, 3),
    "xmas": _fixed(12, 24, 3),
    "boxing day": _fixed(12, 26),
    "new year eve": _fixed(12, 31),
    "new year day": _fixed(1, 1),
    "new year": lambda year: lasting(datetime(year, 1, 1) - DAY, "day", 2),
    "halloween": _fixed(10, 31),
    "thanksgiving": lambda year: lasting(_thanksgiving(year), "day"),
    "black friday": lambda year: lasting(_thanksgiving(year) + DAY, "day"),
    "good friday": _around_easter(-2),
    "easter sunday": _around_easter(0),
    "easter monday": _around_easter(1),
    "easter": _around_easter(-2, 4),
    "valentine day": _fixed(2, 14),
}


_DAY = re.compile(r"([0-3]?[0-9])(st|nd|rd|th)?")
_QUARTER = re.compile(r"q([1-4])")
_HALF = re.compile(r"h([12])")
_ROW_LINKS = frozenset({"to", "through", "thru", "-", "–", "—"})
_EVERY = words("every each any most no per all other alternate")
_FEAST_WEEKDAYS = words("black good cyber easter palm ash fat super")
_HOLIDAY_STARTS = frozenset(name.split()[0] for name in HOLIDAYS)
_WEEKEND_LEADS = words("over at on during since")
_LONGER_LEADS = TIME_LEADS - {"about"}


@dataclass(frozen=True, slots=True)
class Named:
    cycle: Cycle
    words: int
    is_sure: bool


def read_name(reading: Reading, index: int) -> Named | None:
    """Return the name of a time that begins at a place."""
    return next(filter(None, (read(reading, index) for read in _READERS)), None)


def read_day(reading: Reading, index: int) -> tuple[int, bool] | None:
    """Return a day of the month in digits, and whether it is an ordinal ("7th")."""
    match = _DAY.fullmatch(reading.word(index))
    return (int(match[1]), bool(match[2])) if match and 1 <= int(match[1]) <= 31 else None


def _read_date(reading: Reading, index: int) -> Named | None:
    """Read "7 May", "the 7th of May", "May 7th", each with or without "Sunday," before it."""
    place = reading.skip(reading.skip(index + 1, "."), ",") if reading.word(index) in WEEKDAYS else index
    named = _read_day_first(reading, place) or _read_month_first(reading, place)
    return replace(named, words=named.words + place - index, is_sure=True) if named and place > index else named


def _read_day_first(reading: Reading, index: int) -> Named | None:
    place = reading.skip(index, "the")
    digits = read_day(reading, place)
    day, is_ordinal = digits or (ORDINALS.get(reading.word(place), 0), False)
    month_at = reading.skip(place + 1, "of")
    month = MONTHS.get(reading.word(month_at))
    has_of = month_at > place + 1
    if not (day and month) or not (digits or has_of):
        return None
    is_clear = is_ordinal or has_of or _is_clear_month(reading, month_at, index)
    return Named(day_of_year(month, day), month_at + 1 - index, is_sure=is_clear)


def _read_month_first(reading: Reading, index: int) -> Named | None:
    month = MONTHS.get(reading.word(index))
    if not month:
        return None
    place = (
        reading.skip(index + 1, ".", "the")
        if reading.word(index) not in PLAIN_MONTHS
        else reading.skip(index + 1, "the")
    )
    result = read_day(reading, place)
    if not result or (reading.word(place + 1) == ":" and reading.word(place + 2).isdecimal()):
        return None
    is_clear = result[1] or _is_clear_month(reading, index, index)
    return Named(day_of_year(month, result[0]), place + 1 - index, is_sure=is_clear)


def _is_clear_month(reading: Reading, month_at: int, start: int) -> bool:
    """Tell whether a month is meant: a number beside it makes a date of it, but "may 7" and "7 may" could be a verb."""
    is_verblike = reading.word(month_at) in VERBLIKE_MONTHS and not reading.is_capital(month_at)
    return not is_verblike or reading.before(start) in TIME_LEADS | {"and"}


def _read_month(reading: Reading, index: int) -> Named | None:
    """Read "March" and judge whether the month is meant: not where it may be a verb or a person's name."""
    word, lead, follower = reading.word(index), reading.before(index), reading.word(index + 1)
    if word not in MONTHS:
        return None
    if word in PLAIN_MONTHS:
        is_sure = True
    elif reading.word(index - 1) == "of":
        is_sure = reading.word(index - 2) in PARTITIVES | {"week", "weekend", "rest"}
    elif lead in MONTH_LEADS:
        is_person = lead != "in" and follower in PERSON_VERBS
        is_sure = not is_person and (lead != "this" or reading.is_capital(index) or word not in VERBLIKE_MONTHS)
    else:
        is_modifier = reading.word(index - 1) in DETERMINERS and follower.isalpha()
        is_sure = is_modifier and reading.is_capital(index) and follower not in MONTHS_THAT_LEAVE | PERSON_VERBS
    return Named(month_of_year(MONTHS[word]), 1, is_sure)


def _read_weekday(reading: Reading, index: int) -> Named | None:
    """Read a weekday that is said once; "every Friday", "Monday to Friday" and "our Friday call" come round."""
    word, before, follower = reading.word(index), reading.word(index - 1), reading.word(index + 1)
    if word not in WEEKDAYS or before in _EVERY | _FEAST_WEEKDAYS:
        return None
    if word in WORDLIKE_WEEKDAYS and not reading.is_capital(index):
        return None
    days = WEEKDAYS.keys() | WEEKDAY_PLURALS
    if (follower in _ROW_LINKS and reading.word(index + 2) in days) or (
        before in _ROW_LINKS and reading.word(index - 2) in days
    ):
        return None
    if word in PLAIN_WEEKDAYS:
        is_modifier = before in DETERMINERS - {"this"} and follower.isalpha()
        is_sure = not is_modifier or follower in DAY_PARTS
    else:
        is_led = reading.before(index) in MONTH_LEADS | {"on", "by"}
        is_noun = word in WORDLIKE_WEEKDAYS and follower.isalpha() and follower not in DAY_PARTS.keys() | MONTHS.keys()
        is_sure = word in SHORT_WEEKDAYS or (is_led and not is_noun)
    return Named(weekday(WEEKDAYS[word]), 1, is_sure)


def _read_season(reading: Reading, index: int) -> Named | None:
    """Without a year "in summer" is any summer and "in Spring" a framework: an article makes it one of them."""
    word = reading.word(index)
    if word not in SEASONS:
        return None
    lead = reading.before(index)
    has_article = reading.word(index - 1) == "the" and lead in PREPOSITIONS | {"since", "after", "before", "until"}
    is_long = lead in {"over", "during", "since", "throughout"} and word not in WORDLIKE_SEASONS
    is_sure = has_article or is_long or lead in DEMONSTRATIVES
    # The winter of a year begins in its December.
    return Named(yearly("season", lambda year: lasting(datetime(year, SEASONS[word], 1), "month", 3)), 1, is_sure)


def _read_weekend(reading: Reading, index: int) -> Named | None:
    """Read "over the weekend"."""
    is_sure = reading.word(index - 1) == "the" and reading.before(index) in _WEEKEND_LEADS
    return Named(UNIT_CYCLES["weekend"], 1, is_sure) if reading.word(index) == "weekend" else None


def holiday_at(reading: Reading, index: int) -> str:
    """Return the name of the holiday that begins here, as `holiday` knows it; "" for none."""
    if reading.word(index) not in _HOLIDAY_STARTS:
        return ""
    return next(
        (
            name
            for name in HOLIDAYS
            if all(reading.word(index + place) == word for place, word in enumerate(name.split()))
        ),
        "",
    )


def _read_holiday(reading: Reading, index: int) -> Named | None:
    name = holiday_at(reading, index)
    length = len(name.split())
    if not name or reading.word(index + length) in NOT_A_HOLIDAY_BEFORE:
        return None
    return Named(holiday(name), length, reading.before(index) in _LONGER_LEADS)


def _read_part_of_year(reading: Reading, index: int) -> Named | None:
    """Read "Q3", "H1" and "third quarter"."""
    quarter, half = _QUARTER.fullmatch(reading.word(index)), _HALF.fullmatch(reading.word(index))
    if quarter:
        is_sure = reading.before(index) in TIME_LEADS - {"about", "on", "at"}
        return Named(part_of_year("quarter", int(quarter[1]), 3), 1, is_sure)
    if half:
        return Named(part_of_year("half", int(half[1]), 6), 1, is_sure=False)
    return None


def _read_the_day(reading: Reading, index: int) -> Named | None:
    """Read "the 7th" behind a preposition, where no noun follows it ("the 7th floor")."""
    result = read_day(reading, index + 1) if reading.word(index) == "the" else None
    if not result or not result[1]:
        return None
    is_led = reading.word(index - 1) in {"on", "since", "by", "before", "after", "until", "till"} | WEEKDAYS.keys()
    follower = reading.word(index + 2)
    is_sure = is_led and (not follower.isalpha() or follower in PREPOSITIONS | {"i", "we", "and", "or"})
    return Named(day_of_month(result[0]), 2, is_sure)


_READERS = (
    _read_date,
    _read_month,
    _read_holiday,
    _read_weekday,
    _read_weekend,
    _read_season,
    _read_part_of_year,
    _read_the_day,
)


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

    @property
    def spans(self) -> tuple[Span, ...]:
        return (self.span, self.other) if self.other else (self.span,)


def read_named(reading: Reading, index: int, is_expected: bool = False) -> Found | None:
    """Return a named time: "last Friday", "May 2023", "Christmas last year", "in May".

    What `is_expected` needs no proof.
    """
    chosen = _read_demonstrative(reading, index)
    if chosen:
        return chosen
    named = read_name(reading, index)
    if not named:
        return None
    year = read_year(reading, index + named.words) if named.cycle.is_yearly else None
    if year:
        span = named.cycle.period(year[0])
        return Found(named.words + year[1], span, named.cycle.precision) if span else None
    dated = _read_inside(reading, index, named)
    if dated or not (named.is_sure or is_expected):
        return dated
    # "On Friday" said on a Friday is the week before; the current May is "in May".
    before = reading.today - INSTANT if named.cycle.number is week_number else reading.local
    span = named.cycle.latest(before)
    return Found(named.words, span, named.cycle.precision, named.cycle) if span else None


def _read_demonstrative(reading: Reading, index: int) -> Found | None:
    """Read "last May", "this week", "next Friday", "earlier this year"."""
    first = reading.skip(index, "earlier", "later")
    which, place = reading.word(first), first + 1
    if which not in _LAST | _THIS | _NEXT:
        return None
    unit = reading.word(place)
    named = Named(UNIT_CYCLES[unit], 1, is_sure=True) if unit in CYCLE_UNITS else read_name(reading, place)
    if not named or not named.is_sure:
        return None
    span = _choose(named.cycle, which, reading)
    return Found(place + named.words - index, span, named.cycle.precision) if span else None


def _choose(cycle: Cycle, which: str, reading: Reading) -> Span | None:
    """Find a period: the last one is over, the next one has not begun, this one runs or is of this week or month."""
    if which in _LAST:
        return cycle.latest(reading.today, is_over=True)
    if which in _NEXT:
        return cycle.next(reading.local)
    running = cycle.latest(reading.local)
    return running if running and running.end > reading.local else cycle.period(cycle.number(reading.local))


def read_year(reading: Reading, index: int) -> tuple[int, int] | None:
    """Return a year behind a date, and how many tokens it takes: "2023", ", 2023", "of 2023", "'23"."""
    place = reading.skip(reading.skip(index, "."), ",", "of")
    place = reading.skip(place, "'", "’")
    word = reading.word(place)
    if place > index and reading.word(place - 1) in ("'", "’") and re.fullmatch("[0-9]{2}", word):
        return _full_year(int(word), reading.now.year), place + 1 - index
    return (int(word), place + 1 - index) if _YEAR.fullmatch(word) and _ends_year(reading, place) else None


def _full_year(two_digits: int, this_year: int) -> int:
    """Return the year of these last two digits that is nearest to ours and at most twenty years ahead."""
    year = this_year // 100 * 100 + two_digits
    return year if year <= this_year + 20 else year - 100


def _ends_year(reading: Reading, index: int) -> bool:
    """Tell whether a number is a year and no amount ("2000 requests") or version ("2023.1")."""
    follower = reading.word(index + 1)
    if follower in {".", ",", "%", "/"} and index + 2 < len(reading.tokens) and reading.tokens[index + 1].glued:
        return not (reading.tokens[index + 2].glued and reading.word(index + 2).isalnum())
    is_plural = follower.isalpha() and follower.endswith("s") and follower not in NO_PLURALS
    return not (is_plural and not reading.is_capital(index + 1)) and follower not in NOT_AFTER_A_YEAR | {"%"}


def _read_inside(reading: Reading, index: int, named: Named) -> Found | None:
    """Read "Friday last week", "the summer of last year"."""
    place = reading.skip(index + named.words, "of", "in")
    which, unit = reading.word(place), reading.word(place + 1)
    if which not in _LAST | _THIS | _NEXT or unit not in {"week", "month", "year"}:
        return None
    around = _choose(UNIT_CYCLES[unit], which, reading)
    span = around and named.cycle.period(named.cycle.number(around.start))
    return Found(place + 2 - index, span, named.cycle.precision) if span else None


def read_numeric(reading: Reading, index: int) -> Found | None:
    """Read "2023-05-07", "2023-05", "07.05.2023", "05/07/2023".

    With slashes, both orders are read where both are dates: month first as the main reading, day first as the other.
    """
    word = reading.word(index)
    iso = _ISO.fullmatch(word)
    if iso:
        span = _span_of(iso[1], iso[2], iso[3])
        return Found(1, span, "day" if iso[3] else "month") if span else None
    numeric = _NUMERIC.fullmatch(word)
    if not numeric:
        return None
    first, second, year = numeric.groups()
    full_year = year if len(year) == 4 else str(_full_year(int(year), reading.now.year))
    day_first, month_first = _span_of(full_year, second, first), _span_of(full_year, first, second)
    spans = [day_first] if "/" not in word and day_first else [month_first, day_first]
    read = list(dict.fromkeys(span for span in spans if span))
    return Found(1, read[0], "day", other=read[1] if len(read) > 1 else None) if read else None


def _span_of(year: str, month: str, day: str | None) -> Span | None:
    """Return a day, or without one a whole month."""
    if not 1 <= int(month) <= 12 or not FIRST_YEAR <= int(year) <= LAST_YEAR:
        return None
    return (day_of_year(int(month), int(day)) if day else month_of_year(int(month))).period(int(year))


def read_bare_year(reading: Reading, index: int, is_expected: bool = False) -> Found | None:
    """Read "in 2022", "since 2019"; a four-digit number alone is a port as well."""
    word = reading.word(index)
    is_led = reading.before(index) in _YEAR_LEADS or (reading.word(index - 2), reading.word(index - 1)) == (
        "prior",
        "to",
    )
    if not _RECENT_YEAR.fullmatch(word) or not (is_expected or is_led):
        return None
    span = UNIT_CYCLES["year"].period(int(word)) if _ends_year(reading, index) else None
    return Found(1, span, "year") if span else None


def read_decade(reading: Reading, index: int) -> Found | None:
    """Read "the 1990s", "the '90s", "the nineties"; not "her twenties", not "a 90s timeout"."""
    first = reading.skip(index, "the")
    place = reading.skip(first, "'", "’")
    word = reading.word(place)
    match = _DECADE.fullmatch(word)
    tens = int(match[1]) * 10 if match else DECADES.get(word)
    is_short = tens is not None and tens < 100
    if tens is None or reading.before(first) in OWNERS or reading.before(place) in OWNERS:
        return None
    is_led = place > first or reading.before(first) in _YEAR_LEADS
    if is_short and not (tens in SHORT_DECADES and first > index and is_led):
        return None
    span = UNIT_CYCLES["decade"].period((tens + 1900 if is_short else tens) // 10)
    if not span:
        return None
    # "The 1900s" are a century, "the 2000s" ten years.
    is_century = tens % 100 == 0 and tens < 2000
    return Found(place + 1 - index, lasting(span.start, "decade", 10) if is_century else span, "decade")


def read_expected(reading: Reading, index: int) -> Found | None:
    """Return a date where one must stand: behind "the end of", between "from" and "to"."""
    return (
        read_numeric(reading, index)
        or read_named(reading, index, is_expected=True)
        or read_bare_year(reading, index, is_expected=True)
    )


def hours_of(midnight: datetime, part: str) -> Span:
    """Return the morning, afternoon, evening or night of a day. A night ends on the next morning."""
    first, last = DAY_PARTS[part]
    return Span(midnight + timedelta(hours=first), midnight + timedelta(hours=last))

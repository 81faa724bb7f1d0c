"""Periods that come round: months, weekdays, seasons, feasts. Local times without a zone throughout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

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

    def at(self, number: int) -> Span | None:
        try:
            return self.build(number)
        except (ValueError, OverflowError):
            return None

    def latest(self, now: datetime, is_over: bool = False) -> Span | None:
        """The last period that has begun, or that `is_over`."""
        first = self.number(now) + 1
        spans = (self.at(number) for number in range(first, first - MOST_YEARS_BACK - 2, -1))
        return next((span for span in spans if span and (span.end if is_over else span.start) <= now), None)

    def next(self, now: datetime) -> Span | None:
        """The first period that has not begun."""
        first = self.number(now) - 1
        spans = (self.at(number) for number in range(first, first + MOST_YEARS_BACK + 3))
        return next((span for span in spans if span and span.start > now), None)


def step(unit: str, count: int) -> relativedelta:
    sizes: dict[str, Any] = {name: size * count for name, size in STEPS[unit].items()}
    return relativedelta(**sizes)


def shift(moment: datetime, unit: str, count: int) -> datetime:
    """31 March less one month is 28 February. Raises ValueError or OverflowError outside of the calendar."""
    moved: datetime = moment + step(unit, count)
    return moved


def lasting(start: datetime, unit: str, count: int = 1) -> Span:
    return Span(start, shift(start, unit, count))


def yearly(precision: str, build: Callable[[int], Span]) -> Cycle:
    return Cycle(precision, build, lambda moment: moment.year, is_yearly=True)


def month_of_year(month: int) -> Cycle:
    return yearly("month", lambda year: lasting(datetime(year, month, 1), "month"))


def day_of_year(month: int, day: int) -> Cycle:
    return yearly("day", lambda year: lasting(datetime(year, month, day), "day"))


def season(first_month: int) -> Cycle:
    """The winter of a year begins in its December."""
    return yearly("season", lambda year: lasting(datetime(year, first_month, 1), "month", 3))


def part_of_year(precision: str, part: int, months: int) -> Cycle:
    """The `part`-th stretch of so many months, from 1."""
    return yearly(precision, lambda year: lasting(datetime(year, (part - 1) * months + 1, 1), "month", months))


def weekday(day: int) -> Cycle:
    return Cycle("day", lambda week: lasting(week_start(week) + day * DAY, "day"), week_number)


def day_of_month(day: int) -> Cycle:
    def build(month: int) -> Span:
        return lasting(datetime(month // 12, month % 12 + 1, day), "day")

    return Cycle("day", build, month_number)


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
        "quarter", lambda n: lasting(datetime(n // 4, n % 4 * 3 + 1, 1), "quarter"), lambda at: month_number(at) // 3
    ),
    "year": yearly("year", lambda year: lasting(datetime(year, 1, 1), "year")),
    "decade": Cycle("decade", lambda n: lasting(datetime(n * 10, 1, 1), "decade"), lambda at: at.year // 10),
}


def weekend_near(day: datetime) -> Span:
    """The weekend a day is in or nearest to: Monday and Tuesday belong to the one before."""
    week = week_number(day) - (day.weekday() <= 1)
    return UNIT_CYCLES["weekend"].build(week)


def holiday(name: str) -> Cycle:
    """A name of `temporal_words.HOLIDAYS`. Feasts last as long as people mean by them."""
    return yearly("holiday", lambda year: _HOLIDAY_SPANS[name.replace("years", "year").replace("tines", "tine")](year))


def _fixed(month: int, day: int, days: int = 1) -> Callable[[int], Span]:
    return lambda year: lasting(datetime(year, month, day), "day", days)


def _around_easter(offset_days: int, days: int = 1) -> Callable[[int], Span]:
    def build(year: int) -> Span:
        sunday = easter(year)
        return lasting(datetime(sunday.year, sunday.month, sunday.day) + offset_days * DAY, "day", days)

    return build


def _thanksgiving(offset_days: int) -> Callable[[int], Span]:
    """The fourth Thursday of November, as in the United States."""

    def build(year: int) -> Span:
        first = datetime(year, 11, 1)
        return lasting(first + ((3 - first.weekday()) % 7 + 21 + offset_days) * DAY, "day")

    return build


def _new_year(year: int) -> Span:
    return lasting(datetime(year, 1, 1) - DAY, "day", 2)


_HOLIDAY_SPANS: dict[str, Callable[[int], Span]] = {
    "christmas eve": _fixed(12, 24),
    "christmas day": _fixed(12, 25),
    "christmas": _fixed(12, 24, 3),
    "xmas": _fixed(12, 24, 3),
    "boxing day": _fixed(12, 26),
    "new year eve": _fixed(12, 31),
    "new year day": _fixed(1, 1),
    "new year": _new_year,
    "halloween": _fixed(10, 31),
    "thanksgiving": _thanksgiving(0),
    "black friday": _thanksgiving(1),
    "good friday": _around_easter(-2),
    "easter sunday": _around_easter(0),
    "easter monday": _around_easter(1),
    "easter": _around_easter(-2, 4),
    "valentine day": _fixed(2, 14),
}

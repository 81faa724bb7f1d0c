"""When a job is due: periods on an app's own calendar, or every so many minutes.

A period is named by the app's date, so that a clock that goes back, an hour that comes twice or one that is left out
changes nothing: what was done for a date is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Protocol

DAY = timedelta(days=1)
NOON = time(12)
# A month's first day is never farther away, and after a date that a zone left out comes another.
DAYS_SEARCHED = 65
SUNDAY = 6
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Period:
    """`key` is its name in the app's calendar, `until` the moment (UTC) from which its work is due."""

    key: str
    until: datetime


class Schedule(Protocol):
    def latest(self, now: datetime, zone: tzinfo) -> Period:
        """Return the last period that is due."""

    def upcoming(self, now: datetime, zone: tzinfo) -> Period:
        """Return the first that is not yet due."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """At a time of day: each day, one day of the week (0 is Monday), or one day of the month (1 to 28)."""

    at: time
    weekday: int | None = None
    day: int | None = None

    def latest(self, now: datetime, zone: tzinfo) -> Period:
        today = now.astimezone(zone).date()
        # Tomorrow too: a zone that jumps over a date has its work on the next one.
        return next(period for period in self.periods(today + DAY, -DAY, zone) if period.until <= now)

    def upcoming(self, now: datetime, zone: tzinfo) -> Period:
        today = now.astimezone(zone).date()
        return next(period for period in self.periods(today - DAY, DAY, zone) if period.until > now)

    def periods(self, start: date, step: timedelta, zone: tzinfo) -> Iterator[Period]:
        for days in range(DAYS_SEARCHED):
            on = start + days * step
            is_weekday = self.weekday is None or on.weekday() == self.weekday
            is_day = self.weekday is not None or self.day is None or on.day == self.day
            if is_weekday and is_day and (until := self.moment(on, zone)):
                yield Period(on.isoformat(), until)

    def moment(self, on: date, zone: tzinfo) -> datetime | None:
        """Return when it is due on that date, in UTC; None for a daily job on a date that the zone leaves out.

        A time that comes twice counts the first time. One that the clock jumps over is as long after the jump.
        """
        if exists(on, zone):
            return datetime.combine(on, self.at, zone).astimezone(UTC)
        if self.weekday is None and self.day is None:
            return None
        return datetime.combine(on + DAY, self.at, zone).astimezone(UTC)

    def __str__(self) -> str:
        if self.weekday is not None:
            return f"{WEEKDAYS[self.weekday]}s at {self.at:%H:%M}"
        return f"day {self.day} of the month at {self.at:%H:%M}" if self.day else f"daily at {self.at:%H:%M}"


@dataclass(frozen=True, slots=True)
class Every:
    """Every so many minutes, wherever the app lives."""

    minutes: int

    def latest(self, now: datetime, zone: tzinfo) -> Period:
        return self.period(self.number(now))

    def upcoming(self, now: datetime, zone: tzinfo) -> Period:
        return self.period(self.number(now) + 1)

    def number(self, now: datetime) -> int:
        return int(now.timestamp()) // (60 * self.minutes)

    def period(self, number: int) -> Period:
        until = datetime.fromtimestamp(number * 60 * self.minutes, UTC)
        return Period(f"{until:%Y-%m-%dT%H:%MZ}", until)

    def __str__(self) -> str:
        return "every minute" if self.minutes == 1 else f"every {self.minutes} minutes"


def exists(on: date, zone: tzinfo) -> bool:
    """Return whether the zone has this date: some have jumped over one (Samoa had no 30 December 2011)."""
    noon = datetime.combine(on, NOON, zone)
    return noon.astimezone(UTC).astimezone(zone).date() == on

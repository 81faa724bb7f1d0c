"""An app's days: they begin at midnight where it lives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from memsite.tenancy.models import App

DAYS, MOST_DAYS = 30, 366
"""Of how many days figures are told unless others are asked for, and of how many at most."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """Hold the first and the last day of a span; both are in it."""

    since: date
    until: date

    @property
    def days(self) -> list[date]:
        return [self.since + number * DAY for number in range((self.until - self.since).days + 1)]

    def as_json(self, app: App) -> dict[str, str]:
        """Return JSON as it stands: which days they are, and whose."""
        zone = str(app.policy.time_zone)
        return {"since": self.since.isoformat(), "until": self.until.isoformat(), "time_zone": zone}


def day_of(app: App, now: datetime) -> date:
    return now.astimezone(app.policy.time_zone).date()


def midnight(app: App, day: date) -> datetime:
    """Return when a day begins there, in UTC. Where clocks skip midnight, the moment they skip it."""
    return datetime.combine(day, time.min, app.policy.time_zone).astimezone(UTC)


def next_midnight(app: App, now: datetime) -> datetime:
    return midnight(app, day_of(app, now) + DAY)


def last_days(app: App, now: datetime, number: int = DAYS) -> Span:
    """Return the last days where the app lives, today the last."""
    today = day_of(app, now)
    return Span(today - (number - 1) * DAY, today)

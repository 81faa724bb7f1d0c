"""An app's days: they begin at midnight where it lives."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from memsite.tenancy.models import App


def day_of(app: App, now: datetime) -> date:
    return now.astimezone(app.policy.time_zone).date()


def midnight(app: App, day: date) -> datetime:
    """When a day begins there, in UTC. Where clocks skip midnight, the moment they skip it."""
    return datetime.combine(day, time.min, app.policy.time_zone).astimezone(UTC)


def next_midnight(app: App, now: datetime) -> datetime:
    return midnight(app, day_of(app, now) + timedelta(days=1))

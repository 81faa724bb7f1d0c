"""An app's day begins and ends at midnight where it lives, also when clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memories.ledger.days import day_of, next_midnight
from memsite.tenancy.models import App
from tests.conftest import make_app

MOMENT = timedelta(microseconds=1)


def app_in(zone: str) -> App:
    return App.objects.select_related("policy").get(pk=make_app("globex", time_zone=zone).pk)


def at_time(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "now", "day", "midnight"),
    [
        ("UTC", "2027-03-01T12:00", "2027-03-01", "2027-03-02T00:00"),
        ("Asia/Tokyo", "2027-03-01T16:00", "2027-03-02", "2027-03-02T15:00"),
        ("America/New_York", "2027-03-01T03:00", "2027-02-28", "2027-03-01T05:00"),
        # Clocks go forward at two in the night of the 28th: the day has 23 hours.
        ("Europe/Berlin", "2027-03-27T23:00", "2027-03-28", "2027-03-28T22:00"),
        # Clocks go back at three in the night of the 31st: the day has 25 hours.
        ("Europe/Berlin", "2027-10-30T22:00", "2027-10-31", "2027-10-31T23:00"),
        # Midnight itself is skipped: clocks go from 24:00 to 01:00.
        ("Africa/Cairo", "2026-04-23T12:00", "2026-04-23", "2026-04-23T22:00"),
        # Clocks go back from 24:00 to 23:00: the last hour of the day comes twice.
        ("Africa/Cairo", "2026-10-29T12:00", "2026-10-29", "2026-10-29T22:00"),
    ],
)
def test_the_day_and_its_end(db: None, zone: str, now: str, day: str, midnight: str) -> None:
    app = app_in(zone)
    assert day_of(app, at_time(now)).isoformat() == day
    assert next_midnight(app, at_time(now)) == at_time(midnight)


@pytest.mark.parametrize(
    "zone", ["Europe/Berlin", "Africa/Cairo", "America/Havana", "Australia/Lord_Howe", "Asia/Kathmandu", "Asia/Beirut"]
)
def test_the_next_day_begins_exactly_then_all_year(db: None, zone: str) -> None:
    app = app_in(zone)
    now = at_time("2026-01-01T00:00")
    for _ in range(366):
        midnight = next_midnight(app, now)
        assert now < midnight <= now + timedelta(hours=25)
        assert day_of(app, midnight - MOMENT) == day_of(app, now)
        assert day_of(app, midnight) == day_of(app, now) + timedelta(days=1)
        now = midnight


def test_it_does_not_matter_where_the_clock_hangs(db: None) -> None:
    app = app_in("Europe/Berlin")
    here = at_time("2027-03-27T23:30")
    assert next_midnight(app, here.astimezone(ZoneInfo("Asia/Tokyo"))) == next_midnight(app, here)
    assert next_midnight(app, here).tzinfo is UTC

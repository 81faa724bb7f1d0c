"""When jobs are due, on calendars with all their holes."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from memsite.jobs.schedule import Calendar, Every, Period

BERLIN, HOWE, APIA, HAVANA = (
    ZoneInfo(name) for name in ("Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/Havana")
)
NIGHTLY, WEEKLY, MONTHLY = Calendar(time(2)), Calendar(time(1), weekday=6), Calendar(time(3), day=1)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def fired_over(schedule: Calendar, looks: Iterable[datetime], zone: ZoneInfo) -> list[Period]:
    """The periods that somebody sees who looks at these times."""
    seen: list[Period] = []
    for now in looks:
        period = schedule.latest(now, zone)
        assert period.until <= now
        if seen[-1:] != [period]:
            seen.append(period)
    return seen


def every(step: timedelta, start: str, days: int) -> Iterator[datetime]:
    now, end = utc(start), utc(start) + timedelta(days=days)
    while now < end:
        yield now
        now += step


def often_where_clocks_change(zone: ZoneInfo, start: str, days: int) -> Iterator[datetime]:
    """Every hour of the days around a change of the clock; else every seventh, at another one each day."""
    for number, noon in enumerate(every(timedelta(days=1), start, days)):
        before, after = ((noon + timedelta(days=day)).astimezone(zone).utcoffset() for day in (-2, 2))
        for hour in range(24):
            if before != after or (24 * number + hour) % 7 == 0:
                yield noon + timedelta(hours=hour)


@pytest.mark.parametrize(
    ("now", "key", "until"),
    [
        ("2026-11-22T00:59", "2026-11-21", "2026-11-21T01:00"),
        ("2026-11-22T01:00", "2026-11-22", "2026-11-22T01:00"),
        ("2026-11-22T23:30", "2026-11-22", "2026-11-22T01:00"),
    ],
)
def test_a_night_begins_at_two_where_the_app_lives(now: str, key: str, until: str) -> None:
    assert NIGHTLY.latest(utc(now), BERLIN) == Period(key, utc(until))


def test_a_week_and_a_month() -> None:
    now = utc("2026-11-25T12:00")  # a Wednesday
    assert WEEKLY.latest(now, BERLIN) == Period("2026-11-22", utc("2026-11-22T00:00"))
    assert MONTHLY.latest(now, BERLIN) == Period("2026-11-01", utc("2026-11-01T02:00"))
    assert WEEKLY.upcoming(now, BERLIN).key == "2026-11-29"
    assert MONTHLY.upcoming(now, BERLIN).key == "2026-12-01"
    assert NIGHTLY.upcoming(now, BERLIN).key == "2026-11-26"


@pytest.mark.long
@pytest.mark.parametrize("zone", [BERLIN, HOWE, HAVANA, ZoneInfo("Asia/Kathmandu"), ZoneInfo("America/St_Johns")])
@pytest.mark.parametrize("index", [time(0), time(0, 30), time(1, 30), time(2), time(2, 30), time(3)])
def test_every_date_of_two_years_is_due_once_whatever_the_clock_does(zone: ZoneInfo, index: time) -> None:
    seen = fired_over(Calendar(index), often_where_clocks_change(zone, "2026-01-01T12:00", 730), zone)
    keys = [period.key for period in seen]
    assert keys == sorted(set(keys))
    first = datetime.fromisoformat(keys[0]).date()
    assert keys == [(first + timedelta(days=number)).isoformat() for number in range(len(keys))]
    gaps = {(b.until - a.until) for a, b in pairwise(seen)}
    assert gaps <= {timedelta(hours=hours) for hours in (23, 23.5, 24, 24.5, 25)}


@pytest.mark.parametrize(
    ("index", "until"),
    [
        (time(1, 30), "2026-03-29T00:30"),  # before the jump from 2 to 3
        (time(2, 30), "2026-03-29T01:30"),  # 02:30 there is none: half an hour after the jump, 03:30
        (time(3, 30), "2026-03-29T01:30"),
    ],
)
def test_a_time_that_the_clock_jumps_over(index: time, until: str) -> None:
    assert Calendar(index).latest(utc("2026-03-29T12:00"), BERLIN) == Period("2026-03-29", utc(until))


def test_a_time_that_comes_twice_counts_the_first_time() -> None:
    twice = Calendar(time(2, 30))
    first = Period("2026-10-25", utc("2026-10-25T00:30"))
    assert twice.latest(utc("2026-10-25T00:30"), BERLIN) == first
    assert twice.latest(utc("2026-10-25T01:30"), BERLIN) == first  # 02:30 again, by the second clock
    assert twice.upcoming(utc("2026-10-25T00:31"), BERLIN).key == "2026-10-26"


def test_half_an_hour_of_summer() -> None:
    # Lord Howe puts its clocks back from 02:00 to 01:30 on 5 April 2026.
    assert Calendar(time(1, 45)).latest(utc("2026-04-05T00:00"), HOWE).until == utc("2026-04-04T14:45")


def test_a_date_that_never_was() -> None:
    # Samoa went from 29 to 31 December 2011.
    looks = every(timedelta(minutes=30), "2011-12-29T00:00", 4)
    assert [period.key for period in fired_over(NIGHTLY, looks, APIA)] == [
        "2011-12-28", "2011-12-29", "2011-12-31", "2012-01-01", "2012-01-02",
    ]  # fmt: skip
    fridays = Calendar(time(2), weekday=4)
    assert fridays.latest(utc("2011-12-31T00:00"), APIA) == Period("2011-12-30", utc("2011-12-30T12:00"))
    looks = every(timedelta(hours=1), "2011-12-24T00:00", 16)
    assert [period.key for period in fired_over(fridays, looks, APIA)] == [
        "2011-12-23", "2011-12-30", "2012-01-06",
    ]  # fmt: skip


def test_every_few_minutes() -> None:
    now = utc("2026-11-22T10:07")
    assert Every(5).latest(now, BERLIN) == Period("2026-11-22T10:05Z", utc("2026-11-22T10:05"))
    assert Every(5).upcoming(now, BERLIN).key == "2026-11-22T10:10Z"


@pytest.mark.parametrize(
    ("schedule", "text"),
    [
        (NIGHTLY, "daily at 02:00"),
        (WEEKLY, "Sundays at 01:00"),
        (MONTHLY, "day 1 of the month at 03:00"),
        (Every(1), "every minute"),
        (Every(5), "every 5 minutes"),
    ],
)
def test_how_it_is_told(schedule: Calendar | Every, text: str) -> None:
    assert str(schedule) == text

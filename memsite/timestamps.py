"""Moments that can be reckoned with in every time zone: the calendar's ends, where that fails, are far from them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo

from django.core.exceptions import ValidationError

EARLIEST, LATEST = datetime(1000, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
OUT_OF_REACH = f"A year from {EARLIEST:%Y} to {LATEST:%Y}."


def is_in_reach(moment: datetime) -> bool:
    return EARLIEST <= moment <= LATEST


def check_in_reach(moment: datetime) -> None:
    """Validate a field."""
    if not is_in_reach(moment):
        raise ValidationError(OUT_OF_REACH)


def in_utc(moment: datetime) -> datetime:
    """Return a moment, as UTC where it does not say. Raises OverflowError outside of UTC's calendar."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """Return the time by the clock there; by its own at the calendar's ends, where there is none."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.replace(tzinfo=zone)


def own_offset(moment: datetime | None) -> int | None:
    """Return minutes by which the clock it was read from was ahead of UTC; None where that is not said.

    "Z" and "+00:00" are how programs write any moment: they tell no clock.
    """
    ahead = moment.utcoffset() if moment else None
    return round(ahead / MINUTE) if ahead else None


def in_own_zone(moment: datetime, offset: int | None, zone: tzinfo) -> datetime:
    """Return the time by the clock that is so many minutes ahead of UTC; by that of `zone` if None."""
    return in_zone(moment, zone if offset is None else timezone(offset * MINUTE))

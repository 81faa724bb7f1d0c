"""Moments that can be reckoned with in every time zone: the calendar's ends, where that fails, are far from them."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from django.core.exceptions import ValidationError

EARLIEST, LATEST = datetime(1000, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
OUT_OF_REACH = f"A year from {EARLIEST:%Y} to {LATEST:%Y}."


def is_in_reach(moment: datetime) -> bool:
    return EARLIEST <= moment <= LATEST


def check_in_reach(moment: datetime) -> None:
    """A validator of fields."""
    if not is_in_reach(moment):
        raise ValidationError(OUT_OF_REACH)


def in_utc(moment: datetime) -> datetime:
    """As UTC where it does not say. Raises OverflowError for one that lies outside of UTC's calendar."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """By the clock there; by its own at the calendar's ends, where there is none."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment.replace(tzinfo=zone)

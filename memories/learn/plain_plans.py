"""A plan that somebody noted by hand, in a sentence that can be found: its day stands in it."""

from __future__ import annotations

from datetime import date, time

from memories.models import FutureTrigger
from memories.text.dating import make_dates_plain
from memories.text.future import find_coming

UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}


def sentence_of(trigger: FutureTrigger) -> str:
    """Its message with the day, where it does not name that itself: "Dentist on Friday 4 December 2026 at 15:00"."""
    zone = trigger.app.policy.time_zone
    noted = trigger.created_at.astimezone(zone)
    if any(one.on == trigger.trigger_date for one in find_coming(trigger.message, noted)):
        return make_dates_plain(trigger.message, noted).text
    return f"{trigger.message.rstrip(' .')} {when(trigger)}"


def when(trigger: FutureTrigger) -> str:
    if trigger.rule:
        return f"{how_often(trigger.rule)} from {written(trigger.trigger_date)}{clock(trigger.trigger_time)}"
    if trigger.until:
        return f"from {written(trigger.trigger_date)} until {written(trigger.until)}{clock(trigger.trigger_time)}"
    return f"on {written(trigger.trigger_date)}{clock(trigger.trigger_time)}"


def how_often(rule: str) -> str:
    """An RFC 5545 rule in words, as far as they are few."""
    parts = dict(part.partition("=")[::2] for part in rule.upper().split(";"))
    unit, count = UNITS.get(parts.get("FREQ", ""), "time"), parts.get("INTERVAL", "1")
    return f"every {unit}" if count == "1" else f"every {count} {unit}s"


def written(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"


def clock(at: time | None) -> str:
    return f" at {at:%H:%M}" if at else ""

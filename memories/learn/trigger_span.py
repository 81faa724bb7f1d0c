"""Hold the days of a trigger (one, a span of several, or what a rule repeats) and write them in a sentence."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from memories.language.dates.future import find_coming, next_day
from memories.language.dates.statement_dates import make_dates_plain
from memories.models import FutureTrigger

DAY = timedelta(days=1)
UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}


class Days(NamedTuple):
    """`until` is the last day of a stretch, None for a single day; `rule` an RRULE, empty for what comes once."""

    on: date
    until: date | None = None
    rule: str = ""


class WrongTrigger(ValueError):
    """Why it cannot be, and which field is to blame."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field, self.reason = field, reason


def check_days(days: Days) -> None:
    """Raise WrongTrigger if they do not go together."""
    if days.until and days.until < days.on:
        raise WrongTrigger("until", "Lies before trigger_date.")
    if not days.rule:
        return
    following = next_day(days.rule, days.on, after=days.on)
    if following is None:
        raise WrongTrigger("rule", "No rule with days to come, such as FREQ=WEEKLY;BYDAY=MO.")
    if days.until and days.until >= following:
        raise WrongTrigger("until", "Each stretch has to end before the next begins. A rule's own end is its UNTIL.")


def bring_to(days: Days, today: date) -> Days | None:
    """Return the same with the first stretch that is not over; missed days are skipped. None if all is over."""
    length = days.until - days.on if days.until else timedelta(0)
    if days.on + length >= today:
        return days
    day = next_day(days.rule, days.on, after=today - length - DAY)
    try:
        return Days(day, day + length if days.until else None, days.rule) if day else None
    except OverflowError:
        return None


def days_to_come(days: Days, today: date) -> Days:
    """Return `bring_to`; raises WrongTrigger if they do not go together or are over."""
    check_days(days)
    brought = bring_to(days, today)
    if brought is None:
        raise WrongTrigger("until" if days.until else "trigger_date", "Is over.")
    return brought


def sentence_of(trigger: FutureTrigger) -> str:
    """Return its message with the day, unless that names one: "Dentist on Friday 4 December 2026 at 15:00"."""
    zone = trigger.app.policy.time_zone
    noted = trigger.created_at.astimezone(zone)
    if any(coming.on == trigger.trigger_date for coming in find_coming(trigger.message, noted)):
        return make_dates_plain(trigger.message, noted).text
    return f"{trigger.message.rstrip(' .')} {when(trigger)}"


def when(trigger: FutureTrigger) -> str:
    first = written_day(trigger.trigger_date)
    clock = f" at {trigger.trigger_time:%H:%M}" if trigger.trigger_time else ""
    if trigger.rule:
        # An RFC 5545 rule in words, as far as they are few.
        parts = dict(part.partition("=")[::2] for part in trigger.rule.upper().split(";"))
        unit, count = UNITS.get(parts.get("FREQ", ""), "time"), parts.get("INTERVAL", "1")
        return f"every {unit if count == '1' else f'{count} {unit}s'} from {first}{clock}"
    if trigger.until:
        return f"from {first} until {written_day(trigger.until)}{clock}"
    return f"on {first}{clock}"


def written_day(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"

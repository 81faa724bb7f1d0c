"""The days of a trigger: one, a stretch of several, or what a rule brings round."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from memories.text.future import next_day

DAY = timedelta(days=1)


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
    """Raises WrongTrigger if they do not go together."""
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
    """The same with the first stretch that is not over; days missed in between are skipped. None if all is over."""
    length = days.until - days.on if days.until else timedelta(0)
    if days.on + length >= today:
        return days
    day = next_day(days.rule, days.on, after=today - length - DAY)
    try:
        return Days(day, day + length if days.until else None, days.rule) if day else None
    except OverflowError:
        return None


def days_to_come(days: Days, today: date) -> Days:
    """`bring_to`; raises WrongTrigger if they do not go together or are over."""
    check_days(days)
    brought = bring_to(days, today)
    if brought is None:
        raise WrongTrigger("until" if days.until else "trigger_date", "Is over.")
    return brought

"""Rules of what comes round (RFC 5545) and their days."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from dateutil.rrule import rrulestr

DAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAYS = ",".join(DAY_CODES[:5])
_FREQUENCIES = {
    "day": "DAILY", "week": "WEEKLY", "fortnight": "WEEKLY", "month": "MONTHLY", "quarter": "MONTHLY", "year": "YEARLY",
}  # fmt: skip
_SIZES = {"fortnight": 2, "quarter": 3}
_RULE = re.compile(
    r"FREQ=(?:(?:DAILY|(WEEKLY))(?:;INTERVAL=([1-9][0-9]{0,3}))?(?:;BYDAY=[A-Z,]{2,20})?"
    r"|(?:MONTHLY|YEARLY)(?:;INTERVAL=[1-9][0-9]{0,3})?(?:;BYMONTH=[0-9]{1,2})?"
    r"(?:;BYMONTHDAY=-?[0-9]{1,2}|;BYDAY=-?[0-9][A-Z]{2})?)(?:;UNTIL=[0-9]{8})?"
)


def every(unit: str, interval: int = 1, *parts: str) -> str:
    """The rule of each `interval`-th unit of calendar.STEPS, down to days: every("week", 2, "BYDAY=TU")."""
    size = interval * _SIZES.get(unit, 1)
    return ";".join([f"FREQ={_FREQUENCIES[unit]}", *([f"INTERVAL={size}"] if size > 1 else []), *parts])


def yearly_on(month: int, day: int) -> str:
    return every("year", 1, f"BYMONTH={month}", f"BYMONTHDAY={day}")


def next_day(rule: str, first: date, after: date) -> date | None:
    """The next day of a rule that begins on `first`, strictly after `after`; None if there is none.

    A day some months or years lack (the 31st, 29 February) is skipped in them. None, too, for what is no rule as
    `find_coming` gives them, with a last day (UNTIL) or without.
    """
    read = _RULE.fullmatch(rule)
    if not read:
        return None
    try:
        start = datetime.combine(_brought_near(rule, read, first, after), time())
        found = rrulestr(rule, dtstart=start).after(datetime.combine(after, time()))
    except (ValueError, TypeError, OverflowError):
        return None
    return found.date() if found else None


def _brought_near(rule: str, read: re.Match[str], first: date, after: date) -> date:
    """A later first day of the same days and weeks, so that a rule of long ago need not be counted from there."""
    if not rule.startswith(("FREQ=DAILY", "FREQ=WEEKLY")):
        return first
    days = int(read[2] or 1) * (7 if read[1] else 1)
    return first + timedelta(days=max(0, (after - first).days // days - 1) * days)


def first_day(rule: str, start: date) -> date | None:
    """The first day of a rule that is not before `start`."""
    try:
        found = rrulestr(rule, dtstart=datetime.combine(start, time())).after(datetime.combine(start, time()), inc=True)
    except (ValueError, OverflowError):
        return None
    return found.date() if found else None

"""Rules of what comes round (RFC 5545), as one would say them."""

from __future__ import annotations

import calendar
from datetime import datetime

from memories.text.future.rules import DAY_CODES

_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_ORDINALS = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last"}


def in_words(rule: str) -> str:
    """ "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR": "every 2 weeks on Monday and Friday". What is no such rule, as it is."""
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    try:
        return " ".join(filter(None, [_how_often(parts), _on_which(parts), _in_which(parts), _until(parts)]))
    except (KeyError, ValueError, IndexError):
        return rule


def _how_often(parts: dict[str, str]) -> str:
    unit, number = _UNITS[parts["FREQ"]], int(parts.get("INTERVAL", "1"))
    return f"every {unit}" if number == 1 else f"every {number} {unit}s"


def _on_which(parts: dict[str, str]) -> str:
    if "BYMONTHDAY" in parts:
        day = int(parts["BYMONTHDAY"])
        return "on the last day" if day == -1 else f"on {day}" if "BYMONTH" in parts else f"on day {day}"
    names = [_day(code) for code in parts["BYDAY"].split(",")] if "BYDAY" in parts else []
    return f"on {', '.join(names[:-1])}{' and ' if names[1:] else ''}{names[-1]}" if names else ""


def _day(code: str) -> str:
    name = calendar.day_name[DAY_CODES.index(code[-2:])]
    return f"the {_ORDINALS[code[:-2]]} {name}" if code[:-2] else name


def _in_which(parts: dict[str, str]) -> str:
    month = calendar.month_name[int(parts["BYMONTH"])] if "BYMONTH" in parts else ""
    return month if "BYMONTHDAY" in parts or not month else f"in {month}"


def _until(parts: dict[str, str]) -> str:
    return f"until {datetime.strptime(parts['UNTIL'], '%Y%m%d'):%Y-%m-%d}" if "UNTIL" in parts else ""

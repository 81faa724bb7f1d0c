"""Triggers on the days of a month where the app lives, and recurrence rules (RFC 5545) in words."""

from __future__ import annotations

import calendar
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db.models import F, Q

from memories.language.dates.future import next_day
from memories.language.dates.recurrence import DAY_CODES
from memories.models import FutureTrigger, TriggerStatus
from memsite.tenancy.scoping import ScopedQuerySet

DAY = timedelta(days=1)
MOST_TRIGGERS = 500
SHOWN_A_DAY = 3
FIRST_YEAR, LAST_YEAR = 1970, 9990
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_ORDINALS = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last"}


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    is_inside: bool
    is_today: bool
    triggers: list[FutureTrigger] = field(default_factory=list)

    @property
    def listed(self) -> list[FutureTrigger]:
        return self.triggers[:SHOWN_A_DAY]

    @property
    def more(self) -> int:
        return len(self.triggers) - len(self.listed)


@dataclass(frozen=True, slots=True)
class Month:
    """A month in whole weeks from Monday on, with the days of other months in them."""

    first: date
    weeks: list[list[Day]]

    @property
    def before(self) -> str:
        return f"{self.first - DAY:%Y-%m}"

    @property
    def after(self) -> str:
        return f"{self.first + timedelta(days=31):%Y-%m}"

    @property
    def busy(self) -> list[Day]:
        """Return the days of the month itself on which something is due."""
        return [day for week in self.weeks for day in week if day.is_inside and day.triggers]

    @property
    def due(self) -> list[tuple[FutureTrigger, list[date]]]:
        """Return each trigger of the month once, with its days, the first to come first."""
        days: dict[int, list[date]] = defaultdict(list)
        triggers = {}
        for day in self.busy:
            for trigger in day.triggers:
                days[trigger.pk].append(day.day)
                triggers[trigger.pk] = trigger
        return [(trigger, days[pk]) for pk, trigger in triggers.items()]


def read_month(text: str, today: date) -> date:
    """Return the first day of the month "2026-11"; of the current one, if the text names none."""
    try:
        first = date.fromisoformat(f"{text}-01")
    except ValueError:
        return today.replace(day=1)
    return first if FIRST_YEAR <= first.year <= LAST_YEAR else today.replace(day=1)


def month_of(first: date, today: date, triggers: ScopedQuerySet[FutureTrigger]) -> Month:
    """Return a month with its waiting and past triggers."""
    weeks = calendar.Calendar().monthdatescalendar(first.year, first.month)
    start, end = weeks[0][0], weeks[-1][-1]
    not_over = Q(trigger_date__gte=start) | Q(until__gte=start) | ~Q(rule="")
    rows = triggers.exclude(status=TriggerStatus.CANCELLED).filter(not_over, trigger_date__lte=end)
    due: dict[date, list[FutureTrigger]] = defaultdict(list)
    for trigger in rows.order_by(F("trigger_time").asc(nulls_first=True), "trigger_date", "pk")[:MOST_TRIGGERS]:
        for day in dict.fromkeys(days_of(trigger, start, end)):
            due[day].append(trigger)
    return Month(
        first, [[Day(day, day.month == first.month, day == today, due.get(day, [])) for day in week] for week in weeks]
    )


def days_of(trigger: FutureTrigger, start: date, end: date) -> Iterator[date]:
    """Return each day from `start` to `end` on which it is due, all days of a span and of each recurrence."""
    length = (trigger.until - trigger.trigger_date) if trigger.until else timedelta(0)
    first: date | None = trigger.trigger_date
    while first is not None and first <= end:
        day = max(first, start)
        while day <= min(first + length, end):
            yield day
            day += DAY
        if not trigger.rule or trigger.status != TriggerStatus.WAITING:
            return
        first = next_day(trigger.rule, trigger.trigger_date, after=max(first, start - length - DAY))


def in_words(rule: str) -> str:
    """Return a rule in words: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR" is "every 2 weeks on Monday and Friday".

    Return any other text as it is.
    """
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    try:
        unit, number = _UNITS[parts["FREQ"]], int(parts.get("INTERVAL", "1"))
        month = calendar.month_name[int(parts["BYMONTH"])] if "BYMONTH" in parts else ""
        words = [
            f"every {unit}" if number == 1 else f"every {number} {unit}s",
            days_in_words(parts),
            month if "BYMONTHDAY" in parts or not month else f"in {month}",
            f"until {datetime.strptime(parts['UNTIL'], '%Y%m%d'):%Y-%m-%d}" if "UNTIL" in parts else "",
        ]
        return " ".join(filter(None, words))
    except (KeyError, ValueError, IndexError):
        return rule


def days_in_words(parts: dict[str, str]) -> str:
    if "BYMONTHDAY" in parts:
        day = int(parts["BYMONTHDAY"])
        return "on the last day" if day == -1 else f"on {day}" if "BYMONTH" in parts else f"on day {day}"
    names = []
    for code in parts["BYDAY"].split(",") if "BYDAY" in parts else []:
        name = calendar.day_name[DAY_CODES.index(code[-2:])]
        names.append(f"the {_ORDINALS[code[:-2]]} {name}" if code[:-2] else name)
    return f"on {', '.join(names[:-1])}{' and ' if names[1:] else ''}{names[-1]}" if names else ""

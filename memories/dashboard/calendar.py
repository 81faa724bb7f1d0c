"""What is to come, on the days of a month where the app lives."""

from __future__ import annotations

import calendar
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.db.models import F, Q

from memories.models import FutureTrigger, TriggerStatus
from memories.text.future import next_day
from memsite.tenancy.scoping import ScopedQuerySet

DAY = timedelta(days=1)
MOST_TRIGGERS = 500
SHOWN_A_DAY = 3
FIRST_YEAR, LAST_YEAR = 1970, 9990


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    is_inside: bool
    is_today: bool
    triggers: list[FutureTrigger] = field(default_factory=list)

    @property
    def shown(self) -> list[FutureTrigger]:
        return self.triggers[:SHOWN_A_DAY]

    @property
    def more(self) -> int:
        return len(self.triggers) - len(self.shown)


@dataclass(frozen=True, slots=True)
class Month:
    """`weeks` are whole ones, from Monday on: with days of the months beside it."""

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
        """The days of the month itself on which something is due."""
        return [day for week in self.weeks for day in week if day.is_inside and day.triggers]

    @property
    def due(self) -> list[tuple[FutureTrigger, list[date]]]:
        """Each trigger of the month once, with its days, the first to come first."""
        days: dict[int, list[date]] = defaultdict(list)
        found = {}
        for day in self.busy:
            for trigger in day.triggers:
                days[trigger.pk].append(day.day)
                found[trigger.pk] = trigger
        return [(trigger, days[pk]) for pk, trigger in found.items()]


def read_month(text: str, today: date) -> date:
    """The first day of the month "2026-11"; of this one, if the text names none."""
    try:
        first = date.fromisoformat(f"{text}-01")
    except ValueError:
        return today.replace(day=1)
    return first if FIRST_YEAR <= first.year <= LAST_YEAR else today.replace(day=1)


def month_of(first: date, today: date, triggers: ScopedQuerySet[FutureTrigger]) -> Month:
    """Reads those that wait or are over, and fall into its weeks."""
    weeks = calendar.Calendar().monthdatescalendar(first.year, first.month)
    start, end = weeks[0][0], weeks[-1][-1]
    due = by_day(within(triggers, start, end), start, end)
    return Month(
        first, [[Day(day, day.month == first.month, day == today, due.get(day, [])) for day in week] for week in weeks]
    )


def within(triggers: ScopedQuerySet[FutureTrigger], start: date, end: date) -> Iterable[FutureTrigger]:
    not_over = Q(trigger_date__gte=start) | Q(until__gte=start) | ~Q(rule="")
    rows = triggers.exclude(status=TriggerStatus.CANCELLED).filter(not_over, trigger_date__lte=end)
    return rows.order_by(F("trigger_time").asc(nulls_first=True), "trigger_date", "pk")[:MOST_TRIGGERS]


def by_day(triggers: Iterable[FutureTrigger], start: date, end: date) -> dict[date, list[FutureTrigger]]:
    days: dict[date, list[FutureTrigger]] = defaultdict(list)
    for trigger in triggers:
        for day in dict.fromkeys(days_of(trigger, start, end)):
            days[day].append(trigger)
    return days


def days_of(trigger: FutureTrigger, start: date, end: date) -> Iterator[date]:
    """Each day from `start` to `end` on which it is due: of a stretch all of them, as often as the rule brings it."""
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

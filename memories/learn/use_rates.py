"""How much of what is injected is used, day by day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time

from django.db.models import Count, Q
from django.db.models.functions import TruncDate

from memories.models import Injection
from memsite.tenancy.models import App


@dataclass(frozen=True, slots=True)
class DayOfUse:
    """Injected lines that were judged on a day: a memory that was shown twice counts twice."""

    day: date
    used: int
    ignored: int


def used_rates(app: App, since: date) -> list[DayOfUse]:
    """From `since` on, by day in the app's time zone; days without any are left out. One query."""
    zone = app.policy.time_zone
    judged = Injection.objects.for_app(app).filter(judged_at__gte=datetime.combine(since, time.min, zone))
    by_day = judged.annotate(day=TruncDate("judged_at", tzinfo=zone)).values_list("day").order_by("day")
    counted = by_day.annotate(echoes=Count("pk", filter=Q(used=True)), fizzles=Count("pk", filter=Q(used=False)))
    return [DayOfUse(*row) for row in counted]

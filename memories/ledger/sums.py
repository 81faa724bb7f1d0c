"""What an app has spent between two days: sums of the ledger and of its energy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count, F, FloatField, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from memories.ledger.days import Span
from memories.ledger.spend import Total, totals
from memories.models import EnergyUse, LedgerEntry
from memsite.tenancy.models import App

APPS_SHOWN = 100


def sum_up(rows: Iterable[Total]) -> Total:
    """All of them in one."""
    rows = list(rows)
    names = ("calls", "input_tokens", "output_tokens", "cost", "unpriced", "failed")
    return Total((), *(sum(getattr(row, name) for row in rows) for name in names))


def by_day(app: App, span: Span) -> list[Total]:
    """A row for each day, also for those on which no model was asked. The latest first. One query."""
    known = {row.key[0]: row for row in totals(app, span.since, "day", span.until)}
    return [known.get(day) or Total((day,), 0, 0, 0, 0.0, 0, 0) for day in reversed(span.days)]


def daily(app: App, span: Span, of: str) -> dict[str, list[float]]:
    """By operation, `of` (cost or tokens) on each day. One query."""
    rows = totals(app, span.since, "day and operation", span.until)
    known = {row.key: getattr(row, of) for row in rows}
    operations = sorted({operation for _, operation in known})
    return {name: [known.get((day, name), 0) for day in span.days] for name in operations}


def energy(app: App, span: Span) -> list[Any]:
    """Mappings of `operation`, `calls` and `units`, the most units first. One query."""
    rows = EnergyUse.objects.for_app(app).filter(day__gte=span.since, day__lte=span.until).order_by()
    sums = rows.values("operation").annotate(calls=Sum("calls"), units=Sum("units"))
    return list(sums.order_by("-units", "operation"))


def energy_by_day(app: App, span: Span) -> list[float]:
    """Units of each day, the first day first. One query."""
    rows = EnergyUse.objects.for_app(app).filter(day__gte=span.since, day__lte=span.until).order_by()
    known = dict(rows.values_list("day").annotate(Sum("units")))
    return [known.get(day, 0.0) for day in span.days]


def by_app(apps: QuerySet[App], span: Span) -> Sequence[Any]:
    """Apps with `cost`, `tokens` and `calls`, the dearest first. One query."""
    ours = LedgerEntry.objects.for_app(OuterRef("pk"))  # type: ignore[arg-type]  # the app of the query around it
    rows = ours.filter(day__gte=span.since, day__lte=span.until).order_by().values("app")

    def summed(sum_of: Any, field: Any) -> Any:
        return Coalesce(Subquery(rows.annotate(sum=sum_of).values("sum")), 0, output_field=field)

    return list(
        apps.annotate(
            cost=summed(Sum("cost"), FloatField()),
            tokens=summed(Sum(F("input_tokens") + F("output_tokens")), IntegerField()),
            calls=summed(Count("pk"), IntegerField()),
        ).order_by("-cost", "-tokens", "app_id")[:APPS_SHOWN]
    )

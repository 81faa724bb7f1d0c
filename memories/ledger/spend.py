"""Record money and tokens of each call to a model, and sum up what an app has spent and may still spend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, NamedTuple

from django.db import transaction
from django.db.models import Count, F, FloatField, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from memories.ledger.days import Span, day_of, last_days, next_midnight
from memories.ledger.energy import is_low, note_energy
from memories.models import EnergyUse, LedgerEntry
from memories.providers.llm.provider import Usage
from memsite.ops.metrics import count_model_call
from memsite.tenancy.models import App
from sessions.models import AgentSession

# What a service tells of itself is bounded, so that no answer, however odd, cannot be written down.
# What went in and out of a call is added by the database, whose sum of two integers is an integer.
MOST_TOKENS = 10**9

By = Literal["day", "operation", "day and operation", "model", "turn"]
GROUPS: dict[By, tuple[str, ...]] = {
    "day": ("day",),
    "operation": ("operation",),
    "day and operation": ("day", "operation"),
    "model": ("provider", "model"),
    "turn": ("session__uid", "turn_number"),
}
APPS_SHOWN = 100
SUMS = ("calls", "failed", "input_tokens", "output_tokens", "tokens", "cost", "unpriced")
Figures = dict[str, Any]


class Spent(NamedTuple):
    """Hold US dollars, as far as prices are known, and tokens in and out."""

    cost: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Total:
    """The calls of one group.

    `key` is (day,), (operation,), both, (provider or None, model), or (id of the session, number of the turn or None).

    `cost` is in US dollars; `unpriced` calls are not in it, because the price of their model is not known. `failed`
    calls had no answer that could be used.
    """

    key: tuple[Any, ...]
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float
    unpriced: int
    failed: int

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


def record(app: App, usage: Usage, session: AgentSession | None = None, turn_number: int | None = None) -> None:
    """Record a call in the app's ledger, and its units in the app's energy."""
    now = timezone.now()
    with transaction.atomic():
        entry = LedgerEntry.objects.create(
            app=app,
            operation=usage.operation,
            provider=usage.provider[:20] or None,
            model=usage.model[:120],
            session=session,
            turn_number=turn_number,
            input_tokens=min(usage.input_tokens, MOST_TOKENS),
            output_tokens=min(usage.output_tokens, MOST_TOKENS),
            cost=usage.cost if usage.cost is not None and math.isfinite(usage.cost) else None,
            seconds=usage.seconds,
            outcome=usage.outcome,
            day=day_of(app, now),
            created_at=now,
        )
        note_energy(app, usage.operation, now)
    tokens = entry.input_tokens, entry.output_tokens
    count_model_call(entry.provider or "", entry.operation, entry.outcome, entry.seconds, tokens, entry.cost or 0.0)


def spent_today(app: App, now: datetime) -> Spent:
    """Return what was spent since midnight where the app lives. One query."""
    rows = LedgerEntry.objects.for_app(app).filter(day=day_of(app, now))
    sums_of = rows.aggregate(dollars=Sum("cost"), tokens=Sum(F("input_tokens") + F("output_tokens")))
    return Spent(sums_of["dollars"] or 0.0, sums_of["tokens"] or 0)


def totals(app: App, since: date, by: By, until: date = date.max) -> list[Total]:
    """Sum from the day `since` to `until`, in the order of their keys, None first. One query.

    By turn: only calls for a session.
    """
    rows = LedgerEntry.objects.for_app(app).filter(day__gte=since, day__lte=until)
    if by == "turn":
        rows = rows.filter(session__isnull=False)
    unpriced = Q(cost=None) & (Q(input_tokens__gt=0) | Q(output_tokens__gt=0))
    sums_of = (
        rows.values_list(*GROUPS[by])
        .annotate(
            Count("pk"),
            Sum("input_tokens"),
            Sum("output_tokens"),
            Sum("cost"),
            unpriced=Count("pk", filter=unpriced),
            failed=Count("pk", filter=~Q(outcome="ok")),
        )
        .order_by(*(F(name).asc(nulls_first=True) for name in GROUPS[by]))
    )
    return [
        Total(tuple(key), calls, tokens_in, tokens_out, dollars or 0.0, without_price, failed)
        for *key, calls, tokens_in, tokens_out, dollars, without_price, failed in sums_of
    ]


def sum_up(rows: Iterable[Total]) -> Total:
    """Return the sum of all rows."""
    rows = list(rows)
    names = ("calls", "input_tokens", "output_tokens", "cost", "unpriced", "failed")
    return Total((), *(sum(getattr(row, name) for row in rows) for name in names))


def by_day(app: App, span: Span) -> list[Total]:
    """Return a row for each day, also for those on which no model was asked. The latest first. One query."""
    known = {row.key[0]: row for row in totals(app, span.since, "day", span.until)}
    return [known.get(day) or Total((day,), 0, 0, 0, 0.0, 0, 0) for day in reversed(span.days)]


def daily(app: App, span: Span, of: str) -> dict[str, list[float]]:
    """Return by operation, `of` (cost or tokens) on each day. One query."""
    rows = totals(app, span.since, "day and operation", span.until)
    known = {row.key: getattr(row, of) for row in rows}
    operations = sorted({operation for _, operation in known})
    return {name: [known.get((day, name), 0) for day in span.days] for name in operations}


def energy(app: App, span: Span) -> list[Any]:
    """Return mappings of `operation`, `calls` and `units`, the most units first. One query."""
    rows = EnergyUse.objects.for_app(app).filter(day__gte=span.since, day__lte=span.until).order_by()
    sums_of = rows.values("operation").annotate(calls=Sum("calls"), units=Sum("units"))
    return list(sums_of.order_by("-units", "operation"))


def by_app(apps: QuerySet[App], span: Span) -> Sequence[Any]:
    """Return apps with `cost`, `tokens` and `calls`, the dearest first. One query."""
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


def usage_of(app: App, now: datetime, days: int) -> Figures:
    """Return sums of the last `days` days.

    JSON as it stands; six queries. What agents were not told yet stays untold.
    """
    span = last_days(app, now, days)
    every_day = by_day(app, span)
    operations, models = (totals(app, span.since, by, span.until) for by in ("operation", "model"))
    # Of today. A limit that there is not is None, and so is what is left of it.
    policy, spent = app.policy, spent_today(app, now)
    return {
        "app_id": app.app_id,
        "at": now.isoformat(),
        **span.as_json(app),
        "total": sums_of(sum_up(every_day)),
        "by_day": [{"day": row.key[0].isoformat(), **sums_of(row)} for row in reversed(every_day)],
        "by_operation": [{"operation": row.key[0], **sums_of(row)} for row in operations],
        "by_model": [{"provider": row.key[0], "model": row.key[1], **sums_of(row)} for row in models],
        "energy": energy_of(app, span),
        "budget": {
            "renewed_at": next_midnight(app, now).isoformat(),
            "cost": budget_left(policy.daily_cost, round(spent.cost, 6)),
            "tokens": budget_left(policy.daily_tokens, spent.tokens),
        },
    }


def sums_of(row: Total) -> Figures:
    return {name: getattr(row, name) for name in SUMS} | {"cost": round(row.cost, 6)}


def energy_of(app: App, span: Span) -> Figures:
    rows = EnergyUse.objects.for_app(app).filter(day__gte=span.since, day__lte=span.until).order_by()
    known = dict(rows.values_list("day").annotate(Sum("units")))
    units = [known.get(day, 0.0) for day in span.days]
    days = zip(span.days, units, strict=True)
    return {
        "level": app.energy_level,
        "floor": app.policy.energy_floor,
        "low": is_low(app),
        "units": sum(units),
        "by_day": [{"day": day.isoformat(), "units": number} for day, number in days],
        "by_operation": energy(app, span),
    }


def budget_left(limit: float | None, spent: float) -> Figures:
    return {"limit": limit, "spent": spent, "left": None if limit is None else round(max(limit - spent, 0), 6)}

"""Money and tokens: each call to a model is written down, and summed up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, NamedTuple

from django.db import transaction
from django.db.models import Count, F, Q, Sum
from django.utils import timezone

from memories.ledger.days import day_of
from memories.ledger.energy import note_energy
from memories.models import LedgerEntry
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


class Spent(NamedTuple):
    """US dollars, as far as prices are known, and tokens in and out."""

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
    """Writes a call into the app's ledger, and its units into the app's energy."""
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
    """Since midnight where the app lives. One query."""
    rows = LedgerEntry.objects.for_app(app).filter(day=day_of(app, now))
    sums = rows.aggregate(dollars=Sum("cost"), tokens=Sum(F("input_tokens") + F("output_tokens")))
    return Spent(sums["dollars"] or 0.0, sums["tokens"] or 0)


def totals(app: App, since: date, by: By, until: date = date.max) -> list[Total]:
    """Sums from the day `since` to `until`, in the order of their keys, None first. One query.

    By turn: only calls for a session.
    """
    rows = LedgerEntry.objects.for_app(app).filter(day__gte=since, day__lte=until)
    if by == "turn":
        rows = rows.filter(session__isnull=False)
    unpriced = Q(cost=None) & (Q(input_tokens__gt=0) | Q(output_tokens__gt=0))
    sums = (
        rows.values_list(*GROUPS[by])
        .annotate(
            Count("pk"), Sum("input_tokens"), Sum("output_tokens"), Sum("cost"),
            unpriced=Count("pk", filter=unpriced), failed=Count("pk", filter=~Q(outcome="ok")),
        )
        .order_by(*(F(name).asc(nulls_first=True) for name in GROUPS[by]))
    )  # fmt: skip
    return [
        Total(tuple(key), calls, tokens_in, tokens_out, dollars or 0.0, without_price, failed)
        for *key, calls, tokens_in, tokens_out, dollars, without_price, failed in sums
    ]

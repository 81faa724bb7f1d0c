"""What an app has spent, and what it may still spend: the figures of the page of costs, for operators' programs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memories.ledger.days import Span, last_days, next_midnight
from memories.ledger.energy import is_low
from memories.ledger.spend import Total, spent_today, totals
from memories.ledger.sums import by_day, energy, energy_by_day, sum_up
from memsite.tenancy.models import App

SUMS = ("calls", "failed", "input_tokens", "output_tokens", "tokens", "cost", "unpriced")
Figures = dict[str, Any]


def usage_of(app: App, now: datetime, days: int) -> Figures:
    """Sums of the last `days` days. JSON as it stands; six queries. What agents were not told yet stays untold."""
    span = last_days(app, now, days)
    every_day = by_day(app, span)
    operations, models = (totals(app, span.since, by, span.until) for by in ("operation", "model"))
    return {
        "app_id": app.app_id,
        "at": now.isoformat(),
        **span.told(app),
        "total": sums(sum_up(every_day)),
        "by_day": [{"day": row.key[0].isoformat(), **sums(row)} for row in reversed(every_day)],
        "by_operation": [{"operation": row.key[0], **sums(row)} for row in operations],
        "by_model": [{"provider": row.key[0], "model": row.key[1], **sums(row)} for row in models],
        "energy": energy_of(app, span),
        "budget": budget(app, now),
    }


def sums(row: Total) -> Figures:
    return {name: getattr(row, name) for name in SUMS} | {"cost": round(row.cost, 6)}


def energy_of(app: App, span: Span) -> Figures:
    units = energy_by_day(app, span)
    days = zip(span.days, units, strict=True)
    return {
        "level": app.energy_level,
        "floor": app.policy.energy_floor,
        "low": is_low(app),
        "units": sum(units),
        "by_day": [{"day": day.isoformat(), "units": number} for day, number in days],
        "by_operation": energy(app, span),
    }


def budget(app: App, now: datetime) -> Figures:
    """Of today. A limit that there is not is None, and so is what is left of it."""
    policy, spent = app.policy, spent_today(app, now)
    return {
        "renewed_at": next_midnight(app, now).isoformat(),
        "cost": room(policy.daily_cost, round(spent.cost, 6)),
        "tokens": room(policy.daily_tokens, spent.tokens),
    }


def room(limit: float | None, spent: float) -> Figures:
    return {"limit": limit, "spent": spent, "left": None if limit is None else round(max(limit - spent, 0), 6)}

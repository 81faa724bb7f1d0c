"""Models that fail, as the ledger tells: whichever process asked them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from memories.models import LedgerEntry
from memsite.tenancy.models import App

# As many failures in a row as open a circuit.
FAILURES = 5
WITHIN = timedelta(minutes=10)
LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Outage:
    """`failures` calls in a row came to nothing, the last at `at` with `outcome`."""

    model: str
    failures: int
    outcome: str
    at: datetime


def outages(app: App, now: datetime) -> list[Outage]:
    """The models whose last calls all failed, and lately. One query."""
    rows = LedgerEntry.objects.for_app(app).filter(created_at__gt=now - WITHIN).order_by("-id")
    runs: dict[str, Outage] = {}
    works: set[str] = set()
    for model, outcome, at in rows.values_list("model", "outcome", "created_at")[:LOOKED_AT]:
        if outcome == "ok":
            works.add(model)
        elif model not in works:
            known = runs.get(model, Outage(model, 0, outcome, at))
            runs[model] = Outage(model, known.failures + 1, known.outcome, known.at)
    return [outage for outage in runs.values() if outage.failures >= FAILURES]

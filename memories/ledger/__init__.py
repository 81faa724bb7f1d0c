"""What the server spends, whether it may, and which models fail, or are asked for less."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memories.ledger.days import day_of
from memories.models import LedgerEntry
from memories.providers.llm.provider import EXTRACT
from memsite.tenancy.models import App

FAILURES = 5
"""So many calls in a row with an answer of no use tell that a model is not fit for its work."""
UNANSWERED = 2
"""So many without any answer tell that a service is away: each was tried several times.

Fewer than open a circuit: that counts the calls of one process, and is told by the others' at once.
"""
AWAY, UNUSABLE = "unavailable", "unusable"
LEAN_AFTER, LEAN_FOR = 2, timedelta(days=1)
WITHIN = timedelta(minutes=10)
LOOKED_AT = 200

Calls = Iterable[tuple[str, str, datetime]]
"""Name, outcome and time, the latest first."""


@dataclass(frozen=True, slots=True)
class Outage:
    """Hold a model, or service, with `failures` calls in a row that failed, the last at `at` with `outcome`."""

    name: str
    failures: int
    outcome: str
    since: datetime


def outages(app: App, now: datetime) -> list[Outage]:
    """Return the models whose last calls for this app all failed, and lately. One query."""
    rows = LedgerEntry.objects.for_app(app).filter(created_at__gt=now - WITHIN).order_by("-id")
    return lasting(runs(rows.values_list("model", "outcome", "created_at")[:LOOKED_AT]))


def lasting(failing: Iterable[Outage]) -> list[Outage]:
    """Return those with so many failures in a row that they are no accident."""
    return [outage for outage in failing if outage.failures >= (UNANSWERED if outage.outcome == AWAY else FAILURES)]


def outages_of(apps: Collection[App], now: datetime) -> dict[int, list[Outage]]:
    """Return `outages` of many apps by their pk, without those that have none. One query."""
    calls: dict[int, list[tuple[str, str, datetime]]] = defaultdict(list)
    rows = LedgerEntry.objects.for_apps(apps).filter(created_at__gt=now - WITHIN)
    # By day what is read: there is an index for it.
    rows = rows.filter(day__gte=min(day_of(app, now - WITHIN) for app in apps)).order_by("-id")
    columns: Any = rows.values_list("app", "model", "outcome", "created_at")
    for app, model, outcome, moment in columns[: LOOKED_AT * len(apps)]:
        calls[app].append((model, outcome, moment))
    return {app: outages for app, some in calls.items() if (outages := lasting(runs(some)))}


def service_away(provider: str, now: datetime) -> Outage | None:
    """Return an outage if none of this service's models has answered lately, whatever app asked. One query."""
    # By time only what was read: there is no index for it over all apps.
    rows = LedgerEntry.objects.order_by("-id").values_list("provider", "outcome", "created_at")[:LOOKED_AT]
    lately = ((name, outcome, moment) for name, outcome, moment in rows if name == provider and moment > now - WITHIN)
    unanswered = ((name, outcome if outcome == AWAY else "ok", moment) for name, outcome, moment in lately)
    return next((outage for outage in runs(unanswered) if outage.failures >= UNANSWERED), None)


def lean_models(app: App, now: datetime) -> dict[str, datetime]:
    """Return the models that are asked for facts of four fields, and since when.

    Their last two answers with all fields were of no use; after a day they are asked for all fields again. One query.
    """
    rows = LedgerEntry.objects.for_app(app).filter(operation=EXTRACT, created_at__gt=now - LEAN_FOR)
    # By day what is read: there is an index for it.
    rows = rows.filter(day__gte=day_of(app, now - LEAN_FOR)).order_by("-id")
    failing = runs(rows.values_list("model", "outcome", "created_at")[:LOOKED_AT])
    return {
        outage.name: outage.since for outage in failing if outage.outcome == UNUSABLE and outage.failures >= LEAN_AFTER
    }


def runs(calls: Calls) -> list[Outage]:
    """Return those whose last call failed, with how many did in a row."""
    failing: dict[str, Outage] = {}
    works: set[str] = set()
    for name, outcome, moment in calls:
        if outcome == "ok":
            works.add(name)
        elif name not in works:
            known = failing.get(name, Outage(name, 0, outcome, moment))
            failing[name] = Outage(name, known.failures + 1, known.outcome, known.since)
    return list(failing.values())

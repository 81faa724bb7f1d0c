"""Energy: what operations take out of an app's agents, in units of one search."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction
from django.db.models import F

from memories.ledger.days import day_of
from memories.models import EnergyUse
from memsite.db.transactions import Statement, execute_all
from memsite.tenancy.models import App

# Relative to a search of some milliseconds: reading and ranking is cheap, a short answer of a small model costs about
# five times as much, and a large model that reads a conversation or writes a page the most. What makes room in a full
# app is counted; it takes something only where a model is asked (make_room).
UNITS: dict[str, float] = {
    "search": 1,
    "embed": 1,
    "compaction": 0,
    "write": 2,
    "gate": 5,
    "rewrite": 5,
    "relate": 10,
    "insight": 10,
    "make_room": 10,
    "digest": 15,
    "extract_lean": 15,
    "extract": 20,
    "summarise": 20,
}
OTHER_UNITS = 1.0
COMPACTION = "compaction"

NOTE = """
INSERT INTO memories_energyuse AS row (app_id, day, operation, calls, units)
VALUES (%s, %s, %s, %s, %s) ON CONFLICT (app_id, day, operation) DO UPDATE
SET calls = row.calls + excluded.calls, units = row.units + excluded.units
"""


@dataclass(frozen=True, slots=True)
class Consumption:
    """Hold units that no report has told of yet, each told once.

    `since` is the day of the first, None if there are none.
    """

    units: float
    by_operation: dict[str, float]
    since: date | None


def units_of(operation: str) -> float:
    """Return what one such operation takes; one that is not in the table takes as much as a search."""
    return UNITS.get(operation, OTHER_UNITS)


def note_energy(app: App, operation: str, now: datetime, calls: int = 1) -> None:
    """Add the units of `calls` such operations to the app's day. One statement."""
    execute_all([energy_note(app, operation, day_of(app, now), calls)])


def energy_note(app: App, operation: str, day: date, calls: int) -> Statement:
    """Return the statement of `note_energy`."""
    return NOTE, [app.pk, day.isoformat(), operation, calls, calls * units_of(operation)]


def consumed(app: App) -> Consumption:
    """Return what was not reported yet, and mark it as reported. One transaction, one at a time per app."""
    uses = EnergyUse.objects.for_app(app)
    by_operation: dict[str, float] = {}
    with transaction.atomic():
        # Taking the app's row first makes polls of the same app wait for each other on every database.
        App.objects.filter(pk=app.pk).update(energy_level=F("energy_level"))
        untold = list(uses.filter(units__gt=F("reported")).order_by("day", "operation"))
        for use in untold:
            uses.filter(pk=use.pk).update(reported=use.units)
            by_operation[use.operation] = by_operation.get(use.operation, 0.0) + use.units - use.reported
    return Consumption(sum(by_operation.values()), by_operation, untold[0].day if untold else None)


def set_level(app: App, level: float) -> None:
    """Set the app's energy. Raises ValueError unless `level` is from 0 to 1."""
    if not 0 <= level <= 1:
        raise ValueError("An energy level is from 0 to 1.")
    App.objects.filter(pk=app.pk).update(energy_level=level)
    app.energy_level = level


def is_low(app: App) -> bool:
    """Tell whether the app's memory work is deferred until it has more energy."""
    return app.energy_level < app.policy.energy_floor

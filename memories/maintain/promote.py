"""Nightly: what is new counts a little more than what is old."""

from __future__ import annotations

from datetime import datetime, timedelta

from memories.maintain.run import Run
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.store import writing
from memsite.tenancy.models import App

PROMOTE_ACTOR = "system:promote"
STEP = 0.1
FIRST_TIME = timedelta(days=1)
PROMOTE_BATCH = 500


def promote_todays(app: App, now: datetime, run: Run) -> None:
    """More priority, once, for every active memory that was made in the run's time; pinned ones stay as they are.

    The first run is for all the time since the app was made, as nights before it may have been missed, and for the day
    before it at least. Counts `promoted`.
    """
    promoted_to: int = run.cursor.get("promoted_to", 0)
    while pks := list(todays(app, run).filter(pk__gt=promoted_to).values_list("pk", flat=True)[:PROMOTE_BATCH]):
        promoted_to = pks[-1]
        with writing(app, PROMOTE_ACTOR, now) as write:
            rows = list(todays(app, run).filter(pk__in=pks))
            write.promote(rows, STEP, "new that day")
            run.done({"promoted": len(rows)}, promoted_to=promoted_to)


def todays(app: App, run: Run) -> MemoryQuerySet:
    since = run.since or min(app.created_at, run.until - FIRST_TIME)
    rows = Memory.objects.for_app(app).active().filter(pinned=False)
    return rows.filter(created_at__gt=since, created_at__lte=run.until).order_by("pk")

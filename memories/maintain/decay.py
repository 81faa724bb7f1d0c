"""Decay of what was not confirmed for long: at session start and nightly, with the same numbers either way."""

from datetime import datetime, timedelta

from memories.maintain.run import Run
from memories.models import Memory, Status
from memories.store import writing
from memsite.tenancy.models import App

BATCH = 1000
ACTOR = "system:decay"


def decay_app(app: App, now: datetime, run: Run) -> None:
    """Decays every stale active memory of the app, `BATCH` to a transaction, and counts them."""
    last_pk = 0
    while batch := stale_pks(app, now, after=last_pk):
        with writing(app, ACTOR, now) as write:
            rows = list(Memory.objects.for_app(app).active().filter(pk__in=batch))
            run.done({"decayed": len(rows), "deactivated": write.decay(rows)})
        last_pk = batch[-1]


def stale_pks(app: App, now: datetime, after: int) -> list[int]:
    """The next batch, found without the write lock: most sessions start with nothing to decay."""
    grace_ends = now - timedelta(days=app.policy.stale_after_days)
    rows = Memory.objects.for_app(app).filter(
        status=Status.ACTIVE, pinned=False, anchored_at__lt=grace_ends, pk__gt=after
    )
    return list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])

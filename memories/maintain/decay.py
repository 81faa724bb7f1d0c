"""Decay of what was not confirmed for long: at session start and nightly, with the same numbers either way."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from memories.maintain.run import Run, Unclaimed
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.store import writing
from memories.store.confidence import confidence_at
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy

DECAY_BATCH = 1000
LEAST_LOST = 1e-4
"""Ten minutes of decay, as policies begin. To write less would tell every index of nothing."""
DECAY_ACTOR = "system:decay"


def decay_app(app: App, now: datetime, run: Run) -> None:
    """Decays every stale active memory of the app, `BATCH` to a transaction, and counts them."""
    last_pk = 0
    while batch := list(stale(app, now).filter(pk__gt=last_pk).order_by("pk")[:DECAY_BATCH]):
        decay(app, batch, now, run)
        last_pk = batch[-1].pk


def decay_few(app: App, now: datetime) -> None:
    """The same, if one batch is all there is: for more of them nobody is made to wait, and the night does it."""
    few = list(stale(app, now).order_by("anchored_at")[: DECAY_BATCH + 1])
    if len(few) <= DECAY_BATCH:
        decay(app, few, now, Unclaimed(now))


def stale(app: App, now: datetime) -> MemoryQuerySet:
    """With what their decay is reckoned from: they are found without the write lock."""
    grace_ends = now - timedelta(days=app.policy.stale_after_days)
    rows = Memory.objects.for_app(app).active().filter(pinned=False, anchored_at__lt=grace_ends)
    return rows.only("pinned", "confidence", "confidence_base", "anchored_at", "valid_from")


def decay(app: App, memories: Sequence[Memory], now: datetime, run: Run) -> None:
    late = [memory.pk for memory in memories if is_late(memory, now, app.policy)]
    if late:
        with writing(app, DECAY_ACTOR, now) as write:
            rows = list(Memory.objects.for_app(app).active().filter(pk__in=late))
            run.done({"decayed": len(rows), "deactivated": write.decay(rows)})


def is_late(memory: Memory, now: datetime, policy: AppPolicy) -> bool:
    """Whether its confidence is not by now what is stored."""
    return abs(memory.confidence - confidence_at(memory, now, policy)) >= LEAST_LOST

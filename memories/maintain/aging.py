"""What time does to memories: decay, promotion of what is new, expiry, and the cold archive."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from memories.ledger.days import day_of, midnight
from memories.models import LIVE, Injection, Memory, Preload, Status, TriggerStatus
from memories.models.memory import MemoryQuerySet
from memories.store import writing
from memories.store.revisions import confidence_at
from memsite.jobs.job import Run, Unclaimed
from memsite.tenancy.models import App

DECAY_BATCH = 1000
LEAST_LOST = 1e-4
"""Ten minutes of decay, as policies begin. To write less would tell every index of nothing."""
DECAY_ACTOR = "system:decay"
PROMOTE_ACTOR = "system:promote"
STEP = 0.1
FIRST_TIME = timedelta(days=1)
PROMOTE_BATCH = 500
EXPIRE_ACTOR = "system:expire"
EXPIRE_BATCH = 500
COLD_ACTOR = "system:cold"
COLD_BATCH = 100


def decay_app(app: App, now: datetime, run: Run) -> None:
    """Decay every stale active memory of the app, `DECAY_BATCH` to a transaction, and count them."""
    last_pk = 0
    while batch := list(stale(app, now).filter(pk__gt=last_pk).order_by("pk")[:DECAY_BATCH]):
        decay(app, batch, now, run)
        last_pk = batch[-1].pk


def decay_few(app: App, now: datetime) -> None:
    """Decay the app if one batch is all there is: for more nobody is made to wait, and the night does it."""
    few = list(stale(app, now).order_by("anchored_at")[: DECAY_BATCH + 1])
    if len(few) <= DECAY_BATCH:
        decay(app, few, now, Unclaimed(now))


def stale(app: App, now: datetime) -> MemoryQuerySet:
    """Return stale memories with what their decay is reckoned from: they are found without the write lock."""
    grace_ends = now - timedelta(days=app.policy.stale_after_days)
    rows = Memory.objects.for_app(app).active().filter(pinned=False, anchored_at__lt=grace_ends)
    return rows.only("pinned", "confidence", "confidence_base", "anchored_at", "valid_from")


def decay(app: App, memories: Sequence[Memory], now: datetime, run: Run) -> None:
    late = [
        memory.pk
        for memory in memories
        if abs(memory.confidence - confidence_at(memory, now, app.policy)) >= LEAST_LOST
    ]
    if late:
        with writing(app, DECAY_ACTOR, now) as write:
            rows = list(Memory.objects.for_app(app).active().filter(pk__in=late))
            run.done({"decayed": len(rows), "deactivated": write.decay(rows)})


def promote_todays(app: App, now: datetime, run: Run) -> None:
    """Give more priority, once, to every active memory that was made in the run's time; pinned ones stay as they are.

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


def days_ago(app: App, now: datetime, days: int) -> datetime:
    """Return the end of the last day, where the app lives, that is so many days ago."""
    return midnight(app, day_of(app, now) - timedelta(days=days - 1))


def unused_since(app: App, moment: datetime) -> Q:
    """Return a condition: begun to hold before; not created, confirmed, found by a search or shown in a block since.

    A restored one starts anew.
    """
    injected = Injection.objects.for_app(app).filter(memory=OuterRef("pk"), created_at__gte=moment)
    has_begun = Q(valid_from=None) | Q(valid_from__lt=moment)
    unread = Q(accessed_at=None) | Q(accessed_at__lt=moment)
    return Q(created_at__lt=moment, confirmed_at__lt=moment) & has_begun & unread & Q(~Exists(injected))


def not_awaited(app: App) -> Q:
    """Return a condition: no trigger that waits will bring them up."""
    awaited = Preload.objects.for_app(app).filter(memory=OuterRef("pk"), trigger__status=TriggerStatus.WAITING)
    return Q(~Exists(awaited))


def archive_expired(app: App, now: datetime, run: Run) -> None:
    """Archive by the policy's `ttl_days`, in days where the app lives; pinned ones stay. Counts `archived`.

    A day counts from the latest of creation, confirmation, access, and the day from which it holds.
    """
    archived_to: int = run.cursor.get("archived_to", 0)
    while pks := list(expired(app, now).filter(pk__gt=archived_to).values_list("pk", flat=True)[:EXPIRE_BATCH]):
        archived_to = pks[-1]
        with writing(app, EXPIRE_ACTOR, now) as write:
            # Asked again under the lock: somebody may have looked one up, or pinned it.
            rows = list(expired(app, now).filter(pk__in=pks))
            days = app.policy.ttl_days
            write.archive_all([(row, f"{row.category}: {days[row.category]} days without access") for row in rows])
            run.done({"archived": len(rows)}, archived_to=archived_to)


def expired(app: App, now: datetime) -> MemoryQuerySet:
    """Return what is live and of no use for as many days as its category has, the oldest first, and not awaited."""
    is_over = Q(pk__in=())
    for category, days in app.policy.ttl_days.items():
        since = days_ago(app, now, days)
        is_over |= Q(category=category) & unused_since(app, since)
    return Memory.objects.for_app(app).live().filter(is_over, not_awaited(app), pinned=False).order_by("pk")


def freeze_unused(app: App, now: datetime, run: Run) -> None:
    """Freeze by the policy's `cold_after_days`, in days where the app lives.

    Counts `archived`, `vectors_dropped`, and the bytes of texts and vectors before and after.
    """
    frozen_to: int = run.cursor.get("frozen_to", 0)
    while pks := list(unused(app, now).filter(pk__gt=frozen_to).values_list("pk", flat=True)[:COLD_BATCH]):
        frozen_to = pks[-1]
        with writing(app, COLD_ACTOR, now) as write:
            # Asked again under the lock: somebody may have come to need one.
            memories = list(unused(app, now).filter(pk__in=pks))
            saved = write.freeze(memories, f"{app.policy.cold_after_days} days without access")
            counts = {"archived": len(memories), "vectors_dropped": saved.vectors}
            counts |= {"bytes_before": saved.bytes_before, "bytes_after": saved.bytes_after}
            run.done(counts, frozen_to=frozen_to)


def unused(app: App, now: datetime) -> MemoryQuerySet:
    """Return memories of whatever status that are of no use for so many days and need not be at hand; the oldest first.

    At hand is what is pinned, what a trigger will bring up, what has not begun to hold, and what is live as its
    category's `ttl_days` are more: the weekly job archives it first.
    """
    since = days_ago(app, now, app.policy.cold_after_days)
    # Upkeep touches what it archives: of that, only what people do counts.
    unchanged = ~Q(status__in=LIVE) | Q(updated_at__lt=since)
    lasting = [name for name, days in app.policy.ttl_days.items() if days > app.policy.cold_after_days]
    return (
        Memory.objects.for_app(app)
        .warm()
        .without_documents()
        .exclude(status=Status.WITHDRAWN)
        .exclude(status__in=LIVE, category__in=lasting)
        .filter(unused_since(app, since), unchanged, not_awaited(app), pinned=False)
        .order_by("pk")
    )

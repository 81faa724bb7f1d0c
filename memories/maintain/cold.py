"""The cold archive: what nobody has asked for in a long time is compressed, and out of every search."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from memories.maintain.idle import begun_by, days_ago, not_awaited, unused_since
from memories.maintain.run import Run
from memories.models import LIVE, Memory, Status
from memories.models.memory import MemoryQuerySet
from memories.store import writing
from memsite.tenancy.models import App

COLD_ACTOR = "system:cold"
COLD_BATCH = 100


def freeze_unused(app: App, now: datetime, run: Run) -> None:
    """By the policy's `cold_after_days`, in days where the app lives.

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
    """Of whatever status and of no use for so many days, and need not be at hand; the oldest first.

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
        .exclude(status=Status.WITHDRAWN)
        .exclude(status__in=LIVE, category__in=lasting)
        .filter(unused_since(app, since), unchanged, begun_by(since), not_awaited(app), pinned=False)
        .order_by("pk")
    )

"""Weekly: what nobody has asked for as long as its category allows goes to the archive."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from memories.maintain.idle import begun_by, days_ago, not_awaited, unused_since
from memories.maintain.run import Run
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.store import writing
from memsite.tenancy.models import App

EXPIRE_ACTOR = "system:expire"
EXPIRE_BATCH = 500


def archive_expired(app: App, now: datetime, run: Run) -> None:
    """By the policy's `ttl_days`, in days where the app lives; pinned ones stay. Counts `archived`.

    A day counts from the latest of creation, confirmation, access, and the day from which it holds.
    """
    archived_to: int = run.cursor.get("archived_to", 0)
    while pks := list(expired(app, now).filter(pk__gt=archived_to).values_list("pk", flat=True)[:EXPIRE_BATCH]):
        archived_to = pks[-1]
        with writing(app, EXPIRE_ACTOR, now) as write:
            # Asked again under the lock: somebody may have looked one up, or pinned it.
            rows = list(expired(app, now).filter(pk__in=pks))
            write.archive_all([(memory, reason_for(app, memory)) for memory in rows])
            run.done({"archived": len(rows)}, archived_to=archived_to)


def expired(app: App, now: datetime) -> MemoryQuerySet:
    """Live and of no use for as many days as its category has, the oldest first; none that a trigger will bring up."""
    is_over = Q(pk__in=())
    for category, days in app.policy.ttl_days.items():
        since = days_ago(app, now, days)
        is_over |= Q(category=category) & unused_since(app, since) & begun_by(since)
    return Memory.objects.for_app(app).live().filter(is_over, not_awaited(app), pinned=False).order_by("pk")


def reason_for(app: App, memory: Memory) -> str:
    return f"{memory.category}: {app.policy.ttl_days[memory.category]} days without access"

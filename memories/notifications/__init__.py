"""Telling others: what changes in an app, as messages to webhooks and as a feed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from django.db.models import Q

from memories.models import Forgotten, Memory, Status
from memories.models.memory import MemoryQuerySet
from memsite.tenancy.access import Users, of_users
from memsite.tenancy.models import Agent, App

BATCH = 200
CHANGED, DELETED = "memory.changed", "memory.deleted"


@dataclass(frozen=True, slots=True)
class Change:
    """`number` is the app's count at the write. `memory` is None for one that is deleted."""

    number: int
    uid: UUID
    memory: Memory | None = None

    @property
    def kind(self) -> str:
        return CHANGED if self.memory else DELETED


def current_number(app: App) -> int:
    return App.objects.only("change_number").get(pk=app.pk).change_number


def changes_since(
    app: App, agent: Agent | None, visible: MemoryQuerySet, number: int, users: Users
) -> tuple[list[Change], int]:
    """Return (what the caller may see of it in order, the number to go on from). Of one write all or nothing.

    What they might see once and may not see any more is told as deleted.

    `visible` are the memories that the caller may see, of these end `users` and of none.
    """
    bound = bound_of(app, number)
    if bound is None:
        return [], number
    span = Q(change_number__gt=number, change_number__lte=bound)
    changed = visible.filter(span).select_related("session", "resource", "cold_text")
    everything = (Memory.objects.for_app(app) | Memory.objects.going(app)).without_documents()
    hidden = Memory.objects.going(app).without_documents().filter(span).visible_to(agent).of_users(users)
    withdrawn = everything.filter(span, status=Status.WITHDRAWN).of_users(users)
    withdrawn = withdrawn.open_to(agent) if agent else everything.none()
    made_private = everything.filter(span).once_shared().exclude(agent=agent) if agent else everything.none()
    # What is another end user's by now, and was nobody's before.
    given_away = everything.none()
    if users is not None:
        others = everything.filter(span).exclude(of_users(users))
        given_away = others.filter(revisions__before__user_id=None).distinct()
    gone = Forgotten.objects.for_app(app).filter(span, memory_uid__isnull=False).filter(Q(agent=None) | Q(agent=agent))
    rows = chain(
        (Change(row.change_number, row.uid, row) for row in changed),
        *(
            (Change(row.change_number, row.uid) for row in rows.only("uid", "change_number"))
            for rows in (hidden, withdrawn, made_private, given_away)
        ),
        (Change(row.change_number, row.memory_uid) for row in gone if row.memory_uid),
    )
    return sorted(rows, key=lambda change: change.number), bound


def bound_of(app: App, number: int) -> int | None:
    """Return the count up to which a batch of changes goes; None if there is none after `number`."""
    everything = (Memory.objects.for_app(app) | Memory.objects.going(app), Forgotten.objects.for_app(app))
    counts: list[int] = []
    for rows in everything:
        later = rows.filter(change_number__gt=number).order_by("change_number")
        counts += later.values_list("change_number", flat=True)[:BATCH]
    return sorted(counts)[:BATCH][-1] if counts else None

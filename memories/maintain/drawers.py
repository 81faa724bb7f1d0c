"""Which memories may be put together: those of one matter, with the same readers, while they hold.

A drawer has a key that tells nothing of what is in it (a run keeps it as its cursor, and may outlive a memory) and that
gives drawers an order of their own, the same on every day.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memories.models import Kind, Memory, Source, Visibility
from memories.models.memory import MemoryQuerySet
from memsite.tenancy.models import App

COLUMNS = ("category", "subject", "user_id", "visibility", "agent_id", "valid_from", "valid_until", "kind")
Contents = tuple[Any, ...]


@dataclass(slots=True)
class MergeGroup:
    """Primary keys, rising: of what is new to it, and of what was in it."""

    new: array[int] = field(default_factory=lambda: array("q"))
    old: array[int] = field(default_factory=lambda: array("q"))


def groups_with_news(app: App, since: datetime | None) -> dict[str, MergeGroup]:
    """The drawers with two memories or more of which one has changed since, by key and in its order.

    None: everything is new. Two queries over the app's live memories, one if nothing has changed.
    """
    rows = mergeable(app)
    changed = rows.filter(updated_at__gte=since).order_by() if since else rows.order_by()
    new = set(changed.values_list("pk", flat=True))
    touched = {group_of(columns) for columns in changed.values_list(*COLUMNS).distinct()}
    drawers: dict[Contents, MergeGroup] = {drawer: MergeGroup() for drawer in touched}
    for pk, *columns in rows.order_by("pk").values_list("pk", *COLUMNS).iterator() if new else ():
        drawer = drawers.get(group_of(columns))
        if drawer is not None:
            (drawer.new if pk in new else drawer.old).append(pk)
    keyed = {opaque_key(*columns): drawer for columns, drawer in drawers.items()}
    return {key: keyed[key] for key in sorted(keyed) if len(keyed[key].new) + len(keyed[key].old) > 1}


def mergeable(app: App) -> MemoryQuerySet:
    """Live statements. Digests and insights are texts made of others, one for each session and group."""
    return Memory.objects.for_app(app).live().exclude(source__in=(Source.DIGEST, Source.INSIGHT))


def group_of(columns: Sequence[Any]) -> Contents:
    """From the values of COLUMNS. Lessons have drawers of their own: they are handed over on their own, too."""
    category, subject, user_id, visibility, agent_id, valid_from, valid_until, kind = columns
    owner = agent_id if visibility == Visibility.AGENT else None
    return category, subject, user_id or None, visibility, owner, valid_from, valid_until, kind == Kind.LESSON


def group_of_memory(memory: Memory) -> Contents:
    return group_of([getattr(memory, name) for name in COLUMNS])


def opaque_key(*parts: Any) -> str:
    """The same for the same parts, and nothing of them can be read from it."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:24]

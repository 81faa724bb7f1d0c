"""Small answers: of a memory what tells it from others. Everything else is asked for by its id."""

from __future__ import annotations

from typing import Any

from django.db.models import Model, QuerySet

from memories.api.pages import as_uuid
from memories.api.shapes.memories import show_hit
from memories.models import Memory, Revision, Status
from memories.retrieve.hits import Hit
from memsite.tenancy.models import App

MOST_CHARACTERS = 500


def brief(memory: Memory) -> dict[str, Any]:
    """Its text cut off where it is long (`cut` tells), and no field that holds nothing."""
    told = {
        "id": memory.uid,
        "content": memory.text[:MOST_CHARACTERS],
        "cut": len(memory.text) > MOST_CHARACTERS,
        "category": memory.category,
        "subject": memory.subject,
        "kind": memory.kind,
        "confidence": round(memory.confidence, 2),
        "status": memory.status if memory.status != Status.ACTIVE else None,
        "user_id": memory.user_id,
        "updated_at": memory.updated_at,
    }
    return {name: value for name, value in told.items() if value not in (None, False)}


def brief_hit(hit: Hit, app: App, *, detail: bool) -> dict[str, Any]:
    """Of another app's memory only what that app shares."""
    if detail:
        return show_hit(hit, app, explain=True)
    told = {**brief(hit.row), "score": round(hit.score, 3)}
    if hit.trust:
        told["trust"] = hit.trust
    return told


def brief_revision(revision: Revision) -> dict[str, Any]:
    changed = {
        name: {"before": revision.before.get(name), "after": value}
        for name, value in revision.after.items()
        if revision.before.get(name) != value
    }
    told = {"number": revision.number, "action": revision.action, "by": revision.actor, "at": revision.created_at}
    return {**told, "reason": revision.reason, "changed": changed if revision.before else {}}


def take(rows: QuerySet[Any], limit: int, cursor: str | None) -> tuple[list[Any], str | None]:
    """(rows after the one that the cursor names, the cursor of what follows), the latest first."""
    if cursor:
        rows = rows.filter(uid__lt=as_uuid("cursor", cursor))
    some: list[Model] = list(rows.order_by("-uid")[: limit + 1])
    more = len(some) > limit
    return some[:limit], str(some[limit - 1].uid) if more else None  # type: ignore[attr-defined]  # rows are Identified

"""What has changed in an app: read from its revisions, which are written with every change and never altered."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from memories.models import Action, Delivery, Forgotten, Revision, Webhook
from memories.models.webhook import MEMORY_DELETED
from memsite.tenancy.models import App, AppStatus

CREATED, UPDATED, DELETED, TEST = "memory.created", "memory.updated", MEMORY_DELETED, "webhook.test"
TOLD: dict[str, str] = {
    Action.CREATED: CREATED,
    Action.REINFORCED: "memory.reinforced",
    Action.CONTRADICTED: "memory.contradicted",
    Action.SUPERSEDED: "memory.superseded",
    Action.ARCHIVED: "memory.archived",
    Action.FROZEN: "memory.archived",
    Action.WITHDRAWN: "memory.archived",
    Action.RESTORED: "memory.restored",
    Action.EDITED: UPDATED,
    Action.MERGED: UPDATED,
    Action.UNDONE: UPDATED,
    Action.REVIEWED: UPDATED,
}
"""What somebody decided. What follows from time and use alone is not told."""
KINDS = (*dict.fromkeys(TOLD.values()), DELETED)
BATCH = 500


def last_of(app: App) -> dict[str, int]:
    """How far everything is by now: who begins to listen is not told of what was before."""
    fresh = App.objects.only("change_number").get(pk=app.pk)
    revision = Revision.objects.for_app(app).aggregate(last=Max("pk"))["last"]
    forgotten = Forgotten.objects.for_app(app).aggregate(last=Max("pk"))["last"]
    return {
        "seen_change": fresh.change_number, "seen_revision": revision or 0, "seen_forgotten": forgotten or 0
    }  # fmt: skip


def note_changes(app: App, now: datetime) -> int:
    """A delivery for everything that is new to each of the app's webhooks, once; answers how many."""
    pks = list(Webhook.objects.for_app(app).behind().values_list("pk", flat=True))
    return sum(note_for(app, pk, now) for pk in pks)


def note_for(app: App, webhook_pk: int, now: datetime) -> int:
    total = 0
    while True:
        with transaction.atomic():
            webhook = Webhook.objects.for_app(app).active().select_for_update().filter(pk=webhook_pk).first()
            if webhook is None:
                return total
            fresh = App.objects.only("app_id", "change_number", "status").get(pk=app.pk)
            rows, is_all = new_for(fresh, webhook)
            made = [
                Delivery(app=app, webhook=webhook, kind=kind, payload=payload, next_at=now, created_at=now)
                for kind, payload in rows
                if not webhook.events or kind in webhook.events
            ]
            Delivery.objects.bulk_create(made)
            total += len(made)
            if is_all:
                webhook.seen_change = fresh.change_number
            webhook.save(update_fields=["seen_change", "seen_revision", "seen_forgotten"])
            if is_all:
                return total


def new_for(app: App, webhook: Webhook) -> tuple[list[tuple[str, dict[str, Any]]], bool]:
    """(what is to be told next, whether that is all). Moves the webhook's marks on.

    Of an app that is being purged nothing is told but what it no longer has.
    """
    revisions = list(
        Revision.objects.for_app(app)
        .filter(pk__gt=webhook.seen_revision)
        .select_related("memory")
        .order_by("pk")[:BATCH]
    )
    gone = list(Forgotten.objects.for_app(app).filter(pk__gt=webhook.seen_forgotten).order_by("pk")[:BATCH])
    webhook.seen_revision = revisions[-1].pk if revisions else webhook.seen_revision
    webhook.seen_forgotten = gone[-1].pk if gone else webhook.seen_forgotten
    told = [*(() if app.status == AppStatus.PURGING else from_revisions(app, revisions)), *from_forgotten(app, gone)]
    return told, len(revisions) < BATCH and len(gone) < BATCH


def from_revisions(app: App, revisions: list[Revision]) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in revisions:
        if row.action in TOLD:
            data = {
                "app_id": app.app_id, "memory_id": str(row.memory.uid), "version": row.number, "action": row.action,
                "actor": row.actor,
            }  # fmt: skip
            yield TOLD[row.action], payload(TOLD[row.action], row.created_at, data)


def from_forgotten(app: App, gone: list[Forgotten]) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in gone:
        if row.memory_uid and row.created_at:
            yield DELETED, payload(DELETED, row.created_at, {"app_id": app.app_id, "memory_id": str(row.memory_uid)})


def payload(kind: str, at: datetime, data: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "timestamp": at.isoformat(), "data": data}


def pass_over(app: App) -> None:
    """What was just imported is no news. Call it in the transaction that took it in, after `note_changes`."""
    Webhook.objects.for_app(app).active().update(**last_of(app))

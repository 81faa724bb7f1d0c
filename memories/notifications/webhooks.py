"""Webhooks: what has changed in an app, read from its revisions, and messages about it, sent until they arrive.

Each message is tried again and later each time, and given up in the end. It may arrive more than once, and in another
order: `webhook-id` tells one from another.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from threading import Timer
from time import monotonic
from typing import Any

import httpx
import structlog
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from memories.models import Action, Delivery, DeliveryStatus, Forgotten, Revision, Webhook
from memories.models.webhook import MEMORY_DELETED
from memories.providers.http import WEBHOOK_NETWORKS, Refused, Within
from memsite.config.conf import get_conf
from memsite.http.json_body import dump_json
from memsite.http.signatures import headers_for, secret_of
from memsite.jobs.job import Run
from memsite.ops.metrics import count_delivery
from memsite.tenancy.models import App, AppStatus

log = structlog.get_logger("memories.notifications")
CREATED, UPDATED, DELETED, TEST = "memory.created", "memory.updated", MEMORY_DELETED, "webhook.test"
ALERT_BEGUN, ALERT_OVER = "alert.begun", "alert.over"
EVENT_TYPES: dict[str, str] = {
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
KINDS = (*dict.fromkeys(EVENT_TYPES.values()), DELETED, ALERT_BEGUN, ALERT_OVER)
BATCH = 500
# As Standard Webhooks proposes; with the first try, eight in about 28 hours.
WAITS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=10),
)
LEASE = timedelta(minutes=2)
CONNECT_SECONDS, TOTAL_SECONDS = 5.0, 10.0
BOTH_SECRETS_FOR = timedelta(hours=24)
# An address that fails so often in a row keeps the others from theirs no longer.
PATIENCE = 3
GONE = 410


def last_of(app: App) -> dict[str, int]:
    """Return how far all changes are by now: who begins to listen is not told of what was before."""
    fresh = App.objects.only("change_number").get(pk=app.pk)
    revision = Revision.objects.for_app(app).aggregate(last=Max("pk"))["last"]
    forgotten = Forgotten.objects.for_app(app).aggregate(last=Max("pk"))["last"]
    return {"seen_change": fresh.change_number, "seen_revision": revision or 0, "seen_forgotten": forgotten or 0}


def note_changes(app: App, now: datetime) -> int:
    """Create a delivery for everything that is new to each of the app's webhooks, once; return how many."""
    total = 0
    for pk in list(Webhook.objects.for_app(app).behind().values_list("pk", flat=True)):
        is_all = False
        while not is_all:
            count, is_all = note_batch(app, pk, now)
            total += count
    return total


def note_batch(app: App, webhook_pk: int, now: datetime) -> tuple[int, bool]:
    """Create a webhook's next deliveries and move its marks on; return how many, and whether that is all."""
    with transaction.atomic():
        webhook = Webhook.objects.for_app(app).active().select_for_update().filter(pk=webhook_pk).first()
        if webhook is None:
            return 0, True
        fresh = App.objects.only("app_id", "change_number", "status").get(pk=app.pk)
        changed = Revision.objects.for_app(fresh).filter(pk__gt=webhook.seen_revision).select_related("memory")
        revisions = list(changed.order_by("pk")[:BATCH])
        gone = list(Forgotten.objects.for_app(fresh).filter(pk__gt=webhook.seen_forgotten).order_by("pk")[:BATCH])
        is_all = len(revisions) < BATCH and len(gone) < BATCH
        # Of an app that is being purged nothing is told but what it no longer has.
        messages = [] if fresh.status == AppStatus.PURGING else messages_of(fresh, revisions)
        for row in gone:
            if row.memory_uid and row.created_at:
                data = {"app_id": fresh.app_id, "memory_id": str(row.memory_uid)}
                messages.append((DELETED, payload(DELETED, row.created_at, data)))
        made = [
            Delivery(app=app, webhook=webhook, kind=kind, payload=message, next_at=now, created_at=now)
            for kind, message in messages
            if not webhook.events or kind in webhook.events
        ]
        Delivery.objects.bulk_create(made)
        webhook.seen_revision = revisions[-1].pk if revisions else webhook.seen_revision
        webhook.seen_forgotten = gone[-1].pk if gone else webhook.seen_forgotten
        if is_all:
            webhook.seen_change = fresh.change_number
        webhook.save(update_fields=["seen_change", "seen_revision", "seen_forgotten"])
        return len(made), is_all


def messages_of(app: App, revisions: list[Revision]) -> list[tuple[str, dict[str, Any]]]:
    messages = []
    for row in revisions:
        if row.action in EVENT_TYPES:
            data = {
                "app_id": app.app_id,
                "memory_id": str(row.memory.uid),
                "version": row.number,
                "action": row.action,
                "actor": row.actor,
            }
            messages.append((EVENT_TYPES[row.action], payload(EVENT_TYPES[row.action], row.created_at, data)))
    return messages


def payload(kind: str, moment: datetime, data: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "timestamp": moment.isoformat(), "data": data}


def skip_changes(app: App) -> None:
    """Skip what was just imported: it is no news. Call it in the transaction that took it in, after `note_changes`."""
    Webhook.objects.for_app(app).active().update(**last_of(app))


def deliver_due(app: App, run: Run) -> int:
    """Send what is due; return how many were delivered. Network, outside of transactions."""
    failures: dict[int, int] = {}
    delivered = 0
    after = 0
    rows = Delivery.objects.for_app(app).select_related("webhook").order_by("pk")
    while row := rows.due(timezone.now()).filter(pk__gt=after).first():
        after = row.pk
        if failures.get(row.webhook_id, 0) >= PATIENCE or not claim(row, timezone.now()):
            continue
        is_delivered = attempt(row)
        failures[row.webhook_id] = 0 if is_delivered else failures.get(row.webhook_id, 0) + 1
        delivered += is_delivered
        with transaction.atomic():
            run.done({"delivered" if is_delivered else "failed": 1})
    return delivered


def claim(row: Delivery, now: datetime) -> bool:
    """Claim a delivery; return whether it is ours to send.

    Whoever dies over it is followed by another after the lease.
    """
    rows = Delivery.objects.for_app(row.app).due(now).filter(pk=row.pk, attempts=row.attempts)
    if not rows.update(attempts=row.attempts + 1, next_at=now + LEASE):
        return False
    row.attempts += 1
    return True


def attempt(row: Delivery) -> bool:
    begun = monotonic()
    try:
        status, reason = send(row.webhook, str(row.uid), dump_json(row.payload)), ""
    except Refused as error:
        status, reason = None, str(error)
    except httpx.HTTPError as error:
        status, reason = None, type(error).__name__
    now, is_delivered = timezone.now(), status is not None and 200 <= status < 300
    note(row, now, status, reason or ("" if is_delivered else f"answered {status}"), monotonic() - begun, is_delivered)
    if status == GONE:
        Webhook.objects.for_app(row.webhook.app).filter(pk=row.webhook.pk).update(
            is_active=False, reason="it answered that it is gone (410)"
        )
    return is_delivered


def send(webhook: Webhook, message_id: str, body: bytes) -> int:
    """Send a message; return the status of the answer, whose body is not read. Raises what httpx raises."""
    number, changed = webhook.secret_number, webhook.secret_changed_at
    is_new = number > 0 and changed is not None and timezone.now() - changed < BOTH_SECRETS_FOR
    secrets = [secret_of(webhook.uid, number)]
    if is_new:
        secrets.append(secret_of(webhook.uid, number - 1))
    headers = headers_for(message_id, body, secrets, timezone.now())
    headers |= {"Content-Type": "application/json", "User-Agent": "memsite-webhooks"}
    timeout = httpx.Timeout(TOTAL_SECONDS, connect=CONNECT_SECONDS)
    # One connection each: what was checked for one name is not used for another.
    transport = Within(get_conf().webhook_networks, WEBHOOK_NETWORKS)
    with httpx.Client(transport=transport, timeout=timeout, follow_redirects=False, trust_env=False) as client:
        # Each wait is bounded by the timeout, and their sum by this.
        end = Timer(2 * TOTAL_SECONDS, transport.close)
        end.daemon = True
        end.start()
        try:
            with client.stream("POST", webhook.url, content=body, headers=headers) as response:
                return response.status_code
        finally:
            end.cancel()


def note(row: Delivery, now: datetime, status: int | None, reason: str, seconds: float, is_delivered: bool) -> None:
    is_over = row.attempts > len(WAITS)
    state = DeliveryStatus.DELIVERED if is_delivered else DeliveryStatus.DEAD if is_over else DeliveryStatus.WAITING
    Delivery.objects.for_app(row.app).filter(pk=row.pk).update(
        status=state,
        answer=status,
        reason=reason[:200],
        seconds=round(seconds, 3),
        next_at=now if is_delivered or is_over else now + WAITS[row.attempts - 1],
        finished_at=now if state != DeliveryStatus.WAITING else None,
    )
    count_delivery("failed" if state == DeliveryStatus.WAITING else state)
    if state == DeliveryStatus.DEAD:
        log.warning("delivery_given_up", webhook=str(row.webhook.uid), kind=row.kind, reason=reason)


def replay(row: Delivery, now: datetime) -> None:
    """Send a delivery again, by hand: due at once, with all its attempts."""
    Delivery.objects.for_app(row.app).filter(pk=row.pk).update(
        status=DeliveryStatus.WAITING, attempts=0, next_at=now, finished_at=None
    )

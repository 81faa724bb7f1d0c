"""Messages to webhooks, sent: each tried again and later each time, and given up in the end.

A message may arrive more than once, and in another order: `webhook-id` tells one from another.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from threading import Timer
from time import monotonic

import httpx
import structlog
from django.db import transaction
from django.utils import timezone

from memories.models import Delivery, DeliveryStatus, Webhook
from memories.providers.outward import WEBHOOK_NETWORKS, Refused, Within
from memsite.config.conf import get_conf
from memsite.http.json_body import dump_json
from memsite.http.signatures import headers_for, secret_of
from memsite.jobs.job import Run
from memsite.ops.metrics import count_delivery
from memsite.tenancy.models import App

log = structlog.get_logger("memories.announce")
# As Standard Webhooks proposes; with the first try, eight in about 28 hours.
WAITS = (
    timedelta(seconds=5), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2), timedelta(hours=5),
    timedelta(hours=10), timedelta(hours=10),
)  # fmt: skip
LEASE = timedelta(minutes=2)
CONNECT_SECONDS, TOTAL_SECONDS = 5.0, 10.0
BOTH_SECRETS_FOR = timedelta(hours=24)
# An address that fails so often in a row keeps the others from theirs no longer.
PATIENCE = 3
GONE = 410


def deliver_due(app: App, run: Run) -> int:
    """Sends what is due; answers how many were delivered. Network, outside of transactions."""
    failures: dict[int, int] = {}
    delivered = 0
    after = 0
    while row := next_due(app, after):
        after = row.pk
        if failures.get(row.webhook_id, 0) >= PATIENCE or not claim(row, timezone.now()):
            continue
        is_delivered = attempt(row)
        failures[row.webhook_id] = 0 if is_delivered else failures.get(row.webhook_id, 0) + 1
        delivered += is_delivered
        with transaction.atomic():
            run.done({"delivered" if is_delivered else "failed": 1})
    return delivered


def next_due(app: App, after: int) -> Delivery | None:
    rows = Delivery.objects.for_app(app).due(timezone.now()).filter(pk__gt=after)
    return rows.select_related("webhook").order_by("pk").first()


def claim(row: Delivery, now: datetime) -> bool:
    """Whether it is ours to send: whoever dies over it is followed by another after the lease."""
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
        switch_off(row.webhook, "it answered that it is gone (410)")
    return is_delivered


def send(webhook: Webhook, message_id: str, body: bytes) -> int:
    """The status of the answer; its body is not read. Raises what httpx raises."""
    headers = headers_for(message_id, body, secrets_of(webhook, timezone.now()), timezone.now())
    told = {**headers, "Content-Type": "application/json", "User-Agent": "memsite-webhooks"}
    timeout = httpx.Timeout(TOTAL_SECONDS, connect=CONNECT_SECONDS)
    # One connection each: what was checked for one name is not used for another.
    transport = Within(get_conf().webhook_networks, WEBHOOK_NETWORKS)
    with httpx.Client(transport=transport, timeout=timeout, follow_redirects=False, trust_env=False) as client:
        # Each wait is bounded by the timeout, and their sum by this.
        end = Timer(2 * TOTAL_SECONDS, transport.close)
        end.daemon = True
        end.start()
        try:
            with client.stream("POST", webhook.url, content=body, headers=told) as response:
                return response.status_code
        finally:
            end.cancel()


def secrets_of(webhook: Webhook, now: datetime) -> list[str]:
    """The one that counts, and for a day after it was renewed the one before, too."""
    number, changed = webhook.secret_number, webhook.secret_changed_at
    is_new = number > 0 and changed is not None and now - changed < BOTH_SECRETS_FOR
    return [secret_of(webhook.uid, one) for one in (number, *((number - 1,) if is_new else ()))]


def note(row: Delivery, now: datetime, status: int | None, reason: str, seconds: float, is_delivered: bool) -> None:
    is_over = row.attempts > len(WAITS)
    state = DeliveryStatus.DELIVERED if is_delivered else DeliveryStatus.DEAD if is_over else DeliveryStatus.WAITING
    Delivery.objects.for_app(row.app).filter(pk=row.pk).update(
        status=state, answer=status, reason=reason[:200], seconds=round(seconds, 3),
        next_at=now if is_delivered or is_over else now + WAITS[row.attempts - 1],
        finished_at=now if state != DeliveryStatus.WAITING else None,
    )  # fmt: skip
    count_delivery("failed" if state == DeliveryStatus.WAITING else state)
    if state == DeliveryStatus.DEAD:
        log.warning("delivery_given_up", webhook=str(row.webhook.uid), kind=row.kind, reason=reason)


def switch_off(webhook: Webhook, reason: str) -> None:
    Webhook.objects.for_app(webhook.app).filter(pk=webhook.pk).update(is_active=False, reason=reason[:200])


def replay(row: Delivery, now: datetime) -> None:
    """By hand: due at once, with all its attempts."""
    Delivery.objects.for_app(row.app).filter(pk=row.pk).update(
        status=DeliveryStatus.WAITING, attempts=0, next_at=now, finished_at=None
    )  # fmt: skip

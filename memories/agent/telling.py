"""Telling others what changes, and hearing from them what is said: webhooks out and in, and the feed of changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memories.agent.sessions import Sessions
from memories.capture.ingest_messages import Captured
from memories.models import Bridge, Delivery, Webhook
from memories.notifications.feed import Change, changes_since, current_number
from memories.notifications.webhooks import TEST, deliver_due, last_of, note_changes, payload, replay
from memories.store.transaction import TELL
from memsite.http.signatures import secret_of
from memsite.jobs.job import Run
from memsite.jobs.task_queue import ring
from memsite.tenancy.audit import note
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.models import Agent
from sessions.recording import Said

__all__ = ["Change", "Telling"]


class Telling(Sessions):
    def add_webhook(self, url: str, description: str, events: Sequence[str]) -> Webhook:
        """Told of what changes from now on."""
        with transaction.atomic():
            row = Webhook.objects.create(
                app=self.app, url=url, description=description, events=list(events), **last_of(self.app)
            )
            note(
                self.actor,
                self.app,
                "webhook added",
                str(row.uid),
                after={"url": row.url_shown, "events": list(events)},
            )
        return row

    def change_webhook(self, row: Webhook, changes: Mapping[str, Any]) -> Webhook:
        """One that is switched on again is told of what changes from then on."""
        wakes = changes.get("is_active") and not row.is_active
        fields = {**changes, **({"reason": "", **last_of(self.app)} if wakes else {})}
        for name, value in fields.items():
            setattr(row, name, value)
        with transaction.atomic():
            # Not all of the row: a worker notes in it how far it is told.
            row.save(update_fields=list(fields))
            told = {**changes, **({"url": row.url_shown} if "url" in changes else {})}
            note(self.actor, self.app, "webhook changed", str(row.uid), after=told)
        return row

    def delete_webhook(self, row: Webhook) -> None:
        """With the log of what it was told."""
        with transaction.atomic():
            note(self.actor, self.app, "webhook deleted", str(row.uid))
            forget_answers(self.app, [row.uid])
            row.delete()

    def renew_secret(self, row: Webhook | Bridge) -> str:
        """A webhook's old one counts for a day more; a bridge's does not."""
        rows: Any = type(row)._default_manager
        changed = {"secret_changed_at": timezone.now()} if isinstance(row, Webhook) else {}
        with transaction.atomic():
            rows.for_app(self.app).filter(pk=row.pk).update(secret_number=F("secret_number") + 1, **changed)
            note(self.actor, self.app, "secret renewed", str(row.uid))
        row.refresh_from_db()
        return secret_of(row.uid, row.secret_number)

    def test_webhook(self, row: Webhook) -> Delivery:
        now = timezone.now()
        told = payload(TEST, now, {"app_id": self.app.app_id})
        delivery = Delivery.objects.create(app=self.app, webhook=row, kind=TEST, payload=told, next_at=now)
        ring(TELL, self.app.pk)
        return delivery

    def replay(self, row: Delivery) -> Delivery:
        replay(row, timezone.now())
        ring(TELL, self.app.pk)
        row.refresh_from_db()
        return row

    def tell(self, run: Run) -> None:
        """Notes what is new for each webhook, and sends what is due."""
        made = note_changes(self.app, timezone.now())
        if made:
            with transaction.atomic():
                run.done({"noted": made})
        deliver_due(self.app, run)

    def current_change(self) -> int:
        return current_number(self.app)

    def changes_since(self, number: int) -> tuple[list[Change], int]:
        """(memories that were written or deleted since, where to go on)."""
        return changes_since(self.app, self.agent, self.memories_of(), number, self.users())

    def add_bridge(self, name: str, agent: Agent) -> Bridge:
        with transaction.atomic():
            row = Bridge.objects.create(app=self.app, name=name, agent=agent)
            note(self.actor, self.app, "bridge added", name, after={"agent": agent.name})
        return row

    def delete_bridge(self, row: Bridge) -> None:
        with transaction.atomic():
            note(self.actor, self.app, "bridge deleted", row.name)
            forget_answers(self.app, [row.uid])
            row.delete()

    def hear_chat(self, bridge: Bridge, place: str, user: str | None, said: Sequence[Said]) -> Captured:
        """What was said in one place of a chat: a session for each place and user, opened when it is first heard of."""
        name = f"{bridge.name}:{place}" + (f":{user}" if user else "")
        fields = {"title": place[:500], "user_id": user, "environment": {"client": "chat", "bridge": bridge.name}}
        session, _ = self.open_session(shortened(name), fields)
        session.app, session.agent = self.app, bridge.agent
        return self.capture_messages(session, said)


def shortened(name: str, most: int = 200) -> str:
    """Of a name that is too long, its beginning and what tells it from others."""
    if len(name) <= most:
        return name
    from hashlib import sha256

    return f"{name[: most - 17]}~{sha256(name.encode()).hexdigest()[:16]}"

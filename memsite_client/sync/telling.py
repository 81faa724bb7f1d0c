# Written by `make client` from memsite_client/aio/telling.py: change that file.
"""Telling others and hearing from them: webhooks, bridges of chats, the feed of changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Unpack, cast

from memsite_client.shapes import (
    Bridge,
    BridgeWithSecret,
    Change,
    Changes,
    Deleted,
    Delivery,
    Secret,
    Webhook,
    WebhookChanges,
    WebhookWithSecret,
)
from memsite_client.sync.connection import Connection
from memsite_client.wire import part

LONGEST_WAIT_SECONDS = 25


class Telling(Connection):
    def list_webhooks(self, app_id: str) -> Iterator[Webhook]:
        return self.pages(f"apps/{part(app_id)}/webhooks", {})

    def create_webhook(
        self, app_id: str, url: str, *, events: Sequence[str] = (), description: str = "",
        idempotency_key: str | None = None,
    ) -> WebhookWithSecret:  # fmt: skip
        """Told of what changes from now on; without `events`, of everything. Its secret is shown this once."""
        body = {"url": url, "events": list(events), "description": description}
        return cast(WebhookWithSecret, self.create(f"apps/{part(app_id)}/webhooks", body, idempotency_key))

    def get_webhook(self, app_id: str, webhook_id: str) -> Webhook:
        return cast(Webhook, self.request("GET", f"apps/{part(app_id)}/webhooks/{part(webhook_id)}"))

    def change_webhook(self, app_id: str, webhook_id: str, **changes: Unpack[WebhookChanges]) -> Webhook:
        path = f"apps/{part(app_id)}/webhooks/{part(webhook_id)}"
        return cast(Webhook, self.request("PATCH", path, json=changes))

    def delete_webhook(self, app_id: str, webhook_id: str) -> Deleted:
        """With the log of what it was told."""
        return cast(Deleted, self.request("DELETE", f"apps/{part(app_id)}/webhooks/{part(webhook_id)}"))

    def renew_webhook_secret(self, app_id: str, webhook_id: str) -> Secret:
        """For a day messages are signed with both, the new one and the one before."""
        path = f"apps/{part(app_id)}/webhooks/{part(webhook_id)}/secret"
        return cast(Secret, self.request("POST", path))

    def test_webhook(self, app_id: str, webhook_id: str) -> Delivery:
        """Sends it a `webhook.test`."""
        path = f"apps/{part(app_id)}/webhooks/{part(webhook_id)}/test"
        return cast(Delivery, self.request("POST", path))

    def list_deliveries(self, app_id: str, webhook_id: str, *, status: str | None = None) -> Iterator[Delivery]:
        """What it was told, the latest first."""
        return self.pages(f"apps/{part(app_id)}/webhooks/{part(webhook_id)}/deliveries", {"status": status})

    def replay_delivery(self, app_id: str, delivery_id: str) -> Delivery:
        """Sent again, under the same `webhook-id`."""
        path = f"apps/{part(app_id)}/deliveries/{part(delivery_id)}/replay"
        return cast(Delivery, self.request("POST", path))

    def list_bridges(self, app_id: str) -> Iterator[Bridge]:
        return self.pages(f"apps/{part(app_id)}/bridges", {})

    def create_bridge(
        self, app_id: str, name: str, agent: str, *, idempotency_key: str | None = None
    ) -> BridgeWithSecret:  # fmt: skip
        """A chat whose messages come in, signed, as sessions of this agent. Its secret is shown this once."""
        body = {"name": name, "agent": agent}
        return cast(BridgeWithSecret, self.create(f"apps/{part(app_id)}/bridges", body, idempotency_key))

    def delete_bridge(self, app_id: str, bridge_id: str) -> Deleted:
        """What came over it stays."""
        return cast(Deleted, self.request("DELETE", f"apps/{part(app_id)}/bridges/{part(bridge_id)}"))

    def renew_bridge_secret(self, app_id: str, bridge_id: str) -> Secret:
        """The old one counts no more."""
        path = f"apps/{part(app_id)}/bridges/{part(bridge_id)}/secret"
        return cast(Secret, self.request("POST", path))

    def list_changes(self, since: int | None = None, *, wait: int | None = None) -> Changes:
        """What was written or deleted since a `last` of before; without one, from now on. `wait`: seconds at most.

        Raises NotFound (410) where `since` is of another past, as after a restore: read all of it anew.
        """
        return cast(Changes, self.request("GET", "memories/changes", query={"since": since, "wait": wait}))

    def follow_changes(
        self, since: int | None = None, *, wait: int = LONGEST_WAIT_SECONDS
    ) -> Iterator[Change]:  # fmt: skip
        """Each change as it happens, without end, asked for again and again; from now on unless `since` says.

        What fails raises as with any request: go on with the `since` of your last `list_changes`.
        """
        last = since
        if last is None:
            last = (self.list_changes())["last"]
        while True:
            found = self.list_changes(last, wait=wait)
            last = found["last"]
            for change in found["results"]:
                yield change

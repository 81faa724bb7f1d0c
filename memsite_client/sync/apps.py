# Written by `make client` from memsite_client/aio/apps.py: change that file.
"""Apps and their agents, for an operator's key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, cast

from memsite_client.shapes import (
    JSON,
    AgentWithKey,
    App,
    Decided,
    Deleted,
    Memory,
    Origin,
    Reviewed,
    Rollback,
    RollbackWhat,
    Scope,
)
from memsite_client.sync.connection import Connection
from memsite_client.wire import part


class Apps(Connection):
    def create_app(
        self, app_id: str, name: str, *, preset: str = "standard", policy: JSON | None = None,
        idempotency_key: str | None = None,
    ) -> App:  # fmt: skip
        body = {"app_id": app_id, "name": name, "preset": preset, "policy": policy or {}}
        return cast(App, self.create("apps", body, idempotency_key))

    def list_apps(self) -> Iterator[App]:
        return self.pages("apps", {})

    def get_app(self, app_id: str) -> App:
        return cast(App, self.request("GET", f"apps/{part(app_id)}"))

    def change_app(self, app_id: str, **changes: JSON | str) -> App:
        """`name`, `preset`, `status` or `policy`."""
        return cast(App, self.request("PATCH", f"apps/{part(app_id)}", json=changes))

    def uninstall_app(self, app_id: str, *, purge_memories: bool = False) -> Deleted:
        path = f"apps/{part(app_id)}"
        return cast(Deleted, self.request("DELETE", path, query={"purge_memories": purge_memories}))

    def list_app_memories(
        self, app_id: str, *, origin: Origin | None = None, trust_level: str | None = None
    ) -> Iterator[Memory]:
        asked = {"origin": origin, "trust_level": trust_level}
        return self.pages(f"apps/{part(app_id)}/memories", asked)

    def review_memories(self, app_id: str, ids: Sequence[str]) -> Reviewed:
        """You have looked at them and let them stand."""
        path = f"apps/{part(app_id)}/memories/review"
        return cast(Reviewed, self.request("POST", path, json={"ids": list(ids)}, repeatable=True))

    def list_app_rejections(
        self, app_id: str, *, kind: str | None = None, decision: str | None = None
    ) -> Iterator[JSON]:
        """What did not become a memory, and why; what waits for a person is of kind quarantine or approval."""
        return self.pages(f"apps/{part(app_id)}/rejections", {"kind": kind, "decision": decision})

    def decide_rejections(
        self, app_id: str, ids: Sequence[str], action: Literal["approve", "reject"], *, reason: str = ""
    ) -> Decided:
        path, body = f"apps/{part(app_id)}/rejections/decide", {"action": action, "ids": list(ids), "reason": reason}
        return cast(Decided, self.request("POST", path, json=body))

    def list_rollbacks(self, app_id: str) -> Iterator[Rollback]:
        return self.pages(f"apps/{part(app_id)}/rollbacks", {})

    def roll_back(
        self, app_id: str, what: RollbackWhat, source: str, *, since: str | None = None, reason: str = "",
        dry_run: bool = False, idempotency_key: str | None = None,
    ) -> Rollback:  # fmt: skip
        """Takes back what came from one source. With `dry_run` it only answers what that would be, in counts."""
        body = {"what": what, "source": source, "since": since, "reason": reason, "dry_run": dry_run}
        return cast(Rollback, self.create(f"apps/{part(app_id)}/rollbacks", body, idempotency_key))

    def create_agent(
        self, app_id: str, name: str, *, domain: str = "", scopes: Sequence[Scope] = ("read", "write"),
        idempotency_key: str | None = None,
    ) -> AgentWithKey:  # fmt: skip
        """Its key is shown this once."""
        body = {"name": name, "domain": domain, "scopes": list(scopes)}
        return cast(AgentWithKey, self.create(f"apps/{part(app_id)}/agents", body, idempotency_key))

    def create_key(
        self, app_id: str, agent: str, *, scopes: Sequence[Scope] = ("read", "write"), expires_at: str | None = None,
        idempotency_key: str | None = None,
    ) -> AgentWithKey:  # fmt: skip
        """A second key, to take the place of the first."""
        path = f"apps/{part(app_id)}/agents/{part(agent)}/keys"
        body = {"scopes": list(scopes), "expires_at": expires_at}
        return cast(AgentWithKey, self.create(path, body, idempotency_key))

    def revoke_key(self, prefix: str) -> None:
        self.request("DELETE", f"keys/{part(prefix)}")

# Written by `make client` from memsite_client/aio/learning.py: change that file.
"""What is learnt: lessons, summaries of categories, what is to come, what was refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack, cast

from memsite_client.shapes import (
    JSON,
    Category,
    Entity,
    Memory,
    NewTriggerFields,
    Rejection,
    Summary,
    Trigger,
    TriggerChanges,
)
from memsite_client.sync.connection import Connection
from memsite_client.wire import part


class Learning(Connection):
    def list_lessons(self, *, user_id: str | None = None) -> Iterator[Memory]:
        """What users corrected and agents learnt, the latest first."""
        return self.pages("lessons", {"user_id": user_id})

    def get_lessons_file(self, *, user_id: str | None = None) -> str:
        """The same as one Markdown file."""
        return cast(str, self.request("GET", "lessons.md", query={"user_id": user_id}))

    def list_categories(self, *, user_id: str | None = None) -> Iterator[Category]:
        return self.pages("categories", {"user_id": user_id})

    def get_category(self, name: str, *, user_id: str | None = None) -> Summary:
        """What is written about it."""
        return cast(Summary, self.request("GET", f"categories/{part(name)}", query={"user_id": user_id}))

    def list_triggers(
        self, *, status: str | None = None, since: str | None = None, until: str | None = None,
        user_id: str | None = None,
    ) -> Iterator[Trigger]:  # fmt: skip
        """What is to come, the latest noted first; `since` and `until` are days."""
        query = {"status": status, "from": since, "to": until, "user_id": user_id}
        return self.pages("triggers", query)

    def create_trigger(
        self, trigger_date: str, message: str, *, idempotency_key: str | None = None,
        **fields: Unpack[NewTriggerFields],
    ) -> Trigger:  # fmt: skip
        """Brought up on its day, at the start of each session."""
        body = {"trigger_date": trigger_date, "message": message, **fields}
        return cast(Trigger, self.create("triggers", body, idempotency_key))

    def change_trigger(self, trigger_id: str, **changes: Unpack[TriggerChanges]) -> Trigger:
        return cast(Trigger, self.request("PATCH", f"triggers/{part(trigger_id)}", json=changes))

    def delete_trigger(self, trigger_id: str) -> None:
        self.request("DELETE", f"triggers/{part(trigger_id)}")

    def list_rejections(self, *, kind: str | None = None, decision: str | None = None) -> Iterator[Rejection]:
        """What was not kept, and why."""
        return self.pages("rejections", {"kind": kind, "decision": decision})

    def list_entities(self, *, kind: str | None = None, name: str | None = None) -> Iterator[Entity]:
        """The named things that memories mention."""
        return self.pages("entities", {"kind": kind, "name": name})

    def set_energy(self, level: float) -> JSON:
        """How much energy the app's agents have left, 0 to 1."""
        return cast(JSON, self.request("PUT", "energy", json={"level": level}))

    def get_consumed_energy(self) -> JSON:
        """What memory work took since this was last asked: asking twice tells only what is new."""
        return cast(JSON, self.request("GET", "energy/consumed", repeatable=False))

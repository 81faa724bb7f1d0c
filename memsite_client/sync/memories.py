# Written by `make client` from memsite_client/aio/memories.py: change that file.
"""Memories: stored, listed, changed, forgotten, linked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Unpack, cast

from memsite_client.shapes import (
    BatchAnswer,
    Deleted,
    Link,
    LinkKind,
    Memory,
    MemoryChanges,
    MemoryFilters,
    MemoryHeld,
    MemoryStored,
    NewMemory,
    NewMemoryFields,
    Revision,
)
from memsite_client.sync.connection import Connection
from memsite_client.wire import part


class Memories(Connection):
    def create_memory(
        self,
        content: str,
        *,
        dedupe: bool = True,
        idempotency_key: str | None = None,
        **fields: Unpack[NewMemoryFields],
    ) -> MemoryStored | MemoryHeld:
        """Stores a memory, unless the same is known: `outcome` says what became of it.

        Where a person has to decide, a MemoryHeld is answered, and nothing is stored yet: `"rejection_id" in answer`.
        """
        body = {"content": content, "dedupe": dedupe, **fields}
        return cast(MemoryStored | MemoryHeld, self.create("memories", body, idempotency_key))

    def create_memories(
        self, memories: Iterable[NewMemory], *, dedupe: bool = False, idempotency_key: str | None = None
    ) -> BatchAnswer:
        """Up to 500 at once; one that is wrong harms no other."""
        body = {"memories": list(memories), "dedupe": dedupe}
        return cast(BatchAnswer, self.create("memories/batch", body, idempotency_key))

    def list_memories(self, **filters: Unpack[MemoryFilters]) -> Iterator[Memory]:
        """The latest first, as many as are asked for."""
        return self.pages("memories", filters)

    def get_memory(self, memory_id: str, *, as_of: str | None = None) -> Memory:
        """As it is, or as it was at `as_of`."""
        return cast(Memory, self.request("GET", f"memories/{part(memory_id)}", query={"as_of": as_of}))

    def change_memory(
        self, memory_id: str, *, version: int | None = None, **changes: Unpack[MemoryChanges]
    ) -> Memory | MemoryHeld:
        """Raises VersionMismatch if it is not at `version` any more.

        Where a person has to decide, a MemoryHeld is answered, and nothing is changed yet.
        """
        path = f"memories/{part(memory_id)}"
        return cast(Memory | MemoryHeld, self.request("PATCH", path, json=changes, headers=only_at(version)))

    def delete_memory(self, memory_id: str, *, version: int | None = None) -> Deleted:
        """For good, with its history."""
        path = f"memories/{part(memory_id)}"
        return cast(Deleted, self.request("DELETE", path, headers=only_at(version)))

    def delete_memories(self, ids: Iterable[str]) -> Deleted:
        """Up to 500. Ids that are not there are passed over."""
        return cast(Deleted, self.request("POST", "memories/delete", json={"ids": list(ids)}, repeatable=True))

    def list_revisions(self, memory_id: str) -> Iterator[Revision]:
        """Every change of it, with actor and reason, the oldest first."""
        return self.pages(f"memories/{part(memory_id)}/history", {})

    def list_links(self, memory_id: str) -> Iterator[Link]:
        """From it and to it."""
        return self.pages(f"memories/{part(memory_id)}/links", {})

    def create_link(
        self, memory_id: str, to: str, *, kind: LinkKind = "related", idempotency_key: str | None = None
    ) -> Link:
        path = f"memories/{part(memory_id)}/links"
        return cast(Link, self.create(path, {"to": to, "kind": kind}, idempotency_key))


def only_at(version: int | None) -> dict[str, str]:
    return {} if version is None else {"If-Match": f'"{version}"'}

"""A Memsite server as the memory service of Google's Agent Development Kit: `MemsiteMemoryService`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from google.adk.events import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai.types import Content, Part

from memsite_client import Memsite, NotFound
from memsite_client.shapes import KnownMessage

__all__ = ["MemsiteMemoryService"]
UserOf = Callable[[str, str], str]
MOST_AT_ONCE = 500
NO_SESSION = "events"


class MemsiteMemoryService(BaseMemoryService):
    """Learn from sessions, and find what is known of a user.

    `user_of` names the end user of an ADK app and user; by default each app's users are its own.
    """

    def __init__(self, memsite: Memsite | None = None, *, limit: int = 10, user_of: UserOf = "{}/{}".format) -> None:
        self.memsite = memsite or Memsite()
        self.limit = limit
        self.user_of = user_of

    async def add_session_to_memory(self, session: Session) -> None:
        """Store what is said in a session. What is there already is stored once."""
        await asyncio.to_thread(self._store, session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        await asyncio.to_thread(self._store, app_name, user_id, session_id or NO_SESSION, events)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store statements as they are. `custom_metadata` stand beside those of each."""
        user = self.user_of(app_name, user_id)
        for memory in memories:
            if text := text_of(memory.content):
                metadata: dict[str, Any] = {**(custom_metadata or {}), **memory.custom_metadata}
                await asyncio.to_thread(self.memsite.create_memory, text, user_id=user, metadata=metadata)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        user = self.user_of(app_name, user_id)
        answer = await asyncio.to_thread(self.memsite.search_memories, query, user_id=user, limit=self.limit)
        return SearchMemoryResponse(memories=[entry_of(hit) for hit in answer["results"]])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Delete a memory of this user for good. What is not theirs is left as what is not there."""
        if memory_id is None:
            raise ValueError("Name the memory to delete.")
        try:
            memory = await asyncio.to_thread(self.memsite.get_memory, memory_id)
        except NotFound:
            return
        if memory["user_id"] == self.user_of(app_name, user_id):
            await asyncio.to_thread(self.memsite.delete_memory, memory_id)

    def _store(self, app_name: str, user_id: str, session_id: str, events: Sequence[Event]) -> None:
        messages = [message for event in events if (message := message_of(event))]
        if not messages:
            return
        # Sessions of two users may have the same id.
        user = self.user_of(app_name, user_id)
        session = self.memsite.start_session(external_id=f"{user}/{session_id}", user_id=user)
        for start in range(0, len(messages), MOST_AT_ONCE):
            self.memsite.add_messages(session["id"], messages[start : start + MOST_AT_ONCE])


def message_of(event: Event) -> KnownMessage | None:
    """Return what is said in an event; None for calls of tools, and for pieces of what comes whole later."""
    text = "" if event.partial else text_of(event.content)
    if not text:
        return None
    at = datetime.fromtimestamp(event.timestamp, UTC).isoformat()
    role = "user" if event.author == "user" else "assistant"
    return {"role": role, "content": text, "external_id": event.id, "at": at}  # type: ignore[typeddict-item]


def text_of(content: Content | None) -> str:
    """Return what is said, without what was only thought."""
    parts = content.parts or [] if content else []
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def entry_of(hit: Mapping[str, Any]) -> MemoryEntry:
    content = Content(role="user", parts=[Part(text=hit["content"])])
    told = {name: hit[name] for name in ("score", "trust", "metadata")}
    return MemoryEntry(id=hit["id"], content=content, author="user", timestamp=hit["created_at"], custom_metadata=told)

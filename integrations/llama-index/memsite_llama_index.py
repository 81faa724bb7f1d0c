"""A Memsite server as a memory block of LlamaIndex: `MemsiteMemoryBlock`."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from pydantic import Field, PrivateAttr

from memsite_client import Memsite
from memsite_client.shapes import KnownMessage

__all__ = ["MemsiteMemoryBlock"]
LATEST = 6
"""Messages by which a question is understood."""
MOST_AT_ONCE = 500
SPEAKERS = ("user", "assistant")


class MemsiteMemoryBlock(BaseMemoryBlock[str]):
    """Tell what the server knows of the latest messages, and have it learn from what is said.

    A memory hands on its messages when they no longer fit it. With `learns_at_once` the block takes them from each look
    at the memory, too: what is said in a short conversation is learnt as well. Each is stored once.
    """

    name: str = "memsite"
    description: str | None = "What is known from all conversations."
    memsite: Memsite = Field(default_factory=Memsite, exclude=True)
    user_id: str | None = None
    max_tokens: int | None = None
    learns_at_once: bool = True
    _sessions: dict[str, str] = PrivateAttr(default_factory=dict)
    _sent: set[str] = PrivateAttr(default_factory=set)

    async def _aget(
        self, messages: list[ChatMessage] | None = None, session_id: str | None = None, **block_kwargs: Any
    ) -> str:
        spoken = [message for message in messages or [] if is_speech(message)]
        if self.learns_at_once:
            await asyncio.to_thread(self._store, spoken, session_id)
        if not spoken:
            return ""
        latest = [{"role": message.role.value, "content": message.content} for message in spoken[-LATEST:]]
        options: dict[str, Any] = {"messages": latest, "user_id": self.user_id, "max_tokens": self.max_tokens}
        block = await asyncio.to_thread(self.memsite.get_context, **options)
        return str(block["text"])

    async def _aput(self, messages: list[ChatMessage]) -> None:
        # LlamaIndex marks them with the conversation that they are of, all with the same.
        session_id = next((message.additional_kwargs.get("session_id") for message in messages), None)
        await asyncio.to_thread(self._store, [message for message in messages if is_speech(message)], session_id)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Leave out the block: its lines belong together. `max_tokens` makes it shorter."""
        return None

    def _store(self, messages: Iterable[ChatMessage], session_id: str | None) -> None:
        """Store what is new. The same text of the same speaker is told once in a conversation."""
        conversation = session_id or "llama-index"
        named = {name_of(conversation, message): message for message in messages}
        new: list[KnownMessage] = [
            {"role": "user" if message.role.value == "user" else "assistant", "content": text, "external_id": name}
            for name, message in named.items()
            if name not in self._sent and (text := message.content)
        ]
        for start in range(0, len(new), MOST_AT_ONCE):
            self.memsite.add_messages(self._session(conversation), new[start : start + MOST_AT_ONCE])
        self._sent.update(named)

    def _session(self, conversation: str) -> str:
        if conversation not in self._sessions:
            started = self.memsite.start_session(external_id=conversation, user_id=self.user_id)
            self._sessions[conversation] = started["id"]
        return self._sessions[conversation]


def is_speech(message: ChatMessage) -> bool:
    return message.role.value in SPEAKERS and bool((message.content or "").strip())


def name_of(conversation: str, message: ChatMessage) -> str:
    said = "\0".join((conversation, message.role.value, message.content or ""))
    return f"llama-index:{hashlib.sha256(said.encode()).hexdigest()}"

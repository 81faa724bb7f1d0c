"""Memsite in the OpenAI Agents SDK: `MemsiteSession` keeps a conversation, `with_memory` says what is known."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from agents import Agent, RunContextWrapper, SessionSettings, TResponseInputItem
from agents.memory.session_settings import resolve_session_limit

from memsite_client import Memsite
from memsite_client.history import History

__all__ = ["MemsiteSession", "with_memory"]
Instructions = Callable[[RunContextWrapper[Any], Agent[Any]], Awaitable[str]]


class MemsiteSession:
    """Keep a conversation word for word, in a session with this `external_id`; what people say in it is learnt from.

    `clear_session` deletes it for good, with what was learnt in it: take another `session_id` to begin afresh and keep
    that.
    """

    def __init__(
        self,
        session_id: str,
        memsite: Memsite | None = None,
        *,
        user_id: str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self.history = History(memsite or Memsite(), session_id, user_id=user_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, or the last ones up to the limit, the oldest first."""
        most = resolve_session_limit(limit, self.session_settings)
        items: list[Any] = await asyncio.to_thread(self.history.read)
        return items if most is None else items[max(0, len(items) - most) :] if most > 0 else []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        told = [dict(item) for item in items]
        user, assistant = said(told, "user"), said(told, "assistant")
        await asyncio.to_thread(self.history.add, told, user_input=user, llm_output=assistant)

    async def pop_item(self) -> TResponseInputItem | None:
        item: Any = await asyncio.to_thread(self.history.pop)
        return item

    async def clear_session(self) -> None:
        await asyncio.to_thread(self.history.clear)


def with_memory(instructions: str, memsite: Memsite | None = None, *, user_id: str | None = None) -> Instructions:
    """Return instructions for an agent that end with what is known of the question, from all sessions."""
    client = memsite or Memsite()

    async def tell(context: RunContextWrapper[Any], agent: Agent[Any]) -> str:
        question = said(context.turn_input[-1:], "user")
        block = await asyncio.to_thread(client.get_context, query=question, user_id=user_id)
        return "\n\n".join(text for text in (instructions, block["text"]) if text)

    return tell


def said(items: Iterable[Mapping[str, Any]], role: str) -> str:
    """Return the texts of a role's messages. Items of tools have no role."""
    return "\n\n".join(text for item in items if item.get("role") == role and (text := text_of(item.get("content"))))


def text_of(content: Any) -> str:
    if isinstance(content, str):
        return content.strip()
    parts = [part.get("text") for part in content or [] if isinstance(part, Mapping)]
    return "\n".join(part for part in parts if isinstance(part, str)).strip()

"""A chat client that answers what a test tells it to, and keeps what it was asked."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from memories.language.messages import USER, Message
from memories.providers.llm.prompting import LLMProvider
from memories.providers.llm.provider import Ask, Chunk, Expected, Grant, LLMError, Meter, Noted, Usage
from memories.providers.llm.schema import fitted

NOW = datetime(2026, 5, 3, 14, 5, tzinfo=ZoneInfo("Europe/Berlin"))
MADE_BY, MADE_BY_SMALL = "fake:large-1", "fake:small-1"


def metering(usages: list[Usage]) -> Meter:
    """A meter that lets everything through and keeps what it is told."""

    def ask(expected: Expected) -> Grant:
        return Grant(expected.output_tokens, lambda usage: usages.append(usage) if usage else None)

    return ask


class FakeChat:
    """Keeps the promise of a chat client: what it returns fits the schema."""

    name = "fake"

    def __init__(self, answer: dict[str, Any] | LLMError) -> None:
        self.answer = answer
        self.asked: list[Ask] = []

    def made_by(self, large: bool) -> str:
        return MADE_BY if large else MADE_BY_SMALL

    def ask(self, ask: Ask, meter: Meter) -> dict[str, Any]:
        self.asked.append(ask)
        grant = meter(Expected(ask.operation, 10, ask.max_tokens, ask.max_tokens))
        if isinstance(self.answer, LLMError):
            raise self.answer
        grant.settle(Usage(ask.operation, "large-1", 10, 5, 0.1))
        answer: dict[str, Any] = fitted(self.answer, ask.schema)
        return answer


def provider_on(answer: dict[str, Any] | LLMError, *, lean: bool = False) -> tuple[LLMProvider, FakeChat]:
    chat = FakeChat(answer)
    return LLMProvider(chat, metering([]), lean=lambda: lean), chat


def say(*texts: str) -> Chunk:
    return Chunk(tuple(Message(USER, text) for text in texts), NOW)


def find(content: str = "Lives in Berlin.", **changes: Any) -> dict[str, Any]:
    """A fact as a model gives it."""
    return {
        "message": 1, "quote": "", "content": content, "kind": "fact", "category": "general", "subject": "",
        "entities": [], "tags": [], "importance": 3, "strength": "explicit", "sentiment": "neutral",
        "verifiable": 1.0, "useful": 0.9, "valid_from": "", "valid_until": "", **changes,
    }  # fmt: skip


def notes(*contents: str) -> list[Noted]:
    """Stored memories with numbers that no model should ever see: 501, 502, …"""
    return [Noted(501 + index, content) for index, content in enumerate(contents)]

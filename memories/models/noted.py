"""A memory as a provider sees it."""

from __future__ import annotations

from memories.models.memory import Memory
from memories.providers.llm.provider import Noted

NOTED = (
    "content", "category", "subject", "kind", "importance", "confidence", "created_at", "confirmed_at", "access_count",
    "pinned",
)  # fmt: skip
"""What is read of a memory for it."""


def as_noted(memory: Memory) -> Noted:
    """`number` is the memory's pk."""
    return Noted(
        number=memory.pk,
        content=memory.content,
        category=memory.category,
        subject=memory.subject or "",
        kind=memory.kind,
        importance=memory.importance,
        confidence=memory.confidence,
        said_at=memory.created_at,
        confirmed_at=memory.confirmed_at,
        access_count=memory.access_count,
        pinned=memory.pinned,
    )

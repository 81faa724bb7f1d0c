"""Into the cold archive and back. The writer calls it; text, full-text row and mentions follow the status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Sum
from django.db.models.functions import Length

from memories.models import ColdText, Memory, Mention, Vector
from memories.models.memory import pack
from memories.store.mentions import drop_unmentioned
from memsite.tenancy.models import App


@dataclass(frozen=True, slots=True)
class Saved:
    """What putting memories away made of their texts and vectors, in bytes; other rows are not counted."""

    vectors: int
    bytes_before: int
    bytes_after: int


def put_away(app: App, memories: Sequence[Memory], was: Sequence[str]) -> Saved:
    """Packs the texts and drops what search needed. `content` is empty after it, and is not saved yet."""
    texts = [
        ColdText(app=app, memory=memory, data=pack(memory.content), was=status)
        for memory, status in zip(memories, was, strict=True)
    ]
    ColdText.objects.bulk_create(
        texts, update_conflicts=True, unique_fields=["memory"], update_fields=["data", "was"]
    )  # fmt: skip
    plain = sum(len(memory.content.encode()) for memory in memories)
    for memory in memories:
        memory.content = ""
    vectors, size = drop_vectors(app, memories)
    drop_mentions(app, memories)
    return Saved(vectors, plain + size, sum(len(text.data) for text in texts))


def drop_vectors(app: App, memories: Sequence[Memory]) -> tuple[int, int]:
    """How many, and their bytes."""
    rows = Vector.objects.for_app(app).filter(memory__in=memories)
    size = rows.aggregate(size=Sum(Length("data")))["size"] or 0
    return rows.delete()[0], size


def drop_mentions(app: App, memories: Sequence[Memory]) -> None:
    rows = Mention.objects.for_app(app).filter(memory__in=memories)
    named = set(rows.values_list("entity_id", flat=True))
    rows.delete()
    drop_unmentioned(app, named)


def take_out(memory: Memory, now: datetime) -> None:
    """After its text came back. That somebody wants it again counts as an access."""
    ColdText.objects.for_app(memory.app).filter(memory=memory).delete()
    memory.accessed_at = now

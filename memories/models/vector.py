"""Vectors, in a table of their own: one per memory and embedding model."""

from __future__ import annotations

import numpy as np
from django.db import models

from memories.models.fulltext import HAS_CHARACTERS, MEMORY
from memories.models.memory import Memory
from memories.providers.embeddings import Vectors
from memsite.tenancy.append_only import TriggerOperation
from memsite.tenancy.scoping import IndexedByApp, ScopedQuerySet

FLOAT_BYTES = 4


class Vector(IndexedByApp):
    """`data` is little-endian float32, L2-normalised, `dim` of them. A memory without one is found by text."""

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="vectors", db_index=False)
    model = models.CharField(max_length=120)
    dim = models.PositiveIntegerField()
    data = models.BinaryField()

    objects = ScopedQuerySet["Vector"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "model"], name="vector_is_unique_per_memory_and_model"),
        ]
        indexes = [models.Index(fields=["app", "model", "memory"], name="vector_app_model")]

    def __str__(self) -> str:
        return f"{self.model} of memory {self.memory_id}"


def embedded_text(content: str, subject: str | None) -> str:
    """What a memory's vector is made of: "takes a minute to start" says little without what it is about."""
    if subject is None or content.casefold().startswith(subject.casefold()):
        return content
    return f"{subject}: {content}"


def to_bytes(vector: Vectors) -> bytes:
    return vector.astype("<f4").tobytes()


def from_bytes(blobs: list[bytes], dim: int) -> Vectors:
    """ndarray of shape (len(blobs), dim), float32."""
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dim)


MINILM = "all-MiniLM-L6-v2"


class UnreadAnew(TriggerOperation):
    """Vectors that MiniLM made of scripts it does not know are made anew: of what it cannot read it makes zeros now."""

    def describe(self) -> str:
        return "Embed anew what the model in the process cannot read"

    def forwards(self, vendor: str) -> list[str]:
        concerned = f"FROM {MEMORY} WHERE {HAS_CHARACTERS[vendor]}"
        return [
            f"UPDATE tenancy_app SET embedded_to = 0 WHERE id IN (SELECT app_id {concerned})",  # noqa: S608  # our own
            f"DELETE FROM memories_vector WHERE model = '{MINILM}' AND memory_id IN (SELECT id {concerned})",  # noqa: S608
        ]

    def backwards(self, vendor: str) -> list[str]:
        return []

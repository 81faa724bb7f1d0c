"""Vectors, in a table of their own: one per memory and embedding model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any

import numpy as np
from django.db import models
from numpy.typing import NDArray

from memories.language.standing import embedded_matter
from memories.models.memory import Memory
from memories.providers.embeddings import Vectors
from memsite.tenancy.scoping import IndexedByApp, ScopedQuerySet

FLOAT_BYTES = 4
BYTES = (bytes, memoryview)
SHORTEST = 1e-6
"""A vector that is shorter has no direction."""
LENGTH_MAY_VARY = 0.1
"""Of the square of a vector's length: what is stored is as near to 1 as float32 can say, garbage is not."""


class Vector(IndexedByApp):
    """`data` is little-endian float32, L2-normalised, `dim` of them. A memory without one is found by text."""

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="vectors", db_index=False)
    model = models.CharField(max_length=120)
    dim = models.PositiveIntegerField()
    data = models.BinaryField()

    objects = ScopedQuerySet["Vector"].as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "model"], name="vector_is_unique_per_memory_and_model")
        ]
        indexes = [models.Index(fields=["app", "model", "memory"], name="vector_app_model")]

    def __str__(self) -> str:
        return f"{self.model} of memory {self.memory_id}"


def embedded_text(content: str, subject: str | None) -> str:
    """Return what a memory's vector is made of: "takes a minute to start" says little without what it is about."""
    if subject is None or content.casefold().startswith(subject.casefold()):
        return content
    return f"{subject}: {content}"


def embed_contents(
    texts: Sequence[tuple[str, str | None]], embed: Callable[[Sequence[str]], Vectors | None]
) -> Vectors | None:
    """Return the vectors of memories, each a content and a subject; None if `embed` returns none.

    A standing statement is asked for by the matter it names, and may be a small part of its text: the vector stands
    midway between that of the text and that of the matter.
    """
    matters = {place: matter for place, text in enumerate(texts) if (matter := embedded_matter(*text))}
    made = embed([*(embedded_text(*text) for text in texts), *matters.values()])
    if made is None or not matters:
        return made
    vectors = np.array(made[: len(texts)])
    places = list(matters)
    middle = vectors[places] + made[len(texts) :]
    lengths = np.linalg.norm(middle, axis=1, keepdims=True)
    vectors[places] = np.where(lengths > 0, middle / np.maximum(lengths, SHORTEST), vectors[places])
    return vectors


def to_bytes(vector: Vectors) -> bytes:
    return vector.astype("<f4").tobytes()


def read_vectors(stored: Sequence[Any], dim: int) -> tuple[NDArray[np.bool_], Vectors]:
    """Return which of these are vectors of `dim` numbers, and they alone, in order: shape (n, dim), float32.

    The one place where stored vectors are read. Whatever a column may hold is left out if it is something else: nothing
    at all, of another length or kind, with numbers that are none, or far from the length of 1 (or 0, which embedders
    make of what they cannot read).
    """
    size = dim * FLOAT_BYTES
    whole = np.fromiter((isinstance(data, BYTES) and len(data) == size for data in stored), bool, len(stored))
    vectors = np.frombuffer(b"".join(compress(stored, whole)), "<f4").reshape(np.count_nonzero(whole), dim)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.vecdot(vectors, vectors)
        sound = np.abs(squares - 1) < LENGTH_MAY_VARY
    # Of very small numbers the squares are none.
    empty = np.flatnonzero(squares == 0)
    sound[empty] = ~vectors[empty].any(axis=1)
    if sound.all():
        return whole, vectors
    whole[np.flatnonzero(whole)[~sound]] = False
    return whole, vectors[sound]


def by_number(rows: Iterable[tuple[int, Any]], dim: int) -> tuple[list[int], Vectors]:
    """Return the numbers of those that can be read, and their vectors."""
    pairs = list(rows)
    whole, vectors = read_vectors([data for _, data in pairs], dim)
    return [number for (number, _), is_whole in zip(pairs, whole, strict=True) if is_whole], vectors

"""What is asked of the arms, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field

from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.providers.embeddings import Embedder, Vectors
from memsite.tenancy.models import App


@dataclass(frozen=True, slots=True)
class Query:
    """`allowed` holds the memories that the caller may see and the filters let through."""

    app: App
    text: str
    embedder: Embedder
    vector: Vectors | None
    allowed: MemoryQuerySet
    depth: int


@dataclass(slots=True)
class Hit:
    """A ranked memory. `parts` add up to `score`."""

    memory: Memory
    score: float
    parts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recall:
    """Hits, best first, and the arms that could not answer."""

    hits: list[Hit]
    degraded: list[str] = field(default_factory=list)

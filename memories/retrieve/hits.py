"""What comes back from a search."""

from __future__ import annotations

from dataclasses import dataclass, field

from memories.models import Memory


@dataclass(slots=True)
class Hit:
    """A ranked memory. `parts` add up to `score`; `trust` holds tags such as `conflicting` and `stale`."""

    memory: Memory
    score: float
    parts: dict[str, float] = field(default_factory=dict)
    trust: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Recall:
    """Hits, best first, the arms that could not answer, and whether parts are added or multiplied to the score."""

    hits: list[Hit]
    degraded: list[str] = field(default_factory=list)
    combined: str = "sum"

"""What comes back from a search."""

from __future__ import annotations

from dataclasses import dataclass, field

from memories.models import Memory, Summary


@dataclass(slots=True)
class Hit:
    """A ranked memory. `parts` add up to `score`; `trust` holds tags such as `conflicting` and `stale`."""

    memory: Memory
    score: float
    parts: dict[str, float] = field(default_factory=dict)
    trust: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Told:
    """A summary that answers, and the passages of it that do."""

    summary: Summary
    passages: list[str]


@dataclass(frozen=True, slots=True)
class Recall:
    """Hits, best first, the arms that could not answer, and whether parts are added or multiplied to the score.

    `tier` is what answered: summaries, items, or none. `more` says that there are hits behind these.
    """

    hits: list[Hit]
    degraded: list[str] = field(default_factory=list)
    combined: str = "sum"
    tier: str = "none"
    summaries: list[Told] = field(default_factory=list)
    more: bool = False

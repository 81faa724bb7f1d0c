"""Why a search found what it found: every part of every score as a bar, which arm found it, and what was left out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memories.models import Memory
from memories.retrieve.hits import Hit

WORTH = {"importance", "priority", "age", "recency", "domain", "sentiment"}
# By how the name of a part begins: what it tells, in the order in which people ask.
GROUPS = (
    ("meaning", ("meaning", "long_meaning", "similarity")),
    ("words", ("words", "long_words")),
    ("graph", ("graph",)),
    ("summary", ("passage", "summary")),
    ("beside it", ("near_", "covered_", "answers_", "session_", "opens_", "long_covered", "long_session")),
    ("subject", ("subject_", "other_asks", "of_another")),
    ("day", ("day_",)),
    ("at odds", ("surer",)),
)
ARMS = {
    "meaning": "by meaning",
    "words": "by words",
    "graph": "by the graph",
    "summary": "by a summary",
    "at odds": "contradicts the next one",
}
LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a score. `left` and `width`, in percent: a bar that begins in the middle."""

    name: str
    group: str
    value: float
    left: float
    width: float
    shown: str

    @property
    def is_against(self) -> bool:
        return self.left < 50


@dataclass(frozen=True, slots=True)
class Explained:
    """A hit, its parts, the weightiest first, and the arms that found it."""

    hit: Hit
    place: int
    parts: Sequence[Part]
    arms: Sequence[str]

    @property
    def memory(self) -> Memory:
        return self.hit.memory


def explain(hits: Sequence[Hit], combined: str, *, start: int = 1) -> list[Explained]:
    """The bars of all of them have one scale."""
    most = max((abs(weight(value, combined)) for hit in hits for value in hit.parts.values()), default=1.0)
    return [
        Explained(hit, place, list(parts_of(hit, combined, most or 1.0)), arms_of(hit, combined))
        for place, hit in enumerate(hits, start)
    ]


def weight(value: float, combined: str) -> float:
    """What it does to the score: a factor counts by its logarithm."""
    return value if combined == "sum" else math.log(max(value, LEAST))


def parts_of(hit: Hit, combined: str, most: float) -> Iterator[Part]:
    told = sorted(hit.parts.items(), key=lambda part: -abs(weight(part[1], combined)))
    for name, value in told:
        width = 50 * min(abs(weight(value, combined)) / most, 1)
        left = 50.0 if weight(value, combined) >= 0 else 50 - width
        shown = f"{value:+.2f}" if combined == "sum" else f"× {value:.2f}"
        yield Part(name.replace("_", " "), group_of(name), value, round(left, 1), round(width, 1), shown)


def group_of(name: str) -> str:
    if name in WORTH:
        return "worth"
    return next((group for group, begins in GROUPS if name.startswith(begins)), "how it looks")


def arms_of(hit: Hit, combined: str) -> list[str]:
    """Those that speak for it. None: it stands beside what fits."""
    speaking = {
        group_of(name) for name, value in hit.parts.items() if value > 0 and (combined == "sum" or value > LEAST)
    }
    return [said for group, said in ARMS.items() if group in speaking] or ["beside what fits"]

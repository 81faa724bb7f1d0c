"""What comes back from a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memories.models import Memory, Summary
from memories.retrieve.hit_rows import own
from memories.retrieve.ranking import BAND
from memsite.tenancy.models import App


@dataclass(slots=True)
class Hit:
    """A ranked memory of an app. `trust` holds tags such as `conflicting` and `stale`.

    Its `row` is one that others read, too, until it is made its own.
    """

    app: App
    row: Memory
    score: float
    tell_parts: Callable[[], dict[str, float]] = dict
    trust: list[str] = field(default_factory=list)
    is_own: bool = False

    @property
    def memory(self) -> Memory:
        """The row, from now on one of its own: for whoever changes it, or asks for what stands beside it."""
        if not self.is_own:
            self.row, self.is_own = own(self.app, self.row), True
        return self.row

    @property
    def parts(self) -> dict[str, float]:
        """What adds up to the score, or multiplies to it: worked out for whoever asks why."""
        return self.tell_parts()


@dataclass(frozen=True, slots=True)
class Told:
    """A summary that answers, and the passages of it that do."""

    summary: Summary
    passages: list[str]


@dataclass(frozen=True, slots=True)
class Recall:
    """Hits, best first, the arms that could not answer, and whether parts are added or multiplied to the score.

    `tier` is what answered: summaries, items, or none. `more` says that there are hits behind these. Hits whose scores
    are no more than the `band` apart fit about equally well. `at_odds` are pairs, by their pks, of hits of
    this page and of those before, and of what was told before.
    """

    hits: list[Hit]
    degraded: list[str] = field(default_factory=list)
    combined: str = "sum"
    tier: str = "none"
    summaries: list[Told] = field(default_factory=list)
    more: bool = False
    band: float = BAND
    at_odds: Sequence[tuple[int, int]] = ()

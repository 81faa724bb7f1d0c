"""Hold what comes back from a search; cache rows of memories that were read lately."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memories.index.app_index import CachedMemory, recent_memories
from memories.language.passages import LONG, Passage, best_passage
from memories.models import Memory, Summary
from memories.retrieve.calibration import Calibration
from memories.retrieve.ranking import BAND, BEHIND, BELOW_FLOOR, MOST_BELOW_FLOOR
from memories.retrieve.validity import TimeAnswer
from memsite.db.copies import copy_row
from memsite.db.lru_cache import Commit, is_committed
from memsite.db.prepared import Prepared, padded
from memsite.tenancy.models import App
from sessions.models import AgentSession, Resource

KEPT_CHARACTERS = 4_000
"""Longer ones are read each time."""
NOT_SHOWN = [
    f"{name}__{field.name}"
    for name, model in (("session", AgentSession), ("resource", Resource))
    for field in model._meta.concrete_fields
    if field.name not in ("id", "uid")
]
OWNER = Memory._meta.get_field("app")
"""Set as it is, as the row has its number: an assignment looks at both for longer than it takes to make the row."""


def cached_rows(app: App, pks: Sequence[int], commit: Commit | None = None) -> dict[int, Memory]:
    """Return those of these memories that the app has, by pk, as of this commit, if it is the last one, or of now.

    Each caller is given copies, with this very app.
    """
    if not pks:
        return {}
    known = {pk: cached for pk in pks if (cached := recent_memories.get((app.pk, pk)))}
    valid = {pk: cached.memory for pk, cached in known.items() if commit and cached.commit == commit}
    if unsure := {pk: cached.memory for pk, cached in known.items() if pk not in valid}:
        valid |= unchanged_rows(app, unsure, commit)
    if unread := [pk for pk in pks if pk not in valid]:
        valid |= read_rows(app, unread, commit)
    copies = {pk: copy_row(row) for pk, row in valid.items()}
    for copied in copies.values():
        OWNER.set_cached_value(copied, app)
    return copies


def unchanged_rows(app: App, known: Mapping[int, Memory], commit: Commit | None) -> dict[int, Memory]:
    """Return the known rows that are still current, with the counts of now. One query for a few numbers of each."""
    rows = {}
    for pk, number, *counts in changes_of(app, *padded([*known])):
        row = known[pk]
        if row.change_number != number:
            continue
        if counts != [row.access_count, row.accessed_at]:
            row = copy_row(row)
            row.access_count, row.accessed_at = counts
        rows[pk] = row
        recent_memories.put((app.pk, pk), CachedMemory(row, commit))
    return rows


def read_rows(app: App, pks: Sequence[int], commit: Commit | None) -> dict[int, Memory]:
    """Read rows from the database, and cache them unless a transaction may take them back."""
    rows = {row.pk: row for row in memories_of(app, *padded(pks))}
    # What a transaction reads may be taken back, and another change gets its number then.
    if is_committed():
        for row in rows.values():
            if len(row.content) <= KEPT_CHARACTERS:
                recent_memories.put((app.pk, row.pk), CachedMemory(row, commit))
    return rows


@Prepared
def memories_of(app: App, *pks: int) -> QuerySet[Memory]:
    """Select memories with their session, raw text and archived text."""
    rows = Memory.objects.for_app(app).filter(pk__in=pks).order_by()
    return rows.select_related("session", "resource", "cold_text").defer(*NOT_SHOWN)


@Prepared
def changes_of(app: App, *pks: int) -> QuerySet[Memory, tuple[Any, ...]]:
    """Select what tells whether a cached row is current."""
    rows = Memory.objects.for_app(app).filter(pk__in=pks).order_by()
    return rows.values_list("pk", "change_number", "access_count", "accessed_at")


@dataclass(slots=True)
class Hit:
    """Hold a ranked memory of an app. `trust` holds tags such as `conflicting` and `stale`.

    `formula_score` is what the ranking's formula gives, and `lowered` what was taken off it since, by why. A `standing`
    one is there because it applies to the request, whether or not it answers it. `words` are the telling ones of the
    question. `replaced` are the last texts that it stands for: what they said counts for it.
    """

    app: App
    memory: Memory
    formula_score: float
    tell_parts: Callable[[], dict[str, float]] = dict
    trust: list[str] = field(default_factory=list)
    standing: bool = False
    calibration: Calibration = Calibration()  # noqa: RUF009 - it cannot be changed
    combined: str = "sum"
    lowered: dict[str, float] = field(default_factory=dict)
    words: Sequence[str] = ()
    replaced: Sequence[str] = ()

    @property
    def passage(self) -> Passage | None:
        """Return the part of a long text that says most about the question; None of a short one."""
        text = self.memory.text
        return best_passage(text, self.words) if len(text) > LONG else None

    @property
    def score(self) -> float:
        """Return the probability that it is right, from 0 to 1."""
        return self.calibration.score(self.formula_score)

    @property
    def parts(self) -> dict[str, float]:
        """Return what adds up, or multiplies, to the `formula_score`. Computed when asked."""
        parts = self.tell_parts()
        for name, value in self.lowered.items():
            parts[name] = parts.get(name, 1.0) * value if self.combined == "product" else parts.get(name, 0.0) + value
        return parts

    def calibrate(self, calibration: Calibration) -> Hit:
        """Set the calibration, and return the hit: it stands among those of other answers."""
        self.calibration = calibration
        return self

    def lower_to(self, other: Hit, why: str) -> None:
        """Take off the score what it has more than another hit; `why` names the part that says so."""
        is_alike = other.calibration == self.calibration
        self.lower(other.formula_score if is_alike else self.calibration.formula(other.score), why)

    def lower(self, least: float, why: str) -> None:
        """Take off what it has more than this result of its formula."""
        least = max(least, 0.0) if self.combined == "product" else least
        if least >= self.formula_score:
            return
        if self.combined == "product":
            self.lowered[why] = self.lowered.get(why, 1.0) * (least / self.formula_score)
        else:
            self.lowered[why] = self.lowered.get(why, 0.0) + (least - self.formula_score)
        self.formula_score = least


def put_below_floor(left_out: Sequence[Hit], hits: Sequence[Hit]) -> None:
    """Lower what is left out, for whatever reason, below all that is shown. Both are sorted by score."""
    for hit in left_out:
        if not hits:
            hit.lower(hit.calibration.formula(MOST_BELOW_FLOOR), BELOW_FLOOR)
        elif hit.score >= hits[-1].score:
            hit.lower_to(hits[-1], BELOW_FLOOR)
            hit.lower(hit.formula_score - BEHIND * abs(hit.formula_score), BELOW_FLOOR)


@dataclass(frozen=True, slots=True)
class SummaryAnswer:
    """Hold a summary that answers, the passages of it that do, and of each the memory it stands on."""

    summary: Summary
    passages: list[str]
    sources: list[UUID]


@dataclass(frozen=True, slots=True)
class Recall:
    """Hold hits, best first, the retrievers that failed, and whether a formula adds or multiplies its parts.

    `tier` is what answered: summaries, items, or none. `more` tells that there are hits after these. Hits whose
    `formula_score` is no more than the `band` apart fit about equally well. `at_odds` are pairs (pks) that contradict
    each other, among this page, those before, and what was told before. `coverage` is the way in which a question over
    many memories was answered: order, summary, count or list. `time` is what was asked about, if a time was.
    """

    hits: list[Hit]
    degraded: list[str] = field(default_factory=list)
    combined: str = "sum"
    tier: str = "none"
    summaries: list[SummaryAnswer] = field(default_factory=list)
    more: bool = False
    band: float = BAND
    at_odds: Sequence[tuple[int, int]] = ()
    coverage: str = ""
    time: TimeAnswer | None = None

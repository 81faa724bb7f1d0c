"""What is already known about a candidate's matter, and how the candidate relates to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memories.models import Memory, Vector, Visibility
from memories.models.memory import MemoryQuerySet
from memories.models.vector import from_bytes
from memories.providers.embeddings import Embedder
from memories.store import Candidate
from memories.text.relate import Relation, Thresholds, Verdict, relate
from memsite.tenancy.models import App

NEAREST = 16
NEWEST_WITHOUT_VECTOR = 16


@dataclass(frozen=True, slots=True)
class Known:
    memory: Memory
    verdict: Verdict


def related_to(app: App, candidate: Candidate, embedder: Embedder) -> list[Known]:
    """The active memories of the candidate's drawer that say the same or the contrary, surest first.

    Two to three queries; the rules see the nearest by meaning, and the newest that have no vector yet.
    """
    cosines = nearest(app, candidate, embedder)
    rows = drawer(app, candidate).in_bulk(list(cosines))
    known = [Known(rows[pk], judge(rows[pk], candidate, cosine, embedder)) for pk, cosine in cosines.items()]
    telling = [item for item in known if item.verdict.relation != Relation.DIFFERENT]
    return sorted(telling, key=lambda item: -item.verdict.score)


def judge(memory: Memory, candidate: Candidate, cosine: float | None, embedder: Embedder) -> Verdict:
    bands = Thresholds(embedder.thresholds.same, embedder.thresholds.related)
    return relate(memory.content, candidate.content, cosine, candidate.subject or "", bands)


def drawer(app: App, candidate: Candidate) -> MemoryQuerySet:
    """Same subject and category, same end user, and for private memories the same agent."""
    rows = Memory.objects.for_app(app).active().about(candidate.subject, candidate.category)
    rows = rows.filter(user_id=candidate.user_id, visibility=candidate.visibility)
    return rows.filter(agent=candidate.agent) if candidate.visibility == Visibility.AGENT else rows


def nearest(app: App, candidate: Candidate, embedder: Embedder) -> dict[int, float | None]:
    """Cosine by memory pk of the nearest in the drawer; None for the newest that cannot be compared so."""
    rows = drawer(app, candidate)
    if candidate.vector is None:
        return dict.fromkeys(rows.values_list("pk", flat=True)[:NEAREST])
    vectors = Vector.objects.for_app(app).filter(model=candidate.vector_model, memory__in=rows)
    found = list(vectors.values_list("memory_id", "data"))
    cosines = from_bytes([bytes(data) for _, data in found], len(candidate.vector)) @ candidate.vector
    best = np.argsort(-cosines, kind="stable")[:NEAREST]
    near: dict[int, float | None] = {found[index][0]: float(cosines[index]) for index in best}
    blank = rows.exclude(vectors__model=candidate.vector_model).values_list("pk", flat=True)
    return near | dict.fromkeys(blank[:NEWEST_WITHOUT_VECTOR])

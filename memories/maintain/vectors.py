"""What has no vector of a model yet, and giving it one: in batches, and never inside a transaction."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q, QuerySet

from memories.maintain.embedding import embed
from memories.maintain.run import Run
from memories.models import Memory, Passage
from memories.models.memory import MemoryQuerySet
from memories.models.vector import embedded_text
from memories.providers.embeddings import Embedder
from memories.store import writing
from memsite.tenancy.models import App

ACTOR = "system:vectors"
# Of many texts, those of one length go through the model together: 256 take less time than 4 × 64.
BATCH = 256
Place = tuple[int, int]
"""The change number and the pk of a memory. What changes goes behind all others, and so is met again."""
START: Place = (0, 0)


def without_vector(app: App, model: str, after: Place = START) -> MemoryQuerySet:
    """The app's memories that should have a vector of this model and have none, in the order of their last change."""
    change, pk = after
    behind = Q(change_number__gt=change) | Q(change_number=change, pk__gt=pk)
    # The first condition is what the database can find the place in the index by.
    rows = Memory.objects.for_app(app).warm().filter(behind, change_number__gte=change)
    return rows.exclude(vectors__model=model).order_by("change_number", "pk")


def passages_without(app: App, model: str) -> QuerySet[Passage]:
    """The passages that have no vector of this model, and none of it in waiting."""
    return Passage.objects.for_app(app).exclude(model=model).exclude(next_model=model).order_by("pk")


def embed_memories(app: App, embedder: Embedder, now: datetime, run: Run, after: Place) -> bool:
    """Counts `embedded`; the cursor is the place. False if the embedder is away, and the rest has to wait."""
    while rows := list(without_vector(app, embedder.name, after)[:BATCH]):
        vectors = embed([embedded_text(row.content, row.subject) for row in rows], embedder)
        if vectors is None:
            return False
        after = rows[-1].change_number, rows[-1].pk
        with writing(app, ACTOR, now) as write:
            kept = write.embed(rows, vectors, embedder.name)
            run.done({"embedded": kept}, model=embedder.name, place=after)
    return True


def place_of(run: Run, model: str) -> Place | None:
    """How far the run was with vectors of this model when it was broken off."""
    if run.cursor.get("model") != model:
        return None
    change, pk = run.cursor["place"]
    return change, pk


def embed_passages(app: App, embedder: Embedder, now: datetime, run: Run) -> bool:
    """The same for passages, whose vectors wait until the model serves. They have no order: each is met once."""
    after = 0
    while rows := list(passages_without(app, embedder.name).filter(pk__gt=after)[:BATCH]):
        vectors = embed([row.text for row in rows], embedder)
        if vectors is None:
            return False
        after = rows[-1].pk
        with writing(app, ACTOR, now) as write:
            write.embed_passages(rows, vectors, embedder.name)
            run.done({"passages": len(rows)})
    return True

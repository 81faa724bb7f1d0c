"""Memories that were stored while the embedder was away, or under another model, get their vector."""

from collections.abc import Sequence

import structlog
from django.db import transaction

from memories.models import Memory, Vector
from memories.models.memory import MemoryQuerySet
from memories.models.vector import to_bytes
from memories.providers.embeddings import Embedder, EmbedderError, Vectors

log = structlog.get_logger("memories.maintain")
BATCH = 64


def embed_backlog(embedder: Embedder) -> int:
    """Embeds `BATCH` texts at a time, outside of any transaction; answers how many vectors were stored."""
    stored, last_pk = 0, 0
    while rows := list(without_vector(embedder.name, after=last_pk)):
        try:
            vectors = embedder.embed_documents([row.content for row in rows])
        except EmbedderError as error:
            log.warning("backlog_waits", embedder=embedder.name, error=str(error))
            break
        stored += store_vectors(rows, vectors, embedder.name)
        last_pk = rows[-1].pk
    return stored


def without_vector(model: str, after: int) -> MemoryQuerySet:
    """The next memories, of every app, that have no vector of this model."""
    return Memory.objects.exclude(vectors__model=model).filter(pk__gt=after).order_by("pk")[:BATCH]


def store_vectors(rows: Sequence[Memory], vectors: Vectors, model: str) -> int:
    """Stores the vectors of texts that are still what was embedded."""
    with transaction.atomic():
        now = dict(Memory.objects.filter(pk__in=[row.pk for row in rows]).values_list("pk", "content"))
        fresh = [
            Vector(app_id=row.app_id, memory=row, model=model, dim=len(vector), data=to_bytes(vector))
            for row, vector in zip(rows, vectors, strict=True)
            if now.get(row.pk) == row.content
        ]
        Vector.objects.bulk_create(fresh, ignore_conflicts=True)
    return len(fresh)

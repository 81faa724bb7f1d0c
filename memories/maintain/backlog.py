"""Memories that were stored while the embedder was away, or under another model, get their vector."""

from datetime import datetime

import structlog

from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.models.vector import embedded_text
from memories.providers.embeddings import Embedder, EmbedderError
from memories.store import writing
from memsite.tenancy.models import App

log = structlog.get_logger("memories.maintain")
BATCH = 64
ACTOR = "system:backlog"


def embed_backlog(app: App, embedder: Embedder, now: datetime) -> int:
    """Embeds `BATCH` texts at a time, outside of any transaction; answers how many vectors were kept."""
    kept, last_pk = 0, 0
    while rows := list(without_vector(app, embedder.name, after=last_pk)):
        try:
            vectors = embedder.embed_documents([embedded_text(row.content, row.subject) for row in rows])
        except EmbedderError as error:
            log.warning("backlog_waits", embedder=embedder.name, error=str(error))
            break
        with writing(app, ACTOR, now) as write:
            kept += write.embed(rows, vectors, embedder.name)
        last_pk = rows[-1].pk
    return kept


def without_vector(app: App, model: str, after: int) -> MemoryQuerySet:
    """The app's next memories that have no vector of this model."""
    rows = Memory.objects.for_app(app).exclude(vectors__model=model)
    return rows.filter(pk__gt=after).order_by("pk")[:BATCH]

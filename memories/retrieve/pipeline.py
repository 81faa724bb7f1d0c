"""query → hits: arms, fusion, ranking."""

import structlog
from django.db.models import F

from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.providers.embeddings import Embedder, EmbedderError, Vectors
from memories.retrieve.arms.fulltext import search_words
from memories.retrieve.arms.vector import search_vectors
from memories.retrieve.fusion import fuse
from memories.retrieve.query import Hit, Query, Recall
from memsite.tenancy.models import App

log = structlog.get_logger("memories.retrieve")
MODES = ("auto", "vector", "fulltext")
DEPTH_PER_HIT = 5
MIN_DEPTH = 100


def recall(
    app: App, text: str, allowed: MemoryQuerySet, embedder: Embedder, *, limit: int, mode: str = "auto",
    min_score: float = 0.0,
) -> Recall:  # fmt: skip
    """The best `limit` of the allowed memories, best first. Three queries and one embedding."""
    vector, degraded = (None, []) if mode == "fulltext" else embed(text, embedder)
    query = Query(app, text, embedder, vector, allowed, max(MIN_DEPTH, DEPTH_PER_HIT * limit))
    cosines = search_vectors(query)
    words = {} if mode == "vector" else search_words(query)
    parts = fuse(cosines, words, embedder.thresholds.relevant)
    return Recall(rank(app, parts, limit, min_score), degraded)


def embed(text: str, embedder: Embedder) -> tuple[Vectors | None, list[str]]:
    """The query's vector; without an embedder the words still answer, and the answer says so."""
    try:
        return embedder.embed_query(text), []
    except EmbedderError as error:
        log.warning("query_not_embedded", embedder=embedder.name, error=str(error))
        return None, ["vector"]


def rank(app: App, parts: dict[int, dict[str, float]], limit: int, min_score: float) -> list[Hit]:
    """Hits by falling score; the newer of two equals first. Loads only the rows that are shown."""
    scores = {pk: score for pk, named in parts.items() if (score := sum(named.values())) >= min_score}
    best = sorted(scores, key=lambda pk: (-scores[pk], -pk))[:limit]
    rows = Memory.objects.for_app(app).select_related("session", "resource").in_bulk(best)
    return [Hit(rows[pk], scores[pk], parts[pk]) for pk in best if pk in rows]


def touch(app: App, hits: list[Hit], now: object) -> None:
    """Counts an access of each hit. One statement."""
    pks = [hit.memory.pk for hit in hits]
    if pks:
        Memory.objects.for_app(app).filter(pk__in=pks).update(access_count=F("access_count") + 1, accessed_at=now)

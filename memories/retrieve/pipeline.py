"""question → hits: read what may be shown, measure meaning and words, weigh the evidence, rank."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import numpy as np
import structlog
from django.db.models import F
from numpy.typing import NDArray

from memories.models import Memory, Vector
from memories.providers.embeddings import Embedder, EmbedderError, Vectors
from memories.retrieve.arms.fulltext import holders
from memories.retrieve.arms.vector import measure
from memories.retrieve.features import Evidence
from memories.retrieve.hits import Hit, Recall
from memories.retrieve.index import Indexes
from memories.retrieve.looks import Look, look_of
from memories.retrieve.question import Question, read_question
from memories.retrieve.ranking import Ranked, by_column, rank, rank_by, rank_product
from memories.retrieve.reading import Reading, Rows, Scope, read
from memories.retrieve.words import Words, match_words
from memsite.conf import get_conf
from memsite.tenancy.models import App
from memsite.tenancy.policy import Ranking

log = structlog.get_logger("memories.retrieve")
MODES = ("auto", "vector", "fulltext")
COLUMN_FIRST: dict[str, str] = {Ranking.CONFIDENCE: "confidence", Ranking.RECENT: "updated"}

indexes = Indexes(get_conf().index_megabytes * 2**20)


def recall(
    app: App, text: str, scope: Scope, embedder: Embedder, *, limit: int, mode: str = "auto",
    min_score: float | None = None,
) -> Recall:  # fmt: skip
    """The best `limit` memories in scope, best first. One embedding and at most five queries."""
    reading = read(indexes.of(app, embedder.name, dimension(app, embedder)).view(), scope)
    if not reading.size:
        return Recall([])
    evidence, degraded = weigh(app, text, reading, embedder, scope.now, mode)
    ranked = order(app, mode, evidence, embedder, scope.now)
    return Recall(load(app, reading, ranked, limit, min_score), degraded, ranked.combined)


def weigh(
    app: App, text: str, reading: Reading, embedder: Embedder, now: float, mode: str = "auto"
) -> tuple[Evidence, list[str]]:
    """All that speaks for the memories of a reading, and the arms that could not answer."""
    question = read_question(text, reading, datetime.fromtimestamp(now, tz=app.policy.time_zone))
    vector, degraded = (None, []) if mode == "fulltext" else embed(question, embedder)
    cosines = np.zeros(reading.size, np.float32) if vector is None else measure(reading, vector)
    words = look_up(app, reading, words_for(mode, question))
    usual = embedder.thresholds.usual
    return Evidence(reading, question, cosines, words, looks_at(app, reading), usual), degraded


def dimension(app: App, embedder: Embedder) -> int:
    """Of the embedder's vectors; when it is away, of those that the app has."""
    try:
        return embedder.dim
    except EmbedderError:
        stored = Vector.objects.for_app(app).filter(model=embedder.name).values_list("dim", flat=True)
        return stored.first() or 1


def embed(question: Question, embedder: Embedder) -> tuple[Vectors | None, list[str]]:
    """The question's vector; without an embedder the words still answer, and the answer says so."""
    try:
        return embedder.embed_query(question.bare), []
    except EmbedderError as error:
        log.warning("query_not_embedded", embedder=embedder.name, error=str(error))
        return None, ["vector"]


def words_for(mode: str, question: Question) -> list[str]:
    """A broad subject's name is evidence of another kind where there is more than words to go by."""
    return {"vector": [], "fulltext": question.every_word}.get(mode, question.words)


def look_up(app: App, reading: Reading, words: list[str]) -> Words:
    return match_words(reading, [reading.places(found) for found in holders(app.pk, words)])


def order(app: App, mode: str, evidence: Evidence, embedder: Embedder, now: float) -> Ranked:
    if mode == "vector":
        return rank_by("meaning", evidence.cosines, embedder.thresholds.relevant)
    if mode == "fulltext":
        return rank_by("words", evidence.words.bm25, 0.0)
    relevant = embedder.thresholds.relevant
    if app.policy.ranking == Ranking.PRODUCT:
        return rank_product(evidence, now, relevant)
    ranked = rank(evidence, now, app.policy.decay_per_day, relevant)
    column = COLUMN_FIRST.get(app.policy.ranking)
    return by_column(ranked, evidence.reading, column) if column else ranked


def looks_at(app: App, reading: Reading) -> Callable[[Rows], NDArray[np.uint16]]:
    """Answers how the texts at some places look; reads each text once in the life of the index."""
    looks = reading.view.columns.look

    def answer(places: Rows) -> NDArray[np.uint16]:
        rows = reading.rows[places]
        unread = np.unique(rows[looks[rows] == 0])
        if len(unread):
            pks = reading.view.columns.pk[unread]
            texts = Memory.objects.for_app(app).filter(pk__in=pks.tolist()).values_list("pk", "content", "subject")
            read_looks = {pk: look_of(content, subject) for pk, content, subject in texts}
            looks[unread] = [read_looks.get(int(pk), Look.READ) for pk in pks]
        return looks[rows]

    return answer


def load(app: App, reading: Reading, ranked: Ranked, limit: int, min_score: float | None) -> list[Hit]:
    """The hits with their rows: only those that are shown are read."""
    numbers = range(min(limit, len(ranked.places)))
    shown = [number for number in numbers if min_score is None or ranked.scores[number] >= min_score]
    pks = [int(reading.pks[ranked.places[number]]) for number in shown]
    rows = Memory.objects.for_app(app).select_related("session", "resource").in_bulk(pks)
    return [
        Hit(rows[pk], float(ranked.scores[number]), ranked.parts_of(number))
        for number, pk in zip(shown, pks, strict=True)
        if pk in rows
    ]


def touch(app: App, hits: list[Hit], now: datetime) -> None:
    """Counts an access of each hit. One statement."""
    pks = [hit.memory.pk for hit in hits]
    if pks:
        Memory.objects.for_app(app).filter(pk__in=pks).update(access_count=F("access_count") + 1, accessed_at=now)

"""Whole searches on PostgreSQL: vectors in the process, then the same app's in pgvector. Time, recall, memory.
Writes "Recall with pgvector" of docs/performance.md.

    make bench-pgvector SIZES=10000,100000

One client, on a PostgreSQL of its own. The second scope lets through one memory in twenty.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from django.conf import settings
from django.db import connection
from django.utils import timezone

from bench.conversations import make_app
from bench.latency import sizes, spread
from bench.options import make_database, parser
from bench.page import PERFORMANCE, circumstances, table, write_section
from bench.synthetic import texts_of, unit_vectors
from memories.maintain.pgvector import move
from memories.maintain.run import Unclaimed
from memories.models import Memory, Vector, near
from memories.models.vector import to_bytes
from memories.providers.embeddings import HashEmbedder, Vectors
from memories.retrieve.pipeline import index_of, indexes, recall
from memories.retrieve.reading import Scope
from memsite.tenancy.models import App

DIM, SEED, SHOWN, QUERIES = 384, 7, 10, 100
RARE, AT_ONCE = 20, 1_000
TEXT_WORDS, QUESTION_WORDS, STOP_WORDS = 12, 6, 100
SCOPES = {"all": None, "5 %": "ann"}
MODES = ("auto", "vector")
IN_PROCESS, IN_PGVECTOR = "in the process", "in pgvector"


@dataclass
class Given(HashEmbedder):
    """Answers each question with the vector that was made for it."""

    vectors: dict[str, Vectors]

    def __post_init__(self) -> None:
        super().__init__(DIM)

    def embed_query(self, text: str) -> Vectors:
        return self.vectors[text]


@dataclass(frozen=True, slots=True)
class Answers:
    """`recall` is the share of the exact ten best that are found by meaning; `seconds` are by mode."""

    recall: float
    seconds: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Searched:
    """An app's answers by scope, seconds until its index was read, and bytes that it takes for each memory."""

    loaded: float
    memory_bytes: float
    answers: dict[str, Answers]


@dataclass(frozen=True, slots=True)
class Measured:
    """By place. `seconds` and `megabytes` are those of the index in the database."""

    searched: dict[str, Searched]
    seconds: float
    megabytes: int


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", type=sizes, default=[10_000], help="numbers of memories")
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    settings.MEMSITE = replace(settings.MEMSITE, pgvector_from=1)
    body = render({size: measure(size) for size in given.sizes}, facts)
    write_section("Recall with pgvector", body, PERFORMANCE)
    print(body)


def measure(size: int) -> Measured:
    rows, queries = unit_vectors(size, QUERIES, DIM, SEED)
    questions = texts_of(QUERIES, QUESTION_WORDS, SEED, skipped=STOP_WORDS)
    embedder = Given(dict(zip(questions, queries, strict=True)))
    app = fill(size, rows, embedder.name)
    pks = np.array(Memory.objects.for_app(app).order_by("pk").values_list("pk", flat=True))
    before = search_all(app, embedder, rows, pks)
    started = time.perf_counter()
    move(app, timezone.now(), Unclaimed(timezone.now()))
    seconds = time.perf_counter() - started
    app.refresh_from_db()
    assert app.near_model == embedder.name
    searched = {IN_PROCESS: before, IN_PGVECTOR: search_all(app, embedder, rows, pks)}
    return Measured(searched, seconds, megabytes())


def fill(size: int, rows: Vectors, model: str) -> App:
    """Not by the API: what is measured is searching."""
    app = make_app(f"pgvector-{size}")
    app.change_number, app.vector_model, app.memory_count = 1, model, size
    app.save()
    now, texts = timezone.now(), texts_of(size, TEXT_WORDS, SEED)
    for start in range(0, size, AT_ONCE):
        memories = Memory.objects.bulk_create(
            Memory(
                app=app, content=text, category="general", change_number=1, created_at=now, updated_at=now,
                anchored_at=now, confirmed_at=now, confidence=0.8, confidence_base=0.8,
                user_id=None if number % RARE == 0 else "bea",
            )
            for number, text in enumerate(texts[start : start + AT_ONCE], start)
        )  # fmt: skip
        Vector.objects.bulk_create(
            Vector(app=app, memory=memory, model=model, dim=DIM, data=to_bytes(vector))
            for memory, vector in zip(memories, rows[start : start + AT_ONCE], strict=True)
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return app


def search_all(app: App, embedder: Given, rows: Vectors, pks: np.ndarray) -> Searched:
    indexes.kept.clear()
    started = time.perf_counter()
    index = index_of(app, embedder)
    index.view()
    loaded = time.perf_counter() - started
    memory_bytes = index.columns.nbytes / len(index.columns.pk)
    return Searched(
        loaded, memory_bytes, {name: search_in(app, embedder, rows, pks, user) for name, user in SCOPES.items()}
    )  # fmt: skip


def search_in(app: App, embedder: Given, rows: Vectors, pks: np.ndarray, user: str | None) -> Answers:
    allowed = np.arange(len(rows)) if user is None else np.arange(0, len(rows), RARE)
    scope = Scope(None, user, timezone.now().timestamp())
    taken: dict[str, list[float]] = {mode: [] for mode in MODES}
    right = 0
    for question, vector in embedder.vectors.items():
        best = pks[allowed[np.argsort(-(rows[allowed] @ vector), kind="stable")[:SHOWN]]]
        for mode, seconds in taken.items():
            started = time.perf_counter()
            found = recall(app, question, scope, embedder, limit=SHOWN, mode=mode, floor=False)
            seconds.append(time.perf_counter() - started)
            assert not found.degraded, found.degraded
        right += len({hit.memory.pk for hit in found.hits} & set(best.tolist()))
    return Answers(right / (SHOWN * len(embedder.vectors)), taken)


def megabytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(pg_relation_size(indexname::regclass)) / 1048576 FROM pg_indexes "
                       "WHERE tablename = %s AND indexdef LIKE '%%hnsw%%'", [near.TABLE])  # fmt: skip
        return int(cursor.fetchone()[0])


def render(measured: Mapping[int, Measured], facts: str) -> str:
    told = (
        f"Whole searches in process on PostgreSQL, one at a time: {QUERIES} questions to an app whose vectors are "
        "clustered ones (seeded), first in the process and then in pgvector. Recall is the share of the exact ten best "
        f"that a search by meaning finds, among all memories and among those of one user in {RARE} (5 %); the goal is "
        "0.97. Milliseconds are p50 / p95, of the default search (meaning, words, neighbours) and by meaning alone."
    )
    head = ["", "among", "recall", "a search", "by meaning", "index read, s", "bytes a memory"]
    rows = [
        [f"{size:,} {place}", among, f"{answers.recall:.3f}", *[spread(answers.seconds[mode]) for mode in MODES],
         f"{of.loaded:.2f}", f"{of.memory_bytes:.0f}"]
        for size, of_size in measured.items()
        for place, of in of_size.searched.items()
        for among, answers in of.answers.items()
    ]  # fmt: skip
    made = "; ".join(
        f"{size:,} memories copied and indexed in {of.seconds:.0f} s, {of.megabytes:,} MB of index"
        for size, of in measured.items()
    )
    return "\n\n".join([f"Measured {facts}", told, table(head, rows), f"{made}."])


if __name__ == "__main__":
    main()

"""Whole searches on PostgreSQL: vectors in the process, then the same app's in pgvector. Time, recall and memory.

    make bench-pgvector SIZES="10000 100000"

One client, on a PostgreSQL of its own. The second scope lets through one memory in twenty.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from bench.conversations import make_app
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
SIZES = ("10000",)
RARE, AT_ONCE = 20, 1_000
TEXT_WORDS, QUESTION_WORDS, STOP_WORDS = 12, 6, 100
SCOPES = {"all": None, "5 %": "ann"}


@dataclass
class Given(HashEmbedder):
    """Answers each question with the vector that was made for it."""

    vectors: dict[str, Vectors]

    def __post_init__(self) -> None:
        super().__init__(DIM)

    def embed_query(self, text: str) -> Vectors:
        return self.vectors[text]


def main(sizes: Sequence[str]) -> None:
    call_command("migrate", verbosity=0)
    settings.MEMSITE = replace(settings.MEMSITE, pgvector_from=1)
    for size in map(int, sizes):
        measure(size)


def measure(size: int) -> None:
    rows, queries = unit_vectors(size, QUERIES, DIM, SEED)
    questions = texts_of(QUERIES, QUESTION_WORDS, SEED, skipped=STOP_WORDS)
    embedder = Given(dict(zip(questions, queries, strict=True)))
    app = fill(size, rows, embedder.name)
    pks = np.array(Memory.objects.for_app(app).order_by("pk").values_list("pk", flat=True))
    print(f"{size:,} memories, pgvector {'.'.join(map(str, near.version()))}")
    tell("in the process", app, embedder, rows, pks)
    started = time.perf_counter()
    move(app, timezone.now(), Unclaimed(timezone.now()))
    print(f"  copied and indexed in {time.perf_counter() - started:.0f} s, {megabytes()} MB of index")
    app.refresh_from_db()
    assert app.near_model == embedder.name
    tell("in pgvector", app, embedder, rows, pks)


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


def tell(what: str, app: App, embedder: Given, rows: Vectors, pks: np.ndarray) -> None:
    indexes.kept.clear()
    started = time.perf_counter()
    index = index_of(app, embedder)
    index.view()
    loaded = time.perf_counter() - started
    print(f"  {what}: read in {loaded:.1f} s, {index.columns.nbytes / len(index.columns.pk):.0f} bytes a memory")
    for name, user in SCOPES.items():
        allowed = np.arange(len(rows)) if user is None else np.arange(0, len(rows), RARE)
        scope = Scope(None, user, timezone.now().timestamp())
        taken: dict[str, list[float]] = {"auto": [], "vector": []}
        right = 0
        for question, vector in embedder.vectors.items():
            best = pks[allowed[np.argsort(-(rows[allowed] @ vector), kind="stable")[:SHOWN]]]
            for mode, seconds in taken.items():
                started = time.perf_counter()
                found = recall(app, question, scope, embedder, limit=SHOWN, mode=mode, floor=False)
                seconds.append(time.perf_counter() - started)
                assert not found.degraded, found.degraded
            right += len({hit.memory.pk for hit in found.hits} & set(best.tolist()))
        share = right / (SHOWN * QUERIES)
        times = ", ".join(f"{mode} {percentiles(seconds)}" for mode, seconds in taken.items())
        print(f"    {name:4} recall {share:.3f}; {times}", flush=True)


def percentiles(seconds: Sequence[float]) -> str:
    middle, high = 1_000 * np.percentile(seconds, (50, 95))
    return f"{middle:.1f} / {high:.1f} ms"


def megabytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(pg_relation_size(indexname::regclass)) / 1048576 FROM pg_indexes "
                       "WHERE tablename = %s AND indexdef LIKE '%%hnsw%%'", [near.TABLE])  # fmt: skip
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    main(sys.argv[1:] or SIZES)

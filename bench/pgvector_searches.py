"""Measure whole searches on PostgreSQL: vectors in the process, then in pgvector. Time, recall, memory.

Writes "Recall with pgvector" of bench/results/performance.md.

    make bench-pgvector SIZES=10000,100000

One client, on a PostgreSQL of its own. The second scope lets through one memory in twenty. Vectors are invented ones in
clusters, and then such as those of conversations, where these are to be had.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from django.conf import settings
from django.db import connection
from django.utils import timezone

from bench.conversations import make_app, read_conversations
from bench.kept_vectors import KeptVectors
from bench.latency import sizes, spread
from bench.options import add_data, make_database, parser
from bench.page import PERFORMANCE, circumstances, table, write_section
from bench.synthetic import mixed, texts_of, unit_vectors
from memories.maintain.pgvector import move
from memories.models import Memory, Vector, pgvector_table
from memories.models.vector import to_bytes
from memories.providers.embeddings import HashEmbedder, MiniLMEmbedder, Vectors
from memories.retrieve.pipeline import index_of, indexes, recall
from memories.retrieve.scoped_view import Scope
from memsite.jobs.job import Unclaimed
from memsite.tenancy.access import one_user
from memsite.tenancy.models import App

DIM, SEED, SHOWN, QUERIES = 384, 7, 10, 100
RARE, AT_ONCE = 20, 1_000
TEXT_WORDS, QUESTION_WORDS, STOP_WORDS = 12, 6, 100
SCOPES = {"all": None, "5 %": "ann"}
MODES = ("auto", "vector")
IN_PROCESS, IN_PGVECTOR = "in the process", "in pgvector"
CLUSTERS, TURNS = "clusters", "turns"


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
    add_data(options)
    options.add_argument("--sizes", type=sizes, default=[10_000], help="numbers of memories")
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    settings.MEMSITE = replace(settings.MEMSITE, pgvector_from=1)
    measured = {}
    for size in given.sizes:
        for kind, rows, queries in kinds(size, given):
            print(f"{size:,} memories, vectors of {kind}", flush=True)
            measured[size, kind] = measure(rows, queries, f"pgvector-{size}-{kind}")
    body = render(measured, facts)
    write_section("Recall with pgvector", body, PERFORMANCE)
    print(body)


def kinds(size: int, given: argparse.Namespace) -> Iterator[tuple[str, Vectors, Vectors]]:
    """Yield the kinds of vectors: their name, those of the memories and those of the questions."""
    yield CLUSTERS, *unit_vectors(size, QUERIES, DIM, SEED)
    if not given.data.is_dir():
        print(f"No vectors of {TURNS}: there are no conversations in {given.data}.")
        return
    conversations = read_conversations(given.data, given.limit)
    embedder = KeptVectors(MiniLMEmbedder(), given.cache)
    page = embedder.embed_documents([item.content for conversation in conversations for item in conversation.items])
    texts = [question.text for conversation in conversations for question in conversation.questions]
    drawn = np.random.default_rng(SEED).permutation(len(texts))[:QUERIES]
    yield TURNS, mixed(page, size, SEED), embedder.embed_documents([texts[number] for number in drawn])


def measure(rows: Vectors, queries: Vectors, name: str) -> Measured:
    questions = texts_of(len(queries), QUESTION_WORDS, SEED, skipped=STOP_WORDS)
    embedder = Given(dict(zip(questions, queries, strict=True)))
    app = fill(name, rows, embedder.name)
    pks = np.array(Memory.objects.for_app(app).order_by("pk").values_list("pk", flat=True))
    before = search_all(app, embedder, rows, pks)
    started = time.perf_counter()
    move(app, timezone.now(), Unclaimed(timezone.now()))
    seconds = time.perf_counter() - started
    app.refresh_from_db()
    assert app.near_model == embedder.name
    searched = {IN_PROCESS: before, IN_PGVECTOR: search_all(app, embedder, rows, pks)}
    return Measured(searched, seconds, megabytes(app, embedder.name))


def fill(name: str, rows: Vectors, model: str) -> App:
    """Not by the API: what is measured is searching."""
    app, size = make_app(name), len(rows)
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
    indexes.by_key.clear()
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
    scope = Scope(None, one_user(user) or None, timezone.now().timestamp())
    taken: dict[str, list[float]] = {mode: [] for mode in MODES}
    right = 0
    for question, vector in embedder.vectors.items():
        best = pks[allowed[np.argsort(-(rows[allowed] @ vector), kind="stable")[:SHOWN]]]
        for mode, seconds in taken.items():
            started = time.perf_counter()
            results = recall(app, question, scope, embedder, limit=SHOWN, mode=mode, floor=False)
            seconds.append(time.perf_counter() - started)
            assert not results.degraded, results.degraded
        right += len({hit.memory.pk for hit in results.hits} & set(best.tolist()))
    return Answers(right / (SHOWN * len(embedder.vectors)), taken)


def megabytes(app: App, model: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size(%s::regclass) / 1048576", [pgvector_table.index_name(app.pk, model)])
        return int(cursor.fetchone()[0])


def render(measured: Mapping[tuple[int, str], Measured], facts: str) -> str:
    """`measured` by size and kind of vectors."""
    text = (
        f"Whole searches in process on PostgreSQL, one at a time: {QUERIES} questions to an app, first with its "
        "vectors in the process and then in pgvector. Recall is the share of the exact ten best that a search by "
        f"meaning finds, among all memories and among those of one user in {RARE} (5 %); the goal is 0.97. "
        "Milliseconds are p50 / p95, of the default search (meaning, words, neighbours) and by meaning alone. Vectors "
        "of `clusters` are invented (seeded). Those of `turns` are all-MiniLM-L6-v2's of the turns of conversations "
        "(LoCoMo, REALTALK), and as many more as are wanted made of them, each with half of what lies between two "
        "others added; they are asked for with those of questions about these conversations."
    )
    head = ["", "vectors", "among", "recall", "a search", "by meaning", "index read, s", "bytes a memory"]
    rows = [
        [f"{size:,} {place}", kind, among, f"{answers.recall:.3f}", *[spread(answers.seconds[mode]) for mode in MODES],
         f"{of.loaded:.2f}", f"{of.memory_bytes:.0f}"]
        for (size, kind), of_kind in measured.items()
        for place, of in of_kind.searched.items()
        for among, answers in of.answers.items()
    ]  # fmt: skip
    made = "; ".join(
        f"{size:,} memories with vectors of {kind} copied and indexed in {of.seconds:.0f} s, "
        f"{of.megabytes:,} MB of index"
        for (size, kind), of in measured.items()
    )
    return "\n\n".join([f"Measured {facts}", text, table(head, rows), f"{made}."])


if __name__ == "__main__":
    main()

"""Measure searches and writes in one app on the database of this process.

Run by `bench.growth`:

    .venv/bin/python -m bench.growth.steps --size 10000 --questions 200 --file figures.json

Vectors are such as MiniLM has of conversations, or hashing ones of as many dimensions where there are no conversations:
what is measured is the memory, not a model.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.conf import settings
from django.db import connection, connections
from django.utils import timezone

from bench.alike import alike, said_and_asked
from bench.growth.transactions import transactions_watched
from bench.hashing import hashing
from bench.options import add_data, make_database, parser
from bench.request_latency import answered
from bench.search_latency import (
    QUESTION_WORDS,
    SEED,
    STOP_WORDS,
    Seconds,
    fill_app,
    must_find,
    search,
    store,
    timed,
)  # fmt: skip
from bench.synthetic import texts_of
from memories.index import index_cache
from memories.maintain.pgvector import move
from memories.models import pgvector_table
from memories.providers.embeddings import Embedder
from memories.retrieve.pipeline import indexes
from memories.services import MemoryAgent
from memories.store import Candidate
from memories.store.transaction import committed
from memories.store.vacuum import index_file_of
from memsite.db.transactions import sqlite_set
from memsite.jobs.job import Unclaimed
from memsite.tenancy.keys import create_key
from memsite.tenancy.models import Agent, App

QUESTIONS, LOADS, STARTS = 200, 3, 30
QUESTIONS_PER_WRITE = 4
FIRST = "the first search, which loads the index"
FOUND = "the first search, which finds the index on the disk"
REQUEST = "a whole request"
SEARCH = "a search in process"
UNDISTURBED = "a search, the same one again"
AFTER = "the same one right after a write"
ELSEWHERE = "the same one right after a write of another process"
"""Of another connection, after which nothing is done to this process's index."""
START = "a session's start, with what is known"
WRITE = "a write of one memory, committed"
HELD = "of that, the transaction"
ASKED = "of that, statements and commit"
COMMITTED = "of that, the commit"
UNSYNCED = "statements and commit of a write that waits for no disk"
"""Whose log the system has when it is committed, and the disk later: what the database itself takes. Of SQLite."""
FOLLOWING = "statements and commit of a write right after another"
LOOKED = "a write that looks first what is known"
SQLITE, POSTGRES, PGVECTOR = "SQLite", "PostgreSQL", "pgvector"
SAFE = ("fsync", "full_page_writes", "synchronous_commit")
CAPACITY = "4GB"
"""In which an index of 1,000,000 vectors is made and held: it has 1.1 GB. Without a word PostgreSQL makes it in 64 MB,
which takes hours, and holds it in 128 MB: a search has to read much of it from the system's cache.
"""
PATIENCE_SECONDS, LOOK_EVERY_SECONDS = 60.0, 0.05


def main() -> None:
    options = parser(__doc__)
    add_data(options)
    options.add_argument("--size", type=int, required=True, help="number of memories")
    options.add_argument("--questions", type=int, default=QUESTIONS)
    options.add_argument("--file", type=Path, required=True, help="takes the figures")
    given = options.parse_args()
    make_database()
    with vectors_of(given) as embedder:
        app = fill_app(given.size, embedder, f"growth-{given.size}")
        if connection.vendor == "postgresql":
            prepare_postgres()
        values: dict[str, Seconds] = {}
        for name, seconds in measure_here(app, embedder, given.questions):
            values[name] = seconds
            given.file.write_text(json.dumps(values))


def vectors_of(given: argparse.Namespace) -> AbstractContextManager[Embedder]:
    """Such as those of conversations, where these are to be had."""
    return alike(*said_and_asked(given.data, given.cache, given.limit)) if given.data.is_dir() else hashing()


def measure_here(app: App, embedder: Embedder, questions: int) -> Iterator[tuple[str, Seconds]]:
    """By database: SQLite, or PostgreSQL with the vectors in the process, then with the same app's in pgvector."""
    if connection.vendor == "sqlite":
        yield SQLITE, measure(app, embedder, SQLITE, questions)
        return
    yield f"{POSTGRES} {version_of_postgres()}{with_huge_pages()}", measure(app, embedder, POSTGRES, questions)
    if pgvector_table.is_there():
        move_to_pgvector(app, embedder)
        yield f"{PGVECTOR} {'.'.join(map(str, pgvector_table.version()))}", measure(app, embedder, PGVECTOR, questions)


def measure(app: App, embedder: Embedder, mark: str, count: int) -> Seconds:
    """`mark` is in no text that is written for another measurement."""
    questions = texts_of(count, QUESTION_WORDS, SEED + 1, skipped=STOP_WORDS)
    written = questions[: count // QUESTIONS_PER_WRITE]
    searched = measure_searches(app, embedder, questions) | measure_starts(app, embedder)
    return searched | measure_writes(app, embedder, written, mark.lower())


def measure_searches(app: App, embedder: Embedder, questions: list[str]) -> Seconds:
    """Each question was asked before: its vector is kept."""
    seconds: Seconds = {**measure_loads(app, embedder, questions[0]), REQUEST: [], SEARCH: []}
    key = create_key(Agent.objects.for_app(app).get(), ["read"]).text
    results = [bool(answered(key, question)) for question in questions]
    assert sum(results) > len(questions) / 2, "hardly anything is found"
    for number, question in enumerate(questions):
        turns: dict[str, Callable[[], object]] = {
            REQUEST: partial(answered, key, question),
            SEARCH: partial(search, app, question, embedder),
        }
        for name in turns if number % 2 else reversed(turns):
            seconds[name].append(timed(turns[name]))
    return seconds


def measure_starts(app: App, embedder: Embedder) -> Seconds:
    """In process: a session is made, what is stale looked for, lessons, what is due and what is known chosen."""
    endpoint = MemoryAgent(app, Agent.objects.for_app(app).get(), "agent:bench", embedder)

    def start() -> None:
        session, _ = endpoint.open_session(None, {})
        assert endpoint.start(session).known.memories, "nothing is known"

    start()
    return {START: [timed(start) for _ in range(STARTS)]}


def measure_loads(app: App, embedder: Embedder, question: str) -> Seconds:
    """Measure the first search of a process that reads the index from the database, and of one that has its file.

    The file is in the system's cache then.
    """
    seconds: Seconds = {FIRST: []}
    first = partial(search, app, question, embedder)
    for _ in range(LOADS):
        indexes.by_key.clear()
        with patch.object(settings, "MEMSITE", replace(settings.MEMSITE, keep_indexes=False)):
            seconds[FIRST].append(timed(first))
    path = index_file_of(app.pk)
    if path is None or App.objects.get(pk=app.pk).memory_count < index_cache.LEAST_ROWS:
        return seconds
    indexes.by_key.clear()
    first()
    wait_until(path.exists, "The index is not kept")
    seconds[FOUND] = []
    for _ in range(LOADS):
        indexes.by_key.clear()
        seconds[FOUND].append(timed(first))
    return seconds


def wait_until(holds: Callable[[], bool], otherwise: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < until, otherwise
        time.sleep(LOOK_EVERY_SECONDS)


def measure_writes(app: App, embedder: Embedder, questions: list[str], mark: str) -> Seconds:
    """Measure writes. The undisturbed search follows the same one, so that both find all they can in the caches."""
    is_sqlite = connection.vendor == "sqlite"
    written = (WRITE, HELD, ASKED, COMMITTED, *((UNSYNCED,) if is_sqlite else ()), FOLLOWING, LOOKED)
    seconds: Seconds = {step: [] for step in (UNDISTURBED, AFTER, ELSEWHERE, *written)}
    with elsewhere() as write_elsewhere:
        for number, question in enumerate(questions):
            fresh = f"{question} {mark} {number}"
            asking = partial(search, app, question, embedder)
            asking()
            seconds[UNDISTURBED].append(timed(asking))
            with transactions_watched() as spent:
                seconds[WRITE].append(timed(partial(store, app, [Candidate(content=fresh)], embedder)))
            assert spent.transactions == 1, "a write is one transaction"
            seconds[HELD].append(spent.whole)
            seconds[ASKED].append(spent.waiting)
            seconds[COMMITTED].append(spent.committed)
            seconds[AFTER].append(timed(asking))
            must_find(app, fresh, embedder)
            write_elsewhere(app, [Candidate(content=f"{mark}{number} elsewhere {question}")], embedder)
            seconds[ELSEWHERE].append(timed(asking))
            if is_sqlite:
                asking()
                with sqlite_set(synchronous="NORMAL"), transactions_watched() as spent:
                    store(app, [Candidate(content=f"{mark}{number} unsynced {question}")], embedder)
                seconds[UNSYNCED].append(spent.waiting)
    for number, question in enumerate(questions):
        with transactions_watched() as spent:
            store(app, [Candidate(content=f"{mark}{number} following {question}")], embedder)
        seconds[FOLLOWING].append(spent.waiting)
    for number, question in enumerate(questions):
        candidate = Candidate(content=f"{mark}{number} looked {question}")
        seconds[LOOKED].append(timed(partial(store, app, [candidate], embedder, dedupe=True)))
    return seconds


@contextmanager
def elsewhere() -> Iterator[Callable[..., object]]:
    """Store memories on another connection, of which nobody in this process hears."""

    def write(*memories: Any) -> object:
        with patch.object(committed, "receivers", []):
            return other.submit(store, *memories).result()

    with ThreadPoolExecutor(1) as other:
        try:
            yield write
        finally:
            other.submit(connections.close_all).result()


# --- PostgreSQL


def prepare_postgres() -> None:
    """Make PostgreSQL keep what it is given through a power cut, as SQLite does, and finish its background work."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        for name in SAFE:
            cursor.execute(f"ALTER SYSTEM SET {name} = on")
        cursor.execute(f"ALTER SYSTEM SET maintenance_work_mem = '{CAPACITY}'")
        cursor.execute("SELECT pg_reload_conf()")
    wait_until(is_safe, f"PostgreSQL does not take {', '.join(SAFE)}")


def is_safe() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(name) FROM unnest(%s::text[]) AS name", [list(SAFE)])
        return {value for (value,) in cursor.fetchall()} == {"on"}


def move_to_pgvector(app: App, embedder: Embedder) -> None:
    before = settings.MEMSITE
    settings.MEMSITE = replace(before, pgvector_from=1)
    try:
        now = timezone.now()
        move(app, now, Unclaimed(now))
    finally:
        settings.MEMSITE = before
    app.refresh_from_db()
    assert app.near_model == embedder.name, "the app was not moved"


def version_of_postgres() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0]).split()[0]


def with_huge_pages() -> str:
    """Whether its buffers are in such, which halves what an index takes; it can tell from 17 on."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('huge_pages_status', true)")
        return ", huge pages" if cursor.fetchone()[0] == "on" else ""


if __name__ == "__main__":
    main()

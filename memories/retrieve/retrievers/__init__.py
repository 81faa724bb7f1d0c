"""Run the retrievers side by side under one deadline. One that fails or is too slow is left out, not waited for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from functools import partial
from threading import local
from time import monotonic
from typing import Any

import structlog
from django.db import DEFAULT_DB_ALIAS, DatabaseError, close_old_connections, connection, connections, transaction

from memories.providers.embeddings import Embedder, EmbedderError

# Steps of SQLite's machine between two looks at the clock: some fractions of a millisecond.
LOOK_EVERY_STEPS = 10_000
log = structlog.get_logger("memories.retrieve")
DEADLINE_SECONDS = 5.0
# A thread that waits for a service that is gone is busy until that gives up: others have to find one that is free.
THREADS = 64
Retriever = Callable[[], Any]
FAILURES = (EmbedderError, DatabaseError, TooSlow)
# These retrievers ask the database and nothing else.
DATABASE_RETRIEVERS = ("fulltext", "graph", "summary")
pool = ThreadPoolExecutor(THREADS, "retriever")
inside = local()


@contextmanager
def interrupted_at(deadline: float) -> Iterator[None]:
    """End a query that still runs at `deadline` (as `monotonic` counts) with an OperationalError.

    On PostgreSQL each statement is limited to what is left when the first one is sent. Without a statement, no
    transaction begins.
    """
    wrapper = connections[DEFAULT_DB_ALIAS]
    if wrapper.vendor != "sqlite":
        with ExitStack() as transactions, wrapper.execute_wrapper(TimeoutBeforeFirst(transactions, deadline)):
            yield
        return
    wrapper.ensure_connection()
    sqlite = wrapper.connection
    sqlite.set_progress_handler(lambda: monotonic() > deadline, LOOK_EVERY_STEPS)
    try:
        yield
    finally:
        sqlite.set_progress_handler(None, 0)


class TimeoutBeforeFirst:
    """Begin a transaction with a time limit before the first statement."""

    def __init__(self, transactions: ExitStack, deadline: float) -> None:
        self.transactions, self.deadline, self.is_begun = transactions, deadline, False

    def __call__(self, execute: Callable[..., Any], *statement: Any) -> Any:
        if not self.is_begun:
            self.is_begun = True
            self.transactions.enter_context(limited(max(1, int(1_000 * (self.deadline - monotonic())))))
        return execute(*statement)


@contextmanager
def limited(milliseconds: int) -> Iterator[None]:
    is_inner = connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(milliseconds)])
        yield
        if is_inner:
            # It would last as long as the outer transaction.
            cursor.execute("SET LOCAL statement_timeout TO DEFAULT")


def local_retrievers(embedder: Embedder) -> set[str]:
    """Return the retrievers that wait for nothing outside of this process.

    Two threads that compute take turns at the interpreter: running these in threads doubled a search's time.
    """
    local_database = DATABASE_RETRIEVERS if connection.vendor == "sqlite" else ()
    return {*local_database, *(("vector",) if embedder.in_process else ())}


def run_retrievers(
    retrievers: Mapping[str, Retriever], seconds: float | None = None, here: Collection[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """Return the answers by name, and the names of the retrievers that failed or were too slow.

    Those in `here` run in this thread, while the others wait in theirs. Inside a transaction all run one after the
    other, as other threads would not see what it wrote. So do those run inside a retriever, whose own deadline holds
    for them: waiting for a thread while holding one could last for ever.
    """
    deadline = monotonic() + (DEADLINE_SECONDS if seconds is None else seconds)
    one_by_one = connection.in_atomic_block or getattr(inside, "retriever", False)
    elsewhere = [name for name in retrievers if not one_by_one and name not in here]
    futures = {name: pool.submit(copy_context().run, on_own_connection, retrievers[name]) for name in elsewhere}
    waiting: dict[str, Retriever] = {}
    for name, retriever in retrievers.items():
        if name not in futures:
            waiting[name] = partial(in_savepoint, retriever) if one_by_one else partial(in_time, retriever, deadline)
    waiting |= {name: partial(wait_for, future, deadline) for name, future in futures.items()}
    answers = dict[str, Any]()
    for name, answer in waiting.items():
        try:
            answers[name] = answer()
        except FAILURES as error:
            log.warning("arm_failed", arm=name, error=str(error) or type(error).__name__)
    return answers, [name for name in retrievers if name not in answers]


def in_savepoint(retriever: Retriever) -> Any:
    """Run inside a savepoint on PostgreSQL, where a refused statement would end the transaction around it."""
    if connection.vendor == "sqlite" or not connection.in_atomic_block:
        return retriever()
    with transaction.atomic():
        return retriever()


def in_time(retriever: Retriever, deadline: float) -> Any:
    """Run in this thread, interrupted at the deadline."""
    if monotonic() > deadline:
        raise TooSlow
    with interrupted_at(deadline):
        return retriever()


def on_own_connection(retriever: Retriever) -> Any:
    """Run in a thread of the pool with a database connection of its own."""
    close_old_connections()
    inside.retriever = True
    try:
        return retriever()
    finally:
        inside.retriever = False
        # Back to the pool, where there is one: others wait for it, and this thread may have nothing to do for long.
        close_old_connections()


def wait_for(future: Future[Any], deadline: float) -> Any:
    return future.result(max(0.0, deadline - monotonic()))

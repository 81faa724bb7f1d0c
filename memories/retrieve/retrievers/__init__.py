"""Run the retrievers side by side under one deadline. One that fails or is too slow is left out, not waited for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import copy_context
from functools import partial
from threading import local
from time import monotonic
from typing import Any

import structlog
from django.db import DEFAULT_DB_ALIAS, DatabaseError, close_old_connections, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from memories.providers.embeddings import Embedder, EmbedderError

# Steps of SQLite's machine between two looks at the clock: some fractions of a millisecond.
LOOK_EVERY_STEPS = 10_000


def interrupted_at(deadline: float) -> AbstractContextManager[None]:
    """A query that still runs at `deadline` (as `monotonic` counts) ends with an OperationalError."""
    wrapper = connections[DEFAULT_DB_ALIAS]
    return OnSqlite(wrapper, deadline) if wrapper.vendor == "sqlite" else on_postgres(deadline)


class OnSqlite(AbstractContextManager[None]):
    def __init__(self, wrapper: BaseDatabaseWrapper, deadline: float) -> None:
        wrapper.ensure_connection()
        self.connection, self.deadline = wrapper.connection, deadline

    def __enter__(self) -> None:
        self.connection.set_progress_handler(self.is_over, LOOK_EVERY_STEPS)

    def __exit__(self, *_: object) -> None:
        self.connection.set_progress_handler(None, 0)

    def is_over(self) -> bool:
        return monotonic() > self.deadline


@contextmanager
def on_postgres(deadline: float) -> Iterator[None]:
    """Each statement is given what is left when the first is asked. Who asks none, has no transaction."""
    with ExitStack() as transactions, connection.execute_wrapper(FirstAsked(transactions, deadline)):
        yield


class FirstAsked:
    """Begins a transaction with a time limit before the first statement."""

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


log = structlog.get_logger("memories.retrieve")
DEADLINE_SECONDS = 5.0
# A thread that waits for a service that is gone is busy until that gives up: others have to find one that is free.
THREADS = 64
Arm = Callable[[], Any]
FAILURES = (EmbedderError, DatabaseError, TooSlow)
# What these arms ask is the database and nothing else.
DATABASE_ARMS = ("fulltext", "graph", "summary")
pool = ThreadPoolExecutor(THREADS, "arm")
inside = local()


def at_hand(embedder: Embedder) -> set[str]:
    """The arms that wait for nothing outside of this process.

    Two threads that compute take turns at the interpreter: asking these in threads doubled a search's time.
    """
    local_database = DATABASE_ARMS if connection.vendor == "sqlite" else ()
    return {*local_database, *(("vector",) if embedder.in_process else ())}


def run_retrievers(
    arms: Mapping[str, Arm], seconds: float | None = None, here: Collection[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """The answers by arm, and the names of those that could not answer in time.

    Those that are `here` are asked in this thread, while the others wait for whatever they wait for in theirs. Inside a
    transaction all are asked one after the other: other threads would not see what it wrote. So they are inside an arm,
    whose own deadline holds for them: waiting for a thread while holding one could last for ever.
    """
    deadline = monotonic() + (DEADLINE_SECONDS if seconds is None else seconds)
    one_by_one = connection.in_atomic_block or getattr(inside, "arm", False)
    elsewhere = [name for name in arms if not one_by_one and name not in here]
    futures = {name: pool.submit(copy_context().run, on_own_connection, arms[name]) for name in elsewhere}
    waiting: dict[str, Arm] = {}
    for name, arm in arms.items():
        if name not in futures:
            waiting[name] = partial(in_savepoint, arm) if one_by_one else partial(in_time, arm, deadline)
    waiting |= {name: partial(wait_for, future, deadline) for name, future in futures.items()}
    answers = dict[str, Any]()
    for name, answer in waiting.items():
        try:
            answers[name] = answer()
        except FAILURES as error:
            log.warning("arm_failed", arm=name, error=str(error) or type(error).__name__)
    return answers, [name for name in arms if name not in answers]


def in_savepoint(arm: Arm) -> Any:
    """What PostgreSQL refuses would end the transaction around it, which goes on without the arm."""
    if connection.vendor == "sqlite" or not connection.in_atomic_block:
        return arm()
    with transaction.atomic():
        return arm()


def in_time(arm: Arm, deadline: float) -> Any:
    if monotonic() > deadline:
        raise TooSlow
    with interrupted_at(deadline):
        return arm()


def on_own_connection(arm: Arm) -> Any:
    close_old_connections()
    inside.arm = True
    try:
        return arm()
    finally:
        inside.arm = False
        # Back to the pool, where there is one: others wait for it, and this thread may have nothing to do for long.
        close_old_connections()


def wait_for(future: Future[Any], deadline: float) -> Any:
    return future.result(max(0.0, deadline - monotonic()))

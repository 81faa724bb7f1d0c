"""A deadline for what the database does for this thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from time import monotonic
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

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

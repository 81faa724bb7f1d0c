"""How long the database is kept busy by what is done, and how long its lock is held."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from django.db import DEFAULT_DB_ALIAS, connections

from memsite.db.sqlite.base import Cursor

Ask = Callable[..., Any]
"""Called with what executes a statement, and with what that is to be called with."""


@dataclass
class Spent:
    """Seconds that a transaction took.

    `whole`: from before it begins to after it is committed, what Python does meanwhile included. `waiting`: of that,
    waiting for its statements (the one that begins it too) and for the commit. `committed`: the commit alone.
    """

    whole: float = 0.0
    waiting: float = 0.0
    committed: float = 0.0
    transactions: int = 0


@contextmanager
def transactions_watched() -> Iterator[Spent]:
    """Of this thread's connection. Rows that are fetched after a statement has answered count as Python's."""
    connection, spent = connections[DEFAULT_DB_ALIAS], Spent()
    began: list[float] = []
    set_autocommit, commit = connection.set_autocommit, connection.commit

    def begin(autocommit: bool, *arguments: Any, **options: Any) -> None:
        if not autocommit:
            began.append(time.perf_counter())
        set_autocommit(autocommit, *arguments, **options)

    def end() -> None:
        started = time.perf_counter()
        commit()
        ended = time.perf_counter()
        spent.waiting += ended - started
        spent.committed += ended - started
        spent.whole += ended - began.pop()
        spent.transactions += 1

    def ask(execute: Callable[..., Any], *arguments: Any) -> Any:
        started = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            if began:
                spent.waiting += time.perf_counter() - started

    with (
        patch.object(connection, "set_autocommit", begin),
        patch.object(connection, "commit", end),
        statements_watched(connection, ask),
    ):
        yield spent


def statements_watched(connection: Any, ask: Ask) -> AbstractContextManager[Any]:
    """Pass each statement inside of it through `ask`.

    On SQLite at the driver: statements that Django's wrappers see go another way than a server's do
    (`memsite.db.sqlite`).
    """
    if connection.vendor != "sqlite":
        watched: AbstractContextManager[Any] = connection.execute_wrapper(ask)
        return watched
    connection.ensure_connection()
    return patch.object(connection, "connection", Driver(connection.connection, ask))


class Driver:
    """SQLite's connection, but that its statements are `ask`ed."""

    def __init__(self, connection: Any, ask: Ask) -> None:
        class Asked(Cursor):
            def execute(self, *arguments: Any) -> Any:
                return ask(super().execute, *arguments)

        self.connection, self.ask, self.factory = connection, ask, Asked

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def execute(self, *arguments: Any) -> Any:
        return self.ask(self.connection.execute, *arguments)

    def cursor(self, **_: Any) -> Any:
        return self.connection.cursor(factory=self.factory)

"""How long the database is kept busy by what is done, and how long its lock is held."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from django.db import DEFAULT_DB_ALIAS, connections


@dataclass
class Spent:
    """Seconds: `held` from before a transaction begins to after it is committed, what Python does meanwhile included;
    `asked` of that, waiting for its statements (the one that begins it too) and for the commit; `committed`, for the
    commit alone.
    """

    held: float = 0.0
    asked: float = 0.0
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
        spent.asked += ended - started
        spent.committed += ended - started
        spent.held += ended - began.pop()
        spent.transactions += 1

    def ask(execute: Callable[..., Any], *arguments: Any) -> Any:
        started = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            if began:
                spent.asked += time.perf_counter() - started

    with (
        patch.object(connection, "set_autocommit", begin),
        patch.object(connection, "commit", end),
        connection.execute_wrapper(ask),
    ):
        yield spent

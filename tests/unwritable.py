"""A database that takes no writes, as doors and jobs meet it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import InternalError, OperationalError, connection


def caused(kind: type[Exception], text: str, cause: BaseException) -> Exception:
    """As Django raises it of the driver's."""
    error = kind(text)
    error.__cause__ = cause
    return error


def of_sqlite(text: str, code: int) -> Exception:
    cause = sqlite3.OperationalError(text)
    cause.sqlite_errorcode = code
    return caused(OperationalError, text, cause)


def of_postgres(text: str, state: str, kind: type[Exception] = OperationalError) -> Exception:
    cause = Exception(text)
    cause.sqlstate = state  # type: ignore[attr-defined]  # as psycopg's have
    return caused(kind, text, cause)


def disk_full() -> Exception:
    if connection.vendor == "sqlite":
        return of_sqlite("database or disk is full", sqlite3.SQLITE_FULL)
    return of_postgres('could not extend file "base/5/1": No space left on device\nHINT:  Check free space.', "53100")


def locked() -> Exception:
    """Somebody has held what this waited for all the time."""
    if connection.vendor == "sqlite":
        return of_sqlite("database is locked", sqlite3.SQLITE_BUSY)
    return of_postgres("canceling statement due to lock timeout", "55P03")


def read_only() -> Exception:
    return of_postgres("cannot execute INSERT in a read-only transaction", "25006", InternalError)


WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


@contextmanager
def refusing(make: Callable[[], Exception] = disk_full) -> Iterator[None]:
    """Nothing is written inside: each statement that would, fails as on a full disk; what only reads is answered.

    Without the test's own transaction around it, a request that failed would leave none behind.
    """
    depth = len(connection.savepoint_ids)

    def execute(run: Any, sql: Any, *rest: Any) -> Any:
        if len(connection.savepoint_ids) == depth:
            connection.needs_rollback = False
        if str(sql).lstrip().upper().startswith(WRITES):
            raise make()
        return run(sql, *rest)

    try:
        with connection.execute_wrapper(execute):
            yield
    finally:
        connection.needs_rollback = False

"""Transactions that do not wait for the disk, for what a power cut may take back: counts, not facts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def unhurried() -> Iterator[None]:
    """A transaction, whole or not at all as every other, kept when the process dies; the disk gets it when it can.

    Inside another transaction it is a part of that one.
    """
    if connection.in_atomic_block:
        with transaction.atomic():
            yield
    elif connection.vendor == "sqlite":
        with sqlite_synchronous("NORMAL"), transaction.atomic():
            yield
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL synchronous_commit TO OFF")
            yield


@contextmanager
def sqlite_synchronous(level: str) -> Iterator[None]:
    """NORMAL waits for the disk at checkpoints of the log only. The next FULL commit takes along all before it."""
    connection.ensure_connection()
    sqlite = connection.connection
    (before,) = sqlite.execute("PRAGMA synchronous").fetchone()
    sqlite.execute(f"PRAGMA synchronous={level}")
    try:
        yield
    finally:
        if connection.connection is sqlite:
            sqlite.execute(f"PRAGMA synchronous={before}")

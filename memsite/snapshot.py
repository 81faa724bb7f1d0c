"""Reading for a while as if nobody wrote."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

# Not the usual transaction: on SQLite that one takes the write lock.
BEGIN = {"sqlite": "BEGIN DEFERRED", "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"}


@contextmanager
def snapshot() -> Iterator[None]:
    """All that is read inside is of one moment, and nobody waits for it. Nothing may be written inside.

    Keep it short: the database holds on to everything old meanwhile. Inside a transaction it is that one.
    """
    if connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")

"""A deadline for what SQLite does in this thread: nobody else could stop it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from django.db import connection

# Steps of SQLite's machine between two looks at the clock: some fractions of a millisecond.
LOOK_EVERY_STEPS = 10_000


@contextmanager
def interrupted_at(deadline: float) -> Iterator[None]:
    """A query that still runs at `deadline` (as `monotonic` counts) ends with an OperationalError. SQLite only."""
    connection.ensure_connection()
    sqlite = connection.connection
    sqlite.set_progress_handler(lambda: monotonic() > deadline, LOOK_EVERY_STEPS)
    try:
        yield
    finally:
        sqlite.set_progress_handler(None, 0)

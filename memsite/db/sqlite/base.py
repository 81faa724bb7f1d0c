"""Django's SQLite, but that a transaction which could not begin leaves nothing behind, and that nobody is passed over.

It also knows small and capital letters beyond ASCII for one: memsite/db/sqlite/base.py.

Who finds the database locked tries again after 1, 2, 5 and in the end 100 milliseconds, while those who come later try
at once: among many writers some waited for ten seconds and more. So one thread of a process waits for the lock at a
time, and the others for their turn; all of that together for as long as the connection would have waited alone, and a
request from its arrival on. Where the lock is stuck, some threads are left for others: memsite/db/sqlite/__init__.py.

SQLite waits for its lock with the connection's mutex held. A cursor that could not begin a transaction stays alive in
the traceback of the error; when Python's collector finds that in another thread, it waits for the mutex to let go of
the statement. If that other thread has the lock that the first one is waiting for by then, nobody writes until the
wait is over, and each wait that is in vain leaves the next such cursor. So the cursor is closed where it failed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection, Error, connect
from threading import Lock
from time import monotonic
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.db.backends.sqlite3 import base
from django.db.models import CharField, TextField
from django.db.models.lookups import BuiltinLookup, IContains, IEndsWith, IExact, IStartsWith

from memsite.db.sqlite import LOCKED, STUCK_SECONDS, WAITING, arrived
from memsite.ops.files import private

FOLDED = "FOLDED"


def folded(text: Any) -> Any:
    return text.casefold() if isinstance(text, str) else text


class Folding(BuiltinLookup):
    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        if not isinstance(self.rhs, str) or self.rhs.isascii():
            sql, params = self.as_sql(compiler, connection)
            return sql, list(params)
        left, params = self.process_lhs(compiler, connection)
        right, pattern = self.process_rhs(compiler, connection)
        return f"{FOLDED}({left}) {self.get_rhs_op(connection, f'{FOLDED}({right})')}", [*params, *pattern]


for field in (CharField, TextField):
    for lookup in (IContains, IEndsWith, IExact, IStartsWith):
        field.register_lookup(type(f"Folding{lookup.__name__}", (Folding, lookup), {}))


class Watch:
    def __init__(self) -> None:
        self.inherited: list[Connection | None] = []
        self.times_opened = 0
        self.forget()

    def forget(self) -> None:
        """Forget connections in a copy of a process: SQLite wants them neither used nor closed there."""
        self.lock = Lock()
        self.inherited.append(getattr(self, "connection", None))
        self.connection: Connection | None = None

    def close(self) -> None:
        """Close the shared connection; the next to ask opens another of whatever lies at the path by then."""
        with self.lock:
            self.end()

    def end(self) -> None:
        connection, self.connection = self.connection, None
        if connection:
            connection.close()

    def last_commit(self, opened: Callable[[], Connection]) -> tuple[int, int] | None:
        """Another answer after each commit; None if the database cannot be asked, or not at once."""
        with self.lock:
            try:
                if self.connection is None:
                    self.connection = opened()
                    self.times_opened += 1
                # All rows of it: a statement that is not at its end would go on seeing what it sees.
                ((number,),) = self.connection.execute("PRAGMA data_version").fetchall()
            except Error:
                self.end()
                return None
            return self.times_opened, number


watch = Watch()
os.register_at_fork(after_in_child=watch.forget)


TURN = Lock()
LATE_SECONDS = 1.0
WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class Cursor(base.SQLiteCursorWrapper):
    wrapper: DatabaseWrapper

    def execute(self, query: str, params: Any = None) -> Any:
        """Wait for the lock, if it writes outside of a transaction, as one that begins a transaction does."""
        if self.connection.in_transaction or not query.startswith(WRITES):
            return super().execute(query, params)
        with self.wrapper.turn():
            return super().execute(query, params)


class DatabaseWrapper(base.DatabaseWrapper):
    transaction_mode: str | None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if not self.is_in_memory_db():
            # SQLite itself would make one that all of the machine may read; what it makes beside it is like it.
            with suppress(OSError):
                private(Path(conn_params["database"]))
        try:
            connection = super().get_new_connection(conn_params)
        except (TypeError, ValueError) as error:
            raise ImproperlyConfigured(
                f"An option in the address of the SQLite database cannot be: {error}."
            ) from error
        connection.create_function(FOLDED, 1, folded, deterministic=True)
        # Another database may lie there by now.
        watch.close()
        return connection

    def last_commit(self) -> tuple[int, int] | None:
        """See `memsite.db.lru_cache`. None where there is no connection yet: it might be of another database."""
        if self.connection is None or self.is_in_memory_db():
            return None
        return watch.last_commit(self.watching)

    def watching(self) -> Connection:
        """Pass over who cannot read at once."""
        connection: Connection = connect(**self.get_connection_params() | {"timeout": 0, "isolation_level": None})
        return connection

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=Cursor)
        cursor.wrapper = self
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        with self.turn():
            self.begin()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the write lock inside. OperationalError where it is not to be had."""
        with WAITING.counted() as is_excess:
            if not is_excess and not self.is_late and TURN.acquire(blocking=False):
                try:
                    yield
                finally:
                    TURN.release()
            else:
                with self.turn_of_others(is_excess):
                    yield
            WAITING.moved()

    @contextmanager
    def turn_of_others(self, is_excess: bool) -> Iterator[None]:
        started, usual = monotonic(), self.busy_timeout
        if usual < 1_000 * self.longest_wait and WAITING.is_stuck:  # It only counts.
            raise OperationalError(LOCKED)
        patience = usual
        if (came := arrived.get()) is not None:
            patience = min(usual, max(0, round(1_000 * (came + self.longest_wait - monotonic()))))
        if not take_turn(patience / 1_000, is_excess):
            raise OperationalError(LOCKED)
        try:
            left = patience - round(1_000 * (monotonic() - started))
            self.busy_timeout = max(0, min(left, round(1_000 * STUCK_SECONDS)) if is_excess else left)
            yield
        finally:
            TURN.release()
            self.busy_timeout = usual

    @property
    def longest_wait(self) -> float:
        """Return seconds, from a request's arrival on where there is one."""
        return float(self.settings_dict["OPTIONS"].get("timeout", 5))

    @property
    def is_late(self) -> bool:
        """Return whether a request took a while before it writes: it may wait for less than the connection."""
        return (came := arrived.get()) is not None and monotonic() - came > LATE_SECONDS

    def begin(self) -> None:
        with self.cursor() as cursor:
            cursor.execute(f"BEGIN {self.transaction_mode or ''}".rstrip())

    @property
    def busy_timeout(self) -> int:
        """Return milliseconds."""
        (milliseconds,) = self.connection.execute("PRAGMA busy_timeout").fetchone()
        return int(milliseconds)

    @busy_timeout.setter
    def busy_timeout(self, milliseconds: int) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {milliseconds}")


def take_turn(seconds: float, is_excess: bool) -> bool:
    """Return False if it was in vain; where one waits too many, as soon as the lock is stuck."""
    if not is_excess:
        return TURN.acquire(timeout=seconds)
    if TURN.acquire(blocking=False):
        return True
    until = monotonic() + seconds
    while (wait := min(until, WAITING.stuck_at) - monotonic()) > 0:
        if TURN.acquire(timeout=wait):
            return True
    return False

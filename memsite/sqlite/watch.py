"""A connection that never writes, and is told whether any other did, whichever process it is of.

Who wrote, is not told of its own: so this is one more, which all threads of a process share. It takes 3 µs to ask.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from sqlite3 import Connection, Error
from threading import Lock


class Watch:
    def __init__(self) -> None:
        self.inherited: list[Connection | None] = []
        self.times_opened = 0
        self.forget()

    def forget(self) -> None:
        """In a copy of a process: SQLite wants its connections neither used nor closed there."""
        self.lock = Lock()
        self.inherited.append(getattr(self, "connection", None))
        self.connection: Connection | None = None

    def close(self) -> None:
        """The next one to ask opens another, of whatever lies at the database's path by then."""
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

"""Which rows were met: on disk, so that there may be any number of them."""

from __future__ import annotations

import sqlite3
from types import TracebackType
from typing import Self


class Seen:
    """Names of rows by table. Its file has no name and is gone with it."""

    def __init__(self) -> None:
        self.database = sqlite3.connect("", isolation_level=None)
        self.database.execute("PRAGMA journal_mode=OFF")
        self.database.execute("CREATE TABLE seen (place TEXT, name, PRIMARY KEY (place, name)) WITHOUT ROWID")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.database.close()

    def add(self, table: str, name: str | bytes) -> bool:
        """Whether it is new."""
        return self.database.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (table, name)).rowcount == 1

    def has(self, table: str, name: str | bytes) -> bool:
        found = self.database.execute("SELECT 1 FROM seen WHERE place = ? AND name = ?", (table, name))
        return found.fetchone() is not None

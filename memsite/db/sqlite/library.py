"""Which SQLite library this Python has, and what is worth knowing of it: docs/adr/0034."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from django.db import connection


def library_note() -> str:
    """A line on the WAL-reset bug (https://sqlite.org/wal.html#walresetbug) where this library has it, else ""."""
    if connection.vendor != "sqlite" or not has_wal_reset_bug(sqlite3.sqlite_version_info):
        return ""
    return (
        f"This Python brings SQLite {sqlite3.sqlite_version}, which has a very rare bug (WAL reset: two programs that "
        "write at the same instant). Nothing has to be done today; a Python with SQLite 3.51.3 or newer, or "
        "PostgreSQL, is without it, and nightly backups are checked."
    )


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Every version with a WAL up to 3.51.2, but for those of older lines that were mended, too."""
    mended = (3, 44, 6) <= version < (3, 45) or (3, 50, 7) <= version < (3, 51)
    return (3, 7) <= version < (3, 51, 3) and not mended


def index_folder() -> Path | None:
    """Where processes keep the indexes of large apps. None for PostgreSQL, and for a database in memory."""
    if connection.vendor != "sqlite" or connection.is_in_memory_db():  # type: ignore[attr-defined]  # SQLite's own
        return None
    return indexes_of(Path(str(connection.settings_dict["NAME"])))


def indexes_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-indexes")

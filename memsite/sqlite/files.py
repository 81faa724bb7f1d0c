"""What lies beside an SQLite database, and is of it alone."""

from __future__ import annotations

from pathlib import Path

from django.db import connection


def index_folder() -> Path | None:
    """Where processes keep the indexes of large apps. None for PostgreSQL, and for a database in memory."""
    if connection.vendor != "sqlite" or connection.is_in_memory_db():  # type: ignore[attr-defined]  # SQLite's own
        return None
    return indexes_of(Path(str(connection.settings_dict["NAME"])))


def indexes_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-indexes")

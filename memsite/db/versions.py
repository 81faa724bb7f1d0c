"""How a database stands to this code and to its library: migrations, SQLite's version, and its index files.

A new SQLite database is made from `sqlite/tables.sql`, what all migrations make together: they take five seconds.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from django.core.management.sql import emit_post_migrate_signal
from django.db import connection, migrations, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from memsite.config.conf import get_conf

TABLES = Path(__file__).with_name("sqlite") / "tables.sql"
STATEMENTS = """
SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'view' THEN 2 WHEN 'index' THEN 3 ELSE 4 END, name
"""
"""What a full-text table makes for itself is left out."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a database stands to this code; migrations as "app.name".

    `unknown` were applied and are not of this code: of a newer version, or from before 0.1.0. `is_older`: there are
    some to apply yet.
    """

    unknown: list[str]
    is_older: bool


class TablesTogether(migrations.Migration):
    """A migration that begins with tables, whose models are rendered together: a third of a first start less.

    Django renders a model anew with all that are related to it, which here is nearly every one.
    """

    def apply(self, project_state: Any, schema_editor: Any, collect_sql: bool = False) -> Any:
        whole = self.operations
        tables = [] if collect_sql else list(takewhile(lambda step: isinstance(step, migrations.CreateModel), whole))
        before = project_state.clone()
        # Without rendered models, a step adds to what is to be rendered, and renders nothing.
        vars(project_state).pop("apps", None)
        for step in tables:
            step.state_forwards(self.app_label, project_state)
        for step in tables:
            step.database_forwards(self.app_label, schema_editor, before, project_state)
        try:
            self.operations = whole[len(tables) :]  # type: ignore[misc]  # Django gives each migration its own
            return super().apply(project_state, schema_editor, collect_sql)
        finally:
            self.operations = whole  # type: ignore[misc]


def standing(applied: Collection[tuple[str, str]]) -> Standing:
    """Compare applied migrations, as (app, name), with those of this code."""
    here = (MigrationLoader(None).disk_migrations or {}).keys()
    return Standing(
        unknown=sorted(f"{app}.{name}" for app, name in set(applied) - here), is_older=not here <= set(applied)
    )


def tables_script() -> str:
    """Return what makes the tables of this SQLite database, behind a line that names its migrations by a digest."""
    with connection.cursor() as cursor:
        cursor.execute(STATEMENTS)
        statements = [row[0] for row in cursor]
    return "\n".join([f"-- {migrations_digest(MigrationRecorder(connection).applied_migrations())}", *statements, ""])


def migrations_digest(names: Collection[tuple[str, str]]) -> str:
    return hashlib.sha256(repr(sorted(names)).encode()).hexdigest()


def make_tables(here: Collection[tuple[str, str]]) -> bool:
    """Make the tables of a new SQLite database as the migrations `here` would, all or none.

    Return False where `tables.sql` is of other migrations: a package brings newer ones.
    """
    first_line, script = TABLES.read_text(encoding="utf-8").split("\n", 1)
    if connection.vendor != "sqlite" or first_line != f"-- {migrations_digest(here)}":
        return False
    with transaction.atomic(), connection.cursor() as cursor:
        statement = ""
        for line in script.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                cursor.execute(statement)
                statement = ""
        MigrationRecorder.Migration.objects.bulk_create(
            MigrationRecorder.Migration(app=app, name=name) for app, name in sorted(here)
        )
        emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)
    return True


def is_migrated() -> bool:
    return not standing(MigrationRecorder(connection).applied_migrations()).is_older


def library_note() -> str:
    """Return a line on the WAL-reset bug (https://sqlite.org/wal.html#walresetbug) if this library has it, else ""."""
    if connection.vendor != "sqlite" or not has_wal_reset_bug(sqlite3.sqlite_version_info):
        return ""
    return (
        f"This Python brings SQLite {sqlite3.sqlite_version}, which has a very rare bug (WAL reset: two programs that "
        "write at the same instant). Nothing has to be done today; a Python with SQLite 3.51.3 or newer, or "
        "PostgreSQL, is without it, and nightly backups are checked."
    )


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Return whether it has a WAL and is below 3.51.3, but for older lines that were mended, too."""
    mended = (3, 44, 6) <= version < (3, 45) or (3, 50, 7) <= version < (3, 51)
    return (3, 7) <= version < (3, 51, 3) and not mended


def index_folder() -> Path | None:
    """Return the folder with the indexes of large apps, on PostgreSQL this host's. None for a database in memory."""
    if connection.vendor != "sqlite":
        return get_conf().data_dir / "indexes"
    if connection.is_in_memory_db():  # type: ignore[attr-defined]  # SQLite's own
        return None
    return indexes_of(Path(str(connection.settings_dict["NAME"])))


def indexes_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-indexes")

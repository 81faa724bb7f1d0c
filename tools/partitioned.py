"""The tables of memories and vectors, split by hash of their app: for tests of what would be if they were.

    TEST_PARTITIONS=16 .venv/bin/python -m tools.postgres .venv/bin/python -m pytest -n 3 -m "not browser and not long"

Django cannot express it, and no migration does it. A key of a split table names its app, so references to memories go
(the triggers that keep rows within an app stay), and what writes over a vector finds it by its app (tests/conftest.py).
"""

from __future__ import annotations

import re
from typing import Any

TABLES = ("memories_memory", "memories_vector")
LIKE = "INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE INCLUDING IDENTITY INCLUDING CONSTRAINTS"
REFERENCES = """
SELECT conrelid::regclass::text, conname, confrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND (confrelid = to_regclass(%s) OR conrelid = to_regclass(%s))
"""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = %s"
TRIGGERS = "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = to_regclass(%s) AND NOT tgisinternal"
SEQUENCE = "SELECT pg_get_serial_sequence(%s, 'id')"


def split_by_app(cursor: Any, parts: int) -> None:
    """Replace the tables, which are empty, by partitioned ones with the same indexes, checks and triggers."""
    for table in TABLES:
        split(cursor, table, parts)


def split(cursor: Any, table: str, parts: int) -> None:
    references = ask(cursor, REFERENCES, table, table)
    indexes = [with_app(definition) for (definition,) in ask(cursor, INDEXES, table)]
    triggers = [definition for (definition,) in ask(cursor, TRIGGERS, table)]
    for owner, name, _, _ in references:
        cursor.execute(f"ALTER TABLE {owner} DROP CONSTRAINT {name}")
    cursor.execute(f"ALTER TABLE {table} RENAME TO {table}_whole")
    cursor.execute(f"CREATE TABLE {table} (LIKE {table}_whole {LIKE}) PARTITION BY HASH (app_id)")
    cursor.execute(f"DROP TABLE {table}_whole CASCADE")
    for number in range(parts):
        values = f"FOR VALUES WITH (MODULUS {parts}, REMAINDER {number})"
        cursor.execute(f"CREATE TABLE {table}_{number} PARTITION OF {table} {values}")
    for definition in [*indexes, *triggers]:
        cursor.execute(definition)
    for owner, name, target, definition in references:
        # A reference to it would have to name the app.
        if target != table and owner == table:
            cursor.execute(f"ALTER TABLE {owner} ADD CONSTRAINT {name} {definition}")


def ask(cursor: Any, sql: str, *parameters: str) -> list[tuple[str, ...]]:
    cursor.execute(sql, parameters)
    rows: list[tuple[str, ...]] = cursor.fetchall()
    return rows


def with_app(definition: str) -> str:
    """Return the index, which names the app if it is unique."""
    if "UNIQUE" in definition and not re.search(r"\bapp_id\b", definition):
        return definition.replace("USING btree (", "USING btree (app_id, ")
    return definition

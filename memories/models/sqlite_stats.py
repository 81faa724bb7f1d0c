"""What SQLite is told of how its tables are filled, from which it chooses between their indexes.

Told nothing, it takes an app for as small as a memory's history, and reads all of the app's revisions for those of one
memory. Told what is in the tables by its own ANALYZE, it chooses otherwise from month to month, and takes what changed
since a moment ago for a quarter of the app. So it is told the same everywhere and from the first minute on: what a site
of some large apps looks like, where choosing matters. PostgreSQL looks itself, and knows the ends of a range, too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from django.apps import apps
from django.db import connection, transaction

APPS = ("agent_sessions", "memories")

ROWS = 10_000_000
"""Of each table, in an index of all of them."""
PART = 10
"""In an index of some of them there are so many times as few."""
MOST, A_FIFTH = 8_000_000, 2_000_000
ALIKE = {
    **dict.fromkeys(("status", "kind", "category", "visibility", "model", "importance"), MOST),
    **dict.fromkeys(("decision", "what", "operation"), MOST),
    "subject": A_FIFTH,
    "user_id": A_FIFTH,
    "confidence": 100_000,
    "app_id": 100_000,
    "agent_id": 80_000,
    "day": 10_000,
    "judged_at": 10_000,
    "webhook_id": 1_000,
    "entity_id": 100,
    "of_id": 100,
    "session_id": 20,
    "summary_id": 10,
    "confirmed_at": 10,
    "trigger_id": 5,
    "memory_id": 3,
    "from_memory_id": 3,
    "to_memory_id": 3,
    "resource_id": 2,
}
"""So many rows of a table have the same in a column, whatever else they have; in any other column, one alone. Where
many have none, or most the same, it tells nothing: to choose it would save little, and cost another index's order."""
OTHERWISE = {"extraction_due": (200_000, 1), "memory_lesson": (1_000, 800, 1), "session_active": (1_000, 1)}
"""Of indexes of what few rows are: of the first, in an app it may be most of them; of the others, it is few in any."""
INDEXES = """
SELECT m.name, i.name, (SELECT json_group_array(c.name) FROM pragma_index_info(i.name) AS c), i."unique", i.partial
FROM sqlite_schema AS m JOIN pragma_index_list(m.tbl_name) AS i WHERE m.type = 'table' AND m.name IN ({})
ORDER BY 1, 2
"""
HEED = "ANALYZE sqlite_schema"
TOLD = "SELECT tbl, idx, stat FROM sqlite_stat1 WHERE tbl IN ({}) ORDER BY 1, 2"
FORGET = "DELETE FROM sqlite_stat1 WHERE tbl IN ({})"


def write_statistics(**_: Any) -> None:
    """Write after each migration, and where statistics would be taken anew. Connections read them when opened."""
    if connection.vendor != "sqlite":
        return
    ours = [model._meta.db_table for label in APPS for model in apps.get_app_config(label).get_models()]
    places = ", ".join(["%s"] * len(ours))
    with transaction.atomic(), connection.cursor() as cursor:
        # Makes the table of what is told, where there is none; after it, what is in there counts for this connection.
        cursor.execute(HEED)
        cursor.execute(INDEXES.format(places), ours)
        wanted = [(table, name, estimate(name, json.loads(columns), *kind)) for table, name, columns, *kind in cursor]
        cursor.execute(TOLD.format(places), ours)
        if cursor.fetchall() == wanted:
            return
        cursor.execute(FORGET.format(places), ours)
        cursor.executemany("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (%s, %s, %s)", wanted)
        cursor.execute(HEED)


def estimate(name: str, columns: Sequence[str], is_unique: bool, is_partial: bool) -> str:
    """Return rows in the index, then how many share the first column, the first two, …: as in `sqlite_stat1`.

    No skip scan: of what one app's rows share it would try every app.
    """
    rows = ROWS // PART if is_partial else ROWS
    alike = list(accumulate(columns, lambda some, column: max(1, some * ALIKE.get(column, 1) // ROWS), initial=rows))
    if is_unique:
        alike[-1] = 1
    return " ".join(map(str, [rows, *OTHERWISE.get(name, alike[1:])])) + " noskipscan"

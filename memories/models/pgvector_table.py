"""Vectors for pgvector, in a table that no model names: there on PostgreSQL with the extension, and nowhere else.

A row is a vector of `memories_vector` in half precision. It is there for apps whose searches ask pgvector
(`memories.maintain.pgvector` decides), and goes with what it was made of: the database sees to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np
from django.db import connection, transaction

from memories.models.vector import FLOAT_BYTES, Vector, by_number
from memories.providers.embeddings import Vectors
from memsite.config.conf import get_conf
from memsite.db.postgres.session import waiting_without_end
from memsite.tenancy import row_level_security
from memsite.tenancy.models import App

TABLE, GONE = "memories_near", "memories_near_gone"
LEAST_VERSION = (0, 8)
"""Of the extension: before it an index could not be asked for more than it found at first."""
MOST_DIMENSIONS = 4_000
"""That its indexes take."""
WEIGHED = 200
"""Among so many neighbours those are looked for that a new vector is linked to (`ef_construction`). With pgvector's
own 64 an index is made in half of the time, and finds less: docs/adr/0020."""
MAKE_EXTENSION = """
DO $$ BEGIN CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR unique_violation THEN NULL; END $$
"""
MAKE_TABLE = f"""
CREATE TABLE {TABLE} (
    memory_id bigint NOT NULL, model varchar(120) NOT NULL, app_id bigint NOT NULL, near halfvec NOT NULL,
    PRIMARY KEY (memory_id, model)
);
CREATE INDEX {TABLE}_app ON {TABLE} (app_id, model, memory_id);
CREATE OR REPLACE FUNCTION {GONE}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN DELETE FROM public.{TABLE} WHERE memory_id = OLD.memory_id AND model = OLD.model; RETURN NULL; END $$;
CREATE OR REPLACE TRIGGER {GONE} AFTER DELETE ON memories_vector FOR EACH ROW EXECUTE FUNCTION {GONE}()
"""  # noqa: S608
# Asked for a range of one app and for an order, PostgreSQL looks into the index of apps, and does not read the table.
FIRST = f"SELECT near FROM {TABLE} WHERE app_id BETWEEN %s AND %s AND model = %s ORDER BY app_id, memory_id LIMIT 1"  # noqa: S608
# In the place of what is there: a vector may have been made anew. An index takes those of one length: what is made by a
# model that has taken the place of another one, under its name, is copied when all is made anew.
PUT = f"""
INSERT INTO {TABLE} (memory_id, model, app_id, near) SELECT id, %s, %s, told::halfvec
FROM unnest(%s::bigint[], %s::text[]) AS given (id, told)
WHERE vector_dims(told::halfvec) = coalesce(vector_dims(({FIRST})), %s)
ON CONFLICT (memory_id, model) DO UPDATE SET near = EXCLUDED.near
"""  # noqa: S608
# Who deletes one of them waits until its copy is there, and so deletes that, too. That the copies are behind the same
# number as well is said, because PostgreSQL does not see it: it read all that were there before each batch.
MISSING = f"""
SELECT memory_id, data FROM memories_vector AS v WHERE app_id = %s AND model = %s AND memory_id > %s
AND dim = %s AND NOT EXISTS
(SELECT 1 FROM {TABLE} AS n WHERE n.memory_id = v.memory_id AND n.model = v.model AND n.memory_id > %s)
ORDER BY memory_id LIMIT %s
FOR KEY SHARE OF v
"""  # noqa: S608
WHOLE = """
SELECT indisvalid AND pg_get_indexdef(indexrelid) LIKE %s FROM pg_index WHERE indexrelid = to_regclass(%s)
"""
DROP_SOME = f"""
DELETE FROM {TABLE} WHERE (memory_id, model) IN
(SELECT memory_id, model FROM {TABLE} WHERE app_id = %s AND model <> %s LIMIT %s)
"""  # noqa: S608


def build(**_: Any) -> None:
    """Make the table after each migration, where there can be one. What was in a gone one serves no app any more."""
    if connection.vendor != "postgresql" or is_there():
        return
    with connection.cursor() as cursor:
        if get_conf().pgvector_from:
            cursor.execute(MAKE_EXTENSION)
        if version() < LEAST_VERSION:
            return
        # Not where migrations have stopped halfway.
        known = connection.introspection
        if not {"memories_vector", "tenancy_app"} <= set(known.table_names(cursor)):
            return
        if all(column.name != "near_model" for column in known.get_table_description(cursor, "tenancy_app")):
            return
        with transaction.atomic():
            cursor.execute(MAKE_TABLE)
            App.objects.exclude(near_model="").update(near_model="")
    row_level_security.build()


def version() -> tuple[int, ...]:
    """Return the version of the extension; (0,) where there is none."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        row = cursor.fetchone()
    return tuple(map(int, row[0].split("."))) if row else (0,)


def is_there() -> bool:
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [TABLE])
        return bool(cursor.fetchone()[0])


def written(vector: Vectors) -> str:
    """Return a vector as pgvector reads it, in half precision."""
    return str(vector.astype(np.float16).tolist())


def put(app: App, rows: Sequence[Vector]) -> None:
    """Store vectors of one model and length for pgvector too, but for those of another length or unreadable ones.

    One statement.
    """
    pks, vectors = by_number(((row.memory_id, row.data) for row in rows), rows[0].dim if rows else 1)
    if not pks:
        return
    texts, model, dim = list(map(written, vectors)), rows[0].model, rows[0].dim
    with connection.cursor() as cursor:
        cursor.execute(PUT, [model, app.pk, pks, texts, app.pk, app.pk, model, dim])


def fill(app: App, model: str, dim: int, after: int, most: int) -> list[int]:
    """Add up to so many that are missing behind this pk; return their pks, also of unreadable ones.

    Two statements.
    """
    with connection.cursor() as cursor:
        cursor.execute(MISSING, [app.pk, model, after, dim, after, most])
        rows = [Vector(app=app, memory_id=pk, model=model, dim=dim, data=data) for pk, data in cursor.fetchall()]
    put(app, rows)
    return [row.memory_id for row in rows]


def is_copy(sent: Any, data: Any) -> bool:
    """Return whether a copy, as PostgreSQL sends it (`halfvec_send`), is of this stored vector."""
    if sent is None or len(data) % FLOAT_BYTES:
        return False
    # Two numbers of two bytes come first: its length, and one that says nothing.
    return np.array_equal(np.frombuffer(sent, ">f2", offset=4), np.frombuffer(data, "<f4").astype(np.float16))


def drop_copies(pks: Sequence[int]) -> None:
    """Delete those of these memories, whichever app they are told to be of."""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {TABLE} WHERE memory_id = ANY(%s)", [list(pks)])  # noqa: S608


def drop_others(app: App, model: str, most: int) -> int:
    """Delete up to so many rows of other models than this one; answers how many."""
    with connection.cursor() as cursor:
        cursor.execute(DROP_SOME, [app.pk, model, most])
        return int(cursor.rowcount)


# --- an index of its own for each app and model: it holds nobody else's, so that nothing else has to be passed over


def index_name(app_pk: int, model: str) -> str:
    return f"{TABLE}_{app_pk}_{crc32(model.encode()):08x}"


def halfvec_of(dim: int) -> str:
    """Return the expression that the index is over. The table takes vectors of any length, an index those of one."""
    return f"near::halfvec({int(dim)})"


def has_index(app_pk: int, model: str) -> bool:
    """Return whether the app has a whole one of this model."""
    with connection.cursor() as cursor:
        return bool(first_value(cursor, WHOLE, ["%halfvec(%", index_name(app_pk, model)]))


class BeingMade(Exception):
    """Somebody else is making the index: there will be one, and not yet."""


def make_index(app: App, model: str, dim: int) -> None:
    """Make an index if there is no whole one. Raises BeingMade. Searches and writes go on meanwhile.

    Takes minutes. How many depends on `maintenance_work_mem`, into which the index should fit.
    """
    name = index_name(app.pk, model)
    with row_level_security.site_wide(), connection.cursor() as cursor:
        ask = partial(first_value, cursor)
        if not ask("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name]):
            raise BeingMade
        try:
            if ask(WHOLE, [f"%halfvec({int(dim)})%", name]):
                return
            # What was broken off, or is of vectors of another length, is of no use.
            at_once = "" if connection.in_atomic_block else "CONCURRENTLY"
            with waiting_without_end():
                cursor.execute(f"DROP INDEX {at_once} IF EXISTS {name}")
                cursor.execute(
                    f"CREATE INDEX {at_once} {name} ON {TABLE} USING hnsw (({halfvec_of(dim)}) halfvec_cosine_ops) "
                    f"WITH (ef_construction = {WEIGHED}) WHERE app_id = %s AND model = %s",
                    [app.pk, model],
                )
        finally:
            if not connection.needs_rollback:
                ask("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])


def first_value(cursor: Any, sql: str, parameters: Sequence[Any]) -> Any:
    """Return the first value of the first row."""
    cursor.execute(sql, parameters)
    row = cursor.fetchone()
    return row[0] if row else None


def drop_indexes(app: App, but: str) -> None:
    """Drop all of the app's indexes but that of one model."""
    at_once = "" if connection.in_atomic_block else "CONCURRENTLY"
    with row_level_security.site_wide(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE tablename = %s AND indexname LIKE %s AND indexname <> %s",
            [TABLE, f"{TABLE}\\_{app.pk}\\_%", index_name(app.pk, but)],
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP INDEX {at_once} IF EXISTS {name}")

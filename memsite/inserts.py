"""New rows, stored by SQL that is written once: the ORM takes longer to write it than SQLite to do what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from django.db import connection, models

# More of them pay for the ORM, which knows how many a statement takes.
FEW = 16


def insert_all(rows: Sequence[models.Model], *, over: tuple[str, ...] = ()) -> None:
    """Stores rows of one model, and gives them their numbers, as `bulk_create` does. Call in a transaction.

    One that is equal in the fields `over` to one that is there is written in its place. Measured: 0.4 instead of 1.1 ms
    for a memory.
    """
    if not rows:
        return
    model = type(rows[0])
    if len(rows) > FEW:
        changed = [field.name for field in columns_of(model) if field.name not in over]
        conflicts: dict[str, Any] = {"unique_fields": over, "update_fields": changed, "update_conflicts": True}
        model._default_manager.bulk_create(rows, **(conflicts if over else {}))
        return
    with connection.cursor() as cursor:
        cursor.execute(statement(model, len(rows), over), [*chain.from_iterable(map(values_of, rows))])
        for row, (pk,) in zip(rows, cursor.fetchall(), strict=True):
            row.pk, row._state.adding, row._state.db = pk, False, connection.alias


def values_of(row: models.Model) -> Iterator[Any]:
    """As the database's driver takes them."""
    return (field.get_db_prep_save(getattr(row, field.attname), connection) for field in columns_of(type(row)))


@cache
def columns_of(model: type[models.Model]) -> tuple[models.Field[Any, Any], ...]:
    """All but the number, which the database gives."""
    return tuple(field for field in model._meta.concrete_fields if not field.primary_key)


@cache
def statement(model: type[models.Model], rows: int, over: tuple[str, ...]) -> str:
    columns = columns_of(model)
    same = [quoted(field) for field in columns if field.name in over]
    changed = [f"{quoted(field)} = EXCLUDED.{quoted(field)}" for field in columns if field.name not in over]
    values = ", ".join([f"({', '.join(['%s'] * len(columns))})"] * rows)
    into = f"INSERT INTO {model._meta.db_table} ({', '.join(map(quoted, columns))}) VALUES {values}"  # noqa: S608  # our own
    instead = f" ON CONFLICT ({', '.join(same)}) DO UPDATE SET {', '.join(changed)}" if over else ""
    return f"{into}{instead} RETURNING {quoted(model._meta.pk)}"


def quoted(field: models.Field[Any, Any] | None) -> str:
    assert field is not None
    assert field.column is not None
    return connection.ops.quote_name(field.column)

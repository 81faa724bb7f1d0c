"""New rows, stored by SQL that is written once: the ORM takes longer to write it than SQLite to do what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections, models

from memsite.db.prepared import fetch_all

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
    # As the database's driver takes them, one row after the other.
    # The connection itself: what Django hands out looks for it each time that a field asks it something.
    wrapper, columns = connections[DEFAULT_DB_ALIAS], columns_of(type(rows[0]))
    stored = fetch_all(
        statement(model, len(rows), over),
        [
            None if (value := getattr(row, field.attname)) is None else field.get_db_prep_save(value, wrapper)
            for row in rows
            for field in columns
        ],
    )
    for row, (pk,) in zip(rows, stored, strict=True):
        row.pk, row._state.adding, row._state.db = pk, False, connection.alias


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


Item = TypeVar("Item")


def portions(items: Iterable[Item], most: int, most_size: int, size_of: Callable[[Item], int]) -> Iterator[list[Item]]:
    """In their order: at most so many, which together have at most that size. One alone may have more."""
    portion, size = list[Item](), 0
    for item in items:
        length = size_of(item)
        if portion and (len(portion) == most or size + length > most_size):
            yield portion
            portion, size = [], 0
        portion.append(item)
        size += length
    if portion:
        yield portion

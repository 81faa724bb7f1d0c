"""What was written to the source while it was copied, and how it gets to the copy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from django.db import connection, connections
from django.db.models import Model

from memsite.moving.rows import BATCH, compare, store_all
from memsite.moving.source import SOURCE, connect

Row = tuple[Any, ...]
Changes = Mapping[type[Model], Sequence[Any]]
"""By table, the keys of the rows that were added, changed or deleted; none of a table where none was."""


def changes(models: Sequence[type[Model]]) -> Changes:
    """Since the transaction began in which the source is read now. All rows are read, which is quick: as they lie."""
    before = connections[SOURCE].connection
    with closing(connect("ro")) as now:
        found = {model: differing(rows_of(model, before), rows_of(model, now)) for model in models}
        return {model: keys for model, each in found.items() if (keys := [*each])}


def rows_of(model: type[Model], source: sqlite3.Connection) -> Iterator[Row]:
    """Key first, in its order; values as SQLite has them, which the sign before a column's name sees to."""
    key, *others = (f'"{field.column}"' for field in (model._meta.pk, *model._meta.concrete_fields))
    values = ", ".join(f"+{name}" for name in (key, *others))
    return source.execute(f'SELECT {values} FROM "{model._meta.db_table}" ORDER BY {key}')  # noqa: S608  # our own names


def differing(olds: Iterator[Row], news: Iterator[Row]) -> Iterator[Any]:
    """The keys of rows that are not the same in both, or only in one. Both are in order."""
    old, new = next(olds, None), next(news, None)
    while old or new:
        if new is None or (old and old[0] < new[0]):
            assert old
            yield old[0]
            old = next(olds, None)
        elif old is None or new[0] < old[0]:
            yield new[0]
            new = next(news, None)
        else:
            if old != new:
                yield old[0]
            old, new = next(olds, None), next(news, None)


def replace(since: Changes) -> Iterator[tuple[type[Model], int, set[Any]]]:
    """Each table with how many rows it has in the end, and the keys of those of the changed ones that were mended.

    All of these are deleted before one is written: a value that has to be unique may have changed places.
    """
    for model, keys in since.items():
        for some in parts(keys):
            model._base_manager.filter(pk__in=some)._raw_delete(connection.alias)
    for model, keys in since.items():
        source, mended = model._base_manager.using(SOURCE), set[Any]()
        for some in parts(keys):
            mended |= store_all(model, source.filter(pk__in=some))[1]
            compare(model, some)
        yield model, source.count(), mended


def parts(keys: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(keys), BATCH):
        yield keys[start : start + BATCH]

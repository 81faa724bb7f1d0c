"""A whole database moved into PostgreSQL: all tables in one transaction, and compared row by row before it is kept.

Its server may go on meanwhile. All is copied as it was at one moment; then the source is held, so that nobody writes to
it, and what was written since comes along. Nothing of it can get lost, and the source itself is not changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.color import no_style
from django.db import connection, connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from memsite.config.conf import MANAGE
from memsite.db.transactions import Unsure, in_batches
from memsite.ops.moving.row_copies import (
    BATCH,
    SOURCE,
    CannotMove,
    Tell,
    compare,
    connect,
    copy,
    lock_source,
    opened,
    store_all,
    tables,
)
from memsite.tenancy.models import App

Row = tuple[Any, ...]
Changes = Mapping[type[Model], Sequence[Any]]
"""By table, the keys of the rows that were added, changed or deleted; none of a table where none was."""


def changes(models: Sequence[type[Model]]) -> Changes:
    """Return changes since the source's transaction began. All rows are read, which is quick: as they lie."""
    before = connections[SOURCE].connection
    with closing(connect("ro")) as now:
        differences = {model: differing(rows_of(model, before), rows_of(model, now)) for model in models}
        return {model: keys for model, each in differences.items() if (keys := [*each])}


def rows_of(model: type[Model], source: sqlite3.Connection) -> Iterator[Row]:
    """Yield rows in order of their key, which comes first; values as SQLite has them, by the sign before a column."""
    key, *others = (f'"{field.column}"' for field in (model._meta.pk, *model._meta.concrete_fields))
    values = ", ".join(f"+{name}" for name in (key, *others))
    return source.execute(f'SELECT {values} FROM "{model._meta.db_table}" ORDER BY {key}')  # noqa: S608  # our own names


def differing(olds: Iterator[Row], news: Iterator[Row]) -> Iterator[Any]:
    """Yield the keys of rows that are not the same in both, or only in one. Both are in order."""
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
    """Yield each table with its number of rows in the end, and the keys of the changed ones that were mended.

    All of these are deleted before one is written: a value that has to be unique may have changed places.
    """
    for model, keys in since.items():
        for some in in_batches(keys, BATCH):
            model._base_manager.filter(pk__in=some)._raw_delete(connection.alias)
    for model, keys in since.items():
        source, mended = model._base_manager.using(SOURCE), set[Any]()
        for some in in_batches(keys, BATCH):
            mended |= store_all(model, source.filter(pk__in=some))[1]
            compare(model, some)
        yield model, source.count(), mended


__all__ = ["CannotMove", "Moved", "moved"]


@dataclass(slots=True)
class Moved:
    """By table.

    How many `rows`; how many were written `meanwhile`, or deleted; and the keys of those that were `mended`, as
    they held a character that PostgreSQL has no place for.
    """

    rows: dict[str, int] = field(default_factory=dict)
    meanwhile: dict[str, int] = field(default_factory=dict)
    mended: dict[str, set[Any]] = field(default_factory=dict)


@contextmanager
def moved(url: str, tell: Tell) -> Iterator[Moved]:
    """Move all of the SQLite database of `url` into this site's. Raises CannotMove, and Unsure.

    All is kept when the block begins; until it ends, nobody can write to the source.
    """
    if connection.vendor != "postgresql":
        raise CannotMove("Set MEMSITE_DATABASE_URL to the PostgreSQL database that all is to be moved into.")
    with opened(url), ExitStack() as until_the_end:
        check_versions()
        check_empty()
        is_whole = False
        try:
            with transaction.atomic():
                result = move_all(tables(), tell, until_the_end)
                is_whole = True
        except KeyboardInterrupt as error:
            if is_whole:
                raise Unsure("interrupted") from error
            raise
        yield result


def move_all(models: Sequence[type[Model]], tell: Tell, until_the_end: ExitStack) -> Moved:
    """Move rows, which refer to each other in any order: what the database refuses is looked at behind them.

    That takes its time, and so it is done before the source is held, too.
    """
    result = Moved()
    with triggers_off(models):
        # Nobody else writes there from now on.
        check_empty()
        with transaction.atomic(using=SOURCE):
            copy_all(models, result, tell)
            tell("what rows refer to is looked up")
            check_constraints()
            with connection.cursor() as cursor:
                # PostgreSQL looks for itself what is in its tables, but a minute later: until then it plans as for
                # empty ones.
                for model in models:
                    cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")
            until_the_end.enter_context(lock_source())
            tell("nobody can write to the source from now on")
            since = changes(models)
        with transaction.atomic(using=SOURCE):
            # The source as it is. A migration is no row that is moved: who ran one meanwhile is told as at the
            # beginning.
            check_versions()
            for model, count, mended in replace(since):
                table, keys = model._meta.db_table, since[model]
                result.rows[table], result.meanwhile[table] = count, len(keys)
                result.mended[table] = result.mended[table].difference(keys) | mended
                tell(f"{table}: {len(keys):,} written meanwhile, and compared")
        check_constraints()
    go_on_counting(models)
    return result


def check_versions() -> None:
    here, there = (set(MigrationRecorder(connections[name]).applied_migrations()) for name in ("default", SOURCE))
    if not there:
        raise CannotMove("The source is empty, or not of Memsite.")
    if here != there:
        raise CannotMove(f"The two are of different versions: run `{MANAGE} migrate` on both, then try again.")


def check_empty() -> None:
    if App.objects.exists() or get_user_model().objects.exists():
        raise CannotMove("There is something in the database already: move into an empty one.")


def copy_all(models: Sequence[type[Model]], result: Moved, tell: Tell) -> None:
    """Copy the source as it was at one moment, which holds nobody up."""
    for model in models:
        # What migrations put there: names of tables and rights.
        model._base_manager.all()._raw_delete(connection.alias)
    for model in models:
        table = model._meta.db_table
        result.rows[table], result.mended[table] = copy(model, tell)
    for model in models:
        compare(model)
        if count := result.rows[model._meta.db_table]:
            tell(f"{model._meta.db_table}: {count:,} compared")


def check_constraints() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def go_on_counting(models: Sequence[type[Model]]) -> None:
    """Give new rows no number that a deleted one has had: webhooks know by it how far they have come."""
    with connections[SOURCE].cursor() as cursor:
        cursor.execute("SELECT name, seq FROM sqlite_sequence")
        last: dict[str, int] = dict(cursor.fetchall())
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(models)):
            cursor.execute(statement)
        for meta in (model._meta for model in models):
            if number := last.get(meta.db_table):
                table = connection.ops.quote_name(meta.db_table)
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, %s), %s)", [table, meta.pk.column, number])


@contextmanager
def triggers_off(models: Sequence[type[Model]]) -> Iterator[None]:
    """Switch triggers off: what they refuse was refused in the source. Nobody else sees the tables without."""
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f"ALTER TABLE {connection.ops.quote_name(model._meta.db_table)} DISABLE TRIGGER USER")
        yield
        for model in models:
            cursor.execute(f"ALTER TABLE {connection.ops.quote_name(model._meta.db_table)} ENABLE TRIGGER USER")

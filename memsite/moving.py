"""A whole database moved into PostgreSQL: all tables in one transaction, and compared row by row before it is kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, cast

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured
from django.core.management.color import no_style
from django.db import DatabaseError, DataError, connection, connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model, QuerySet

from memsite.conf import get_conf
from memsite.json_numbers import settled
from memsite.postgres import INSTEAD, NUL
from memsite.settings import database
from memsite.tenancy.models import App

SOURCE = "source"
BATCH = 1_000
HINTS = (
    # part of SQLite's message, what to do
    ("not a database", "Is it the right file?"),
    ("malformed", "It is damaged: move a backup of it."),
    ("unable to open", "SQLite keeps a log beside it: is its folder writable for this user?"),
    ("is locked", "Another program is writing to it: stop that one, or try again in a moment."),
)

Tell = Callable[[str], None]
"""Hears how far it is."""


class CannotMove(Exception):
    """Nothing was moved, and nothing changed; the text says why."""


@dataclass(frozen=True, slots=True)
class Moved:
    """`rows` by table; of these, `mended` held a character that PostgreSQL has no place for."""

    rows: Mapping[str, int]
    mended: int


def move(url: str, tell: Tell) -> Moved:
    """Everything that is in the SQLite database of `url`, into this site's. Raises CannotMove.

    The source is read as it was at one moment, and holds nobody up. What is written to it meanwhile would stay behind,
    so nothing is moved then.
    """
    if connection.vendor != "postgresql":
        raise CannotMove("Set MEMSITE_DATABASE_URL to the PostgreSQL database that all is to be moved into.")
    with opened(url):
        check_versions()
        check_empty()
        with transaction.atomic(), watched(tell) as tell_on, transaction.atomic(using=SOURCE):
            return copy_all(tables(), tell_on)


@contextmanager
def opened(url: str) -> Iterator[None]:
    """The source as another database of this process, which cannot write to it."""
    # The second wall is the target's: SQLite knows none.
    conf = replace(get_conf(), database_url=file_url(url), row_security=False)
    config = {**connections.databases["default"], **database(conf)}
    path = readable(Path(str(config["NAME"])).absolute())
    config["NAME"] = f"{path.as_uri()}?mode=ro"
    # Its writers are not to wait. How it is written is a setting of the file, which is not ours to change.
    config["OPTIONS"] |= {"transaction_mode": "DEFERRED", "init_command": "PRAGMA temp_store=MEMORY"}
    connections.databases[SOURCE] = config
    try:
        with errors_of(path):
            yield
    finally:
        connections[SOURCE].close()
        del connections[SOURCE], connections.databases[SOURCE]


def file_url(url: str) -> str:
    if not url.startswith("sqlite:///") or url.removeprefix("sqlite:///") in ("", ":memory:"):
        raise CannotMove("The source is the address of a SQLite database: sqlite:////path/to/memsite.sqlite3")
    return url


def readable(path: Path) -> Path:
    """SQLite would make a file that is not there."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise CannotMove(f"The source {path} cannot be read: {error.strerror or error}.") from error
    return path


@contextmanager
def errors_of(source: Path) -> Iterator[None]:
    """What goes wrong with the source names it. The database that it is moved into is none of SQLite's."""
    try:
        yield
    except ImproperlyConfigured as error:
        raise CannotMove(str(error)) from error
    except (DatabaseError, sqlite3.Error) as error:
        if not isinstance(error.__cause__ or error, sqlite3.Error):
            raise
        raise CannotMove(f"The source {source} cannot be read: {error}.{hint(str(error))}") from error


def hint(text: str) -> str:
    return next((f" {what}" for part, what in HINTS if part in text), "")


def check_versions() -> None:
    here, there = (set(MigrationRecorder(connections[name]).applied_migrations()) for name in ("default", SOURCE))
    if not there:
        raise CannotMove("The source is empty, or not of Memsite.")
    if here != there:
        raise CannotMove("The two are of different versions: run `manage.py migrate` on both, then try again.")


def check_empty() -> None:
    if App.objects.exists() or get_user_model().objects.exists():
        raise CannotMove("There is something in the database already: move into an empty one.")


@contextmanager
def watched(tell: Tell) -> Iterator[Tell]:
    """Whoever tells how far it is hears at once if the source is written to.

    By a connection of its own: inside a transaction, all stays as it was.
    """
    with closing(sqlite3.connect(connections[SOURCE].settings_dict["NAME"], uri=True)) as watcher:
        version = data_version(watcher)

        def check() -> None:
            if data_version(watcher) != version:
                raise CannotMove("The source was written to meanwhile: stop its server, then try again.")

        def tell_on(line: str) -> None:
            check()
            tell(line)

        yield tell_on
        check()


def data_version(watcher: sqlite3.Connection) -> int:
    """Changes when another connection writes to the source."""
    (version,) = watcher.execute("PRAGMA data_version").fetchone()
    return int(version)


def tables() -> list[type[Model]]:
    models = apps.get_models(include_auto_created=True)
    return [model for model in models if model._meta.managed and not model._meta.proxy]


def copy_all(models: Sequence[type[Model]], tell: Tell) -> Moved:
    """Rows refer to each other across tables in any order, so what the database refuses is looked at in the end."""
    rows, mended = {}, 0
    with triggers_off(models):
        # Nobody else writes there from now on.
        check_empty()
        for model in models:
            # What migrations put there: names of tables and rights.
            model._base_manager.all()._raw_delete(connection.alias)
        for model in models:
            rows[model._meta.db_table], broken = copy(model, tell)
            mended += broken
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    go_on_counting(models)
    for model in models:
        compare(model)
        if count := rows[model._meta.db_table]:
            tell(f"{model._meta.db_table}: {count:,} compared")
    return Moved(rows, mended)


def go_on_counting(models: Sequence[type[Model]]) -> None:
    """New rows get no number that a deleted one has had: webhooks know by it how far they have told."""
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
    """What they refuse was refused in the source. Nobody else sees the tables without them."""
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f"ALTER TABLE {connection.ops.quote_name(model._meta.db_table)} DISABLE TRIGGER USER")
        yield
        for model in models:
            cursor.execute(f"ALTER TABLE {connection.ops.quote_name(model._meta.db_table)} ENABLE TRIGGER USER")


def copy(model: type[Model], tell: Tell) -> tuple[int, int]:
    """How many rows, and how many of these were mended."""
    source = model._base_manager.using(SOURCE)
    total, done, mended = source.count(), 0, 0
    with times_as_they_are(model), read_in_order(source) as read:
        while batch := list(islice(read, BATCH)):
            mended += sum(map(mend, batch))
            for row in batch:
                row._state.db = connection.alias
            store(model, batch)
            done += len(batch)
            tell(f"{model._meta.db_table}: {done:,} of {total:,} copied")
    return done, mended


def store(model: type[Model], batch: Sequence[Any]) -> None:
    """SQLite holds nobody to the length of a column."""
    try:
        model._base_manager.bulk_create(batch)
    except DataError as error:
        told, *_ = str(error).splitlines()
        raise CannotMove(f"{model._meta.db_table}: a row does not fit into PostgreSQL: {told}.") from error


@contextmanager
def read_in_order(rows: QuerySet[Any, Any]) -> Iterator[Iterator[Any]]:
    """Closed in the end: a cursor that is left in the middle outlives its connection, and tells of it on the screen."""
    read = rows.order_by("pk").iterator(chunk_size=BATCH)
    try:
        yield read
    finally:
        cast(Generator[Any, None, None], read).close()


@contextmanager
def times_as_they_are(model: type[Model]) -> Iterator[None]:
    """Without what Django sets anew whenever it writes a row."""
    fields = [field for field in model._meta.concrete_fields if getattr(field, "auto_now", False)]
    fields += [field for field in model._meta.concrete_fields if getattr(field, "auto_now_add", False)]
    were = [(field, field.auto_now, field.auto_now_add) for field in fields]  # type: ignore[attr-defined]
    for field in fields:
        field.auto_now = field.auto_now_add = False  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for field, now, now_add in were:
            field.auto_now, field.auto_now_add = now, now_add  # type: ignore[attr-defined]


def mend(row: Model) -> bool:
    is_broken = False
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        if (whole := without_nul(value)) != value:
            setattr(row, field.attname, whole)
            is_broken = True
    return is_broken


def without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace(NUL, INSTEAD)
    if isinstance(value, dict):
        return {without_nul(key): without_nul(inner) for key, inner in value.items()}
    return [without_nul(inner) for inner in value] if isinstance(value, list) else value


def compare(model: type[Model]) -> None:
    """Raises CannotMove at the first row that is not the same."""
    names = [field.attname for field in model._meta.concrete_fields]
    there, here = (model._base_manager.using(name) for name in (SOURCE, connection.alias))
    if there.count() != here.count():
        raise CannotMove(f"{model._meta.db_table}: not all rows arrived.")
    with read_in_order(there.values_list("pk", *names)) as olds, read_in_order(here.values_list("pk", *names)) as news:
        for old, new in zip(olds, news, strict=True):
            compare_row(model, old, new)


def compare_row(model: type[Model], old: Sequence[Any], new: Sequence[Any]) -> None:
    """The value is not told: it may be somebody's secret."""
    for field, was, became in zip(model._meta.concrete_fields, old[1:], new[1:], strict=True):
        if plain(without_nul(was)) != plain(became):
            raise CannotMove(
                f"{model._meta.db_table}: {field.column} of the row with the id {old[0]} would not be the same in "
                "PostgreSQL. Nothing was moved: change what stands there in the source, or delete it, then try again."
            )


def plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview | bytearray) else settled(value)

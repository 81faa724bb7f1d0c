"""The rows of one table: copied from the source, and compared with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, DataError, connection, connections
from django.db.models import CharField, Model, QuerySet, TextField
from django.db.models.functions import Collate

from memsite.config.conf import get_conf
from memsite.config.settings import database
from memsite.db.expressions import settled
from memsite.db.postgres import INSTEAD, NUL
from memsite.db.transactions import portions

SOURCE = "source"
HINTS = (
    # part of SQLite's message, what to do
    ("not a database", "Is it the right file?"),
    ("malformed", "It is damaged: move a backup of it."),
    ("unable to open", "SQLite keeps a log beside it: is its folder writable for this user?"),
    ("is locked", "Another program is writing to it: stop that one, or try again in a moment."),
    ("readonly", "In the end it is held, which takes the right to write: run this as its owner, or move a copy."),
)
PATIENCE_SECONDS = 30
"""For whoever is writing to it."""


class CannotMove(Exception):
    """Nothing was moved, and nothing changed; the text says why."""


@contextmanager
def opened(url: str) -> Iterator[None]:
    """Open the source as another database of this process, which cannot write to it."""
    # The second wall is the target's: SQLite knows none.
    if not url.startswith("sqlite:///") or url.removeprefix("sqlite:///") in ("", ":memory:"):
        raise CannotMove("The source is the address of a SQLite database: sqlite:////path/to/memsite.sqlite3")
    conf = replace(get_conf(), database_url=url, row_security=False)
    config = {**connections.databases["default"], **database(conf)}
    path = Path(str(config["NAME"])).absolute()
    try:
        # SQLite would make a file that is not there.
        path.open("rb").close()
    except OSError as error:
        raise CannotMove(f"The source {path} cannot be read: {error.strerror or error}.") from error
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


def connect(mode: str) -> sqlite3.Connection:
    """Open another connection to the source, in no transaction: "ro" reads alone, "rw" may lock."""
    uri = connections[SOURCE].settings_dict["NAME"].replace("?mode=ro", f"?mode={mode}")
    return sqlite3.connect(uri, uri=True, timeout=PATIENCE_SECONDS, isolation_level=None)


@contextmanager
def lock_source() -> Iterator[None]:
    """Keep everybody from writing to the source: who tries, waits, and is refused as by any busy database."""
    with closing(connect("rw")) as holder:
        holder.execute("BEGIN IMMEDIATE")
        # Who may only read has begun a transaction, too, but keeps nobody from writing.
        (version,) = holder.execute("PRAGMA user_version").fetchone()
        holder.execute(f"PRAGMA user_version = {version}")
        yield
        holder.execute("ROLLBACK")


@contextmanager
def errors_of(source: Path) -> Iterator[None]:
    """Name the source in what goes wrong with it. The database that it is moved into is none of SQLite's."""
    try:
        yield
    except ImproperlyConfigured as error:
        raise CannotMove(str(error)) from error
    except (DatabaseError, sqlite3.Error) as error:
        if not isinstance(error.__cause__ or error, sqlite3.Error):
            raise
        hint = next((f" {what}" for part, what in HINTS if part in str(error)), "")
        raise CannotMove(f"The source {source} cannot be read: {error}.{hint}") from error


BATCH, MOST_CHARACTERS = 1_000, 8 * 1024 * 1024
"""Rows of one statement: PostgreSQL takes no larger one than a gigabyte. One row alone may have more."""
READ_AT_ONCE = 50
"""A text may have megabytes."""

Tell = Callable[[str], None]
"""Hears how far it is."""


def tables() -> list[type[Model]]:
    models = apps.get_models(include_auto_created=True)
    return [model for model in models if model._meta.managed and not model._meta.proxy]


def copy(model: type[Model], tell: Tell) -> tuple[int, set[Any]]:
    """Return how many rows, and the keys of those that were mended."""
    source = model._base_manager.using(SOURCE)
    total, table = source.count(), model._meta.db_table
    return store_all(model, source, lambda done: tell(f"{table}: {done:,} of {total:,} copied"))


def store_all(
    model: type[Model], source: QuerySet[Any, Any], tell: Callable[[int], None] = lambda done: None
) -> tuple[int, set[Any]]:
    """Copy these rows, some at a time; return how many, reported on the way, and the keys of the mended ones."""
    done, mended = 0, set[Any]()
    with read_in_order(source) as read:
        for batch in portions(read, BATCH, MOST_CHARACTERS, lambda row: size_of([*vars(row).values()])):
            mended |= store(model, batch)
            done += len(batch)
            tell(done)
    return done, mended


def size_of(value: Any) -> int:
    """Return the size of its texts and bytes, roughly."""
    if isinstance(value, str | bytes | memoryview):
        return len(value)
    if isinstance(value, dict):
        return size_of([*value, *value.values()])
    return sum(map(size_of, value)) if isinstance(value, list) else 0


def store(model: type[Model], batch: Sequence[Any]) -> set[Any]:
    """Store rows; return the keys of the mended ones. CannotMove if one is too long, which SQLite lets pass."""
    mended = {row.pk for row in batch if mend(row)}
    for row in batch:
        row._state.db = connection.alias
    try:
        with times_as_they_are(model):
            model._base_manager.bulk_create(batch)
    except DataError as error:
        reason, *_ = str(error).splitlines()
        raise CannotMove(f"{model._meta.db_table}: a row does not fit into PostgreSQL: {reason}.") from error
    return mended


@contextmanager
def read_in_order(rows: QuerySet[Any, Any]) -> Iterator[Iterator[Any]]:
    """Close in the end: a cursor left in the middle outlives its connection, and prints a warning."""
    is_text = has_text_key(rows.model) and connections[rows.db].vendor == "postgresql"
    read = rows.order_by(Collate("pk", "C") if is_text else "pk").iterator(chunk_size=READ_AT_ONCE)
    try:
        yield read
    finally:
        cast(Generator[Any, None, None], read).close()


def has_text_key(model: type[Model]) -> bool:
    return isinstance(model._meta.pk, CharField | TextField)


@contextmanager
def times_as_they_are(model: type[Model]) -> Iterator[None]:
    """Switch off what Django sets anew whenever it writes a row."""
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


def compare(model: type[Model], keys: Sequence[Any] | None = None) -> None:
    """Compare all rows, or those with these keys. Raises CannotMove at the first that is not the same."""
    names = [field.attname for field in model._meta.concrete_fields]
    there, here = (model._base_manager.using(name).all() for name in (SOURCE, connection.alias))
    if keys is not None:
        there, here = there.filter(pk__in=keys), here.filter(pk__in=keys)
    if there.count() != here.count():
        raise CannotMove(f"{model._meta.db_table}: not all rows arrived.")
    with read_in_order(there.values_list("pk", *names)) as olds, read_in_order(here.values_list("pk", *names)) as news:
        for old, new in zip(olds, news, strict=True):
            compare_row(model, old, new)


def compare_row(model: type[Model], old: Sequence[Any], new: Sequence[Any]) -> None:
    """Compare a row, telling neither its value nor a key that is a text: it may be somebody's secret."""
    which = "a row" if has_text_key(model) else f"the row with the id {old[0]}"
    for field, was, became in zip(model._meta.concrete_fields, old[1:], new[1:], strict=True):
        if plain(without_nul(was)) != plain(became):
            raise CannotMove(
                f"{model._meta.db_table}: {field.column} of {which} would not be the same in "
                "PostgreSQL. Nothing was moved: change what stands there in the source, or delete it, then try again."
            )


def plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview | bytearray) else settled(value)

"""The SQLite database that is moved: read alone, held in the end, and its errors in words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections

from memsite.conf import get_conf
from memsite.settings import database

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


def connect(mode: str) -> sqlite3.Connection:
    """Another connection to the source, in no transaction: one that is "ro" reads alone, "rw" may hold."""
    uri = connections[SOURCE].settings_dict["NAME"].replace("?mode=ro", f"?mode={mode}")
    return sqlite3.connect(uri, uri=True, timeout=PATIENCE_SECONDS, isolation_level=None)


@contextmanager
def held() -> Iterator[None]:
    """Nobody writes to the source meanwhile: who tries, waits, and is refused after a while as by any busy database."""
    with closing(connect("rw")) as holder:
        holder.execute("BEGIN IMMEDIATE")
        # Who may only read has begun a transaction, too, but keeps nobody from writing.
        (version,) = holder.execute("PRAGMA user_version").fetchone()
        holder.execute(f"PRAGMA user_version = {version}")
        yield
        holder.execute("ROLLBACK")


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

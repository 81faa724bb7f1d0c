"""Backups of SQLite: a rewritten copy, compressed. What was purged before is not in it, not even in unused parts."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import DatabaseError, connection

from memsite.config.conf import get_conf
from memsite.db.versions import indexes_of
from memsite.ops.backup.files import FULL, BackupError, is_older, plainly
from memsite.ops.files import in_place, private, sync

RESTORED, CHECKED = ".restore-", ".verify-"


@contextmanager
def unpacking_in(folder: Path) -> Iterator[None]:
    """Hold what is unpacked there in use. What those before it left goes first."""
    drop_left_in(folder)
    with folder_lock(folder, fcntl.LOCK_SH):
        yield


def drop_left_in(folder: Path) -> int:
    """Delete what was left there by those who were killed; answers how much. Nothing while anybody unpacks there."""
    with suppress(BlockingIOError), folder_lock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
        left = [path for name in (RESTORED, CHECKED) for path in folder.glob(f"{name}*")]
        for path in left:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        return len(left)
    return 0


@contextmanager
def folder_lock(folder: Path, how: int) -> Iterator[None]:
    """Hold the folder's own lock, which is gone with the process."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)


SUFFIX = ".sqlite3.gz"
NOTE = "memsite_backup"
"""A table that only copies have: when it was made, and how many rows each table had."""
LEVEL = 3
OF_INDEXES = "FTS5 table"
CHUNK = 1 << 20
IN_USE = "The database is in use: stop the server, and whatever else is connected to it, then try again."


def copy_to(draft: Path, now: datetime, look: Callable[[sqlite3.Connection], Any]) -> tuple[dict[str, int], Any]:
    """Write the backup to `draft`; answers the rows by table, and what `look` finds in the copy.

    Holds up nobody: it reads one moment of the database.
    """
    plain = private(draft.with_name(f"{draft.name}.sqlite3"))
    try:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(plain)])
        with opened(plain) as copy:
            rows = count_rows(copy)
            copy.execute(f"CREATE TABLE {NOTE} (about TEXT)")
            about = {"made_at": now.isoformat(), "rows": rows}
            copy.execute(f"INSERT INTO {NOTE} VALUES (?)", [json.dumps(about)])  # noqa: S608  # our own name
            copy.commit()
            check_copy(copy)
            damaged = look(copy)
            copy.rollback()
    except (DatabaseError, sqlite3.Error) as error:
        raise BackupError(FULL if "full" in str(error) else f"The database cannot be copied: {error}.") from error
    with plain.open("rb") as source, gzip.open(private(draft), "wb", LEVEL) as target:
        shutil.copyfileobj(source, target, CHUNK)
    plain.unlink()
    return rows, damaged


def check(path: Path, look: Callable[[sqlite3.Connection], Any]) -> tuple[dict[str, int], bool, Any]:
    """Return rows by table, whether it is older, and if not what `look` finds in it. Raises BackupError."""
    place = scratch()
    in_use = unpacking_in(place) if place else nullcontext()
    with plainly(), in_use, tempfile.TemporaryDirectory(prefix=CHECKED, dir=place) as folder:
        copy = unpack(path, Path(folder) / "copy.sqlite3")
        rows, older = check_file(copy)
        with opened(copy) as database:
            return rows, older, {} if older else look(database)


def restore(path: Path, stamp: str) -> tuple[dict[str, int], bool, Path | None, bool]:
    """Return the same, where the database is kept that was there before, and that nothing was left out."""
    database = Path(str(connection.settings_dict["NAME"]))
    connection.close()
    with plainly():
        database.parent.mkdir(parents=True, exist_ok=True)
        with unpacking_in(database.parent), going(database.with_name(f"{RESTORED}{stamp}")) as draft:
            rows, older = check_file(unpack(path, draft))
            with opened(draft) as copy:
                copy.execute(f"DROP TABLE {NOTE}")
                copy.commit()
            sync(draft)
            if not database.exists():
                put(draft, database)
                return rows, older, None, False
            with locked(database):
                saved_as = database.with_name(f"{database.name}.before-{stamp}")
                os.link(database, saved_as)
                for extra in ("-wal", "-shm", "-journal"):
                    with suppress(FileNotFoundError):
                        database.with_name(database.name + extra).rename(saved_as.with_name(saved_as.name + extra))
                put(draft, database)
            return rows, older, saved_as, False


@contextmanager
def going(draft: Path) -> Iterator[Path]:
    """Yield a path that is gone in the end, unless it has another name by then."""
    try:
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def drop_leftovers() -> int:
    """Drop what killed restores and checks left; return how much."""
    folders = {get_conf().data_dir}
    if connection.vendor == "sqlite" and not connection.is_in_memory_db():  # type: ignore[attr-defined]  # SQLite's own
        folders.add(Path(str(connection.settings_dict["NAME"])).parent)
    return sum(drop_left_in(folder) for folder in folders if os.access(folder, os.W_OK))


def put(draft: Path, database: Path) -> None:
    """Put the database in its place; the indexes there are of the one before."""
    shutil.rmtree(indexes_of(database), ignore_errors=True)
    in_place(draft, database)


def scratch() -> Path | None:
    """Return a folder with space for a copy: beside the database rather than in a small /tmp."""
    folder = get_conf().data_dir
    return folder if os.access(folder, os.W_OK) else None


def unpack(path: Path, target: Path) -> Path:
    try:
        with gzip.open(path) as source, private(target).open("wb") as file:
            shutil.copyfileobj(source, file, CHUNK)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BackupError(f"{path.name} is damaged: {error}.") from error
    return target


def check_file(path: Path) -> tuple[dict[str, int], bool]:
    try:
        with opened(path) as copy:
            check_copy(copy)
            applied = copy.execute("SELECT app, name FROM django_migrations").fetchall()
            return count_rows(copy), is_older(applied)
    except sqlite3.Error as error:
        raise BackupError(f"It is damaged: {error}.") from error


def check_copy(copy: sqlite3.Connection) -> None:
    problems_found = [text for (text,) in copy.execute("PRAGMA integrity_check") if text != "ok"]
    # From 3.44 on SQLite tells of these, too, which are made anew.
    problems = [text for text in problems_found if OF_INDEXES not in text][:5]
    problems += [f"a row of {table} points to nothing" for table, *_ in copy.execute("PRAGMA foreign_key_check")][:5]
    (about,) = copy.execute(f"SELECT about FROM {NOTE}").fetchone()  # noqa: S608  # our own name
    counted, present = json.loads(about)["rows"], count_rows(copy)
    problems += [
        f"{table} has {present.get(table)} rows, not {rows}"
        for table, rows in counted.items()
        if present.get(table) != rows
    ]
    if problems:
        raise BackupError(f"It is damaged: {'; '.join(problems)}.")


def count_rows(copy: sqlite3.Connection) -> dict[str, int]:
    listed = copy.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    names = [name for (name,) in listed if not name.startswith("sqlite_") and name != NOTE]
    return {name: copy.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}  # noqa: S608


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open it with no files of its own beside it."""
    with closing(sqlite3.connect(path)) as copy:
        copy.execute("PRAGMA journal_mode=MEMORY")
        copy.execute("PRAGMA synchronous=OFF")
        yield copy


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Lock out every connection and writer. Everything written is in the one file then.

    Leaving the WAL is what SQLite allows to the only connection, and to no other.
    """
    with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as own:
        try:
            (mode,) = own.execute("PRAGMA journal_mode=DELETE").fetchone()
            own.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise BackupError(IN_USE) from error
        except sqlite3.DatabaseError:
            mode = "delete"  # Damaged: nobody can use it, and that may be why a backup is put back.
        if mode != "delete":
            raise BackupError(IN_USE)
        yield

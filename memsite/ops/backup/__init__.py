"""Copies of the whole database: made while it is in use, checked, kept for some days, and put back.

A backup is one file. It is complete from the moment that it has its name: made under another one, checked, written to
the disk, then renamed. What can go wrong on the way leaves the backups before it alone.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

from django.db import connection

from memsite.ops.backup import postgres, sqlite
from memsite.ops.backup.files import BackupError, backup_draft_in, rotate
from memsite.ops.backup.sqlite import drop_leftovers
from memsite.ops.files import in_place
from memsite.tenancy.models import App

__all__ = [
    "Backup",
    "BackupError",
    "Checked",
    "Restored",
    "check_backup",
    "drop_leftovers",
    "make_backup",
    "restore_backup",
]
Damage = Mapping[str, Counter[int]]
"""How many rows of what can be made anew cannot be read, by structure and app."""
Look = Callable[[sqlite3.Connection], Damage]
NAME = "memsite-{:%Y%m%dT%H%M%SZ}"


@dataclass(frozen=True, slots=True)
class Backup:
    """`rows` by table. What is `damaged` is made anew from the rest, wherever it is put back."""

    path: Path
    bytes: int
    seconds: float
    rows: Mapping[str, int]
    damaged: Damage = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Checked:
    """`is_older`: the database has to be migrated after it was put back."""

    rows: Mapping[str, int]
    is_older: bool
    damaged: Damage = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Restored:
    """`kept` is the database as it was before.

    None if there was none. `lacks_pgvector`: the backup was of a site that had it, and here it cannot be had.
    """

    checked: Checked
    saved_as: Path | None
    lacks_pgvector: bool = False


def make_backup(folder: Path, now: datetime, keep: int | None = None, look: Look = lambda copy: {}) -> Backup:
    """Write a new file in `folder`, made if need be. With `keep`, only the last of each of so many days are left.

    A copy of SQLite is given to who wants to `look` at what is damaged in it and is no reason not to keep it.

    Raises BackupError, with a sentence for people; also for a second one at the same time, and inside a transaction.
    """
    if connection.in_atomic_block:
        raise BackupError("A backup cannot be made inside a transaction.")
    # Before anything is written: where the address is a wrong one, SQLite makes an empty database.
    if App._meta.db_table not in connection.introspection.table_names():
        raise BackupError(
            f"The database {connection.settings_dict['NAME']} holds nothing of Memsite: is it the right one? "
            "MEMSITE_DATABASE_URL names it, or MEMSITE_DATA_DIR the folder that it is in."
        )
    started, vendor = time.monotonic(), vendor_here()
    with backup_draft_in(folder) as draft:
        rows, damaged = vendor.copy_to(draft, now, look)
        path = in_place(draft, folder / f"{NAME.format(now.astimezone(UTC))}{vendor.SUFFIX}")
    if keep is not None:
        rotate(folder, keep)
    return Backup(path, path.stat().st_size, time.monotonic() - started, rows, damaged)


def check_backup(path: Path, look: Look = lambda copy: {}) -> Checked:
    """Read all of it. Raises BackupError if it is not whole, or of a newer version than this."""
    return Checked(*vendor_of(path).check(path, look))


def restore_backup(path: Path, now: datetime) -> Restored:
    """Put it in the place of the database, which is kept beside. Raises BackupError, and nothing is changed.

    Refused while others are connected to the database: they would go on writing into the old one.
    """
    vendor = vendor_of(path)
    if vendor is not vendor_here():
        raise BackupError(f"{path.name} is of another kind of database than MEMSITE_DATABASE_URL names.")
    rows, is_older, saved_as, left_out = vendor.restore(path, f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}")
    return Restored(Checked(rows, is_older), saved_as, left_out)


def vendor_here() -> ModuleType:
    return sqlite if connection.vendor == "sqlite" else postgres


def vendor_of(path: Path) -> ModuleType:
    for vendor in (sqlite, postgres):
        if path.name.endswith(vendor.SUFFIX):
            return vendor
    raise BackupError(f"{path.name} is no backup: those end with {sqlite.SUFFIX} or {postgres.SUFFIX}.")

"""Where nothing can be written: why, and what is said of it. Every door, job and command that meets it asks here.

A statement that meets it takes back all of its transaction, so who was refused may ask again. What only reads is
answered meanwhile.
"""

from __future__ import annotations

import errno
import sqlite3
from enum import StrEnum
from typing import Any

from django.db import DatabaseError


class Why(StrEnum):
    """Each by its code in problem documents."""

    FULL = "storage_full"
    READ_ONLY = "read_only"
    FAILING = "storage_failed"
    DAMAGED = "index_damaged"


TOLD = {
    Why.FULL: "The server's disk is full: nothing was stored. It writes again as soon as there is room.",
    Why.READ_ONLY: "The server's database is read-only at the moment: nothing was stored.",
    Why.FAILING: "The server's database cannot use its disk: nothing was stored.",
    Why.DAMAGED: "The index of words is damaged, and is made anew in the background: nothing was stored, try again.",
}
SQLITE_CODES = {
    sqlite3.SQLITE_FULL: Why.FULL,
    sqlite3.SQLITE_READONLY: Why.READ_ONLY,
    # A used-up quota is one of these, too.
    sqlite3.SQLITE_IOERR: Why.FAILING,
}
NO_CONSTRAINT_OF_OURS = "constraint failed"
"""All of what SQLite's index of words says where it does not know any more what is in it. Ours are named behind it."""
# PostgreSQL: disk_full, read_only_sql_transaction, io_error.
STATES = {"53100": Why.FULL, "25006": Why.READ_ONLY, "58030": Why.FAILING}
NUMBERS = {errno.ENOSPC: Why.FULL, errno.EDQUOT: Why.FULL, errno.EROFS: Why.READ_ONLY}


def why_unwritable(error: BaseException | None) -> Why | None:
    """Return the reason of an error of database or disk, or one raised for such; None for all others."""
    while error is not None:
        if isinstance(error, DatabaseError | sqlite3.Error | OSError) and (why := why_of(error)):
            return why
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return None


def why_of(error: Any) -> Why | None:
    if isinstance(error, OSError):
        return NUMBERS.get(error.errno or 0)
    # Django's errors have the driver's as their cause.
    cause: Any = error if isinstance(error, sqlite3.Error) else error.__cause__
    if isinstance(cause, sqlite3.Error):
        if is_index_damaged(cause):
            return Why.DAMAGED
        # The rest of the code says where.
        return SQLITE_CODES.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF)
    return STATES.get(getattr(cause, "sqlstate", None) or "")


def is_index_damaged(error: BaseException | None) -> bool:
    """Return whether SQLite's index of words says so of itself: what it is made from is whole."""
    cause = error if isinstance(error, sqlite3.Error) else getattr(error, "__cause__", None)
    code = getattr(cause, "sqlite_errorcode", 0)
    return code == sqlite3.SQLITE_CORRUPT_VTAB or (
        code == sqlite3.SQLITE_CONSTRAINT and str(cause) == NO_CONSTRAINT_OF_OURS
    )

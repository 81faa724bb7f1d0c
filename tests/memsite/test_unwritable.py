"""Where nothing can be written: it is known by what the database and the disk say, whichever they are."""

from __future__ import annotations

import errno
import sqlite3
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import DatabaseError, IntegrityError, OperationalError, connection, transaction

from memories.management import plain_errors
from memsite.ops.backup.files import BackupError
from memsite.ops.storage_errors import Why, why_unwritable
from memsite.tenancy.models import App
from tests.unwritable import caused, of_postgres, of_sqlite, read_only

FULL = sqlite3.SQLITE_FULL


def meanwhile(error: Exception) -> Exception:
    """Another one that was raised while this one was handled."""
    other = ValueError("session")
    other.__context__ = error
    return other


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (of_sqlite("database or disk is full", FULL), Why.FULL),
        (of_sqlite("attempt to write a readonly database", sqlite3.SQLITE_READONLY_DBMOVED), Why.READ_ONLY),
        (of_sqlite("disk I/O error", sqlite3.SQLITE_IOERR_WRITE), Why.FAILING),
        (of_postgres("could not extend file", "53100"), Why.FULL),
        (read_only(), Why.READ_ONLY),
        (of_postgres("could not read block 1", "58030"), Why.FAILING),
        (OSError(errno.ENOSPC, "No space left on device"), Why.FULL),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), Why.FULL),
        (OSError(errno.EROFS, "Read-only file system"), Why.READ_ONLY),
        (caused(BackupError, "The disk is full", of_sqlite("disk is full", FULL)), Why.FULL),
        (meanwhile(OSError(errno.ENOSPC, "No space left on device")), Why.FULL),
        (meanwhile(OSError(errno.ENOENT, "No such file")), None),
        (of_sqlite("database is locked", sqlite3.SQLITE_BUSY), None),
        (of_postgres("terminating connection", "57P01"), None),
        (caused(IntegrityError, "unique", sqlite3.IntegrityError("unique")), None),
        (OperationalError("database or disk is full"), None),
        (OSError(errno.ENOENT, "No such file"), None),
        (ValueError("database or disk is full"), None),
        (None, None),
    ],
)
def test_it_is_known_by_its_code_and_not_by_words(error: BaseException | None, expected: Why | None) -> None:
    assert why_unwritable(error) is expected


@pytest.mark.sqlite("its own limit of a file's pages")
def test_a_full_sqlite_is_known_and_takes_writes_again_when_there_is_capacity(db: None) -> None:
    def fill() -> None:
        App.objects.bulk_create(App(app_id=f"app-{number}", name="x" * 90) for number in range(500))

    with connection.cursor() as cursor:
        (pages,) = cursor.execute("PRAGMA page_count").fetchone()
        (usual,) = cursor.execute("PRAGMA max_page_count").fetchone()
        cursor.execute(f"PRAGMA max_page_count = {pages}")
        try:
            with pytest.raises(DatabaseError) as raised, transaction.atomic():
                fill()
        finally:
            cursor.execute(f"PRAGMA max_page_count = {usual}")
    assert why_unwritable(raised.value) is Why.FULL


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_read_only_is_known() -> None:
    is_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only=ON" if is_sqlite else "SET default_transaction_read_only = on")
        try:
            with pytest.raises(DatabaseError) as raised:
                App.objects.create(app_id="acme", name="Acme")
        finally:
            cursor.execute("PRAGMA query_only=OFF" if is_sqlite else "SET default_transaction_read_only = off")
    assert why_unwritable(raised.value) is Why.READ_ONLY
    assert App.objects.create(app_id="acme", name="Acme").pk


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (of_postgres('could not extend file "x": No space\nHINT: y', "53100"), "The disk is full: free some space"),
        (read_only(), "It is read-only: make it writable"),
        (of_sqlite("disk I/O error", sqlite3.SQLITE_IOERR_WRITE), "Look after its disk, or the quota on it"),
    ],
)
def test_a_command_tells_it_in_a_line(error: Exception, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "vendor", "postgresql")
    with pytest.raises(CommandError) as raised, plain_errors():
        raise error
    assert text in str(raised.value)
    assert "\n" not in str(raised.value)


# --- sessions of PostgreSQL


@pytest.mark.postgres("SQLite has no pool")
@pytest.mark.django_db(transaction=True)
def test_a_session_that_only_reads_does_not_stay_in_the_pool() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    session: Any = connection.connection
    connection.close()
    assert session.closed
    assert App.objects.create(app_id="acme").pk
    session = connection.connection
    connection.close()
    assert not session.closed

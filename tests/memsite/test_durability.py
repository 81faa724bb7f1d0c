"""Counts do not wait for the disk; everything else does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.test import Client

from memsite.config.conf import get_conf
from memsite.config.settings import database
from memsite.db import transactions, versions
from memsite.db.sqlite.base import DatabaseWrapper
from memsite.db.transactions import unhurried
from memsite.db.versions import has_wal_reset_bug

pytestmark = pytest.mark.sqlite("its journal knows how long to wait")
FULL, NORMAL = 2, 1


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[DatabaseWrapper]:
    """A connection of a test's own to a file, which is outside of every transaction."""
    options = database(get_conf())["OPTIONS"]
    settings: dict[str, Any] = {**connection.settings_dict, "NAME": tmp_path / "own.sqlite3", "OPTIONS": options}
    second = DatabaseWrapper(settings, DEFAULT_DB_ALIAS)
    with second.cursor() as cursor:
        cursor.execute("CREATE TABLE counts (n)")
    with monkeypatch.context() as patch:
        patch.setattr(transactions, "connection", second)
        patch.setattr(transaction, "get_connection", lambda using=None: second)
        yield second
    second.close()


def level(second: DatabaseWrapper) -> int:
    with second.cursor() as cursor:
        cursor.execute("PRAGMA synchronous")
        return int(cursor.fetchone()[0])


def count(second: DatabaseWrapper) -> int:
    with sqlite3.connect(second.settings_dict["NAME"]) as other:
        return int(other.execute("SELECT count(*) FROM counts").fetchone()[0])


def add(second: DatabaseWrapper) -> None:
    with second.cursor() as cursor:
        cursor.execute("INSERT INTO counts VALUES (1)")


def test_the_commit_does_not_wait_and_the_next_one_does(own: DatabaseWrapper) -> None:
    assert level(own) == FULL
    with unhurried():
        add(own)
        assert level(own) == NORMAL
    assert (level(own), count(own)) == (FULL, 1)


def test_it_is_whole_or_not_at_all(own: DatabaseWrapper) -> None:
    def fail() -> None:
        with unhurried():
            add(own)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (level(own), count(own)) == (FULL, 0)


def test_inside_a_transaction_it_is_a_part_of_that_one(own: DatabaseWrapper) -> None:
    with transaction.atomic(), unhurried():
        add(own)
        assert level(own) == FULL
    assert (level(own), count(own)) == (FULL, 1)


def pragma(second: DatabaseWrapper, name: str) -> Any:
    with second.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}")
        return cursor.fetchone()[0]


def test_what_is_committed_is_on_the_disk_and_what_is_deleted_is_overwritten(own: DatabaseWrapper) -> None:
    output = {name: pragma(own, name) for name in ("journal_mode", "synchronous", "busy_timeout", "secure_delete")}
    assert output == {"journal_mode": "wal", "synchronous": FULL, "busy_timeout": 20_000, "secure_delete": 1}


def test_the_threads_of_a_web_process_keep_little_of_the_database_together(own: DatabaseWrapper) -> None:
    """Each has a connection of its own, for as long as it lives."""
    kilobytes = -pragma(own, "cache_size")
    assert 250 <= kilobytes <= 10_000 / get_conf().web_threads


def test_a_transaction_that_only_reads_first_waits_for_a_writer_at_its_start(own: DatabaseWrapper) -> None:
    """IMMEDIATE: one that would read, and fail when it comes to write, cannot be."""
    with sqlite3.connect(own.settings_dict["NAME"], timeout=0) as other, transaction.atomic():
        count(own)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("INSERT INTO counts VALUES (1)")


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ((3, 6, 23), False), ((3, 7, 0), True), ((3, 40, 1), True), ((3, 44, 5), True), ((3, 44, 6), False),
        ((3, 45, 0), True), ((3, 50, 6), True), ((3, 50, 7), False), ((3, 51, 2), True), ((3, 51, 3), False),
        ((3, 53, 0), False),
    ],
)  # fmt: skip
def test_versions_of_sqlite_that_may_damage_a_log_are_known(version: tuple[int, ...], expected: bool) -> None:
    assert has_wal_reset_bug(version) is expected


def test_a_sqlite_with_the_bug_is_noted_calmly_and_stops_nothing(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version, is_noted in (((3, 51, 2), True), ((3, 51, 3), False)):
        monkeypatch.setattr(versions.sqlite3, "sqlite_version_info", version)
        note, answer = versions.library_note(), client.get("/readyz")
        assert ("3.51.3 or newer" in note) is is_noted
        assert "damage" not in note
        assert (answer.status_code, answer.json()["notes"]) == (200, [note] if is_noted else [])
        assert "memsite.W005" not in {message.id for message in run_checks()}
    monkeypatch.setattr(versions.sqlite3, "sqlite_version_info", (3, 40, 1))
    monkeypatch.setattr(versions, "connection", SimpleNamespace(vendor="postgresql"))
    assert versions.library_note() == ""

"""Counts do not wait for the disk; everything else does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.backends.sqlite3.base import DatabaseWrapper

from memsite import durability
from memsite.conf import get_conf
from memsite.durability import unhurried
from memsite.settings import database

FULL, NORMAL = 2, 1


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[DatabaseWrapper]:
    """A connection of a test's own to a file, which is outside of every transaction."""
    options = database(get_conf())["OPTIONS"]
    settings: dict[str, Any] = {**connection.settings_dict, "NAME": tmp_path / "own.sqlite3", "OPTIONS": options}
    one = DatabaseWrapper(settings, DEFAULT_DB_ALIAS)
    with one.cursor() as cursor:
        cursor.execute("CREATE TABLE counts (n)")
    with monkeypatch.context() as patch:
        patch.setattr(durability, "connection", one)
        patch.setattr(transaction, "get_connection", lambda using=None: one)
        yield one
    one.close()


def level(one: DatabaseWrapper) -> int:
    with one.cursor() as cursor:
        cursor.execute("PRAGMA synchronous")
        return int(cursor.fetchone()[0])


def count(one: DatabaseWrapper) -> int:
    with sqlite3.connect(one.settings_dict["NAME"]) as other:
        return int(other.execute("SELECT count(*) FROM counts").fetchone()[0])


def add(one: DatabaseWrapper) -> None:
    with one.cursor() as cursor:
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

"""Whether anything was written since: told by SQLite, to whoever has read something and would like to keep it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection, connections, transaction

from memsite.db import lru_cache
from memsite.db.lru_cache import Commit, is_committed, last_commit
from memsite.db.sqlite.base import Watch

of_sqlite = pytest.mark.sqlite("no other database tells what was written last")
INSERT = "INSERT INTO one VALUES (1)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "some.sqlite3"
    with closing(sqlite3.connect(path)) as made:
        made.executescript("PRAGMA journal_mode=WAL; CREATE TABLE one (a)")
    return path


@pytest.fixture
def writer(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        yield writer


@pytest.fixture
def latest(path: Path) -> Iterator[Callable[[], Commit | None]]:
    watch = Watch()
    yield lambda: watch.last_commit(
        lambda: sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    )
    watch.close()


Told = Callable[[], Commit | None]


def test_nothing_written_is_nothing_new(latest: Told, writer: sqlite3.Connection) -> None:
    first = latest()
    writer.execute("SELECT * FROM one").fetchall()
    assert first is not None
    assert latest() == first


def test_each_commit_is_told(latest: Told, writer: sqlite3.Connection) -> None:
    seen = [latest()]
    for _ in range(3):
        writer.execute(INSERT)
        seen.append(latest())
    assert None not in seen
    assert len(set(seen)) == 4


def test_so_is_one_of_another_process(latest: Told, path: Path) -> None:
    first = latest()
    program = f"import sqlite3; sqlite3.connect({str(path)!r}, isolation_level=None).execute({INSERT!r})"
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603
    assert latest() not in (first, None)


def test_what_is_not_committed_is_not(latest: Told, writer: sqlite3.Connection) -> None:
    first = latest()
    writer.execute("BEGIN IMMEDIATE")
    writer.execute(INSERT)
    assert latest() == first
    writer.execute("COMMIT")
    assert latest() != first


def test_threads_are_told_the_same(latest: Told, writer: sqlite3.Connection) -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            writer.execute(INSERT)
            assert len({*pool.map(lambda _: latest(), range(50))}) == 1


def test_it_keeps_no_log_from_being_emptied(latest: Told, writer: sqlite3.Connection) -> None:
    writer.execute(INSERT)
    latest()
    assert writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0


def test_who_cannot_ask_is_not_told_and_asks_again(path: Path, latest: Told, tmp_path: Path) -> None:
    path.rename(tmp_path / "away")
    path.mkdir()
    assert latest() is None
    path.rmdir()
    (tmp_path / "away").rename(path)
    assert latest() is not None


def test_who_opens_it_anew_is_told_another(path: Path, latest: Told) -> None:
    watch = Watch()
    seen = set()
    for _ in range(3):
        seen.add(watch.last_commit(lambda: sqlite3.connect(path)))
        watch.close()
    assert None not in seen
    assert len(seen) == 3


def test_a_copy_of_the_process_neither_uses_nor_closes_what_it_inherits(path: Path) -> None:
    opened = list[sqlite3.Connection]()

    def opening() -> sqlite3.Connection:
        opened.append(sqlite3.connect(path, isolation_level=None))
        return opened[-1]

    watch = Watch()
    watch.last_commit(opening)
    with watch.lock:
        # As another thread has it while this one forks.
        watch.forget()
    assert watch.last_commit(opening)
    assert len(opened) == 2
    assert opened[0].execute("SELECT 1").fetchone() == (1,)
    watch.close()
    opened[0].close()


# --- the database of the settings


@pytest.fixture
def on_disk(path: Path, db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A database of its own behind `connections`, as a thread meets it that has no connection yet."""
    wrapper = connections.create_connection("default")
    wrapper.settings_dict = {**wrapper.settings_dict, "NAME": str(path)}
    monkeypatch.setattr(lru_cache, "connections", {"default": wrapper})
    monkeypatch.setattr(lru_cache, "connection", wrapper)
    yield
    wrapper.close()


@of_sqlite
def test_who_has_no_connection_yet_asks_the_database(on_disk: None, writer: sqlite3.Connection) -> None:
    assert last_commit() is None
    lru_cache.connection.ensure_connection()
    first = last_commit()
    assert first == last_commit() is not None
    writer.execute(INSERT)
    assert last_commit() not in (first, None)


@of_sqlite
def test_what_one_writes_oneself_is_told(on_disk: None) -> None:
    with lru_cache.connection.cursor() as cursor:
        first = last_commit()
        cursor.execute(INSERT)
    assert last_commit() not in (first, None)


@of_sqlite
def test_in_a_transaction_nothing_is_told(on_disk: None) -> None:
    lru_cache.connection.ensure_connection()
    lru_cache.connection.in_atomic_block = True
    assert not is_committed()
    assert last_commit() is None


@of_sqlite
def test_another_database_at_the_same_path_is_another(on_disk: None, path: Path, tmp_path: Path) -> None:
    lru_cache.connection.ensure_connection()
    first = last_commit()
    for file in tmp_path.iterdir():
        file.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.executescript("PRAGMA journal_mode=WAL; CREATE TABLE one (a)")
    lru_cache.connection.close()
    lru_cache.connection.ensure_connection()
    assert last_commit() not in (first, None)


@pytest.mark.postgres("a number of the last commit would cost a query")
@pytest.mark.django_db(transaction=True)
def test_postgresql_does_not_tell() -> None:
    assert is_committed()
    assert last_commit() is None


@pytest.mark.django_db(transaction=True)
def test_what_is_committed_is_not_what_a_transaction_reads() -> None:
    assert is_committed()
    with transaction.atomic():
        assert not is_committed()
        assert last_commit() is None
    assert connection.in_atomic_block is False

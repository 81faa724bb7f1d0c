"""What purges leave in the files of a database in use: nothing. And when they are swept."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from threading import Thread
from typing import IO, Any

import pytest
from django.db import connection, connections
from django.utils import timezone

from memories.models.fulltext import TABLE
from memories.store.vacuum import READERS_MILLISECONDS, REST, merge_fulltext, sweep
from memsite.tenancy.models import Residue
from memsite.tenancy.purge_residue import SWEPT, note_residue, residue
from tests.conftest import Caller
from tests.databases import copy_test_database

PROGRAM = Path(__file__).with_name("leave_no_trace.py")
LETTERS = str.maketrans("0123456789", "ghijklmnop")


class Life:
    """The program, and the files that it lives in."""

    def __init__(self, process: subprocess.Popen[str], data_dir: Path, words: list[str]) -> None:
        self.process, self.data_dir, self.words = process, data_dir, words

    def hear(self) -> int:
        line = pipe(self.process.stdout).readline()
        assert line, (self.data_dir / "server.log").read_text()[-3000:]
        return int(line)

    def tell(self, word: str) -> None:
        pipe(self.process.stdin).write(f"{word}\n")
        pipe(self.process.stdin).flush()

    def traces(self, word: str) -> Counter[str]:
        """How often the word stands in each file of the server, in whatever case; files without it are left out."""
        pattern = re.compile(word.encode(), re.IGNORECASE)
        files = [path for path in self.data_dir.rglob("*") if path.is_file()]
        return +Counter({path.name: len(pattern.findall(path.read_bytes())) for path in files})


def pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    # Letters only, and other ones to begin with: the full-text index keeps what words have in common once.
    words = [f"{first}{token_hex(8).translate(LETTERS)}" for first in "qvwxz"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MEMSITE_", "DJANGO_"))}
    environment |= {"MEMSITE_DATA_DIR": str(data_dir), "MEMSITE_SECRET_KEY": "x", "MEMSITE_EMBEDDER": "hash"}
    # Nothing is counted a moment later, in the middle of a sweep, which would leave its work to the next one.
    environment |= {"MEMSITE_COUNT_MILLISECONDS": "0"}
    with (data_dir / "server.log").open("w") as log:
        process = subprocess.Popen(  # noqa: S603  # our own
            [sys.executable, str(PROGRAM), *words],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
        )  # fmt: skip
        yield Life(process, data_dir, words)
        process.kill()
        process.wait()
        pipe(process.stdin).close()
        pipe(process.stdout).close()


@pytest.mark.long
def test_no_byte_of_what_is_purged_stays_in_any_file_and_neighbours_keep_theirs(life: Life) -> None:
    """While the program still runs: its connection keeps the log of last writes."""
    life.hear()
    *purged, neighbour = life.words
    assert all(life.traces(word)["memsite.sqlite3"] for word in life.words)
    assert (life.data_dir / "memsite.sqlite3-wal").exists()
    indexes = list((life.data_dir / "memsite.sqlite3-indexes").glob("*.index"))
    assert sum(life.traces(word)[path.name] for word in life.words for path in indexes) > len(life.words)
    for number, word in enumerate(purged):
        life.tell("purge")
        assert life.hear() >= (1 if number == 0 else 80)
        assert life.traces(word) == Counter()
        assert all(life.traces(other)["memsite.sqlite3"] for other in life.words[number + 1 :])
    assert life.traces(neighbour)["memsite.sqlite3"] > 500
    life.tell("end")
    assert life.process.wait(30) == 0


# --- when


@pytest.fixture
def outside(transactional_db: None) -> None:
    """A sweep cannot be done inside a transaction."""


def test_nothing_deleted_is_nothing_to_sweep(outside: None) -> None:
    assert residue() is None
    assert not sweep(timezone.now())


def test_a_sweep_follows_all_deletions_before_it(outside: None, alice: Caller) -> None:
    for number in range(3):
        memory = alice.remember(f"Whales number {number} sing")
        alice.delete(f"memories/{memory['id']}")
    assert sweep(timezone.now())
    assert Residue.objects.get(pk=SWEPT).swept == 3
    assert residue() is None
    note_residue(alice.app.pk)
    assert residue() is not None


def test_a_sweep_rests_so_that_many_deletions_share_one(outside: None) -> None:
    now = timezone.now()
    note_residue(7)
    assert sweep(now)
    Residue.objects.update(seconds=2)
    note_residue(7)
    assert not sweep(now + timedelta(seconds=2 * REST - 1))
    assert sweep(now + timedelta(seconds=2 * REST))


@pytest.mark.sqlite("no other database has files of indexes")
def test_a_sweep_that_cannot_delete_a_file_is_made_again(outside: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise PermissionError("It is not ours.")

    note_residue(7)
    with monkeypatch.context() as patch:
        patch.setattr("memories.store.vacuum.drop_stale_index_files", refuse)
        assert not sweep(timezone.now())
    assert sweep(timezone.now())


@pytest.mark.sqlite("no other database keeps writers waiting for who reads")
def test_who_reads_for_long_is_not_waited_for_and_nothing_is_rewritten_meanwhile(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a thread, whose connection is to a file."""
    path = tmp_path / "memsite.sqlite3"
    assert copy_test_database(path)
    monkeypatch.setitem(connections.settings["default"], "NAME", str(path))
    log, patience, answers = path.with_name(f"{path.name}-wal"), set[int](), list[bool]()

    def execute_twice(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if "wal_checkpoint" in sql:
            patience.update(connection.connection.execute("PRAGMA busy_timeout").fetchone())
        return answer

    def read_and_sweep() -> None:
        connection.ensure_connection()
        connection.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with closing(sqlite3.connect(path)) as reader, connection.execute_wrapper(execute_twice):
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM django_migrations").fetchone()
            note_residue(7)
            answers.extend([sweep(timezone.now()), log.stat().st_size < path.stat().st_size / 4])
            reader.execute("ROLLBACK")
            answers.append(sweep(timezone.now()))
        connection.close()

    thread = Thread(target=read_and_sweep)
    thread.start()
    thread.join()
    assert answers == [False, True, True]
    assert max(patience) == READERS_MILLISECONDS


def test_a_sweep_inside_a_transaction_is_left_for_later(db: None) -> None:
    note_residue(7)
    assert not sweep(timezone.now())
    assert residue() is not None


@pytest.mark.sqlite("its index of words keeps what was deleted until it is merged")
def test_the_index_forgets_words_that_no_memory_has_any_more(alice: Caller) -> None:
    memory = alice.remember("Zygomorphic flowers have one axis")
    alice.remember("Whales sing")
    alice.delete(f"memories/{memory['id']}")

    def words() -> bytes:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT block FROM {TABLE}_data")  # noqa: S608  # our own name
            return b"".join(bytes(block) for (block,) in cursor.fetchall())

    assert b"zygomorph" in words()
    merge_fulltext()
    assert b"zygomorph" not in words()
    assert b"whale" in words()

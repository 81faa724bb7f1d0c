"""A database that stays locked is told as 503, with when to come again; nothing is stored, nothing is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, OperationalError, ProgrammingError, connection, connections, transaction
from django.test import Client

from memories.models import Memory, RecallCount
from memories.providers.embeddings.hashing import HashEmbedder
from memsite.config.conf import get_conf
from memsite.config.settings import LOCK_SECONDS, database
from memsite.db.postgres.session import ASKED
from memsite.db.sqlite import base
from memsite.db.sqlite.base import DatabaseWrapper
from memsite.db.sqlite.write_lock import Waiting, arrived
from memsite.db.transactions import count, is_busy
from tests.api.checks import assert_problem
from tests.conftest import Caller, make_app, make_caller
from tests.databases import copy_test_database
from tests.talking import after

PASSWORD = "seven-green-bottles"


@pytest.fixture
def impatient(django_db_setup: None, django_db_blocker: Any, tmp_path: Path) -> Iterator[Path]:
    """The database in a file, as the site has it, but that it waits for a moment only."""
    if connection.vendor != "sqlite":
        pytest.skip("SQLite locks the whole file")
    path = tmp_path / "own.sqlite3"
    options = {**database(get_conf())["OPTIONS"], "timeout": 0.05}
    with django_db_blocker.unblock():
        is_copied = copy_test_database(path)
        settings: dict[str, Any] = {**connection.settings_dict, "NAME": path, "OPTIONS": options}
        kept, connections[DEFAULT_DB_ALIAS] = connections[DEFAULT_DB_ALIAS], DatabaseWrapper(settings, DEFAULT_DB_ALIAS)
        if not is_copied:
            call_command("migrate", verbosity=0)
        yield path
        connections[DEFAULT_DB_ALIAS].close()
        connections[DEFAULT_DB_ALIAS] = kept


@pytest.fixture
def gina(impatient: Path) -> Caller:
    return make_caller(make_app("initech"), "gina")


@pytest.fixture
def held(impatient: Path, gina: Caller) -> Iterator[sqlite3.Connection]:
    """Somebody else writes, and does not come to an end."""
    gina.remember("Whales sing")
    other = sqlite3.connect(impatient, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield other
    other.close()


def test_a_write_that_waited_in_vain_is_503_and_stores_nothing(gina: Caller, held: sqlite3.Connection) -> None:
    body, key = {"content": "Bears sleep"}, {"Idempotency-Key": "once"}
    refused = gina.post("memories", body, **key)
    assert_problem(refused, 503)
    assert refused["Retry-After"] == "1"
    assert gina.get("memories").json()["results"][0]["content"] == "Whales sing"
    held.execute("ROLLBACK")
    assert gina.post("memories", body, **key).status_code == 201
    assert Memory.objects.count() == 2


def test_what_could_not_begin_leaves_no_cursor_for_another_thread_to_wait_for(
    held: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that the collector finds in the thread that has the lock would make it wait for those who wait for it."""
    made: list[Any] = []
    make = DatabaseWrapper.cursor

    def remember(self: DatabaseWrapper) -> Any:
        made.append(make(self))
        return made[-1]

    monkeypatch.setattr(DatabaseWrapper, "cursor", remember)
    with pytest.raises(OperationalError, match="locked"), transaction.atomic():
        raise AssertionError("it has begun")
    assert len(made) == 1
    with pytest.raises(ProgrammingError, match="closed"):
        made[0].execute("SELECT 1")


class Turn:
    """Somebody else's, for so many milliseconds; then, if that is not too long, one's own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, milliseconds: int) -> None:
        self.seconds, self.now, self.is_mine = milliseconds / 1_000, 5.0, False
        monkeypatch.setattr(base, "TURN", self)
        monkeypatch.setattr(base, "monotonic", lambda: self.now)

    def acquire(self, *, blocking: bool = True, timeout: float = -1) -> bool:
        if blocking:
            self.now += min(self.seconds, timeout)
        self.is_mine = blocking and timeout > self.seconds
        return self.is_mine

    def release(self) -> None:
        assert self.is_mine
        self.is_mine = False


def test_who_comes_later_waits_for_a_turn_and_then_no_longer_than_is_left(
    gina: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = Turn(monkeypatch, milliseconds=30)
    waits: list[int] = []
    begin = DatabaseWrapper.begin

    def watched(self: DatabaseWrapper) -> None:
        assert turn.is_mine
        waits.append(self.busy_timeout)
        begin(self)

    monkeypatch.setattr(DatabaseWrapper, "begin", watched)
    gina.remember("Whales sing")
    assert waits
    assert set(waits) == {20, 470}  # of the 50 that it may wait, and of the 500 for what only counts
    assert not turn.is_mine
    assert connection.busy_timeout == 50  # type: ignore[attr-defined]  # ours


def test_who_has_waited_in_vain_for_a_turn_is_told_so(gina: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    Turn(monkeypatch, milliseconds=60)
    assert_problem(gina.post("memories", {"content": "Bears sleep"}), 503)
    monkeypatch.undo()
    assert Memory.objects.count() == 0


def test_a_turn_ends_when_the_transaction_begins_or_cannot(held: sqlite3.Connection) -> None:
    with pytest.raises(OperationalError, match="locked"), transaction.atomic():
        raise AssertionError("it has begun")
    assert not base.TURN.locked()
    held.execute("ROLLBACK")
    with transaction.atomic():
        assert not base.TURN.locked()


def test_a_request_may_wait_from_its_arrival_on(impatient: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = Turn(monkeypatch, milliseconds=0)
    waits: list[int] = []
    monkeypatch.setattr(DatabaseWrapper, "begin", lambda self: waits.append(self.busy_timeout))
    came = arrived.set(turn.now - 0.03)
    try:
        connection.cursor().close()
        connection._start_transaction_under_autocommit()  # type: ignore[attr-defined]  # ours
    finally:
        arrived.reset(came)
    assert waits == [20]


class NobodysTurn:
    def acquire(self, *, blocking: bool = True, timeout: float = -1) -> bool:
        assert not blocking, f"it waits {timeout} s"
        return False


def test_where_the_lock_is_stuck_the_next_is_refused_at_once(
    gina: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gina.remember("Whales sing")  # The key's use is noted.
    settings.MEMSITE = replace(settings.MEMSITE, web_threads=6)
    monkeypatch.setattr(base.WAITING, "count", 2)
    with monkeypatch.context() as others:
        others.setattr(base, "TURN", NobodysTurn())
        others.setattr(Waiting, "stuck_at", -inf)
        assert_problem(gina.post("memories", {"content": "Bears sleep"}), 503)
    assert base.WAITING.count == 2
    with transaction.atomic():  # No request: a worker's, or a command's.
        assert Memory.objects.count() == 1


def test_a_writer_that_would_be_refused_embeds_nothing(
    gina: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"memories/{gina.remember('Whales sing')['id']}"
    settings.MEMSITE = replace(settings.MEMSITE, web_threads=6)
    embedded: list[Sequence[str]] = []
    monkeypatch.setattr(HashEmbedder, "embed_documents", lambda self, texts: embedded.append(texts))
    with monkeypatch.context() as others:
        others.setattr(base.WAITING, "count", 2)
        others.setattr(base, "TURN", NobodysTurn())
        others.setattr(Waiting, "stuck_at", -inf)
        assert_problem(gina.patch(path, {"content": "Bears sleep"}), 503)
    assert not embedded


def test_all_may_wait_while_the_lock_goes_from_one_to_the_next(
    gina: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, web_threads=6)
    monkeypatch.setattr(base.WAITING, "count", 2)
    monkeypatch.setattr(Waiting, "stuck_at", inf)
    assert gina.post("memories", {"content": "Bears sleep"}).status_code == 201


def test_who_writes_without_a_transaction_waits_for_a_turn_too(gina: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    Turn(monkeypatch, milliseconds=60)
    with pytest.raises(OperationalError, match="locked"):
        Memory.objects.update(confidence=0.5)


def test_the_site_begins_as_that_has_it() -> None:
    assert database(replace(get_conf(), database_url="", row_security=False))["ENGINE"] == "memsite.db.sqlite"


def test_readers_do_not_wait_for_a_writer(gina: Caller, held: sqlite3.Connection) -> None:
    """Nor when they would leave a count: of the search, of what it found, of the key's use. What a search counts comes
    later."""
    with after(minutes=2):
        assert gina.get("memories").status_code == 200
        assert gina.post("memories/search", {"query": "whales"}).json()["results"]
    assert not RecallCount.objects.exists()
    held.execute("ROLLBACK")
    gina.post("memories/search", {"query": "whales"})
    assert RecallCount.objects.get().searches == 2
    assert Memory.objects.get().access_count == 2


def test_a_page_that_waited_in_vain_says_so_and_when_to_come_again(impatient: Path, gina: Caller) -> None:
    User.objects.create_superuser("nina", password=PASSWORD)
    client = Client(raise_request_exception=False)
    other = sqlite3.connect(impatient, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    form = {"username": "nina", "password": PASSWORD}
    answer = client.post("/login", form, headers={"Accept": "text/html"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert "busy" in answer.content.decode()
    other.close()
    assert client.post("/login", form).status_code == 302


class PoolTimeout(Exception):
    pass


def test_a_count_that_fails_for_another_reason_is_an_error(impatient: Path) -> None:
    def fail() -> None:
        raise OperationalError("disk I/O error")

    with pytest.raises(OperationalError):
        count(fail)


def caused(cause: BaseException, text: str = "") -> OperationalError:
    error = OperationalError(text)
    error.__cause__ = cause
    return error


def with_state(state: str) -> Exception:
    cause = Exception()
    cause.sqlstate = state  # type: ignore[attr-defined]
    return cause


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OperationalError("database is locked"), True),
        (caused(with_state("55P03")), True),  # lock_not_available
        (caused(with_state("40P01")), True),  # deadlock_detected
        (caused(PoolTimeout()), True),
        (caused(with_state("57P01"), "terminating connection"), False),
        (OperationalError("disk I/O error"), False),
        (ValueError("locked"), False),
        (None, False),
    ],
)
def test_busy_is_a_wait_that_was_in_vain_and_nothing_else(error: BaseException | None, expected: bool) -> None:
    assert is_busy(error) is expected


def test_both_databases_wait_as_long_as_is_promised() -> None:
    assert LOCK_SECONDS >= 20
    options = database(replace(get_conf(), database_url="", row_security=False))["OPTIONS"]
    assert (options["timeout"], options["transaction_mode"]) == (LOCK_SECONDS, "IMMEDIATE")
    postgres = database(replace(get_conf(), database_url="postgresql://memsite@localhost/memsite"))["OPTIONS"]
    assert postgres["pool"]["timeout"] == LOCK_SECONDS
    assert ASKED["lock_timeout"] == f"{LOCK_SECONDS}s"

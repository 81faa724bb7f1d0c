"""A PostgreSQL that cannot be reached is told of soon, and with what the server, or its absence, says."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection
from django.db.backends.postgresql import base
from django.db.utils import ConnectionHandler
from django.test import Client
from psycopg import errors, pq
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from memories.management import database_message
from memories.models import Memory
from memsite.config.conf import get_conf
from memsite.config.settings import database
from memsite.db.postgres.base import Connection, DatabaseWrapper, OutOfReach
from memsite.db.transactions import Unsure, count, is_busy, is_cut_off, is_out_of_reach
from memsite.tenancy import authentication
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.memsite.managing import instead_of_the_database, manage

SOON_SECONDS, POOL_SECONDS = 60, 120
"""No machine is so busy that the one looks like the other, which is how long a pool is waited for."""
FULL = "connection failed: FATAL:  sorry, too many clients already"

Connect = Callable[..., DatabaseWrapper]


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that takes calls, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.fixture
def closed() -> int:
    """A port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
    return port


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, django_db_blocker: Any) -> Iterator[Connect]:
    """A connection of a process that has made none, to the server at this port."""
    monkeypatch.setattr(Connection, "is_reached", False)
    made: list[DatabaseWrapper] = []

    def connection_to(port: int, options: str = "", **pool: Any) -> DatabaseWrapper:
        config = database(replace(get_conf(), database_url=f"postgresql://whale:secret@127.0.0.1:{port}/sea{options}"))
        config["OPTIONS"]["pool"] |= pool
        # Pools are the class's, by alias.
        wrapper: Any = ConnectionHandler({"default": {}, "away": config})["away"]
        made.append(wrapper)
        return made[-1]

    # It is not the tests' own.
    with django_db_blocker.unblock():
        yield connection_to
    for wrapper in made:
        wrapper.close_pool()


def refusal(wrapper: DatabaseWrapper) -> OperationalError:
    with pytest.raises(OperationalError) as output:
        wrapper.ensure_connection()
    return output.value


def test_a_refused_connection_is_told_at_once(site: Connect, closed: int) -> None:
    started = monotonic()
    error = refusal(site(closed, timeout=POOL_SECONDS))
    assert monotonic() - started < SOON_SECONDS
    assert "refused" in str(error)
    assert "secret" not in str(error)
    assert is_out_of_reach(error)
    assert is_busy(error)


def test_a_server_that_says_nothing_is_not_waited_for_long(site: Connect, silent: int) -> None:
    started = monotonic()
    error = refusal(site(silent, "?connect_timeout=1", timeout=POOL_SECONDS))
    assert monotonic() - started < SOON_SECONDS
    assert "timeout" in str(error)
    assert is_out_of_reach(error)


def test_how_long_is_for_the_address_to_say(site: Connect) -> None:
    timeouts = [
        database(replace(get_conf(), database_url=f"postgresql://db/sea{options}"))["OPTIONS"]["connect_timeout"]
        for options in ("", "?connect_timeout=30")
    ]
    assert timeouts == [5, 30]


@pytest.mark.skipif(sys.platform != "linux", reason="others call it otherwise")
def test_a_connection_that_falls_silent_in_use_is_given_up_after_ten_seconds(silent: int) -> None:
    options = database(replace(get_conf(), database_url="postgresql://db/sea"))["OPTIONS"]
    of_tcp = {name: value for name, value in options.items() if name.startswith(("tcp_", "keepalives"))}
    begun = pq.PGconn.connect_start(make_conninfo(f"postgresql://127.0.0.1:{silent}/sea", **of_tcp).encode())
    with socket.socket(fileno=os.dup(begun.socket)) as connecting:
        ends = [
            connecting.getsockopt(socket.IPPROTO_TCP, name) for name in (socket.TCP_USER_TIMEOUT, socket.TCP_KEEPIDLE)
        ]
    begun.finish()
    assert ends == [10_000, 5]


def test_each_one_who_asks_is_told(site: Connect, closed: int) -> None:
    wrapper = site(closed)
    assert [is_out_of_reach(refusal(wrapper)) for _ in range(3)] == [True] * 3


def test_who_waited_while_it_went_away_hears_why(site: Connect, closed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    getconn = ConnectionPool.getconn

    def once_away(pool: Any, *value: Any) -> Any:
        """However late the pool's own thread finds that out."""
        while Connection.is_reached:
            sleep(0.01)
        return getconn(pool, *value)

    monkeypatch.setattr(Connection, "is_reached", True)
    monkeypatch.setattr(ConnectionPool, "getconn", once_away)
    error = refusal(site(closed, timeout=1))
    assert "refused" in str(error)
    assert is_out_of_reach(error)


def test_a_server_that_is_full_is_one_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise psycopg.OperationalError(FULL)

    monkeypatch.setattr(Connection, "is_reached", True)
    monkeypatch.setattr(psycopg.Connection, "connect", full)
    with pytest.raises(psycopg.OperationalError):
        Connection.connect()
    assert Connection.is_reached


@pytest.mark.postgres("it has to be there")
def test_one_that_was_away_and_is_back_is_used(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "is_reached", False)
    wrapper: Any = connection.copy()
    with wrapper.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)
    wrapper.close()
    assert Connection.is_reached


# --- doors


def test_a_database_that_there_is_none_of_is_not_told_to_be_set_up() -> None:
    text = 'connection failed: FATAL:  database "sea" does not exist'
    error = OperationalError(text)
    error.__cause__ = OutOfReach(text)
    assert database_message(error).endswith(f"{text}. See MEMSITE_DATABASE_URL.")


def out_of_reach(*_: Any, **__: Any) -> None:
    raise OperationalError("Connection refused") from OutOfReach("Connection refused")


def test_a_request_is_told_to_come_again(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authentication, "find_key", out_of_reach)
    answer = alice.get("memories")
    body = assert_problem(answer, 503)
    assert body["detail"] == "The server cannot reach its database: nothing was stored, try again."
    assert int(answer["Retry-After"]) >= 1


def test_a_page_says_so_too(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.contrib.auth.views.LoginView.get", out_of_reach)
    answer = Client(raise_request_exception=False).get("/login", headers={"Accept": "text/html"})
    assert answer.status_code == 503
    assert "cannot reach its database" in answer.content.decode()
    assert int(answer["Retry-After"]) >= 1


@pytest.mark.parametrize("command", [["migrate"], ["create_key", "--operator"]])
def test_a_command_says_it_in_one_sentence(
    command: list[str], site: Connect, closed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with instead_of_the_database(site(closed)):
        ended = manage(*command)
    output = capfd.readouterr().err + (ended if isinstance(ended, str) else "")
    (line,) = output.strip().splitlines()
    assert ended in (1, line)
    assert "The database sea cannot be used: " in line
    assert "refused" in line
    assert "secret" not in line


# --- in the middle of it


def cut_off(error: type[psycopg.Error] = psycopg.OperationalError) -> OperationalError:
    failure = OperationalError("server closed the connection unexpectedly\n\tThis probably means …")
    failure.__cause__ = error(str(failure))
    return failure


BROKEN_OFF = (
    psycopg.OperationalError, errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow,
    errors.ConnectionFailure,
)  # fmt: skip


@pytest.mark.parametrize("error", BROKEN_OFF)
def test_a_connection_that_breaks_off_is_told_from_what_the_server_refuses(error: type[psycopg.Error]) -> None:
    assert is_cut_off(cut_off(error))
    assert is_busy(cut_off(error))


@pytest.mark.parametrize("error", [errors.QueryCanceled, errors.DiskFull, errors.LockNotAvailable, PoolTimeout])
def test_what_the_server_refuses_is_another_matter(error: type[psycopg.Error]) -> None:
    assert not is_cut_off(cut_off(error))


def raising(error: Exception) -> Callable[..., None]:
    def work(*_: Any, **__: Any) -> None:
        raise error

    return work


def test_a_request_that_loses_its_connection_is_told_to_come_again(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "find_key", raising(cut_off()))
    answer = alice.get("memories")
    body = assert_problem(answer, 503)
    assert body["detail"] == "The server lost the connection to its database: nothing was stored, try again."
    assert int(answer["Retry-After"]) >= 1


@pytest.mark.django_db(transaction=True)
def test_so_is_one_that_loses_it_while_the_use_of_its_key_is_noted(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only reads goes on where nothing can be written. Without a connection it would wait for one twice."""
    monkeypatch.setattr(authentication, "count", raising(cut_off()))
    assert_problem(alice.get("memories"), 503)


def test_one_that_loses_it_at_the_commit_is_told_that_nobody_knows(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authentication, "find_key", raising(Unsure("server closed the connection unexpectedly")))
    answer = alice.get("memories")
    body = assert_problem(answer, 500)
    assert (body["code"], "Retry-After" in answer) == ("may_be_stored", False)
    assert "Look before you send it again" in body["detail"]


def test_so_is_who_sends_a_form(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.contrib.auth.views.LoginView.get", raising(Unsure("gone")))
    answer = Client(raise_request_exception=False).get("/login", headers={"Accept": "text/html"})
    assert answer.status_code == 500
    assert "stored as a whole, or not at all" in answer.content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("error", [cut_off(), OperationalError("")])
def test_who_only_counts_does_not_go_on_without_a_connection(error: OperationalError) -> None:
    """The next one who wants the database would wait for it as long again."""
    error.__cause__ = error.__cause__ or PoolTimeout("couldn't get a connection after 20.00 sec")
    with pytest.raises(OperationalError):
        count(raising(error))


def stop_this_connection(*_: Any, **__: Any) -> None:
    """As a server does that is stopped: from somewhere else."""
    other: Any = connection.copy()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (number,) = cursor.fetchone()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [number])
    other.close()


@pytest.mark.postgres("its connections break off")
@pytest.mark.django_db(transaction=True)
def test_nothing_is_stored_and_the_same_request_may_be_sent_again(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def post() -> Any:
        return alice.post("memories", {"content": "Whales sing"}, **{"Idempotency-Key": "one"})

    with monkeypatch.context() as patched:
        patched.setattr("memories.capture.pipeline.note_energy", stop_this_connection)
        assert_problem(post(), 503)
    assert not Memory.objects.exists()
    assert post().status_code == 201
    assert Memory.objects.count() == 1


@pytest.mark.postgres("its connections break off")
@pytest.mark.django_db(transaction=True)
def test_at_the_commit_nobody_knows(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """And whoever sends the same once more is served: it was rolled back."""
    commit, is_written = base.DatabaseWrapper._commit, []  # type: ignore[attr-defined]  # the stubs leave it out

    def too_late(wrapper: Any) -> None:
        if is_written:
            is_written.clear()
            stop_this_connection()
        commit(wrapper)

    with monkeypatch.context() as patched:
        patched.setattr(base.DatabaseWrapper, "_commit", too_late)
        patched.setattr("memories.capture.pipeline.note_energy", lambda *_: is_written.append(True))
        body = assert_problem(alice.post("memories", {"content": "Whales sing"}, **{"Idempotency-Key": "one"}), 500)
    assert body["code"] == "may_be_stored"
    assert alice.post("memories", {"content": "Whales sing"}, **{"Idempotency-Key": "one"}).status_code == 201
    assert Memory.objects.count() == 1

import errno
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from structlog.testing import capture_logs

import memsite
from memories.api import collector, health
from memories.retrieve import retrievers
from memsite.tenancy.models import App


@pytest.mark.django_db
def test_a_working_server_says_so(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["checks"] == dict.fromkeys(("database", "migrations", "wall", "embedder"), True)


@pytest.mark.django_db
@pytest.mark.django_db
def test_the_version_needs_no_key_and_no_database(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        answer = client.get("/api/v1/version")
    assert answer.json() == {"name": "memsite", "version": memsite.__version__, "api": "v1"}


@pytest.mark.django_db
def test_what_is_missing_is_named_and_healthz_stays_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> bool:
        raise RuntimeError("away")

    monkeypatch.setitem(health.CHECKS, "database", broken)
    answer = client.get("/readyz")
    # Whether the others are well, nobody asked: they might wait for the same.
    assert (answer.status_code, answer.json()["checks"]) == (503, {"database": False})
    assert client.get("/healthz").status_code == 200


def test_a_database_that_is_away_is_logged_without_a_traceback() -> None:
    def away() -> bool:
        raise OperationalError("connection timeout expired")

    with capture_logs() as logs:
        assert not health.passes("database", away)
    assert [(entry["error"], entry.get("exc_info")) for entry in logs] == [("connection timeout expired", None)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres("SQLite asks in the request's own thread")
def test_a_database_that_does_not_answer_is_not_waited_for(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, never, wait_for = Event(), Event(), retrievers.wait_for

    def hangs() -> bool:
        begun.set()
        return never.wait()

    def no_longer_than_told(future: Any, deadline: float) -> Any:
        """Its time is over once it has begun, however long that takes."""
        assert deadline <= monotonic() + health.SECONDS
        begun.wait(health.SECONDS)
        return wait_for(future, 0.0)

    monkeypatch.setitem(health.CHECKS, "database", hangs)
    monkeypatch.setattr(health, "SECONDS", 60)
    monkeypatch.setattr(retrievers, "wait_for", no_longer_than_told)
    try:
        answer = client.get("/readyz")
    finally:
        never.set()
    assert (answer.status_code, answer.json()["checks"]) == (503, {"database": False})
    assert answer.json()["status"] == "unavailable"


# --- where nothing can be written


@pytest.fixture
def read_only(db: None) -> Iterator[None]:
    """From here on the database refuses what would change it, as one does whose file or server is for reading only."""
    with connection.cursor() as cursor:
        is_sqlite = connection.vendor == "sqlite"
        cursor.execute("PRAGMA query_only=ON" if is_sqlite else "SET TRANSACTION READ ONLY")
        yield
        if is_sqlite:
            cursor.execute("PRAGMA query_only=OFF")


def is_told_writable() -> list[float]:
    families = collector.ask_database(timezone.now()) or []
    return [
        sample.value for family in families if family.name == "memsite_database_writable" for sample in family.samples
    ]


def test_a_database_that_is_read_only_is_told_and_readers_are_not_sent_away(read_only: None, client: Client) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert answer.json()["degraded"] == ["writing"]
    assert is_told_writable() == [0]
    with pytest.raises(DatabaseError), transaction.atomic():
        App.objects.create(app_id="new", name="New")


@pytest.mark.sqlite("PostgreSQL's disk is another machine's, perhaps")
def test_a_full_disk_is_told_and_readers_are_not_sent_away(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(connection, "is_in_memory_db", lambda: False)
    monkeypatch.setitem(connection.settings_dict, "NAME", tmp_path / "memsite.sqlite3")
    assert health.takes_writes()
    assert list(tmp_path.iterdir()) == []

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(health, "TemporaryFile", refuse)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["degraded"]) == (200, ["writing"])


@pytest.mark.sqlite("counts what SQLite has changed")
def test_to_ask_whether_it_can_be_written_changes_nothing(db: None, client: Client) -> None:
    assert connection.connection is not None
    before = connection.connection.total_changes
    assert client.get("/readyz").json()["degraded"] == []
    assert is_told_writable() == [1]
    assert connection.connection.total_changes == before


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/login", "/api/docs"])
def test_pages_run_no_inline_script_and_load_nothing_from_elsewhere(client: Client, path: str) -> None:
    answer: Any = client.get(path)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert "unsafe" not in answer["Content-Security-Policy"]
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert "<style" not in page


@pytest.mark.django_db
def test_a_person_gets_a_page_and_a_program_a_problem(client: Client) -> None:
    page = client.get("/nowhere", headers={"Accept": "text/html"})
    assert (page.status_code, page["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert client.get("/nowhere")["Content-Type"] == "application/problem+json"
    assert client.get("/api/nowhere", headers={"Accept": "text/html"})["Content-Type"] == "application/problem+json"


@pytest.mark.django_db
def test_a_request_id_comes_back_if_it_is_harmless(client: Client) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "abc-1"})["X-Request-ID"] == "abc-1"
    assert client.get("/healthz", headers={"X-Request-ID": "a b\tc" * 40})["X-Request-ID"] != "a b\tc" * 40


@pytest.mark.django_db
def test_a_name_that_is_not_ours_fills_no_log(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    assert client.get("/login", headers={"Host": "elsewhere.example"}).status_code == 400
    assert caplog.records == []


@pytest.mark.django_db
def test_the_admin_is_found_without_its_slash(client: Client) -> None:
    assert client.get("/admin")["Location"] == "/admin/"

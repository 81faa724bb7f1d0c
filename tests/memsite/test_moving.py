"""A SQLite site moved into PostgreSQL: nothing is missing, and nothing is moved that could not be kept."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test.utils import CaptureQueriesContext

from memories.models import Memory, Revision
from memsite.db.transactions import Unsure
from memsite.ops import moving
from memsite.ops.moving import differing
from memsite.ops.moving import row_copies as rows
from memsite.ops.moving.row_copies import SOURCE, CannotMove
from memsite.tenancy.models import App
from sessions.models import Resource
from tests.conftest import Caller, client_with
from tests.memsite.asked import answers_to

PROGRAM, GOES_ON = (Path(__file__).with_name(name) for name in ("furnished_site.py", "site_that_goes_on.py"))
Meanwhile = Callable[[Callable[[], Any]], None]
on_postgres = pytest.mark.postgres("it is what is moved into: make test-postgres")


def told_by(program: Path, folder: Path, *arguments: str) -> dict[str, Any]:
    own = {"MEMSITE_DATA_DIR": str(folder), "MEMSITE_EMBEDDER": "hash", "MEMSITE_RELATIONS": "rules"}
    environment = {**os.environ, **own}
    command = [sys.executable, program, *arguments]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    known: dict[str, Any] = json.loads(output.stdout.splitlines()[-1])
    return known


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("site")
    return folder / "memsite.sqlite3", told_by(PROGRAM, folder)


@pytest.fixture
def own(site: tuple[Path, dict[str, Any]], tmp_path: Path) -> Path:
    """A copy of the site's, to write to."""
    return Path(shutil.copy(site[0], tmp_path))


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Has something done when all is copied, and before the source is held."""

    def have(work: Callable[[], Any]) -> None:
        copy_all = moving.copy_all

        def then(*given: Any) -> None:
            copy_all(*given)
            work()

        monkeypatch.setattr(moving, "copy_all", then)

    return have


def spoil(row: Any) -> bool:
    """In the place of mending it."""
    if isinstance(row, Memory):
        row.subject = "spoilt"
    return False


def written(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, timeout=0)) as source, source:
        source.execute(sql)


@pytest.fixture(autouse=True)
def any_database(db: None, django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests refuse databases that are not in the settings; this one comes while the command runs."""
    monkeypatch.setattr(BaseDatabaseWrapper, "ensure_connection", django_db_blocker._real_ensure_connection)


def move(path: Path) -> None:
    call_command("migrate_database", source=f"sqlite:///{path}")


@on_postgres
def test_everything_arrives(site: tuple[Path, dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    path, before = site
    move(path)
    output = capsys.readouterr().out
    assert re.search(r"memories_memory: (\d+) of \1 copied", output)
    assert re.search(r"memories_memory: \d+ compared", output)
    assert "each compared" in output
    assert "1 held a NUL character" in output
    assert "keep it stopped" in output
    assert "MEMSITE_SECRET_KEY" in output
    client = client_with(before["key"])
    assert client.get("/api/v1/memories").json() == before["memories"]
    assert any(before["answers"])
    assert answers_to(client) == before["answers"]
    with sqlite3.connect(path) as source:
        for model in (App, Memory, Revision, Resource):
            (count,) = source.execute(f"SELECT count(*) FROM {model._meta.db_table}").fetchone()  # noqa: S608
            assert model._base_manager.count() == count > 0
    assert Resource._base_manager.filter(raw_content__contains="\ufffd").count() == 1


@on_postgres
def test_the_second_row_security_is_no_hindrance(site: tuple[Path, dict[str, Any]], settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, database_url="postgresql://", row_security=True)
    move(site[0])
    assert App.objects.exists()


@on_postgres
def test_what_comes_after_gets_a_number_of_its_own_and_is_found(site: tuple[Path, dict[str, Any]]) -> None:
    path, before = site
    move(path)
    client = client_with(before["key"])
    new = client.post("/api/v1/memories", {"content": "The lighthouse is painted red"}, format="json").json()
    answer = client.post("/api/v1/memories/search", {"query": "lighthouses painted", "mode": "fulltext"}, format="json")
    assert [hit["id"] for hit in answer.json()["results"]] == [new["id"]]
    with pytest.raises(DatabaseError), transaction.atomic():
        Revision._base_manager.update(reason="changed")


@on_postgres
def test_what_is_in_the_tables_is_known_to_who_plans_queries(site: tuple[Path, dict[str, Any]]) -> None:
    move(site[0])
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'memories_memory'::regclass")
        assert cursor.fetchone() == (Memory._base_manager.count(),)


@on_postgres
def test_no_number_of_what_was_deleted_is_given_again(site: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    path = Path(shutil.copy(site[0], tmp_path))
    with sqlite3.connect(path) as source:
        source.execute("UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'memories_revision'")
    move(path)
    client_with(site[1]["key"]).post("/api/v1/memories", {"content": "The lighthouse is painted red"}, format="json")
    assert Revision._base_manager.order_by("pk").values_list("pk", flat=True).last() == 5001


@on_postgres
def test_what_its_server_writes_meanwhile_comes_along(
    own: Path, site: tuple[Path, dict[str, Any]], meanwhile: Meanwhile, capsys: pytest.CaptureFixture[str]
) -> None:
    after: list[dict[str, Any]] = []
    meanwhile(lambda: after.append(told_by(GOES_ON, own.parent, site[1]["key"])))
    move(own)
    output = capsys.readouterr().out
    assert re.search(r"memories_memory: \d+ written meanwhile, and compared", output)
    assert re.search(r"\d+ were written, changed or deleted meanwhile: they came along", output)
    client = client_with(site[1]["key"])
    assert client.get("/api/v1/memories").json() == after[0]["memories"] != site[1]["memories"]
    assert answers_to(client) == after[0]["answers"] != site[1]["answers"]
    number = Memory._base_manager.order_by("pk").values_list("pk", flat=True).last()
    client.post("/api/v1/memories", {"content": "The lighthouse keeper whistles"}, format="json")
    assert Memory._base_manager.filter(pk__gt=number).count() == 1


@on_postgres
def test_what_has_to_be_unique_may_change_places_meanwhile(own: Path, meanwhile: Meanwhile) -> None:
    def swap() -> None:
        with sqlite3.connect(own) as source:
            (item, her), (other, his) = source.execute("SELECT id, uid FROM memories_memory LIMIT 2").fetchall()
            for pk, uid in ((item, "0" * 32), (other, her), (item, his)):
                source.execute("UPDATE memories_memory SET uid = ? WHERE id = ?", [uid, pk])
            swapped.update({item: his, other: her})

    swapped: dict[int, str] = {}
    meanwhile(swap)
    move(own)
    assert {row.pk: row.uid.hex for row in Memory._base_manager.filter(pk__in=swapped)} == swapped


@on_postgres
def test_what_was_mended_is_counted_as_it_is_in_the_end(
    own: Path, meanwhile: Meanwhile, capsys: pytest.CaptureFixture[str]
) -> None:
    """One text; five memories, of which one holds it no longer."""
    written(own, "UPDATE memories_memory SET made_by = 'one' || char(0)")
    meanwhile(lambda: written(own, "UPDATE memories_memory SET priority = 1.5, made_by = iif(id = 1, '', made_by)"))
    move(own)
    assert "5 held a NUL character" in capsys.readouterr().out


@on_postgres
def test_what_was_written_meanwhile_is_compared_too(
    own: Path, meanwhile: Meanwhile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write() -> None:
        written(own, "UPDATE memories_memory SET priority = 1.5")
        monkeypatch.setattr(moving.row_copies, "mend", spoil)

    meanwhile(write)
    with pytest.raises(CommandError, match="subject of the row with the id 1 would not be the same"):
        move(own)
    assert not App.objects.exists()


@on_postgres
def test_who_updates_the_source_meanwhile_is_told(own: Path, meanwhile: Meanwhile) -> None:
    meanwhile(
        lambda: written(
            own, "INSERT INTO django_migrations (app, name, applied) VALUES ('memories', '9', '2027-01-01')"
        )
    )
    with pytest.raises(CommandError, match="different versions"):
        move(own)
    assert not App.objects.exists()


@on_postgres
def test_once_all_is_moved_nobody_writes_to_the_source_until_the_end(own: Path) -> None:
    with moving.moved(f"sqlite:///{own}", lambda _: None):
        assert App.objects.exists()
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            written(own, "UPDATE tenancy_app SET change_number = change_number + 1")
    written(own, "UPDATE tenancy_app SET change_number = change_number + 1")


@on_postgres
@pytest.mark.parametrize("error", [None, EOFError(), KeyboardInterrupt()], ids=["enter", "no input", "Ctrl-C"])
def test_the_source_is_held_until_enter_if_wanted(
    error: BaseException | None, own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is no input, until the command is ended."""

    def press() -> str:
        assert "Moved" in (output := capsys.readouterr().out)
        assert "then press Enter" in output
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            written(own, "UPDATE tenancy_app SET change_number = change_number + 1")
        if error:
            raise error
        return ""

    def wait(_: Any) -> None:
        assert isinstance(error, EOFError)
        assert "end this command instead" in capsys.readouterr().out
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            written(own, "UPDATE tenancy_app SET change_number = change_number + 1")
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", press)
    monkeypatch.setattr("threading.Event.wait", wait)
    call_command("migrate_database", source=f"sqlite:///{own}", hold=True)
    written(own, "UPDATE tenancy_app SET change_number = change_number + 1")
    assert "stays behind: keep it stopped" in capsys.readouterr().out


@on_postgres
def test_who_writes_for_long_is_waited_for_and_told_of(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memsite.ops.moving.row_copies.PATIENCE_SECONDS", 0)
    with closing(sqlite3.connect(own, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(CommandError, match=r"is locked\. Another program is writing to it"):
            move(own)
    assert not App.objects.exists()


@on_postgres
def test_who_may_not_write_to_the_source_cannot_hold_it(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "connect", lambda _, connect=rows.connect: connect("ro"))
    with pytest.raises(CommandError, match="run this as its owner, or move a copy"):
        move(own)


@pytest.mark.parametrize(
    ("olds", "news", "keys"),
    [
        ([], [], []),
        ([(1, "a"), (2, "b")], [(1, "a"), (2, "b")], []),
        ([(1, "a"), (2, "b"), (3, "c")], [(1, "a"), (2, "B"), (3, "c")], [2]),
        ([(2, "b")], [(1, "a"), (2, "b"), (3, "c")], [1, 3]),
        ([(1, "a"), (2, "b"), (3, "c")], [(2, "b")], [1, 3]),
        ([], [(0, None)], [0]),
        ([(0, None)], [], [0]),
        ([("1", 1.5), ("a", None)], [("1", 1.5), ("A", None), ("a", b"")], ["A", "a"]),
    ],
)
def test_rows_that_differ_are_found(olds: list[Any], news: list[Any], keys: list[Any]) -> None:
    assert [*differing(iter(olds), iter(news))] == keys


@on_postgres
def test_a_login_that_somebody_makes_before_the_tables_are_locked_is_not_deleted(
    site: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    triggers_off = moving.triggers_off

    @contextmanager
    def after_another(*given: Any) -> Iterator[None]:
        get_user_model().objects.create_user("first")
        with triggers_off(*given):
            yield

    monkeypatch.setattr(moving, "triggers_off", after_another)
    with pytest.raises(CommandError, match="something in the database already"):
        move(site[0])


@on_postgres
@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        (KeyboardInterrupt(), "^Interrupted. Nothing was moved: begin again when you like.$", 130),
        (OperationalError("connection failed"), "connection failed.+ Nothing was moved: begin again", 1),
    ],
)
def test_what_ends_it_halfway_is_told_in_a_line(
    error: BaseException, message: str, code: int, site: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*_: Any) -> None:
        raise error

    monkeypatch.setattr(moving, "compare", end)
    with pytest.raises(CommandError, match=message) as refused:
        move(site[0])
    assert refused.value.returncode == code
    assert not App.objects.exists()


@on_postgres
@pytest.mark.parametrize("error", [Unsure("server closed the connection unexpectedly"), KeyboardInterrupt()], ids=str)
def test_what_ends_it_in_the_last_moment_is_not_said_to_have_moved_nothing(
    error: BaseException, site: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here, it had."""

    @contextmanager
    def broken_off(using: str | None = None) -> Iterator[None]:
        with transaction.atomic(using):
            yield
        if using is None:
            raise error

    unsure = r"\((server closed|interrupted).*\): everything is moved, or nothing"
    with monkeypatch.context() as once:
        once.setattr(moving, "transaction", SimpleNamespace(atomic=broken_off))
        with pytest.raises(CommandError, match=unsure) as output:
            move(site[0])
    assert "Nothing was moved" not in str(output.value)
    with pytest.raises(CommandError, match="something in the database already"):
        move(site[0])


@on_postgres
def test_what_is_in_the_database_already_stays(site: tuple[Path, dict[str, Any]], alice: Caller) -> None:
    alice.remember("We were here first")
    with pytest.raises(CommandError, match="something in the database already"):
        move(site[0])
    assert Memory.objects.count() == 1


@on_postgres
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_bytes(b""), "empty, or not of Memsite"),
        (
            lambda path: sqlite3.connect(path).execute("CREATE TABLE a (b)").connection.close(),
            "empty, or not of Memsite",
        ),
    ],
)
def test_what_is_no_site_is_refused(make: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    make(tmp_path / "other.sqlite3")
    with pytest.raises(CommandError, match=message):
        move(tmp_path / "other.sqlite3")


@on_postgres
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "No such file"),
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda path: path.write_text("a log\n" * 1_000), "not a database. Is it the right file?"),
    ],
)
def test_what_cannot_be_read_is_named_and_left_as_it_is(
    make: Callable[[Path], object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "other.sqlite3"
    make(path)
    before = [(file, file.stat().st_size) for file in tmp_path.iterdir()]
    with pytest.raises(CommandError, match=re.escape(message)) as refused:
        move(path)
    assert str(refused.value).startswith(f"The source {path} cannot be read")
    assert [(file, file.stat().st_size) for file in tmp_path.iterdir()] == before


@on_postgres
@pytest.mark.parametrize("option", ["x=1", "timeout=soon"])
def test_an_option_of_the_address_that_cannot_be_is_told(site: tuple[Path, dict[str, Any]], option: str) -> None:
    with pytest.raises(CommandError, match="An option in the address of the SQLite database cannot be"):
        call_command("migrate_database", source=f"sqlite:///{site[0]}?{option}")


@on_postgres
def test_a_text_that_is_too_long_for_its_column_is_named_by_its_table(
    site: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lengthen(row: Any) -> bool:
        if isinstance(row, App):
            row.app_id = "x" * 1000
        return False

    monkeypatch.setattr(moving.row_copies, "mend", lengthen)
    with pytest.raises(CommandError, match=r"^tenancy_app: a row does not fit into PostgreSQL: .+ character varying"):
        move(site[0])


@on_postgres
def test_the_source_cannot_be_written_to(site: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: Any) -> None:
        App.objects.using(SOURCE).update(change_number=0)

    monkeypatch.setattr(moving, "copy_all", write)
    with pytest.raises(CommandError, match="readonly database"):
        move(site[0])


@on_postgres
def test_a_row_that_would_be_another_is_named_by_its_column_and_nothing_of_it_is_told(
    site: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    stray: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", stray.append)
    monkeypatch.setattr(moving.row_copies, "mend", spoil)
    monkeypatch.setattr(moving.row_copies, "BATCH", 2)
    named = r"^memories_memory: subject of the row with the id \d+ would not be the same.*try again\.$"
    with pytest.raises(CommandError, match=named) as refused:
        move(site[0])
    assert "spoilt" not in str(refused.value)
    assert not App.objects.exists()
    del refused
    gc.collect()
    assert not stray


@on_postgres
def test_keys_that_are_texts_are_compared_whatever_the_language_of_the_database(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In most, t comes before Z; not so in SQLite. Whoever knows the key of a login, is signed in."""
    with sqlite3.connect(own) as source:
        rows = [(key, "e30:1", "2030-01-01 00:00:00") for key in ("zebra", "tiger", "Zebra")]
        source.executemany("INSERT INTO django_session (session_key, session_data, expire_date) VALUES (?, ?, ?)", rows)
    with CaptureQueriesContext(connection) as queries:
        move(own)
    (compared,) = [output["sql"] for output in queries if 'FROM "django_session" ORDER BY' in output["sql"]]
    assert compared.endswith('ORDER BY "django_session"."session_key" COLLATE "C" ASC')
    assert Session.objects.filter(pk__in=["zebra", "tiger", "Zebra"]).count() == 3
    with pytest.raises(CannotMove) as refused:
        moving.row_copies.compare_row(Session, ("zebra", "zebra", "a", None), ("zebra", "zebra", "b", None))
    assert "session_data of a row would not be the same" in str(refused.value)
    assert "zebra" not in str(refused.value)


@on_postgres
def test_what_is_stored_at_once_has_an_end(site: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever holds the texts: PostgreSQL takes no statement of more than a gigabyte."""
    stored: list[tuple[int, int]] = []
    store = moving.row_copies.store

    def noted(model: Any, batch: list[Any]) -> set[Any]:
        stored.append((len(batch), sum(moving.row_copies.size_of([*vars(row).values()]) for row in batch)))
        return store(model, batch)

    monkeypatch.setattr(moving.row_copies, "store", noted)
    monkeypatch.setattr(moving.row_copies, "MOST_CHARACTERS", 2_000)
    move(site[0])
    assert max(count for count, _ in stored) > 1
    assert max(size for count, size in stored if count > 1) <= 2_000


def test_of_a_row_texts_and_bytes_count_wherever_they_are() -> None:
    output = ["1234", b"12", memoryview(b"1"), None, 5, {"12": ["34567", "890", 1, {"1": None}]}]
    assert moving.row_copies.size_of(output) == 4 + 2 + 1 + 11


@pytest.mark.parametrize("source", ["postgres://elsewhere/site", "/just/a/path", "sqlite://", "sqlite:///:memory:"])
def test_the_address_of_a_source_names_a_file(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "vendor", "postgresql")
    with pytest.raises(CommandError, match="address of a SQLite database"):
        call_command("migrate_database", source=source)


def test_the_target_is_postgres(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "vendor", "sqlite")
    with pytest.raises(CommandError, match="MEMSITE_DATABASE_URL"):
        move(tmp_path / "memsite.sqlite3")

"""What the database itself refuses, whoever asks."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, models, transaction
from django.db.utils import ConnectionHandler

from memories.models import Link, Memory, Revision
from memories.models.fulltext import no_source, source
from memsite.tenancy.append_only import SameApp, purge_permit
from memsite.tenancy.audit import note
from memsite.tenancy.models import PurgePermit
from memsite.tenancy.scoping import Scoped
from sessions.models import AgentSession, Event, Resource, Turn
from tests.conftest import Caller
from tests.databases import copy_test_database

APPEND_ONLY = {
    "memories_revision": "actor = 'me'",
    "agent_sessions_turn": "llm_output = 'x'",
    "agent_sessions_resource": "raw_content = 'x'",
    "agent_sessions_event": "message = 'x'",
    "tenancy_auditentry": "actor = 'me'",
}


def triggers() -> set[str]:
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        if connection.vendor == "sqlite"
        else "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        return {name for (name,) in cursor.fetchall()}


def execute(sql: str, *values: Any) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, values)
        return int(cursor.rowcount)


def count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")  # noqa: S608  # our own names
        return int(cursor.fetchone()[0])


@pytest.fixture
def history(alice: Caller) -> Caller:
    """A row in every append-only table."""
    session = alice.start_session()["id"]
    text = "[MEMORY:timing:dns] Takes 5s\n[EVENT:info:dns] up"
    alice.put(f"sessions/{session}/turns/1", {"user_input": "hello", "llm_output": text})
    note("operator:olga", alice.app, "policy changed")
    assert all(count(table) for table in APPEND_ONLY)
    return alice


@pytest.mark.django_db
def test_the_append_only_triggers_exist() -> None:
    expected = {f"{table}_refuse_{event}" for table in APPEND_ONLY for event in ("update", "delete")}
    assert expected <= triggers()


@pytest.mark.django_db
def test_every_link_between_rows_of_an_app_is_watched() -> None:
    """Each foreign key from a scoped row to a scoped row, now and in models to come."""
    expected = {
        f"{model._meta.db_table}_refuse_{event}_{field.column}"
        for model in apps.get_models()
        if issubclass(model, Scoped)
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey) and issubclass(field.related_model, Scoped)
        for event in ("insert", "update")
    }
    assert len(expected) >= 30
    assert expected - triggers() == set()


@pytest.mark.sqlite("no other makes tables anew")
def test_a_migration_that_makes_a_table_anew_can_put_back_what_watches_it(
    django_db_setup: None, django_db_blocker: Any, tmp_path: Path
) -> None:
    """On a copy, and without a test's transaction, in which neither can be done."""
    path = tmp_path / "copy.sqlite3"
    with django_db_blocker.unblock():
        assert copy_test_database(path)
    there = ConnectionHandler({"default": connection.settings_dict | {"NAME": str(path)}})["default"]
    watching = "SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name"
    with django_db_blocker.unblock(), closing(there), there.cursor() as cursor:
        before = cursor.execute(watching).fetchall()
        with there.schema_editor() as editor:
            # Triggers of other tables ask this one: SQLite refuses to rename it otherwise.
            editor.execute("PRAGMA legacy_alter_table = 1")
            editor._remake_table(Memory)
            editor.execute("PRAGMA legacy_alter_table = 0")
            assert len(cursor.execute(watching).fetchall()) < len(before)
            for statement in (*no_source(), *source()):
                editor.execute(statement, params=None)
            for step in (
                SameApp("memories_memory", "agent_id", "tenancy_agent"),
                SameApp("memories_memory", "session_id", "agent_sessions_agentsession"),
                SameApp("memories_memory", "resource_id", "agent_sessions_resource"),
            ):
                step.database_forwards("memories", editor, None, None)
        assert cursor.execute(watching).fetchall() == before


@pytest.mark.parametrize(("table", "change"), APPEND_ONLY.items())
def test_a_row_that_was_written_is_never_changed(history: Caller, table: str, change: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"):
        execute(f"UPDATE {table} SET {change}")  # noqa: S608
    with pytest.raises(DatabaseError, match="append-only"):
        execute(f"UPDATE {table} SET app_id = app_id")  # noqa: S608


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_a_row_that_was_written_is_not_deleted_without_a_permit(history: Caller, table: str) -> None:
    before = count(table)
    with pytest.raises(DatabaseError, match="append-only"):
        execute(f"DELETE FROM {table}")  # noqa: S608
    assert count(table) == before


def rows(table: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")  # noqa: S608
        return list(cursor.fetchall())


@pytest.mark.sqlite("no other has INSERT OR REPLACE")
def test_replace_cannot_rewrite_history(history: Caller) -> None:
    """SQLite's REPLACE deletes the old row without asking the DELETE triggers, unless recursive_triggers is on."""
    before = rows("agent_sessions_resource")
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM agent_sessions_resource LIMIT 1")
        names = [column[0] for column in cursor.description]
    picked = ", ".join("'forged'" if name == "raw_content" else name for name in names)
    with pytest.raises(DatabaseError):
        execute(f"INSERT OR REPLACE INTO agent_sessions_resource SELECT {picked} FROM agent_sessions_resource")  # noqa: S608
    assert rows("agent_sessions_resource") == before


@pytest.mark.parametrize("model", [Revision, Turn, Resource, Event])
def test_the_orm_can_do_no_more_than_sql(history: Caller, model: Any) -> None:
    row = model.objects.first()
    for forbidden in (row.save, row.delete, model.objects.all().delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            forbidden()
    assert model.objects.filter(pk=row.pk).exists()


def test_with_a_permit_rows_are_deleted_but_never_changed(history: Caller) -> None:
    for table, change in APPEND_ONLY.items():
        with pytest.raises(DatabaseError, match="append-only"), purge_permit():
            execute(f"UPDATE {table} SET {change}")  # noqa: S608
    with purge_permit():
        execute("DELETE FROM memories_revision")
        execute("DELETE FROM agent_sessions_event")
    assert (count("memories_revision"), count("agent_sessions_event")) == (0, 0)
    assert not PurgePermit.objects.exists()


def test_a_permit_ends_with_its_purge_even_if_that_fails(history: Caller) -> None:
    with pytest.raises(ZeroDivisionError), purge_permit():
        raise ZeroDivisionError
    assert not PurgePermit.objects.exists()
    with pytest.raises(DatabaseError, match="append-only"):
        execute("DELETE FROM agent_sessions_turn")


def test_a_link_across_two_apps_is_refused_by_the_database(alice: Caller, charlie: Caller) -> None:
    mine = Memory.objects.get(uid=alice.remember("Of acme")["id"])
    foreign = Memory.objects.get(uid=charlie.remember("Of globex")["id"])
    for app in (alice.app, charlie.app):
        for ends in ((mine, foreign), (foreign, mine)):
            with pytest.raises(DatabaseError, match="another app"), transaction.atomic():
                Link.objects.create(app=app, from_memory=ends[0], to_memory=ends[1], kind="related")
    assert not Link.objects.exists()


def test_a_row_cannot_be_moved_into_another_app(alice: Caller, charlie: Caller) -> None:
    item, two = (Memory.objects.get(uid=alice.remember(text)["id"]) for text in ("Whales sing", "Bears sleep"))
    Link.objects.create(app=alice.app, from_memory=item, to_memory=two, kind="related")
    foreign = charlie.start_session()["id"]
    session = AgentSession.objects.get(uid=foreign)
    for sql, values in (
        ("UPDATE memories_memory SET session_id = %s WHERE id = %s", (session.pk, item.pk)),
        ("UPDATE memories_memory SET app_id = %s WHERE id = %s", (charlie.app.pk, item.pk)),
        ("UPDATE memories_link SET app_id = %s WHERE from_memory_id = %s", (charlie.app.pk, item.pk)),
    ):
        with pytest.raises(DatabaseError, match="another app"):
            execute(sql, *values)


def test_a_row_that_points_to_nothing_is_refused_too(alice: Caller) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        Memory.objects.filter(uid=alice.remember("x")["id"]).update(session_id=999_999)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("confidence", 1.01), ("confidence", -0.01), ("importance", 0), ("importance", 6), ("tier", 4),
        ("content", ""), ("subject", ""), ("priority", 2.1),
    ],
)  # fmt: skip
def test_the_database_keeps_the_ranges_itself(alice: Caller, column: str, value: Any) -> None:
    alice.remember("x")
    with pytest.raises(DatabaseError):
        execute(f"UPDATE memories_memory SET {column} = %s", value)  # noqa: S608

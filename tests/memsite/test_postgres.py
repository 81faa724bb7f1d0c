"""What PostgreSQL has no place for is kept as well as it can be, and what it cannot just now may be tried again."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.utils import timezone
from psycopg_pool import ConnectionPool

from memories.models import Memory
from memories.store import Candidate, writing
from memsite.config import checks
from memsite.config.conf import get_conf
from memsite.config.settings import database
from memsite.db.expressions import settled, with_floats
from memsite.db.postgres.base import Connection
from memsite.db.prepared import Prepared, fetch_all
from memsite.tenancy.models import App
from sessions.models import Resource
from tests.api.checks import assert_problem
from tests.conftest import Caller, make_app
from tests.other_connection import leave

NUL_IN_TEXT = "said \x00 before anybody refused it"


# --- texts


def test_a_nul_character_from_wherever_it_came_costs_nobody_the_rest(acme: App) -> None:
    """Doors refuse it; a model or a file may bring one."""
    metadata = {"a\x00": ["\x00", {"b": "\\u0000"}]}
    row = Resource.objects.create(app=acme, role="user", raw_content=NUL_IN_TEXT, content_at=timezone.now())
    with writing(acme, "system", timezone.now()) as write:
        memory = write.create(Candidate(content="Whales sing", metadata=metadata))
    resource = Resource.objects.get(pk=row.pk)
    memory.refresh_from_db()
    stands = "\x00" if connection.vendor == "sqlite" else "\ufffd"
    assert resource.raw_content == NUL_IN_TEXT.replace("\x00", stands)
    assert memory.metadata == {f"a{stands}": [stands, {"b": "\\u0000"}]}
    assert Resource.objects.filter(raw_content=NUL_IN_TEXT).exists()


# --- plans


def plans() -> list[str]:
    """What this connection keeps plans of."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements ORDER BY prepare_time")
        return [statement for (statement,) in cursor.fetchall()]


def how_many_are_expected(connection: Any, sql: str, parameters: Any) -> int:
    """Of the memories that a statement asks for by their numbers."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", parameters)
        waiting = [cursor.fetchone()[0][0]["Plan"]]
    for plan in waiting:
        waiting += plan.get("Plans", [])
    return max(int(plan["Plan Rows"]) for plan in waiting if plan.get("Relation Name") == "memories_memory")


@pytest.mark.postgres("SQLite has to learn itself how its tables are filled")
def test_the_few_changes_of_an_app_are_not_taken_for_the_many_of_a_larger_one(alice: Caller) -> None:
    """It would read both of them whole for each write, and each search after one."""
    now, larger = timezone.now(), make_app("larger")
    Memory.objects.bulk_create(
        Memory(
            app=app, content=f"Statement {number}", confidence_base=0.7, anchored_at=now, change_number=number * step
        )
        for app, size, step in ((alice.app, 300, 1), (larger, 1_000, 5_000))
        for number in range(1, size + 1)
    )  # fmt: skip
    App.objects.filter(pk=alice.app.pk).update(change_number=300)
    alice.post("memories/search", {"query": "anything"})
    expected: dict[str, int] = {}

    def execute(run: Any, sql: Any, parameters: Any, many: bool, context: dict[str, Any]) -> Any:
        is_ours = "change_number > " in sql.replace('"', "") and "memories_memory" in sql
        if is_ours and not sql.startswith("EXPLAIN"):
            expected[sql] = how_many_are_expected(context["connection"], sql, parameters)
        return run(sql, parameters, many, context)

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_memory")
    with connection.execute_wrapper(execute):
        alice.post("memories/batch", {"memories": [{"content": "Ben rows"}, {"content": "Ada sails"}], "dedupe": True})
        alice.post("memories/search", {"query": "who sails?"})
    assert len(expected) >= 3
    assert max(expected.values()) < 20


@pytest.mark.postgres("SQLite's driver keeps statements by itself")
def test_what_is_asked_alike_each_time_is_planned_once(acme: App) -> None:
    names = Prepared(lambda name, *pks: App.objects.filter(name=name, pk__in=pks).order_by().values_list("app_id"))
    before = plans()
    for pks in ((acme.pk, 7), (2**40, acme.pk), (40_000, 2**62)):
        assert names(acme.name, *pks) == ([] if pks[0] == 40_000 else [("acme",)])
    (plan,) = [plan for plan in plans() if plan not in before]
    assert "tenancy_app" in plan
    assert "$3" in plan


@pytest.mark.postgres("SQLite's driver keeps statements by itself")
def test_what_anybody_else_asks_is_planned_each_time(acme: App) -> None:
    before = plans()
    for _ in range(20):
        App.objects.get(pk=acme.pk)
        fetch_all("SELECT id FROM tenancy_app WHERE id = %s", [acme.pk])
    assert plans() == before


# --- numbers

WHOLE = [6.022e23, -1e20, 1e19, 1.2345678901234567e18, 1e16, 1e15, 1.7e308, 2**63, -(2**63), 7]
NUMBERS = [*WHOLE, 0.1, 1e-7, -0.0, 5e-324]


def test_every_number_of_json_can_be_read_again(alice: Caller) -> None:
    """`jsonb` knows but one kind of number, and writes all of its digits."""
    memory = alice.remember("Avogadro", metadata={"numbers": NUMBERS, "text": "6022" * 6})
    listed = alice.get("memories").json()["results"]
    displayed = [settled(row["metadata"]) for row in (memory, *listed)]
    assert displayed == [settled({"numbers": NUMBERS, "text": "6022" * 6})] * 2
    session = alice.start_session(environment={"n": 1e20})
    turn = {"user_input": "x", "internal_state": {"n": 6.022e23}}
    answers = [alice.put(f"sessions/{session['id']}/turns/1", turn) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert alice.get(f"sessions/{session['id']}").json()["environment"] == {"n": 1e20}


def test_numbers_are_exported_alike_whatever_they_were_kept_in() -> None:
    stored = [json.loads(with_floats(digits)) for digits in map(as_jsonb, NUMBERS)]
    assert [repr(settled(number)) for number in NUMBERS] == [repr(settled(number)) for number in stored]


def as_jsonb(number: float) -> str:
    """All digits, and none behind the point that were not written. Zero has no sign."""
    digits = f"{Decimal(json.dumps(number)):f}"
    return digits.removeprefix("-") if not number else digits


# --- what it cannot just now, and what others have set

ELSEWHERE = {
    "default_transaction_isolation": "repeatable read",
    "datestyle": "SQL, DMY",
    "extra_float_digits": "0",
    "row_security": "off",
    "lock_timeout": "0",
}


@pytest.mark.postgres("SQLite has no settings of a server")
def test_what_a_server_has_set_makes_no_difference(transactional_db: None) -> None:
    parameters = {**connection.get_connection_params(), "cursor_factory": psycopg.Cursor, "autocommit": True}
    # PgBouncer refuses them, or leaves them out.
    assert "options" not in parameters
    name = connection.settings_dict["NAME"]
    with psycopg.connect(**parameters) as server:
        for setting, value in ELSEWHERE.items():
            server.execute(f"ALTER DATABASE {name} SET {setting} TO '{value}'".encode())
        try:
            with Connection.connect(**parameters) as ours:
                output = [ours.execute(f"SHOW {setting}".encode()).fetchone() for setting in ELSEWHERE]
                # As Django does.
                ours.execute("SET TIME ZONE 'UTC'")
                then = ours.execute("SELECT '2026-03-01 12:00Z'::timestamptz, 0.1::float8 + 0.2::float8").fetchone()
        finally:
            server.execute(f"ALTER DATABASE {name} RESET ALL".encode())
    assert [item and item[0].split(",")[0] for item in output] == ["read committed", "ISO", "1", "on", "20s"]
    assert then == (datetime(2026, 3, 1, 12, tzinfo=UTC), 0.1 + 0.2)


@pytest.mark.postgres("SQLite has no settings of a server")
def test_what_the_url_says_counts(transactional_db: None) -> None:
    options = database(replace(get_conf(), database_url="postgresql://db/site?options=-c%20lock_timeout%3D1s"))
    parameters = connection.get_connection_params() | {"options": options["OPTIONS"]["options"]}
    with Connection.connect(**parameters) as ours:
        output = [ours.execute(f"SHOW {name}".encode()).fetchone() for name in ("lock_timeout", "row_security")]
    assert output == [("1s",), ("on",)]


def test_a_process_soon_tries_to_reach_a_database_again_that_was_away() -> None:
    pool = database(replace(get_conf(), database_url="postgresql://db/site"))["OPTIONS"]["pool"]
    assert ConnectionPool(open=False, **pool).reconnect_timeout == 5


@pytest.mark.postgres("SQLite waits for its one lock")
def test_who_waits_too_long_for_another_writer_is_told_to_come_again(alice: Caller, transactional_db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("20s",)
        cursor.execute("SET lock_timeout TO '50ms'")
    parameters = {**connection.get_connection_params(), "cursor_factory": psycopg.Cursor}
    try:
        with psycopg.connect(**parameters) as other:
            other.execute("SELECT * FROM tenancy_app FOR UPDATE")
            answer = alice.post("memories", {"content": "Whales sing"})
    finally:
        leave()
    assert_problem(answer, 503)
    assert int(answer["Retry-After"]) >= 1
    assert not Memory.objects.exists()
    assert alice.post("memories", {"content": "Whales sing"}).status_code == 201


# --- letters


def letters_warning(monkeypatch: pytest.MonkeyPatch, *flag: bool) -> list[str]:
    monkeypatch.setattr(checks, "LETTERS", f"SELECT {flag[0]}, {flag[1]}")
    return [message.msg for message in checks.check_letters(databases=["default"])]


@pytest.mark.postgres("of SQLite we tell letters ourselves")
@pytest.mark.django_db
def test_a_database_without_letters_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.check_letters() == []
    assert checks.check_letters(databases=["default"]) == []
    (output,) = letters_warning(monkeypatch, False, True)
    assert "ASCII letters only" in output
    (output,) = letters_warning(monkeypatch, True, False)
    assert "i and I" in output


@pytest.mark.postgres("of SQLite we tell letters ourselves")
@pytest.mark.django_db(transaction=True)
def test_a_database_that_was_made_with_c_has_none() -> None:
    name, parameters = "memsite_without_letters", connection.get_connection_params()
    address = {key: parameters[key] for key in ("host", "port", "user", "password") if key in parameters}
    with psycopg.connect(dbname="postgres", **address, autocommit=True) as server:
        server.execute(
            f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'".encode()
        )
        try:
            with psycopg.connect(dbname=name, **address) as there:
                assert there.execute(checks.LETTERS.encode()).fetchone() == (False, True)
        finally:
            server.execute(f"DROP DATABASE {name}".encode())

"""With the second wall, a query that forgot whose rows it wants gets no others."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import StringIO
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, ProgrammingError, connection, transaction
from django.test import Client
from django.utils import timezone

from memories.models import Memory, RecallCount, Revision, Vector
from memories.models.memory import MemoryQuerySet
from memories.retrieve.access_counters import AccessCounters, AccessCounts
from memories.retrieve.pipeline import index_of
from memories.retrieve.retrievers import interrupted_at
from memories.retrieve.warmup import bring_up_to_date
from memories.store import Candidate, writing
from memories.tasks import learn, upkeep_work
from memsite.config.conf import read_conf
from memsite.db.transactions import snapshot
from memsite.jobs import engine
from memsite.tenancy import row_level_security
from memsite.tenancy.models import Agent, App, AppPolicy, AuditEntry
from memsite.tenancy.row_level_security import NOBODY, confined, site_wide, standing
from tests.conftest import Caller, make_app, make_caller
from tests.memories.retrieve.asking import embedder_of, search
from tests.settings import has_row_security
from tests.talking import contents, hear

pytestmark = pytest.mark.postgres("SQLite knows no policies")


@pytest.fixture
def up(db: None, settings: Any) -> Iterator[None]:
    """The wall, as after a migration with it."""
    if has_row_security:
        # Here it stands for all tests: what this one would take down, the next would do without.
        yield
        return
    settings.MEMSITE = replace(settings.MEMSITE, database_url="postgresql://", row_security=True)
    row_level_security.build()
    row_level_security.tell_new_connection(connection)
    yield
    row_level_security.tell(connection)
    connection.execute_wrappers.remove(row_level_security.tell_first)


@pytest.fixture
def both(up: None, alice: Caller, charlie: Caller) -> tuple[App, App]:
    """Two apps with a memory each."""
    alice.remember("Whales sing")
    charlie.remember("Bears sleep")
    return alice.app, charlie.app


def say() -> set[str]:
    return set(Memory.objects.values_list("content", flat=True))


def execute(sql: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else cursor.rowcount


# --- what stands in the database


def test_every_table_with_rows_of_apps_has_a_policy(db: None) -> None:
    behind_row_security = {
        "memories_memory",
        "memories_vector",
        "agent_sessions_turn",
        "tenancy_apppolicy",
        "tenancy_app",
    }
    assert behind_row_security < row_level_security.scoped_tables().keys()
    stored = execute("SELECT tablename FROM pg_policies JOIN pg_class ON relname = tablename WHERE relrowsecurity")
    assert {table for (table,) in stored} == row_level_security.scoped_tables().keys()


def test_every_column_that_names_an_app_is_known(db: None) -> None:
    named = execute(
        "SELECT table_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND column_name = 'app_id' AND data_type = 'bigint'"
    )
    assert {table for (table,) in named} | {"tenancy_app"} == row_level_security.scoped_tables().keys()


def test_whoever_is_asked_in_time_before_there_is_a_connection_leaves_no_wrapper_behind(
    up: None, transactional_db: None
) -> None:
    """As a process that answers for its health, and nothing else, for days."""

    def ask() -> list[Any]:
        try:
            with interrupted_at(monotonic() + 60):
                execute("SELECT 1")
            return [*connection.execute_wrappers]
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=1) as thread:
        assert [thread.submit(ask).result() for _ in range(2)] == [[row_level_security.tell_first]] * 2


@pytest.mark.skipif(has_row_security, reason="is about a site without it")
def test_without_it_the_owner_is_not_held(db: None, alice: Caller, charlie: Caller) -> None:
    alice.remember("Whales sing")
    charlie.remember("Bears sleep")
    with confined(alice.app.pk):
        assert say() == {"Whales sing", "Bears sleep"}


def test_who_may_not_make_the_role_is_told_what_to_ask_for(up: None) -> None:
    class Refusing:
        def execute(self, sql: str, *_: Any) -> None:
            if "CREATE ROLE" in sql:
                raise ProgrammingError("permission denied to create role")

        def fetchone(self) -> None:
            return None

    with pytest.raises(CommandError, match="CREATE ROLE memsite_walled NOLOGIN"):
        row_level_security.allow_role(Refusing())


@pytest.mark.parametrize(
    "missing",
    [
        f"ALTER ROLE {row_level_security.ROLE} RENAME TO memsite_elsewhere",
        f"REVOKE INSERT ON auth_user FROM {row_level_security.ROLE}",
    ],
)
def test_the_server_is_not_ready_before_the_role_may_do_what_it_has_to(up: None, client: Client, missing: str) -> None:
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["checks"]["wall"]) == (200, True)
    execute(missing)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["checks"]["wall"]) == (503, False)


def test_a_setup_with_nothing_to_migrate_builds_it(up: None, settings: Any, tmp_path: Path) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, data_dir=tmp_path)
    settings.STATIC_ROOT = tmp_path / "static"
    execute(f"DROP POLICY {row_level_security.POLICY} ON memories_memory")
    execute(f"REVOKE INSERT ON memories_memory FROM {row_level_security.ROLE}")
    assert not row_level_security.stands()
    call_command("setup", stdout=StringIO())
    assert row_level_security.stands()
    assert execute("SELECT 1 FROM pg_policies WHERE tablename = 'memories_memory'")


def test_it_takes_postgresql() -> None:
    with pytest.raises(Exception, match="ROW_SECURITY needs PostgreSQL"):
        read_conf({"MEMSITE_ROW_SECURITY": "true"})


# --- what is there for whom


def test_behind_it_there_is_one_app(both: tuple[App, App]) -> None:
    acme, globex = both
    with confined(acme.pk):
        assert say() == {"Whales sing"}
        assert {row.app_id for row in Vector.objects.all()} == {acme.pk}
        assert list(App.objects.values_list("app_id", flat=True)) == ["acme"]
        assert not Agent.objects.filter(app=globex).exists()
        assert execute("SELECT count(*) FROM memories_revision") == [(1,)]
    with confined(globex.pk):
        assert say() == {"Bears sleep"}
    assert say() == {"Whales sing", "Bears sleep"}


def test_what_searches_count_is_written_for_each_app_from_behind_it(both: tuple[App, App]) -> None:
    """By a thread that no app asked."""
    pks = {app: Memory.objects.get(app=app).pk for app in both}
    tallies, now = AccessCounters(), timezone.now()
    for times, app in enumerate(both, 1):
        # What the other app has is not its to count.
        touched = dict.fromkeys(pks.values(), (times, now))
        tallies.keep(AccessCounts(app, touched, {(now.date(), "auto", "items"): (times, times, 0.5)}))
    with standing(NOBODY):
        tallies.write()
    assert not tallies.unwritten
    assert dict(RecallCount.objects.values_list("app__app_id", "searches")) == {"acme": 1, "globex": 2}
    assert dict(Memory.objects.values_list("app__app_id", "access_count")) == {"acme": 1, "globex": 2}


def test_what_was_written_is_read_ahead_from_behind_it(both: tuple[App, App], alice: Caller) -> None:
    search(alice, "whales")
    alice.remember("Whales sleep")
    with standing(NOBODY):
        bring_up_to_date(alice.app.pk)
    view = index_of(alice.app, embedder_of(alice)).latest_view
    with confined(alice.app.pk):
        assert view.columns.pk.tolist() == sorted(Memory.objects.values_list("pk", flat=True))


def test_before_it_is_known_who_asks_there_is_nothing(both: tuple[App, App]) -> None:
    with standing(NOBODY):
        assert not Memory.objects.exists()
        assert not App.objects.exists()


def test_nothing_behind_it_can_be_changed_or_put_there(both: tuple[App, App]) -> None:
    acme, globex = both
    with confined(acme.pk):
        assert Memory.objects.filter(content="Bears sleep").update(importance=5) == 0
        assert Memory.objects.all().update(importance=5) == 1
        with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
            AuditEntry.objects.create(app=globex, actor="me", action="x")
        with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
            AppPolicy.objects.filter(app=acme).update(app=globex)


def test_what_was_told_in_a_transaction_that_is_rolled_back_is_told_again(both: tuple[App, App]) -> None:
    acme, globex = both
    assert len(say()) == 2
    with confined(acme.pk), transaction.atomic():
        assert say() == {"Whales sing"}
        transaction.set_rollback(True)
    with confined(acme.pk):
        assert say() == {"Whales sing"}
    with confined(globex.pk):
        with pytest.raises(DatabaseError), transaction.atomic():
            execute("SELECT * FROM nowhere")
        assert say() == {"Bears sleep"}


def test_a_connection_comes_from_the_pool_with_nothing_told(up: None, transactional_db: None) -> None:
    acme, globex = make_app("acme"), make_app("globex")
    for app, text in ((acme, "Whales sing"), (globex, "Bears sleep")):
        with writing(app, "system", timezone.now()) as write:
            write.create(Candidate(content=text))
    with confined(acme.pk):
        assert say() == {"Whales sing"}
        connection.close()
        assert say() == {"Whales sing"}
    connection.close()
    assert len(say()) == 2


def test_what_was_told_while_all_that_is_read_is_of_one_moment_is_told_again(up: None, transactional_db: None) -> None:
    acme, globex = make_app("acme"), make_app("globex")
    with snapshot(), confined(acme.pk):
        assert App.objects.get() == acme
    with confined(acme.pk):
        assert App.objects.get() == acme
    with confined(globex.pk):
        assert App.objects.get() == globex


# --- requests


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every query of memories had forgotten the app."""
    monkeypatch.setattr(MemoryQuerySet, "for_app", lambda self, app: self.all())


def listed(caller: Caller) -> set[str]:
    return {memory["content"] for memory in caller.get("memories").json()["results"]}


@pytest.mark.skipif(has_row_security, reason="is about a site without it")
def test_a_request_that_forgot_the_app_shows_what_is_of_others_without_it(
    alice: Caller, charlie: Caller, forgetful: None
) -> None:
    alice.remember("Whales sing")
    charlie.remember("Bears sleep")
    assert listed(alice) == {"Whales sing", "Bears sleep"}


def test_and_does_not_with_it(alice: Caller, charlie: Caller, both: tuple[App, App], forgetful: None) -> None:
    assert listed(alice) == {"Whales sing"}
    assert listed(charlie) == {"Bears sleep"}
    uid = Memory.objects.get(content="Bears sleep").uid
    assert alice.get(f"memories/{uid}").status_code == 404
    assert alice.delete(f"memories/{uid}").status_code == 404


def test_a_day_of_work_is_as_without_it(up: None, alice: Caller, operator: Any) -> None:
    hear(alice, "I work at Zorgcorp in Porto.")
    assert contents(alice.app) == ["User works at Zorgcorp in Porto"]
    for mode in ("auto", "tiered", "dual", "vector", "fulltext"):
        answer = alice.post("memories/search", {"query": "Zorgcorp in Porto", "mode": mode}).json()
        assert [hit["content"] for hit in answer["results"]] == ["User works at Zorgcorp in Porto"], mode
        assert answer["degraded"] == []
    memory = alice.remember("Takes a minute", subject="dns")
    assert alice.patch(f"memories/{memory['id']}", {"importance": 5}).status_code == 200
    assert alice.post("context", {"query": "how long does dns take"}).status_code == 200
    assert alice.delete(f"memories/{memory['id']}").status_code == 200
    assert operator.get("/api/v1/apps/acme/memories").status_code == 200
    assert Revision.objects.exists()


def test_the_index_of_words_is_used_and_tells_of_one_app(both: tuple[App, App]) -> None:
    acme, globex = both
    with confined(acme.pk):
        assert execute(f"SELECT memsite_holders({acme.pk}, 'whales', 9)") != [(None,)]
        assert execute(f"SELECT memsite_holders({globex.pk}, 'bears', 9)") == [(None,)]
    with standing(NOBODY):
        assert execute(f"SELECT memsite_holders({acme.pk}, 'whales', 9)") == [(None,)]


def test_what_other_apps_share_is_still_found(up: None, alice: Caller, charlie: Caller) -> None:
    AppPolicy.objects.update(share_memories=True)
    charlie.remember("Bears sleep all winter", visibility="shared")
    charlie.remember("Bears sleep badly in summer")
    alice = make_caller(alice.app, "anna")
    result = alice.post("memories/search", {"query": "when do bears sleep", "scope": "shared"}).json()
    assert [hit["content"] for hit in result["results"]] == ["Bears sleep all winter"]


# --- tasks


def test_work_for_an_app_sees_no_other(both: tuple[App, App], monkeypatch: pytest.MonkeyPatch) -> None:
    acme, _ = both
    seen: list[set[str]] = []

    class Curious(type(next(iter(engine_jobs().values())))):  # type: ignore[misc]
        name, title = "curious", "looks around"

        def work(self, hands: Any, run: Any) -> None:
            seen.append(say())

    monkeypatch.setattr("memories.tasks.JOBS", {"curious": Curious()})
    engine.fire_now(Curious(), acme, timezone.now(), "olga")
    with site_wide():
        assert upkeep_work() == 1
    assert seen == [{"Whales sing"}]


def engine_jobs() -> Any:
    from memories.jobs import JOBS

    return {name: job for name, job in JOBS.items() if not job.of_site}


def test_learning_sees_no_other(up: None, alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []

    def learn_session(*_: Any) -> list[Any]:
        seen.append(set(App.objects.values_list("pk", flat=True)))
        return []

    monkeypatch.setattr("memories.services.MemoryAgent.learn_session", learn_session)
    make_app("other")
    learn(alice.app.pk, 1)
    assert seen == [{alice.app.pk}]

"""Each statement that an agent's day asks about rows of apps names the app; and no app waits for another one's rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from memories.retrieve.pipeline import indexes
from memsite.tenancy.keys import app_pk_of, checksum, create_key, find_key, hash_key, random_text
from memsite.tenancy.models import ApiKey
from memsite.tenancy.row_level_security import scoped_tables
from tests.api.checks import assistant, ndjson
from tests.api.test_isolation import ENDPOINTS, WITHOUT_IDS, Tenant, furnish, learn
from tests.conftest import Caller, make_app, make_caller
from tests.mcp.test_isolation import TOOLS, tell
from tests.mcp.test_isolation import furnish as furnish_tools
from tools.app_statements import statements_in, unnamed_tables

OF_THE_SITE_TOO = ("memories_alert", "memories_alertrule", "jobs_jobrun")
"""What operators read and change. Some of these rows are of no app, and so every look at them names their numbers."""
BODIES: dict[str, Any] = {
    "sessions": {},
    "context": {"query": "whales"},
    "memories": {"content": "Otters hold hands"},
    "memories/search": {"query": "whales"},
    "extractions/preview": {"text": "Remember: Otters hold hands."},
    "triggers": {"trigger_date": "2199-01-01", "message": "dentist"},
    "cooldowns": {"action": "restart", "seconds": 60},
    "hooks/claude-code": {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"},
}
"""What is posted to addresses without ids."""
WAITS = "300ms"
LOCKING = re.compile(r"\b(INSERT|UPDATE|DELETE|FOR KEY SHARE)\b")


class ReadingClient(APIClient):
    """Reads each answer to its end, which closes its files."""

    def request(self, **request: Any) -> Any:
        answer = super().request(**request)
        if answer.streaming:
            b"".join(answer.streaming_content)
        return answer


class Listening(ReadingClient):
    """Notes which statements each request asks."""

    heard: dict[str, str]

    def request(self, **request: Any) -> Any:
        with CaptureQueriesContext(connection) as captured:
            answer = super().request(**request)
        self.heard |= dict.fromkeys(statements_in(captured), f"{request['REQUEST_METHOD']} {request['PATH_INFO']}")
        return answer


def new_tenant(app_id: str, client: APIClient) -> Tenant:
    caller = make_caller(make_app(app_id, capture_summaries=True), "one", ("read", "write", "operator"))
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {caller.key}")
    tenant = furnish(Caller(caller.agent, caller.key, client), f"zq{app_id}")
    learn({app_id: tenant})
    return tenant


def day(tenant: Tenant) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield requests to each address of the API, and to each tool."""
    caller, ids = tenant.caller, tenant.ids
    for name, ask in ENDPOINTS.items():
        yield name, partial(ask, caller, ids)
    for path in sorted(WITHOUT_IDS):
        yield f"GET {path}", partial(caller.get, path.replace("{tier}", "1"))
        if path in BODIES:
            yield f"POST {path}", partial(caller.post, path, BODIES[path], **{"Idempotency-Key": "k"})
    yield "stream", partial(caller.stream, ids["session"], ndjson(assistant("[MEMORY:timing] Takes 9s")))
    tools = furnish_tools(caller, tenant.word)
    for tool in TOOLS:
        yield f"tool {tool}", partial(tell, caller, tool, tools)


@pytest.mark.long
def test_each_statement_of_an_agents_day_names_its_app(db: None) -> None:
    client = Listening(raise_request_exception=False)
    client.heard = {}
    for _, ask in day(new_tenant("acme", client)):
        before = transaction.savepoint()
        ask()
        transaction.savepoint_rollback(before)
        indexes.by_key.clear()
    assert len(client.heard) > 500
    columns = scoped_tables()
    unnamed = {sql: (unnamed_tables(sql, columns), who) for sql, who in client.heard.items()}
    assert {sql: who for sql, who in unnamed.items() if who[0] and not any(t in sql for t in OF_THE_SITE_TOO)} == {}


@pytest.mark.postgres("SQLite has one writer for all apps")
@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_no_app_waits_for_what_another_one_writes() -> None:
    """Each request is answered while the same one of another app is not committed yet."""
    acme, globex = (new_tenant(name, ReadingClient(raise_request_exception=False)) for name in ("acme", "globex"))
    waiting = []
    with ThreadPoolExecutor(max_workers=1) as thread:
        for (name, ask), (_, ask_too) in zip(day(acme), day(globex), strict=True):
            with undone(), CaptureQueriesContext(connection) as captured:
                ask()
                is_locking = any(LOCKING.search(sql) for sql in statements_in(captured))
                if is_locking and thread.submit(is_kept_waiting, ask_too).result():
                    waiting.append(name)
            indexes.by_key.clear()
        thread.submit(lambda: connection.close()).result()
    assert waiting == []


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        # So that requests may open a durable block.
        transaction.get_connection().atomic_blocks[-1]._from_testcase = True  # type: ignore[attr-defined]
        yield
        transaction.set_rollback(True)


def is_kept_waiting(ask: Callable[[], Any]) -> bool:
    """Ask, and undo it; return whether a statement waited for a lock in vain."""
    states: list[str | None] = []

    def watch(execute: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return execute(*arguments)
        except Exception as error:
            states.append(getattr(error.__cause__, "sqlstate", None))
            raise

    with undone(), connection.execute_wrapper(watch):
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [WAITS])
        ask()
    return "55P03" in states


def test_a_key_says_of_which_app_it_is(alice: Caller, operator: APIClient) -> None:
    key = ApiKey.objects.get(agent=alice.agent)
    assert app_pk_of(key.prefix) == alice.app.pk
    with CaptureQueriesContext(connection) as captured:
        assert find_key(alice.key, timezone.now()) == key
    assert [unnamed_tables(sql, scoped_tables()) for sql in statements_in(captured)] == [[]]


def test_a_key_without_a_hint_goes_on_working(alice: Caller) -> None:
    prefix = random_text(8)
    body = f"mst_{prefix}_{random_text(43)}"
    text = body + checksum(body)
    key = ApiKey.objects.create(prefix=prefix, key_hash=hash_key(text), agent=alice.agent, scopes=["read"])
    assert find_key(text, timezone.now()) == key


def test_a_key_that_begins_with_another_apps_hint_by_chance_works(alice: Caller, charlie: Caller) -> None:
    stored = create_key(alice.agent, ["read"])
    ApiKey.objects.filter(pk=stored.row.pk).update(agent=charlie.agent)
    key = find_key(stored.text, timezone.now())
    assert key is not None
    assert key.agent == charlie.agent


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ('SELECT 1 FROM "memories_memory" WHERE "memories_memory"."app_id" = 7', []),
        ("UPDATE memories_memory SET access_count = 1 WHERE app_id = 7 AND id IN (1)", []),
        ('INSERT INTO "memories_link" ("app_id", "kind") VALUES (7, 1)', []),
        ("SELECT a.status FROM tenancy_app a WHERE a.id = 7", []),
        ("INSERT INTO memories_energyuse AS row (app_id, day) VALUES (7, 1)", []),
        ("SELECT 1 FROM memories_vector v JOIN memories_memory m ON v.app_id = m.app_id WHERE m.app_id = 7", []),
        (
            "SELECT 1 FROM memories_vector v JOIN memories_memory m ON v.memory_id = m.id WHERE m.app_id = 7",
            ["memories_vector"],
        ),
        ('DELETE FROM "memories_link" WHERE "memories_link"."from_memory_id" IN (1)', ["memories_link"]),
        (
            'SELECT "memories_memory"."app_id" FROM "memories_memory" WHERE "memories_memory"."id" = 1',
            ["memories_memory"],
        ),
        ("SELECT 1 FROM auth_user WHERE id = 1", []),
    ],
)
def test_the_check_finds_tables_that_are_bound_to_no_app(sql: str, tables: list[str]) -> None:
    columns = dict.fromkeys(("memories_memory", "memories_link", "memories_energyuse", "memories_vector"), "app_id")
    assert unnamed_tables(sql, columns | {"tenancy_app": "id"}) == tables

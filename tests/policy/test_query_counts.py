"""SQL queries per endpoint, kept as a baseline that one edits on purpose (`query_counts.json`)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from tests.api.checks import RESULT, assistant, ndjson, user
from tests.conftest import Caller, client_with

BASELINE: dict[str, int] = json.loads(Path(__file__).with_name("query_counts.json").read_text())

TOLD_TOGETHER = {"POST memories/search", "POST context with a question"}


def counted(call: Callable[[], Any]) -> int:
    """Transactions and savepoints are not asked of the tables, so they do not count."""
    with CaptureQueriesContext(connection) as queries:
        answer = call()
    assert answer.status_code < 300, answer.content
    words = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT", "ROLLBACK")
    return sum(not query["sql"].startswith(words) for query in queries)


def furnish(caller: Caller, number: int) -> str:
    """`number` rows of everything that lists show; answers the session's id."""
    session = caller.start_session()["id"]
    for turn in range(1, number + 1):
        text = f"[MEMORY:timing:svc{turn}] Takes {turn}0s\n[EVENT:info:svc{turn}] up"
        caller.put(f"sessions/{session}/turns/{turn}", {"user_input": "hi", "llm_output": text})
        caller.start_session(title=f"session {turn}")
    first, *rest = (row["id"] for row in caller.get("memories").json()["results"])
    for other in rest:
        caller.post(f"memories/{first}/links", {"to": other})
        caller.patch(f"memories/{first}", {"importance": 1 + len(other) % 5, "tags": [other]})
    return str(session)


def calls(alice: Caller, operator: APIClient, session: str) -> dict[str, Callable[[], Any]]:
    uid = alice.get("memories").json()["results"][-1]["id"]
    other = alice.get("memories").json()["results"][0]["id"]
    batch = {"memories": [{"content": f"Batch item number {n}"} for n in range(10)]}
    body = ndjson(user("hello", "u9"), assistant("[MEMORY:timing:zz] Takes 99s", "a9"), RESULT)
    key = {"Idempotency-Key": "k"}
    return {
        "GET apps": lambda: operator.get("/api/v1/apps"),
        "GET apps/{app_id}": lambda: operator.get("/api/v1/apps/acme"),
        "GET apps/{app_id}/agents": lambda: operator.get("/api/v1/apps/acme/agents"),
        "GET apps/{app_id}/agents/{name}/keys": lambda: operator.get("/api/v1/apps/acme/agents/alice/keys"),
        "GET apps/{app_id}/memories": lambda: operator.get("/api/v1/apps/acme/memories"),
        "GET apps/{app_id}/memories/{id}": lambda: operator.get(f"/api/v1/apps/acme/memories/{uid}"),
        "GET apps/{app_id}/sessions": lambda: operator.get("/api/v1/apps/acme/sessions"),
        "GET apps/{app_id}/events": lambda: operator.get("/api/v1/apps/acme/events"),
        "GET apps/{app_id}/cooldowns": lambda: operator.get("/api/v1/apps/acme/cooldowns"),
        "GET apps/{app_id}/stats": lambda: operator.get("/api/v1/apps/acme/stats"),
        "GET apps/{app_id}/stats of a year": lambda: operator.get("/api/v1/apps/acme/stats", {"days": 366}),
        "GET apps/{app_id}/usage": lambda: operator.get("/api/v1/apps/acme/usage", {"days": 366}),
        "GET sessions": lambda: alice.get("sessions"),
        "GET sessions/{id}": lambda: alice.get(f"sessions/{session}"),
        "GET sessions/{id}/turns": lambda: alice.get(f"sessions/{session}/turns"),
        "GET sessions/{id}/turns/{n}": lambda: alice.get(f"sessions/{session}/turns/1"),
        "GET sessions/{id}/replay": lambda: alice.get(f"sessions/{session}/replay", turn=1),
        "GET sessions/{id}/recover": lambda: alice.get(f"sessions/{session}/recover"),
        "GET events": lambda: alice.get("events"),
        "GET resources": lambda: alice.get("resources"),
        "GET memories": lambda: alice.get("memories"),
        "GET memories/{id}": lambda: alice.get(f"memories/{uid}"),
        "GET memories/{id}/history": lambda: alice.get(f"memories/{uid}/history"),
        "GET memories/{id}/links": lambda: alice.get(f"memories/{uid}/links"),
        "POST memories/search": lambda: alice.post("memories/search", {"query": "takes"}),
        "POST context": lambda: alice.post("context", {}),
        "POST context with a question": lambda: alice.post("context", {"query": "takes", "session_id": session}),
        "POST sessions": lambda: alice.post("sessions", {}),
        "POST sessions/{id}/heartbeat": lambda: alice.post(f"sessions/{session}/heartbeat"),
        "POST memories": lambda: alice.post("memories", {"content": "Something quite new", "category": "news"}),
        "POST memories with a key": lambda: alice.post("memories", {"content": "New again", "category": "late"}, **key),
        "POST memories repeated": lambda: alice.post("memories", {"content": "New again", "category": "late"}, **key),
        "POST memories/batch of ten": lambda: alice.post("memories/batch", batch),
        "PUT sessions/{id}/turns/{n}": lambda: alice.put(f"sessions/{session}/turns/900", {"llm_output": "fine"}),
        "POST sessions/{id}/stream": lambda: alice.stream(session, body),
        "POST sessions/{id}/end": lambda: alice.post(f"sessions/{session}/end"),
        "POST memories/{id}/links": lambda: alice.post(f"memories/{uid}/links", {"to": other, "kind": "elaborates"}),
        "PATCH memories/{id}": lambda: alice.patch(f"memories/{uid}", {"importance": 5}),
        "DELETE memories/{id}": lambda: alice.delete(f"memories/{uid}"),
    }


def asking(alice: Caller, operator: APIClient, number: int) -> dict[str, Callable[[], Any]]:
    session = furnish(alice, number)
    operator.get("/api/v1/apps")  # the first use of a key in a minute is noted
    return calls(alice, operator, session)


def is_reading(name: str) -> bool:
    return name.startswith("GET") or "search" in name or "context" in name


@pytest.mark.usefixtures("noon")
def test_no_endpoint_asks_the_database_more_often_than_agreed(alice: Caller, operator: APIClient) -> None:
    measured = {name: counted(call) for name, call in asking(alice, operator, 3).items()}
    assert measured.keys() == BASELINE.keys()
    assert {name: n for name, n in measured.items() if n > BASELINE[name]} == {}, "more than agreed: is that meant?"
    # PostgreSQL is told together what SQLite is told one by one.
    fewer = {name: n for name, n in measured.items() if n < BASELINE[name]}
    assert fewer.keys() <= (TOLD_TOGETHER if connection.vendor == "postgresql" else set()), "lower the baseline"


@pytest.mark.usefixtures("noon")
def test_no_endpoint_asks_more_often_because_there_is_more(alice: Caller, operator: APIClient) -> None:
    reading = {name: call for name, call in asking(alice, operator, 7).items() if is_reading(name)}
    assert len(reading) > 20
    measured = {name: counted(call) for name, call in reading.items()}
    assert {name: n for name, n in measured.items() if n > BASELINE[name]} == {}


def test_a_stranger_costs_no_query_and_a_wrong_secret_one(
    alice: Caller, django_assert_num_queries: Callable[[int], Any]
) -> None:
    with django_assert_num_queries(0):
        APIClient().get("/api/v1/memories")
        client_with("mst_x_y").get("/api/v1/memories")

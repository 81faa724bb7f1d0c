"""Agents and their keys: what a key can, what it cannot, and what is known of it afterwards."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, connection
from rest_framework.test import APIClient
from time_machine import travel

from memsite.tenancy import authentication
from memsite.tenancy.keys import ALPHABET, SECRET_LENGTH, checksum, create_key
from memsite.tenancy.models import Agent, ApiKey, App
from tests.api.checks import assert_problem
from tests.conftest import Caller, client_with, make_app, make_caller
from tests.tables import each_row

AGENTS = "/api/v1/apps/acme/agents"
KEYS = f"{AGENTS}/dora/keys"
NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def dora(operator: APIClient, acme: App) -> dict[str, Any]:
    return dict(operator.post(AGENTS, {"name": "dora"}).json())


def test_a_new_agent_gets_a_key_that_opens_its_app(operator: APIClient, acme: App) -> None:
    answer = operator.post(AGENTS, {"name": "dora", "domain": "ops/web"})
    assert answer.status_code == 201
    body = answer.json()
    assert (body["name"], body["domain"], body["scopes"]) == ("dora", "ops/web", ["read", "write"])
    assert body["id"] == "dora"
    assert body["api_key"].split("_")[1] == body["prefix"]
    assert client_with(body["api_key"]).get("/api/v1/memories").status_code == 200


def test_the_key_is_shown_once_and_never_listed(operator: APIClient, dora: dict[str, Any]) -> None:
    (agent,) = operator.get(AGENTS).json()["results"]
    assert agent["id"] == "dora"
    assert [key["prefix"] for key in agent["keys"]] == [dora["prefix"]]
    for path in (AGENTS, KEYS):
        displayed = operator.get(path).content.decode()
        assert dora["api_key"] not in displayed
        assert dora["api_key"].split("_")[2] not in displayed
        assert ApiKey.objects.get(prefix=dora["prefix"]).key_hash not in displayed


@each_row("scopes", [["read"], ["write"], ["operator"], ["operator", "read", "write"]], rolled_back=True)
def test_a_key_has_the_scopes_that_were_asked_for(operator: APIClient, acme: App, scopes: list[str]) -> None:
    assert operator.post(AGENTS, {"name": "dora", "scopes": scopes}).json()["scopes"] == scopes


def test_a_scope_that_is_named_twice_is_one(operator: APIClient, acme: App) -> None:
    body = operator.post(AGENTS, {"name": "dora", "scopes": ["write", "read", "write"]}).json()
    key = operator.post(KEYS, {"scopes": ["read", "read"]}).json()
    assert (body["scopes"], key["scopes"]) == (["read", "write"], ["read"])


@each_row(
    "field, value",
    [
        ("name", ""),
        ("name", "a b"),
        ("name", "a" * 65),
        ("name", 5),
        ("name", None),
        ("domain", "/x"),
        ("domain", 5),
        ("domain", "x" * 129),
        ("scopes", []),
        ("scopes", "read"),
        ("scopes", ["root"]),
        ("scopes", [1]),
        ("scopes", None),
        ("api_key", "mst_mine"),
    ],
    rolled_back=True,
)
def test_an_agent_is_described_in_full_or_refused(operator: APIClient, acme: App, field: str, value: Any) -> None:
    answer = operator.post(AGENTS, {"name": "dora", field: value})
    body = assert_problem(answer, 400)
    assert all(error["field"].startswith(field) for error in body["errors"])
    assert not Agent.objects.exists()


def test_two_agents_of_an_app_cannot_share_a_name_but_two_apps_can(operator: APIClient, dora: dict[str, Any]) -> None:
    assert_problem(operator.post(AGENTS, {"name": "dora"}), 409)
    make_app("globex")
    assert operator.post("/api/v1/apps/globex/agents", {"name": "dora"}).status_code == 201


def test_a_second_key_works_beside_the_first_and_a_third_is_refused(operator: APIClient, dora: dict[str, Any]) -> None:
    second = operator.post(KEYS, {})
    assert second.status_code == 201
    for key in (dora["api_key"], second.json()["api_key"]):
        assert client_with(key).get("/api/v1/memories").status_code == 200
    assert_problem(operator.post(KEYS, {}), 409)
    assert ApiKey.objects.filter(agent__name="dora").count() == 2


def test_after_a_revocation_there_is_capacity_for_a_new_key(operator: APIClient, dora: dict[str, Any]) -> None:
    operator.post(KEYS, {})
    assert operator.delete(f"/api/v1/keys/{dora['prefix']}").status_code == 200
    assert operator.post(KEYS, {}).status_code == 201


def test_expired_keys_do_not_count_as_live(operator: APIClient, dora: dict[str, Any]) -> None:
    with travel(NOON, tick=False):
        operator.post(KEYS, {"expires_at": (NOON + timedelta(hours=1)).isoformat()})
        assert_problem(operator.post(KEYS, {}), 409)
    with travel(NOON + timedelta(hours=1), tick=False):
        assert operator.post(KEYS, {}).status_code == 201


def test_a_key_may_have_an_end_which_is_told_back(operator: APIClient, dora: dict[str, Any]) -> None:
    with travel(NOON, tick=False):
        body = operator.post(KEYS, {"expires_at": "2027-03-02T13:00:00+01:00"}).json()
    assert body["expires_at"] == "2027-03-02T12:00:00Z"


@each_row("end", ["2020-01-01T00:00:00Z", "tomorrow", 5, True, [], "2027-02-30T00:00:00Z"], rolled_back=True)
def test_a_key_that_would_never_work_is_refused(operator: APIClient, dora: dict[str, Any], end: Any) -> None:
    assert_problem(operator.post(KEYS, {"expires_at": end}), 400, "expires_at")
    assert ApiKey.objects.filter(agent__name="dora").count() == 1


def test_a_revoked_key_says_when_and_stays_revoked(operator: APIClient, dora: dict[str, Any]) -> None:
    path = f"/api/v1/keys/{dora['prefix']}"
    with travel(NOON, tick=False):
        first = operator.delete(path)
    with travel(NOON + timedelta(days=1), tick=False):
        again = operator.delete(path)
    assert first.status_code == again.status_code == 200
    assert first.json()["revoked_at"] == again.json()["revoked_at"] == "2027-03-01T12:00:00Z"


def test_keys_and_agents_that_do_not_exist_are_404(operator: APIClient, acme: App) -> None:
    assert_problem(operator.delete("/api/v1/keys/zzzzzzzz"), 404)
    assert_problem(operator.get(KEYS), 404)
    assert_problem(operator.post(KEYS, {}), 404)


def test_agents_keys_open_neither_endpoint(alice: Caller) -> None:
    for answer in (
        alice.get("apps/acme/agents"),
        alice.post("apps/acme/agents", {"name": "x"}),
        alice.get("apps/acme/agents/alice/keys"),
        alice.post("apps/acme/agents/alice/keys", {}),
        alice.delete(f"keys/{ApiKey.objects.get(agent=alice.agent).prefix}"),
    ):
        assert_problem(answer, 403)
    assert ApiKey.objects.get(agent=alice.agent).revoked_at is None


def test_an_operator_of_one_app_cannot_touch_the_keys_of_another(acme: App, charlie: Caller) -> None:
    chief = make_caller(acme, "chief", ("operator",))
    prefix = ApiKey.objects.get(agent=charlie.agent).prefix
    assert_problem(chief.delete(f"keys/{prefix}"), 404)
    assert_problem(chief.get("apps/globex/agents"), 404)
    assert_problem(chief.post("apps/globex/agents/charlie/keys", {}), 404)
    assert charlie.get("memories").status_code == 200


CountQueries = Callable[[int], Any]


def answer_to(header: str) -> Any:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=header)
    return client.get("/api/v1/memories")


def test_a_key_opens_the_endpoint_until_the_moment_it_expires(alice: Caller) -> None:
    client = client_with(create_key(alice.agent, ["read"], expires_at=NOON).text)
    with travel(NOON - timedelta(microseconds=1), tick=False):
        assert client.get("/api/v1/memories").status_code == 200
    with travel(NOON, tick=False):
        assert_problem(client.get("/api/v1/memories"), 401)


def test_a_revoked_key_is_refused_by_the_very_next_request(operator: APIClient, alice: Caller) -> None:
    assert alice.get("memories").status_code == 200
    operator.delete(f"/api/v1/keys/{ApiKey.objects.get(agent=alice.agent).prefix}")
    assert_problem(alice.get("memories"), 401)
    assert_problem(alice.post("memories", {"content": "too late"}), 401)


def test_every_bad_key_gets_the_same_answer(alice: Caller) -> None:
    expired = create_key(alice.agent, ["read"], expires_at=NOON - timedelta(days=9999)).text
    body = f"mst_{'a' * 8}_{'b' * SECRET_LENGTH}"
    keys = [expired, body + checksum(body), alice.key[:-1], alice.key + "0", "", "x", "mst__", "🔑", alice.key.upper()]
    answers = [answer_to(f"Bearer {key}") for key in keys]
    details = {assert_problem(answer, 401)["detail"] for answer in answers}
    assert len(details) == 1
    assert {answer["WWW-Authenticate"] for answer in answers} == {'Bearer realm="memsite"'}


def test_a_right_prefix_with_a_wrong_secret_is_refused(alice: Caller) -> None:
    mark, prefix, _ = alice.key.split("_")
    body = f"{mark}_{prefix}_{'c' * SECRET_LENGTH}"
    assert_problem(answer_to(f"Bearer {body}{checksum(body)}"), 401)


@pytest.mark.parametrize("scheme", ["Basic", "Token", "", "Bearer:", "bearer\t"])
def test_no_other_scheme_is_a_key(alice: Caller, scheme: str) -> None:
    assert_problem(answer_to(f"{scheme} {alice.key}"), 401)


def test_a_mistyped_key_costs_no_query(alice: Caller, django_assert_num_queries: CountQueries) -> None:
    wrong = alice.key[:-8] + ("A" if alice.key[-8] != "A" else "B") + alice.key[-7:]
    client = client_with(wrong)
    with django_assert_num_queries(0):
        assert_problem(client.get("/api/v1/memories"), 401)


def test_a_key_in_use_costs_one_query(alice: Caller, django_assert_num_queries: CountQueries) -> None:
    with travel(NOON, tick=False):
        alice.get("memories")
        with django_assert_num_queries(2):  # the key with its agent, app and policy; the page
            alice.get("memories")


def test_a_read_only_key_cannot_write(acme: App, alice: Caller) -> None:
    uid = alice.remember("Written by Alice")["id"]
    reader = make_caller(acme, "reader", ("read",))
    session = "01890000-0000-7000-8000-000000000000"
    attempts = [
        reader.post("memories", {"content": "no"}),
        reader.post("memories/batch", {"memories": [{"content": "no"}]}),
        reader.post("memories/delete", {"ids": [uid]}),
        reader.patch(f"memories/{uid}", {"content": "no"}),
        reader.delete(f"memories/{uid}"),
        reader.post(f"memories/{uid}/links", {"to": uid}),
        reader.post("sessions", {}),
        reader.post(f"sessions/{session}/heartbeat"),
        reader.post(f"sessions/{session}/end"),
        reader.post(f"sessions/{session}/messages", {"messages": []}),
        reader.put(f"sessions/{session}/turns/1", {}),
        reader.stream(session, "{}"),
    ]
    for attempt in attempts:
        assert_problem(attempt, 403)
    assert reader.get(f"memories/{uid}").json()["content"] == "Written by Alice"
    assert reader.post("memories/search", {"query": "Alice"}).status_code == 200
    assert reader.post("context", {}).status_code == 200


def test_a_write_only_key_cannot_read(acme: App, alice: Caller) -> None:
    uid = alice.remember("Written by Alice")["id"]
    writer = make_caller(acme, "writer", ("write",))
    assert writer.post("memories", {"content": "Something else entirely"}).status_code == 201
    for path in ("memories", f"memories/{uid}", f"memories/{uid}/history", "events", "resources", "sessions"):
        assert_problem(writer.get(path), 403)
    assert_problem(writer.post("memories/search", {"query": "Alice"}), 403)
    answer = assert_problem(writer.post("context", {}), 403)
    assert answer["detail"] == "This takes a key with the scope read."


@pytest.mark.parametrize("path", ["memories", "sessions", "context"])
def test_an_operators_key_is_told_that_it_is_the_wrong_kind(operator: APIClient, path: str) -> None:
    """No scope would help it."""
    answer = assert_problem(operator.post(f"/api/v1/{path}", {}, format="json"), 403)
    assert answer["detail"] == "This endpoint is for an agent's key: an operator's belongs to no app."


def test_the_database_holds_no_key_only_its_hash(alice: Caller, operator: APIClient) -> None:
    alice.remember("Anything", external_id="x")
    made = operator.post("/api/v1/apps/acme/agents", {"name": "dora"}, headers={"Idempotency-Key": "one"}).json()
    secrets = [alice.key.split("_")[2], made["api_key"].split("_")[2]]
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        for table in tables:
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608  # the database's own names
            text = repr(cursor.fetchall())
            assert not [secret for secret in secrets if secret in text], table
    assert len(ApiKey.objects.get(agent=alice.agent).key_hash) == 64


def test_a_key_has_256_random_bits_and_no_two_are_alike(alice: Caller) -> None:
    assert SECRET_LENGTH * math.log2(len(ALPHABET)) >= 256
    keys = {create_key(alice.agent, ["read"]).text for _ in range(50)}
    assert len(keys) == 50


def test_the_app_comes_from_the_key_and_from_nowhere_else(alice: Caller, charlie: Caller) -> None:
    alice.remember("Of acme")
    client = charlie.client
    for headers in ({"X-App": "acme"}, {"X-App-ID": "acme"}, {"App-Id": "acme"}, {"X-Tenant": "acme"}):
        assert client.get("/api/v1/memories", headers=headers).json()["results"] == []
    assert_problem(charlie.post("memories", {"content": "x", "app_id": "acme"}), 400, "app_id")
    assert_problem(charlie.get("memories", app_id="acme"), 400, "app_id")


def test_last_use_is_noted_without_a_write_per_request(alice: Caller) -> None:
    with travel(NOON, tick=False):
        alice.get("memories")
    with travel(NOON + timedelta(seconds=59), tick=False):
        alice.get("memories")
    assert ApiKey.objects.get(agent=alice.agent).last_used_at == NOON
    with travel(NOON + timedelta(seconds=60), tick=False):
        alice.get("memories")
    assert ApiKey.objects.get(agent=alice.agent).last_used_at == NOON + timedelta(seconds=60)


def test_where_nothing_can_be_written_a_key_still_reads(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    alice.remember("The gate code is 4812")
    ApiKey.objects.filter(agent=alice.agent).update(last_used_at=None)

    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(authentication, "count", refuse)
    # Inside a transaction, as a test is, the failure has spoilt it.
    monkeypatch.setattr(authentication, "connection", SimpleNamespace(in_atomic_block=False))
    assert len(alice.get("memories").json()["results"]) == 1

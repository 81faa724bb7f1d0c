"""`/apps/{app_id}/agents`, `…/keys` and `/keys/{prefix}`: who may come in."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient
from time_machine import travel

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
        shown = operator.get(path).content.decode()
        assert dora["api_key"] not in shown
        assert dora["api_key"].split("_")[2] not in shown
        assert ApiKey.objects.get(prefix=dora["prefix"]).key_hash not in shown


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


def test_after_a_revocation_there_is_room_for_a_new_key(operator: APIClient, dora: dict[str, Any]) -> None:
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


def test_agents_keys_open_neither_door(alice: Caller) -> None:
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

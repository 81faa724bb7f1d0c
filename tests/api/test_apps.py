"""`/apps`: operators create, read, change and uninstall tenants, and curate their memories."""

from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from itertools import product
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db.models import FloatField, PositiveBigIntegerField, PositiveIntegerField
from django.test import Client
from rest_framework.test import APIClient

from memories.api.views import apps
from memories.api.views.apps import policy_with
from memories.models import Memory
from memories.services import MemoryAgent
from memsite.tenancy.models import App, AppPolicy
from memsite.tenancy.policy import POLICY_FIELDS
from tests.api.checks import MEMORY_FIELDS, assert_problem
from tests.busy_app import BUSY, busy
from tests.conftest import Caller, make_app, make_caller
from tests.dashboard.pages import elements
from tests.other_connection import has_to_wait
from tests.tables import each_row

APPS = "/api/v1/apps"
NUMBERS = (FloatField, PositiveIntegerField, PositiveBigIntegerField)


def test_an_operator_creates_an_app_with_the_policy_of_its_preset(operator: APIClient) -> None:
    answer = operator.post(APPS, {"app_id": "acme", "name": "Acme", "preset": "compact"})
    assert answer.status_code == 201
    body = answer.json()
    assert {name: body[name] for name in ("app_id", "name", "preset", "status")} == {
        "app_id": "acme",
        "name": "Acme",
        "preset": "compact",
        "status": "active",
    }
    assert set(body["policy"]) == set(POLICY_FIELDS)
    assert (body["policy"]["memory_limit"], body["policy"]["max_characters"]) == (10, 200)
    assert operator.get(f"{APPS}/acme").json() == body


@pytest.mark.usefixtures("noon")
def test_a_list_of_apps_tells_what_waits_in_each(operator: APIClient, alice: Caller, charlie: Caller) -> None:
    busy(alice)
    rows = {row["app_id"]: row["counts"] for row in operator.get(APPS).json()["results"]}
    known = {name: rows["acme"][name] for name in BUSY}
    assert known == BUSY
    assert (rows["acme"]["memories"], rows["acme"]["last_session_at"] is None) == (1, False)
    quiet = dict.fromkeys(rows["globex"], 0) | {"last_session_at": None, "used_share": None, "memory_limit": 100_000}
    assert rows["globex"] == quiet


def test_an_agent_with_an_operators_scope_lists_its_own_app_only(alice: Caller, charlie: Caller) -> None:
    chief = make_caller(alice.app, "chief", ("operator",))
    assert [row["app_id"] for row in chief.get("apps").json()["results"]] == ["acme"]


def test_an_app_without_a_preset_is_standard_with_the_documented_numbers(operator: APIClient) -> None:
    body = operator.post(APPS, {"app_id": "acme", "name": "Acme"}).json()
    assert body["preset"] == "standard"
    documented = {
        "memory_limit": 100_000,
        "max_characters": 2_000,
        "start_confidence": 0.7,
        "reinforce_step": 0.1,
        "contradict_step": 0.2,
        "same_session_step": 0.05,
        "inactive_below": 0.3,
        "stale_after_days": 30,
        "decay_per_week": 0.1,
        "dedup_similarity": 0.85,
        "session_budget_tokens": 2_000,
        "turn_budget_tokens": 500,
        "turn_limit": 10,
        "economy_limit": 5,
        "echo_step": 0.1,
        "fizzle_step": 0.05,
        "energy_floor": 0.2,
        "ttl_days": {"work": 90, "preferences": 180, "health": 365, "hobbies": 60, "relationships": 180},
    }
    assert {name: body["policy"][name] for name in documented} == documented


def test_a_policy_given_at_creation_stands_over_the_presets(operator: APIClient) -> None:
    body = {"app_id": "acme", "name": "Acme", "preset": "ops", "policy": {"writes_per_minute": 7}}
    policy = operator.post(APPS, body).json()["policy"]
    assert policy["writes_per_minute"] == 7
    assert policy["ranking"] == "confidence"


def test_a_whole_number_of_a_policy_may_be_written_with_a_point(operator: APIClient) -> None:
    body = {"app_id": "acme", "name": "Acme", "policy": {"writes_per_minute": 7.0}}
    assert operator.post(APPS, body).json()["policy"]["writes_per_minute"] == 7
    refused = operator.patch(f"{APPS}/acme", {"policy": {"writes_per_minute": 7.5}})
    assert assert_problem(refused, 400)["detail"].endswith("Takes a whole number.")


def test_two_apps_cannot_have_the_same_id(operator: APIClient) -> None:
    operator.post(APPS, {"app_id": "acme", "name": "Acme"})
    assert_problem(operator.post(APPS, {"app_id": "acme", "name": "Other"}), 409)
    assert App.objects.get().name == "Acme"


def test_a_refused_app_leaves_nothing_behind(operator: APIClient) -> None:
    body = {"app_id": "acme", "name": "Acme", "policy": {"memory_limit": 0}}
    assert_problem(operator.post(APPS, body), 400)
    assert not App.objects.exists()
    assert not AppPolicy.objects.exists()


@each_row("page, before", [("/settings/policy", ""), ("/admin/tenancy/app/{}/change/", "policy-0-")])
def test_pages_ask_for_the_numbers_that_the_api_takes(
    page: str, before: str, operator: APIClient, admin_client: Client, alice: Caller
) -> None:
    """Those of a policy, from the least to the most."""
    requested = elements(admin_client.get(page.format(alice.app.pk)), "input", type="number")
    displayed = [item for item in requested if item["name"].startswith(before)]
    limits = {item["name"].removeprefix(before): (float(item["min"]), float(item["max"])) for item in displayed}
    names = {name for name in POLICY_FIELDS if type(AppPolicy._meta.get_field(name)) in NUMBERS}
    assert limits.keys() == names

    def answer_to(number: Callable[[float, float], float]) -> Any:
        policy = {name: AppPolicy._meta.get_field(name).to_python(number(*limits[name])) for name in names}
        return operator.patch(f"{APPS}/acme", {"policy": policy})

    for taken in (lambda least, _: least, lambda _, most: most):
        answer = answer_to(taken)
        assert answer.status_code == 200, answer.json()
    for refused in (lambda least, _: least - 1, lambda _, most: most + 1):
        assert_problem(answer_to(refused), 400, *(f"policy.{name}" for name in names))


@each_row("app_id", ["", "Acme", "a b", "-a", "a/b", "ä", "a" * 65, "a\nb", 5, None, ["a"]], rolled_back=True)
def test_an_app_id_is_a_short_lower_case_name(operator: APIClient, app_id: Any) -> None:
    assert_problem(operator.post(APPS, {"app_id": app_id, "name": "Acme"}), 400, "app_id")


WRONG: list[tuple[str, Any]] = [
    ("no_such_field", 1),
    ("app", "globex"),
    ("memory_limit", 0),
    ("memory_limit", "5"),
    ("memory_limit", 5.5),
    ("memory_limit", True),
    ("memory_limit", None),
    ("memory_limit", 10**30),
    ("memory_limit", []),
    ("max_characters", -1),
    ("start_confidence", 1.1),
    ("start_confidence", "0.5"),
    ("start_confidence", True),
    ("start_confidence", None),
    ("start_confidence", {}),
    ("capture_markers", 1),
    ("capture_markers", "true"),
    ("capture_markers", None),
    ("marker_categories", "timing"),
    ("marker_categories", ["Timing!"]),
    ("marker_categories", [5]),
    ("marker_categories", [["timing"]]),
    ("marker_categories", ["a", "a"]),
    ("marker_categories", None),
    ("ttl_days", {"work": 0}),
    ("ttl_days", {"work": "90"}),
    ("ttl_days", {"Work!": 90}),
    ("ttl_days", []),
    ("ranking", "best"),
    ("ranking", 5),
    ("ranking", []),
    ("block", "html"),
    ("time_zone", "Mars/Base"),
    ("time_zone", 5),
    ("time_zone", []),
    ("time_zone", None),
    ("time_zone", ""),
    ("time_zone", "../../etc/passwd"),
    ("decay_exempt_from", 2),
    ("decay_exempt_from", 10**30),
    *((name, value) for name in ("review_origins", "approval_origins") for value in (None, "", {}, [["user"]], 5)),
    *((name, value) for name in ("daily_tokens", "daily_cost") for value in ("", [], {}, True, "5")),
    ("daily_tokens", 1.5),
]


@pytest.fixture
def output(operator: APIClient, acme: App) -> Any:
    return operator.get(f"{APPS}/acme").json()


@each_row("wrong, is_new", product(WRONG, [True, False]), rolled_back=True)
def test_a_policy_field_takes_only_its_own_type_and_range(
    operator: APIClient, output: Any, wrong: tuple[str, Any], is_new: bool
) -> None:
    field, value = wrong
    policy = {"policy": {field: value}}
    if is_new:
        answer = operator.post(APPS, {"app_id": "initech", "name": "Initech", **policy})
    else:
        answer = operator.patch(f"{APPS}/acme", policy)
    body = assert_problem(answer, 400)
    assert all(error["field"].startswith(f"policy.{field}") for error in body["errors"])
    assert not App.objects.filter(app_id="initech").exists()
    assert operator.get(f"{APPS}/acme").json() == output


def test_economising_cannot_inject_more_than_usual(operator: APIClient, acme: App) -> None:
    assert_problem(operator.patch(f"{APPS}/acme", {"policy": {"turn_limit": 4}}), 400, "policy.economy_limit")


def test_a_patch_changes_only_what_it_names(operator: APIClient, acme: App) -> None:
    before = operator.get(f"{APPS}/acme").json()
    after = operator.patch(f"{APPS}/acme", {"policy": {"time_zone": "Europe/Berlin"}}).json()
    assert after["policy"].pop("time_zone") == "Europe/Berlin"
    assert before["policy"].pop("time_zone") == "UTC"
    assert after == before


@pytest.mark.postgres("SQLite's writers wait for each other anyway")
@pytest.mark.django_db(transaction=True)
def test_an_app_is_not_purged_while_it_is_changed(
    operator: APIClient, acme: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = []

    def purge() -> None:
        MemoryAgent(App.objects.get(pk=acme.pk), None, "operator:olga").purge_app()

    def changed_late(*given: Any) -> AppPolicy:
        waited.append(has_to_wait(purge))
        return policy_with(*given)

    monkeypatch.setattr(apps, "policy_with", changed_late)
    assert operator.patch(f"{APPS}/acme", {"name": "Acme Ltd"}).json()["status"] == "active"
    assert waited == [True]


def test_a_preset_in_a_patch_sets_every_policy_field(operator: APIClient) -> None:
    make_app("acme", writes_per_minute=3)
    policy = operator.patch(f"{APPS}/acme", {"preset": "compact"}).json()["policy"]
    assert (policy["memory_limit"], policy["writes_per_minute"]) == (10, 10_000)


def test_a_changed_policy_holds_for_the_very_next_request(operator: APIClient, alice: Caller) -> None:
    operator.patch(f"{APPS}/acme", {"policy": {"max_characters": 20}})
    assert_problem(alice.post("memories", {"content": "x" * 21}), 400, "content")


def test_the_list_of_apps_is_a_cursor_page(operator: APIClient) -> None:
    for name in ("one", "two", "three"):
        make_app(name)
    first = operator.get(APPS, {"limit": 2}).json()
    assert [row["app_id"] for row in first["results"]] == ["three", "two"]
    second = operator.get(first["next"]).json()
    assert [row["app_id"] for row in second["results"]] == ["one"]
    assert second["next"] is None


def test_a_cursor_of_apps_is_no_count_of_them(operator: APIClient) -> None:
    for name in ("one", "two"):
        make_app(name)
    (cursor,) = parse_qs(urlsplit(operator.get(APPS, {"limit": 1}).json()["next"]).query)["cursor"]
    (position,) = parse_qs(b64decode(cursor).decode())["p"]
    assert datetime.fromisoformat(position.partition(":")[2]) == App.objects.get(app_id="two").created_at


@each_row("position", ["0001-01-01 00:00:00+14:00", "9999-12-31 23:59:59-14:00", "None", ""])
def test_a_cursor_of_apps_that_is_no_time_is_refused(position: str, operator: APIClient) -> None:
    cursor = cursor_at(position)
    assert_problem(operator.get(APPS, {"cursor": cursor}), 400, "cursor")


def test_a_cursor_of_apps_without_a_time_zone_is_of_utc(operator: APIClient, acme: App) -> None:
    App.objects.update(created_at=datetime(2027, 3, 1, 12, tzinfo=UTC))
    for position, there in (("2027-03-01 11:00:00", 0), ("2027-03-01 13:00:00", 1)):
        assert len(operator.get(APPS, {"cursor": cursor_at(position)}).json()["results"]) == there


def cursor_at(position: str) -> str:
    return b64encode(urlencode({"p": f"{sha256(APPS.encode()).hexdigest()[:8]}:{position}"}).encode()).decode()


def test_an_app_that_does_not_exist_is_404_to_everything(operator: APIClient) -> None:
    assert_problem(operator.get(f"{APPS}/nobody"), 404)
    assert_problem(operator.patch(f"{APPS}/nobody", {"name": "x"}), 404)
    assert_problem(operator.delete(f"{APPS}/nobody"), 404)
    assert_problem(operator.get(f"{APPS}/nobody/memories"), 404)


def test_uninstalling_shuts_the_app_and_keeps_its_memories(operator: APIClient, alice: Caller) -> None:
    alice.remember("Kept for later")
    assert operator.delete(f"{APPS}/acme").json() == {"success": True, "deleted_count": 0}
    assert_problem(alice.get("memories"), 401)
    assert operator.get(f"{APPS}/acme").json()["status"] == "uninstalled"
    retained = operator.get(f"{APPS}/acme/memories").json()["memories"]
    assert [memory["content"] for memory in retained] == ["Kept for later"]


def test_uninstalling_with_purge_deletes_its_memories_and_no_others(
    operator: APIClient, alice: Caller, charlie: Caller
) -> None:
    alice.remember("First of acme")
    alice.remember("Second of acme", visibility="agent")
    charlie.remember("Of globex")
    answer = operator.delete(f"{APPS}/acme?purge_memories=true")
    assert answer.json() == {"success": True, "deleted_count": 2}
    assert [memory.content for memory in Memory.objects.all()] == ["Of globex"]


@each_row("query", ["purge_memories=yes", "purge_memories=", "purge_memory=true", "force=1"], rolled_back=True)
def test_a_misspelt_purge_uninstalls_nothing(operator: APIClient, acme: App, query: str) -> None:
    assert_problem(operator.delete(f"{APPS}/acme?{query}"), 400)
    assert operator.get(f"{APPS}/acme").json()["status"] == "active"


def test_what_names_some_memories_in_a_body_does_not_delete_all(operator: APIClient, alice: Caller) -> None:
    alice.remember("Whales sing", category="sea")
    assert_problem(operator.delete(f"{APPS}/acme/memories", {"category": "sea"}, format="json"), 400, "category")
    assert operator.delete(f"{APPS}/acme/memories", {}, format="json").json()["deleted_count"] == 1


def test_an_operator_lists_and_deletes_an_apps_memories(operator: APIClient, alice: Caller) -> None:
    ids = [alice.remember(f"Fact number {number}", visibility="agent")["id"] for number in range(3)]
    page = operator.get(f"{APPS}/acme/memories").json()
    assert page["memories"] == page["results"]
    assert [row["id"] for row in page["memories"]] == ids[::-1]
    assert set(page["memories"][0]) == MEMORY_FIELDS
    assert operator.delete(f"{APPS}/acme/memories/{ids[0]}").json()["success"] is True
    assert_problem(operator.delete(f"{APPS}/acme/memories/{ids[0]}"), 404)
    assert operator.delete(f"{APPS}/acme/memories").json() == {"success": True, "deleted_count": 2}
    assert operator.get(f"{APPS}/acme/memories").json()["memories"] == []


def test_a_memory_is_not_deleted_through_another_app(operator: APIClient, alice: Caller, charlie: Caller) -> None:
    uid = alice.remember("Of acme")["id"]
    assert_problem(operator.delete(f"{APPS}/globex/memories/{uid}"), 404)
    assert alice.get(f"memories/{uid}").status_code == 200


def test_an_agents_key_is_no_operators(alice: Caller) -> None:
    for call in (alice.get("apps"), alice.post("apps", {"app_id": "x", "name": "X"}), alice.get("apps/acme")):
        assert_problem(call, 403)


def test_an_operators_key_of_an_agent_administers_its_own_app_and_sees_no_other(acme: App) -> None:
    make_app("globex")
    chief = make_caller(acme, "chief", ("read", "write", "operator"))
    assert [row["app_id"] for row in chief.get("apps").json()["results"]] == ["acme"]
    assert chief.patch("apps/acme", {"name": "Acme Ltd"}).status_code == 200
    assert_problem(chief.get("apps/globex"), 404)
    assert_problem(chief.post("apps", {"app_id": "new", "name": "New"}), 403)
    assert not App.objects.filter(app_id="new").exists()


def test_an_operators_key_has_no_endpoint_to_agents_work(operator: APIClient) -> None:
    for path in ("memories", "sessions", "events", "resources", f"memories/{uuid4()}"):
        assert_problem(operator.get(f"/api/v1/{path}"), 403)


def test_a_superuser_signed_in_with_a_browser_is_an_operator(db: None) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("root", password="correct horse battery"))
    assert client.get(APPS).status_code == 200
    assert_problem(client.post(APPS, {"app_id": "acme", "name": "Acme"}), 403)
    assert not App.objects.exists()


def test_any_other_browser_session_is_nobody(acme: App) -> None:
    client = APIClient()
    client.force_login(User.objects.create_user("clerk", password="correct horse battery", is_staff=True))
    assert_problem(client.get(APPS), 401)
    assert_problem(client.get("/api/v1/memories"), 401)


def test_an_app_that_was_uninstalled_can_be_installed_again(operator: APIClient, alice: Caller) -> None:
    uid = alice.remember("Whales sing")["id"]
    operator.delete(f"{APPS}/acme")
    assert alice.get(f"memories/{uid}").status_code == 401
    answer = operator.patch(f"{APPS}/acme", {"status": "active"})
    assert (answer.status_code, answer.json()["status"]) == (200, "active")
    assert alice.get(f"memories/{uid}").json()["content"] == "Whales sing"
    assert_problem(operator.patch(f"{APPS}/acme", {"status": "gone"}), 400)


class TestGuidance:
    """What an app tells the model that reads its conversations."""

    def test_is_stored_without_secrets(self, operator: APIClient, alice: Caller) -> None:
        text = "Prices never matter; the key is sk-proj-abcdefghijklmnopqrstuvwx123456"
        answer = operator.patch(f"{APPS}/acme", {"policy": {"guidance": text}})
        assert answer.status_code == 200
        stored = AppPolicy.objects.get(app=alice.app).guidance
        assert stored.startswith("Prices never matter; the key is [redacted")
        assert "sk-proj" not in stored

    @each_row("value", ["a" * 2_001, None, 5, ["a"]], rolled_back=True)
    def test_is_a_text_of_2000_characters_at_most(self, operator: APIClient, alice: Caller, value: Any) -> None:
        answer = operator.patch(f"{APPS}/acme", {"policy": {"guidance": value}})
        assert_problem(answer, 400, "policy.guidance")

"""Statistics, usage, energy and cooldowns: number by number, for an app whose numbers are known."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient
from time_machine import travel

from memories.ledger.energy import note_energy
from memories.maintain.figures import first_uid
from memories.models import EnergyUse, Extraction, ExtractionStatus, LedgerEntry, Memory, Rejection, What
from memories.services import MemoryAgent
from memsite.tenancy.models import App, AppPolicy
from sessions.models import AgentSession
from tests.api.checks import assert_problem
from tests.conftest import Caller, make_app, make_caller
from tests.dashboard.conftest import member
from tests.talking import after, at_time

NOON, TODAY = datetime(2027, 3, 15, 12, tzinfo=UTC), date(2027, 3, 15)
STATS, USAGE = "/api/v1/apps/acme/stats", "/api/v1/apps/acme/usage"


def tell(operator: APIClient, address: str, **query: Any) -> dict[str, Any]:
    with at_time(NOON):
        answer = operator.get(address, query)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def call(app: App, operation: str, day: date, **fields: Any) -> None:
    LedgerEntry.objects.create(app=app, operation=operation, day=day, **{"model": "small", "input_tokens": 90} | fields)


def some(counts: dict[str, int]) -> dict[str, int]:
    return {name: number for name, number in counts.items() if number}


def date_ids() -> None:
    """As if each memory had got its id when it was made: ids take the time from a clock that tests do not set."""
    for row in Memory.objects.order_by("pk"):
        Memory.objects.filter(pk=row.pk).update(uid=UUID(int=first_uid(row.created_at).int + row.pk))


@pytest.fixture
def lived(alice: Caller, charlie: Caller) -> str:
    """Two days of an app, beside another one; answers the id of the memory that searches found."""
    for caller in (alice, charlie):
        AppPolicy.objects.filter(app=caller.app).update(memory_limit=10)
    with at_time(NOON - timedelta(days=3)):
        whales = alice.remember("Whales sing at night", category="sea", subject="whales")
        charlie.remember("Zebras have stripes", category="sea")
        lesson = alice.remember("Never sail in a storm", category="sea", kind="lesson", origin="web")
        alice.post(f"memories/{whales['id']}/links", {"to": lesson["id"]})
        alice.start_session()
        alice.post("triggers", {"trigger_date": "2199-01-01", "message": "Dentist"})
        Rejection.objects.create(app=alice.app, reason="not worth keeping")
    with at_time(NOON):
        gone = alice.remember("An old custom", category="land", kind="insight")
        alice.patch(f"memories/{gone['id']}", {"status": "archived"})
        for caller in (alice, charlie):
            caller.post("memories/search", {"query": "whales sing", "mode": "fulltext"})
            caller.post("memories/search", {"query": "zyzzyva", "mode": "fulltext"})
    date_ids()
    return str(Memory.objects.get(subject="whales").uid)


def test_how_much_there_is_of_what(operator: APIClient, lived: str) -> None:
    body = tell(operator, STATS)
    memories = body["memories"]
    assert (memories["total"], memories["live"], memories["limit"], memories["full"]) == (4, 3, 10, 0.3)
    assert some(memories["by_status"]) == {"active": 3, "archived": 1}
    assert some(memories["by_kind"]) == {"fact": 2, "lesson": 1, "insight": 1}
    assert memories["by_kind"]["decision"] == 0
    assert memories["by_category"] == [{"category": "sea", "memories": 2}, {"category": "general", "memories": 1}]
    assert (some(memories["by_source"]), memories["by_tier"]) == ({"api": 4}, {"1": 4, "2": 0, "3": 0})
    assert some(memories["by_origin"]) == {"assistant": 3, "web": 1}
    assert memories["last_created_at"] == "2027-03-15T12:00:00+00:00"
    assert {name: body[name] for name in ("links", "lessons", "to_review", "agents")} == {
        "links": 1,
        "lessons": 1,
        "to_review": 1,
        "agents": 1,
    }
    assert body["entities"] > 0
    assert (body["sessions"], body["triggers"]) == (
        {"active": 1, "ended": 0},
        {"waiting": 1, "done": 0, "cancelled": 0},
    )
    assert body["texts"] == {"pending": 0, "running": 0, "done": 0, "failed": 0, "dead": 0}


def test_how_it_grows_and_how_it_is_asked(operator: APIClient, lived: str) -> None:
    body = tell(operator, STATS)
    growth, access = body["growth"], body["access"]
    assert (body["since"], body["until"], len(growth["by_day"])) == ("2027-02-14", "2027-03-15", 30)
    assert growth["created"] == 4
    assert [row["created"] for row in growth["by_day"][-4:]] == [3, 0, 0, 1]
    assert (access["searches"], access["found"], access["hit_rate"]) == (2, 1, 0.5)
    assert access["by_day"][-1] == {"day": "2027-03-15", "searches": 2, "found": 1}
    assert {row["tier"]: row["share"] for row in access["by_tier"]} == {"items": 0.5, "none": 0.5}
    assert access["last_searched_on"] == "2027-03-15"
    assert access["most_recalled"] == [{"id": lived, "access_count": 1, "accessed_at": "2027-03-15T12:00:00+00:00"}]
    assert access["never_recalled"] == 2
    few = tell(operator, STATS, days=2)
    assert [row["created"] for row in few["growth"]["by_day"]] == [0, 1]
    year = tell(operator, STATS, days=366)
    assert (len(year["growth"]["by_day"]), year["growth"]["created"], year["since"]) == (366, 4, "2026-03-15")


def test_how_much_the_app_is_used(alice: Caller, charlie: Caller, operator: APIClient, lived: str) -> None:
    AppPolicy.objects.filter(app=alice.app).update(memory_limit=4)
    make_app("empty")
    with at_time(NOON - timedelta(minutes=5)):
        alice.remember("Otters hold hands", category="river")
        alice.remember("Owls turn their heads", category="wood")
    AgentSession.objects.update(uid=first_uid(NOON))
    date_ids()
    body = tell(operator, STATS)
    assert (body["growth"]["last_hour"], len(body["growth"]["by_hour"])) == (2, 24)
    assert body["compactions"]["total"] == body["compactions"]["by_day"][-1]["compactions"] == 1
    assert body["conversations"] == {"begun": 1, "with_memories": 1, "share": 1.0}
    assert body["energy"] == tell(operator, USAGE)["energy"]
    assert body["apps"] == {"active": 3, "with_memories": 2, "share": 0.6667}
    with at_time(NOON):
        use = member("vera", alice.app, "viewer").get("/").context["use"]
    assert (use["last_hour"], use["compactions"], use["shown"]) == (2, 1, 1.0)


@pytest.fixture
def spent(alice: Caller, charlie: Caller) -> None:
    app = alice.app
    call(charlie.app, "extract", TODAY, cost=9.0)
    call(app, "extract", TODAY, provider="openai", model="big", output_tokens=10, cost=0.25)
    call(app, "gate", TODAY - timedelta(days=2), outcome="timeout")
    call(app, "gate", TODAY - timedelta(days=40), cost=5.0)
    note_energy(app, "gate", NOON, 2)
    note_energy(app, "search", NOON - timedelta(days=1))
    note_energy(charlie.app, "search", NOON)


@pytest.mark.usefixtures("spent")
def test_what_was_spent_by_day_operation_and_model(operator: APIClient) -> None:
    body = tell(operator, USAGE)
    big = {
        "calls": 1,
        "failed": 0,
        "input_tokens": 90,
        "output_tokens": 10,
        "tokens": 100,
        "cost": 0.25,
        "unpriced": 0,
    }
    small = {
        "calls": 1,
        "failed": 1,
        "input_tokens": 90,
        "output_tokens": 0,
        "tokens": 90,
        "cost": 0.0,
        "unpriced": 1,
    }
    assert body["total"] == {name: big[name] + small[name] for name in big}
    assert len(body["by_day"]) == 30
    assert [row for row in body["by_day"] if row["calls"]] == [
        {"day": "2027-03-13", **small},
        {"day": "2027-03-15", **big},
    ]
    assert body["by_operation"] == [{"operation": "extract", **big}, {"operation": "gate", **small}]
    assert body["by_model"] == [
        {"provider": None, "model": "small", **small},
        {"provider": "openai", "model": "big", **big},
    ]
    assert tell(operator, USAGE, days=1)["total"] == big
    assert tell(operator, USAGE, days=41)["total"]["cost"] == 5.25


@pytest.mark.usefixtures("spent")
def test_energy_is_told_and_stays_to_be_reported(alice: Caller, operator: APIClient) -> None:
    energy = tell(operator, USAGE, days=2)["energy"]
    assert energy["by_operation"] == [
        {"operation": "gate", "calls": 2, "units": 10.0},
        {"operation": "search", "calls": 1, "units": 1.0},
    ]
    assert energy["by_day"] == [{"day": "2027-03-14", "units": 1.0}, {"day": "2027-03-15", "units": 10.0}]
    assert (energy["units"], energy["level"], energy["floor"], energy["low"]) == (11.0, 1.0, 0.2, False)
    assert set(EnergyUse.objects.values_list("reported", flat=True)) == {0.0}
    assert alice.get("energy/consumed").json()["units"] == 11.0


@pytest.mark.usefixtures("spent")
def test_what_the_day_has_left(operator: APIClient) -> None:
    budget = tell(operator, USAGE)["budget"]
    assert (budget["cost"], budget["tokens"]["left"]) == ({"limit": None, "spent": 0.25, "left": None}, None)
    AppPolicy.objects.update(daily_cost=1.0, daily_tokens=60)
    assert tell(operator, USAGE)["budget"] == {
        "renewed_at": "2027-03-16T00:00:00+00:00",
        "cost": {"limit": 1.0, "spent": 0.25, "left": 0.75},
        "tokens": {"limit": 60, "spent": 100, "left": 0},
    }


def test_days_are_the_apps_own(alice: Caller, operator: APIClient) -> None:
    AppPolicy.objects.update(time_zone="Pacific/Auckland")
    with at_time(NOON - timedelta(hours=2)):  # 23:00 there
        alice.remember("Whales sing")
    date_ids()
    for address in (STATS, USAGE):
        body = tell(operator, address)
        assert (body["until"], body["time_zone"]) == ("2027-03-16", "Pacific/Auckland")
    assert [row["created"] for row in tell(operator, STATS, days=2)["growth"]["by_day"]] == [1, 0]


def test_an_empty_app_has_nothing_of_everything(alice: Caller, operator: APIClient) -> None:
    body = tell(operator, STATS, days=1)
    assert (body["memories"]["total"], body["memories"]["full"], body["memories"]["last_created_at"]) == (0, 0, None)
    assert body["memories"]["by_category"] == []
    assert body["access"] == {
        "searches": 0,
        "found": 0,
        "hit_rate": None,
        "last_searched_on": None,
        "by_tier": [],
        "by_day": [{"day": "2027-03-15", "searches": 0, "found": 0}],
        "never_recalled": 0,
        "most_recalled": [],
    }
    usage = tell(operator, USAGE, days=1)
    assert (usage["total"]["calls"], usage["by_operation"], usage["by_model"]) == (0, [], [])
    assert (usage["energy"]["units"], usage["energy"]["by_operation"]) == (0, [])


@pytest.mark.parametrize("address", [STATS, USAGE])
def test_what_makes_no_sense_is_refused(alice: Caller, operator: APIClient, address: str) -> None:
    for days in ("0", "367", "-1", "x", "", "1.5", "٣", "000000001999", "9" * 400):
        assert_problem(operator.get(address, {"days": days}), 400, "days")
    assert_problem(operator.get(address, {"since": "2027-01-01"}), 400, "since")
    assert_problem(operator.get(address.replace("acme", "nobody")), 404)
    assert_problem(operator.post(address, {}), 405)


@pytest.mark.parametrize("address", [STATS, USAGE])
def test_they_are_for_operators_of_the_app(alice: Caller, charlie: Caller, address: str) -> None:
    assert_problem(alice.client.get(address), 403)
    assert make_caller(alice.app, "chief", ("operator",)).client.get(address).status_code == 200
    assert_problem(make_caller(charlie.app, "head", ("operator",)).client.get(address), 404)
    assert_problem(APIClient().get(address), 401)
    assert member("vera", alice.app, "viewer").get(address).status_code == 200
    assert member("otto", charlie.app, "owner").get(address).status_code == 404


def test_the_dashboard_tells_the_same(alice: Caller, operator: APIClient, lived: str, spent: None) -> None:
    stats, usage = tell(operator, STATS), tell(operator, USAGE)
    with at_time(NOON):
        vera = member("vera", alice.app, "viewer")
        overview, costs = vera.get("/").context, vera.get("/costs").context
    memories = stats["memories"]
    assert memories["by_status"] == overview["statuses"]
    assert memories["live"] == overview["live"]
    assert [tuple(row.values()) for row in memories["by_category"]] == overview["categories"]
    assert [row["created"] for row in stats["growth"]["by_day"]] == overview["growth"].series[0].values
    assert stats["to_review"] == overview["waiting"].rejections
    assert (stats["access"]["searches"], stats["access"]["hit_rate"]) == (costs["searched"], costs["found"])
    assert [row["calls"] for row in usage["by_day"] if row["calls"]] == [row.calls for row in reversed(costs["days"])]
    assert usage["energy"]["by_operation"] == costs["energy"]
    for name in ("calls", "tokens", "cost", "unpriced", "failed"):
        assert usage["total"][name] == getattr(costs["total"], name)
    assert usage["budget"]["cost"]["spent"] == costs["today"].cost


def test_looking_changes_nothing(alice: Caller, operator: APIClient, lived: str) -> None:
    tell(operator, STATS)  # the first use of a key in a minute is noted
    before = list(Memory.objects.order_by("pk").values())
    with CaptureQueriesContext(connection) as queries:
        tell(operator, STATS)
        tell(operator, USAGE)
    assert {query["sql"].split()[0] for query in queries} == {"SELECT"}
    assert list(Memory.objects.order_by("pk").values()) == before


ENERGY_NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def consume(caller: Caller) -> dict[str, Any]:
    answer = caller.get("energy/consumed")
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def wait_to_learn(caller: Caller, status: str = ExtractionStatus.PENDING, **fields: Any) -> None:
    session = AgentSession.objects.for_app(caller.app).get(uid=caller.start_session()["id"])
    Extraction.objects.create(app=caller.app, what=What.DIGEST, session=session, status=status, **fields)


@pytest.mark.parametrize(("level", "low"), [(0, True), (0.19, True), (0.2, False), (1, False), (0.5, False)])
def test_an_agent_tells_its_level(alice: Caller, level: float, low: bool) -> None:
    answer = alice.put("energy", {"level": level})
    assert answer.status_code == 200
    assert answer.json() == {"level": level, "low": low}
    assert App.objects.get(pk=alice.app.pk).energy_level == level


def test_the_floor_of_the_app_decides_what_is_low(alice: Caller) -> None:
    AppPolicy.objects.filter(app=alice.app).update(energy_floor=0.6)
    assert alice.put("energy", {"level": 0.5}).json()["low"] is True


@pytest.mark.parametrize("level", ["0.5", True, None, -0.01, 1.01, [], {}, 10**30])
def test_a_level_that_is_none_is_refused(alice: Caller, level: Any) -> None:
    assert_problem(alice.put("energy", {"level": level}), 400, "level")
    assert App.objects.get(pk=alice.app.pk).energy_level == 1.0


@pytest.mark.parametrize(("body", "field"), [({}, "level"), ({"level": 0.5, "unit": "percent"}, "unit")])
def test_a_body_is_a_level_and_nothing_else(alice: Caller, body: dict[str, Any], field: str) -> None:
    assert_problem(alice.put("energy", body), 400, field)


def test_what_was_used_is_told_once(alice: Caller) -> None:
    note_energy(alice.app, "search", ENERGY_NOON, calls=3)
    note_energy(alice.app, "extract", ENERGY_NOON)
    alice.put("energy", {"level": 0.1})
    assert consume(alice) == {
        "units": 23.0,
        "by_operation": {"search": 3.0, "extract": 20.0},
        "since": "2027-03-01",
        "level": 0.1,
        "low": True,
        "deferred": 0,
    }
    assert consume(alice) == {
        "units": 0.0,
        "by_operation": {},
        "since": None,
        "level": 0.1,
        "low": True,
        "deferred": 0,
    }


def test_the_agents_of_an_app_share_its_energy(alice: Caller, bob: Caller) -> None:
    note_energy(alice.app, "search", ENERGY_NOON)
    bob.put("energy", {"level": 0.4})
    answer = consume(alice)
    assert (answer["units"], answer["level"]) == (1.0, 0.4)
    assert consume(bob)["units"] == 0.0


def test_other_apps_have_their_own(alice: Caller, charlie: Caller) -> None:
    note_energy(alice.app, "search", ENERGY_NOON)
    alice.put("energy", {"level": 0.0})
    wait_to_learn(alice)
    answer = consume(charlie)
    assert (answer["units"], answer["level"], answer["low"], answer["deferred"]) == (0.0, 1.0, False, 0)
    assert consume(alice)["units"] == 1.0


def test_what_still_waits_to_be_learnt_is_counted(alice: Caller) -> None:
    with travel(ENERGY_NOON, tick=False):
        wait_to_learn(alice)
        wait_to_learn(alice, ExtractionStatus.FAILED)
        wait_to_learn(alice, ExtractionStatus.DONE)
        wait_to_learn(alice, ExtractionStatus.DEAD)
        wait_to_learn(alice, ExtractionStatus.RUNNING, lease_until=ENERGY_NOON + timedelta(minutes=1))
        wait_to_learn(alice, ExtractionStatus.RUNNING, lease_until=ENERGY_NOON - timedelta(minutes=1))
        assert consume(alice)["deferred"] == 3


def test_a_look_at_the_headers_does_not_count_as_a_report(alice: Caller) -> None:
    note_energy(alice.app, "search", ENERGY_NOON)
    assert alice.client.head("/api/v1/energy/consumed").status_code == 405
    assert consume(alice)["units"] == 1.0


def test_a_report_is_not_for_caches(alice: Caller) -> None:
    assert alice.get("energy/consumed")["Cache-Control"] == "no-store"


def test_a_question_nobody_understands_marks_nothing(alice: Caller) -> None:
    note_energy(alice.app, "search", ENERGY_NOON)
    assert_problem(alice.get("energy/consumed", since="2027-01-01"), 400, "since")
    assert consume(alice)["units"] == 1.0


def test_who_may_only_read_does_neither(acme: App) -> None:
    reader = make_caller(acme, "rita", ("read",))
    note_energy(acme, "search", ENERGY_NOON)
    assert_problem(reader.put("energy", {"level": 0.0}), 403)
    assert_problem(reader.get("energy/consumed"), 403)
    assert App.objects.get(pk=acme.pk).energy_level == 1.0


def test_an_operator_has_no_energy_to_tell_of(operator: APIClient) -> None:
    assert_problem(operator.put("/api/v1/energy", {"level": 0.5}), 403)
    assert_problem(operator.get("/api/v1/energy/consumed"), 403)


@pytest.mark.parametrize(("method", "path"), [("post", "energy"), ("delete", "energy"), ("post", "energy/consumed")])
def test_there_is_no_other_way(alice: Caller, method: str, path: str) -> None:
    assert_problem(getattr(alice, method)(path), 405)


RESTART = {"action": "restart", "service": "caddy", "seconds": 600, "reason": "restarted twice"}


def test_a_cooldown_is_told_to_the_other_agents_until_it_is_over(alice: Caller, bob: Caller, charlie: Caller) -> None:
    session = alice.start_session()["id"]
    answer = alice.post("cooldowns", {**RESTART, "session_id": session})
    assert answer.status_code == 201
    [output] = bob.get("cooldowns").json()["results"]
    assert (output["action"], output["service"], output["agent"], output["session_id"]) == (
        "restart",
        "caddy",
        "alice",
        session,
    )
    assert charlie.get("cooldowns").json()["results"] == []
    with after(minutes=9):
        assert len(bob.get("cooldowns").json()["results"]) == 1
    with after(minutes=11):
        assert bob.get("cooldowns").json()["results"] == []


def test_the_same_again_is_renewed(alice: Caller, bob: Caller) -> None:
    first = alice.post("cooldowns", RESTART).json()
    again = bob.post("cooldowns", {**RESTART, "seconds": 1200})
    assert (again.status_code, again.json()["id"], again.json()["agent"]) == (200, first["id"], "bob")
    assert again.json()["until"] > first["until"]
    assert alice.post("cooldowns", {**RESTART, "service": "dns"}).status_code == 201


def test_it_may_be_said_by_the_clock(alice: Caller) -> None:
    until = (timezone.now() + timedelta(hours=2)).isoformat()
    assert alice.post("cooldowns", {"action": "redeploy", "until": until}).status_code == 201


def test_a_cooldown_is_lifted(alice: Caller, bob: Caller) -> None:
    uid = alice.post("cooldowns", RESTART).json()["id"]
    assert bob.delete(f"cooldowns/{uid}").json() == {"success": True, "deleted_count": 1}
    assert alice.get("cooldowns").json()["results"] == []
    assert_problem(bob.delete(f"cooldowns/{uid}"), 404)


@pytest.mark.parametrize(
    "change",
    [
        {"seconds": 0},
        {"seconds": 10**9},
        {"seconds": "long"},
        {"until": "2199-01-01T00:00:00Z"},
        {"seconds": None},
        {"action": ""},
        {"action": "x" * 65},
        {"reason": "x" * 501},
        {"unknown": 1},
        {"session_id": "x"},
    ],
)
def test_what_cannot_be_is_refused(alice: Caller, change: dict[str, Any]) -> None:
    body = {name: value for name, value in {**RESTART, **change}.items() if value is not None}
    assert_problem(alice.post("cooldowns", body), 400)
    past = {"action": "x", "until": "2020-01-01T00:00:00Z"}
    assert_problem(alice.post("cooldowns", past), 400)
    assert alice.get("cooldowns").json()["results"] == []


def test_another_agents_session_is_none(alice: Caller, bob: Caller) -> None:
    session = bob.start_session()["id"]
    assert_problem(alice.post("cooldowns", {**RESTART, "session_id": session}), 404)


def test_what_is_private_is_not_kept(alice: Caller) -> None:
    answer = alice.post("cooldowns", {**RESTART, "reason": "failed <private>for Nina</private>"})
    assert "Nina" not in answer.json()["reason"]


def test_operators_see_them_too(alice: Caller) -> None:
    alice.post("cooldowns", RESTART)
    [row] = MemoryAgent(alice.app, None, "operator:x").running_cooldowns()
    assert (row.action, row.service) == ("restart", "caddy")

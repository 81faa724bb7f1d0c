"""GET, POST /triggers · GET, PATCH, DELETE /triggers/{id}."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from time_machine import travel

from memories.api.serializers.sessions import show_trigger
from memories.models import FutureTrigger, Preload, TriggerStatus
from memories.services import MemoryAgent
from tests.api.checks import MEMORY_FIELDS, assert_problem
from tests.conftest import Caller, make_caller
from tests.tables import each_row

NOW = datetime(2026, 10, 1, 12, tzinfo=UTC)  # a Thursday
TODAY, TOMORROW, YESTERDAY = "2026-10-01", "2026-10-02", "2026-09-30"
FIELDS = {
    "id",
    "trigger_date",
    "trigger_time",
    "until",
    "recurring",
    "rule",
    "text",
    "message",
    "status",
    "user_id",
    "visibility",
    "reason",
    "created_at",
    "memories",
}
MONDAYS = "FREQ=WEEKLY;BYDAY=MO"


@pytest.fixture(autouse=True)
def _on_a_thursday() -> Iterator[None]:
    with travel(NOW, tick=False):
        yield


def note(caller: Caller, on: str = TOMORROW, message: str = "Dentist", **fields: Any) -> dict[str, Any]:
    answer = caller.post("triggers", {"trigger_date": on, "message": message, **fields})
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


def listed(caller: Caller, **query: Any) -> list[str]:
    answer = caller.get("triggers", **query)
    assert answer.status_code == 200, answer.content
    return [row["message"] for row in answer.json()["results"]]


# --- noting by hand


def test_a_trigger_is_noted_and_read_back(alice: Caller) -> None:
    memory = alice.remember("Afraid of drills")
    made = note(alice, trigger_time="15:00", until="2026-10-05", rule="", memory_ids=[memory["id"]], user_id="ulla")
    assert made.keys() == FIELDS
    assert made == alice.get(f"triggers/{made['id']}").json() == alice.get("triggers").json()["results"][0]
    assert (made["trigger_date"], made["trigger_time"], made["until"]) == (TOMORROW, "15:00:00", "2026-10-05")
    assert (made["status"], made["recurring"], made["user_id"]) == ("waiting", False, "ulla")
    [brought] = made["memories"]
    assert brought.keys() == MEMORY_FIELDS
    assert brought["id"] == memory["id"]


def test_little_needs_to_be_said(alice: Caller) -> None:
    made = note(alice)
    assert (made["trigger_time"], made["until"], made["rule"], made["memories"]) == (None, None, "", [])
    assert (made["visibility"], made["user_id"], made["text"]) == ("app", None, TOMORROW)


def test_the_same_key_notes_it_once(alice: Caller) -> None:
    body, key = {"trigger_date": TOMORROW, "message": "Dentist"}, {"Idempotency-Key": "k"}
    first, second = alice.post("triggers", body, **key), alice.post("triggers", body, **key)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert second["Idempotency-Replayed"] == "true"
    assert FutureTrigger.objects.count() == 1


def test_a_recurring_one_may_have_begun_and_shows_its_next_day(alice: Caller) -> None:
    made = note(alice, "2026-01-05", rule=MONDAYS)
    assert (made["trigger_date"], made["recurring"], made["rule"]) == ("2026-10-05", True, MONDAYS)


def test_a_stretch_that_is_running_may_be_noted(alice: Caller) -> None:
    assert note(alice, YESTERDAY, until=TODAY)["trigger_date"] == YESTERDAY


def test_today_is_the_day_where_the_app_lives(alice: Caller) -> None:
    with travel(datetime(2026, 10, 1, 11, 30, tzinfo=UTC), tick=False):
        assert note(alice, TODAY)["trigger_date"] == TODAY
        alice.app.policy.time_zone = ZoneInfo("Pacific/Auckland")
        alice.app.policy.save()
        assert_problem(alice.post("triggers", {"trigger_date": TODAY, "message": "x"}), 400, "trigger_date")


@each_row(
    "fields, wrong",
    [
        ({"trigger_date": YESTERDAY}, "trigger_date"),
        ({"trigger_date": "2026-02-30"}, "trigger_date"),
        ({"trigger_date": 20261002}, "trigger_date"),
        ({"trigger_date": None}, "trigger_date"),
        ({"trigger_date": "2026-09-01", "until": YESTERDAY}, "until"),
        ({"until": TODAY}, "until"),
        ({"rule": "FREQ=DAILY", "until": "2026-10-04"}, "until"),
        ({"rule": "FREQ=WEEKLY", "until": "2026-10-09"}, "until"),
        ({"rule": "every monday"}, "rule"),
        ({"rule": "FREQ=SECONDLY"}, "rule"),
        ({"rule": "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30"}, "rule"),
        ({"rule": "FREQ=DAILY;" + "X" * 200}, "rule"),
        ({"trigger_time": "25:00"}, "trigger_time"),
        ({"trigger_time": "10:00+02:00"}, "trigger_time"),
        ({"trigger_time": 10}, "trigger_time"),
        ({"message": ""}, "message"),
        ({"message": "x" * 501}, "message"),
        ({"message": 5}, "message"),
        ({"visibility": "shared"}, "visibility"),
        ({"memory_ids": [str(uuid4())] * 11}, "memory_ids"),
        ({"status": "done"}, "status"),
        ({"when": TODAY}, "when"),
    ],
    rolled_back=True,
)
def test_what_cannot_be_is_refused_and_named(alice: Caller, fields: dict[str, Any], wrong: str) -> None:
    assert_problem(alice.post("triggers", {"trigger_date": TOMORROW, "message": "Dentist", **fields}), 400, wrong)
    assert not FutureTrigger.objects.exists()


def test_noting_counts_as_a_write(alice: Caller) -> None:
    alice.app.policy.writes_per_minute = 2
    alice.app.policy.save()
    note(alice)
    note(alice)
    assert_problem(alice.post("triggers", {"trigger_date": TOMORROW, "message": "x"}), 429)


# --- the list


def test_the_list_is_filtered_by_status_user_and_days(alice: Caller) -> None:
    note(alice, TODAY, "first", user_id="ulla")
    note(alice, YESTERDAY, "running", until="2026-10-05")
    called_off = note(alice, "2026-10-09", "late")
    alice.patch(f"triggers/{called_off['id']}", {"status": "cancelled"})
    assert listed(alice) == ["late", "running", "first"]
    assert listed(alice, status="waiting") == ["running", "first"]
    assert listed(alice, user_id="ulla") == ["first"]
    assert listed(alice, **{"from": "2026-10-02"}) == ["late", "running"]
    assert listed(alice, to=TODAY) == ["running", "first"]
    assert listed(alice, **{"from": "2026-10-05", "to": "2026-10-08"}) == ["running"]


@each_row(
    "query, wrong",
    [({"status": "x"}, "status"), ({"from": "tomorrow"}, "from"), ({"to": "2026-13-01"}, "to"), ({"day": "x"}, "day")],
)
def test_filters_that_cannot_be_are_refused(alice: Caller, query: dict[str, str], wrong: str) -> None:
    assert_problem(alice.get("triggers", **query), 400, wrong)


def test_the_list_comes_in_pages(alice: Caller) -> None:
    for number in range(5):
        note(alice, message=f"Thing {number}")
    first = alice.get("triggers", limit=2).json()
    second = alice.client.get(first["next"]).json()
    assert [row["message"][-1] for row in first["results"] + second["results"]] == ["4", "3", "2", "1"]


def test_the_list_costs_the_same_for_many_as_for_few(alice: Caller) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert alice.get("triggers").status_code == 200
        return len(captured)

    memory = alice.remember("Afraid of drills")["id"]
    note(alice, memory_ids=[memory])
    few = queries()
    for number in range(10):
        note(alice, memory_ids=[memory, alice.remember(f"Fact number {number}", dedupe=False)["id"]])
    assert queries() == few


# --- changing


def test_a_trigger_is_changed_called_off_and_taken_up_again(alice: Caller) -> None:
    uid = note(alice)["id"]
    changed = alice.patch(
        f"triggers/{uid}",
        {"trigger_date": "2026-10-07", "trigger_time": "09:30", "until": "2026-10-09", "message": "Dentist again"},
    ).json()
    assert (changed["trigger_date"], changed["trigger_time"]) == ("2026-10-07", "09:30:00")
    assert (changed["until"], changed["message"]) == ("2026-10-09", "Dentist again")
    assert alice.patch(f"triggers/{uid}", {"until": None, "trigger_time": None}).json()["until"] is None
    assert alice.patch(f"triggers/{uid}", {"status": "cancelled"}).json()["status"] == "cancelled"
    assert alice.patch(f"triggers/{uid}", {"status": "waiting"}).json()["status"] == "waiting"
    assert alice.get(f"triggers/{uid}").json()["trigger_date"] == "2026-10-07"


def test_what_comes_round_is_set_to_its_next_day(alice: Caller) -> None:
    uid = note(alice)["id"]
    changed = alice.patch(f"triggers/{uid}", {"trigger_date": "2026-09-07", "rule": MONDAYS}).json()
    assert changed["trigger_date"] == "2026-10-05"
    assert alice.patch(f"triggers/{uid}", {"rule": ""}).json()["recurring"] is False


@each_row(
    "changes, wrong",
    [
        ({"trigger_date": YESTERDAY}, "trigger_date"),
        ({"trigger_date": "2026-10-07"}, "until"),
        ({"until": TODAY}, "until"),
        ({"rule": "FREQ=NEVER"}, "rule"),
        ({"status": "done"}, "status"),
        ({"message": ""}, "message"),
        ({"memory_ids": []}, "memory_ids"),
        ({"trigger_date": None}, "trigger_date"),
    ],
    rolled_back=True,
)
def test_changes_that_cannot_be_change_nothing(alice: Caller, changes: dict[str, Any], wrong: str) -> None:
    made = note(alice, until="2026-10-05")
    if wrong == "trigger_date":
        alice.patch(f"triggers/{made['id']}", {"until": None})
        made["until"] = None
    assert_problem(alice.patch(f"triggers/{made['id']}", changes), 400, wrong)
    assert alice.get(f"triggers/{made['id']}").json() == made


def test_what_is_over_waits_again_only_with_another_day(alice: Caller) -> None:
    uid = note(alice, TODAY)["id"]
    FutureTrigger.objects.update(status=TriggerStatus.DONE)
    with travel(datetime(2026, 10, 3, tzinfo=UTC), tick=False):
        assert alice.patch(f"triggers/{uid}", {"message": "Done with it"}).status_code == 200
        assert_problem(alice.patch(f"triggers/{uid}", {"status": "waiting"}), 400, "trigger_date")
        again = alice.patch(f"triggers/{uid}", {"status": "waiting", "trigger_date": "2026-10-04"})
    assert (again.status_code, again.json()["status"]) == (200, "waiting")


def test_a_deleted_trigger_is_gone_and_its_memories_stay(alice: Caller) -> None:
    memory = alice.remember("Afraid of drills")
    uid = note(alice, memory_ids=[memory["id"]])["id"]
    assert alice.delete(f"triggers/{uid}").json() == {"success": True, "deleted_count": 1}
    assert_problem(alice.get(f"triggers/{uid}"), 404)
    assert not Preload.objects.exists()
    assert alice.get(f"memories/{memory['id']}").status_code == 200


def test_the_answer_that_told_of_a_deleted_trigger_is_not_repeated(alice: Caller) -> None:
    body, key = {"trigger_date": TOMORROW, "message": "Dentist zqx"}, {"Idempotency-Key": "k"}
    uid = alice.post("triggers", body, **key).json()["id"]
    alice.delete(f"triggers/{uid}")
    answer = alice.post("triggers", body, **key)
    assert answer.status_code == 410
    assert b"zqx" not in answer.content


# --- who may see what

ENDPOINTS: dict[str, Callable[[Caller, str], Any]] = {
    "get": lambda caller, uid: caller.get(f"triggers/{uid}"),
    "patch": lambda caller, uid: caller.patch(f"triggers/{uid}", {"message": "spy"}),
    "delete": lambda caller, uid: caller.delete(f"triggers/{uid}"),
}


@each_row("endpoint", ENDPOINTS, rolled_back=True)
def test_another_apps_trigger_does_not_exist(alice: Caller, charlie: Caller, endpoint: str) -> None:
    made = note(charlie)
    answer, absent = ENDPOINTS[endpoint](alice, made["id"]), ENDPOINTS[endpoint](alice, str(uuid4()))
    first, second = assert_problem(answer, 404), assert_problem(absent, 404)
    assert first["detail"] == second["detail"]
    assert charlie.get(f"triggers/{made['id']}").json() == made
    assert listed(alice) == []


@each_row("endpoint", ENDPOINTS, rolled_back=True)
def test_a_colleagues_private_trigger_does_not_exist_and_a_common_one_does(
    alice: Caller, bob: Caller, endpoint: str
) -> None:
    private, common = note(bob, message="mine", visibility="agent"), note(bob, message="ours")
    assert_problem(ENDPOINTS[endpoint](alice, private["id"]), 404)
    assert bob.get(f"triggers/{private['id']}").json() == private
    assert listed(alice) == ["ours"]
    assert ENDPOINTS[endpoint](alice, common["id"]).status_code == 200


def test_memories_one_may_not_see_cannot_be_brought_up(alice: Caller, bob: Caller, charlie: Caller) -> None:
    for uid in (
        charlie.remember("Foreign")["id"],
        bob.remember("Private", visibility="agent")["id"],
        str(uuid4()),
    ):
        body = {"trigger_date": TOMORROW, "message": "spy", "memory_ids": [alice.remember("Own")["id"], uid]}
        assert_problem(alice.post("triggers", body), 404)
    assert not FutureTrigger.objects.exists()


def test_a_common_trigger_shows_no_private_memory(alice: Caller, bob: Caller) -> None:
    private = bob.remember("Private zqx", visibility="agent")["id"]
    uid = note(bob, memory_ids=[private, bob.remember("Common")["id"]])["id"]
    assert {item["content"] for item in bob.get(f"triggers/{uid}").json()["memories"]} == {"Private zqx", "Common"}
    for answer in (alice.get(f"triggers/{uid}"), alice.get("triggers")):
        assert b"Common" in answer.content
        assert b"zqx" not in answer.content


def test_a_key_that_only_reads_changes_nothing(alice: Caller) -> None:
    reader = make_caller(alice.app, "reader", ("read",))
    uid = note(alice)["id"]
    assert reader.get(f"triggers/{uid}").status_code == 200
    for answer in (
        reader.post("triggers", {}),
        *(ENDPOINTS[endpoint](reader, uid) for endpoint in ("patch", "delete")),
    ):
        assert_problem(answer, 403)


# --- on the day, and afterwards


def test_what_is_due_is_shown_as_a_trigger_of_the_api(alice: Caller) -> None:
    made = note(alice, memory_ids=[alice.remember("Afraid of drills")["id"]], user_id="ulla")
    agent = MemoryAgent(alice.app, alice.agent, "agent:alice")
    assert agent.due_triggers("ulla") == []
    with travel(datetime(2026, 10, 2, 8, tzinfo=UTC), tick=False):
        [due] = agent.due_triggers("ulla")
        assert agent.due_triggers("umar") == []
    displayed = show_trigger(due)
    assert (str(displayed["id"]), displayed["message"]) == (made["id"], made["message"])
    assert displayed.keys() == FIELDS
    assert [str(memory["id"]) for memory in displayed["memories"]] == [made["memories"][0]["id"]]


def test_what_comes_round_is_due_even_if_the_daily_job_was_away(alice: Caller) -> None:
    note(alice, "2026-10-05", rule=MONDAYS)
    agent = MemoryAgent(alice.app, alice.agent, "agent:alice")
    with travel(datetime(2026, 10, 19, 8, tzinfo=UTC), tick=False):
        assert [str(due.trigger.trigger_date) for due in agent.due_triggers(None)] == ["2026-10-19"]


def test_forgetting_a_memory_forgets_the_triggers_that_were_about_it(alice: Caller) -> None:
    memory, key = alice.remember("Afraid of drills"), {"Idempotency-Key": "k"}
    body = {"trigger_date": TOMORROW, "message": "Drills zqx", "memory_ids": [memory["id"]]}
    uid = alice.post("triggers", body, **key).json()["id"]
    other = note(alice, message="Haircut")
    alice.delete(f"memories/{memory['id']}")
    assert_problem(alice.get(f"triggers/{uid}"), 404)
    assert listed(alice) == [other["message"]]
    assert b"zqx" not in alice.post("triggers", body, **key).content

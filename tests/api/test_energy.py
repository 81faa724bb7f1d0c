"""Agents tell how much energy they have, and ask what their memory has used."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient
from time_machine import travel

from memories.ledger import note_energy
from memories.models import Extraction, ExtractionStatus, What
from memsite.tenancy.models import App, AppPolicy
from sessions.models import AgentSession
from tests.api.checks import assert_problem
from tests.conftest import Caller, make_caller

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


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
    note_energy(alice.app, "search", NOON, calls=3)
    note_energy(alice.app, "extract", NOON)
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
    note_energy(alice.app, "search", NOON)
    bob.put("energy", {"level": 0.4})
    told = consume(alice)
    assert (told["units"], told["level"]) == (1.0, 0.4)
    assert consume(bob)["units"] == 0.0


def test_other_apps_have_their_own(alice: Caller, charlie: Caller) -> None:
    note_energy(alice.app, "search", NOON)
    alice.put("energy", {"level": 0.0})
    wait_to_learn(alice)
    told = consume(charlie)
    assert (told["units"], told["level"], told["low"], told["deferred"]) == (0.0, 1.0, False, 0)
    assert consume(alice)["units"] == 1.0


def test_what_still_waits_to_be_learnt_is_counted(alice: Caller) -> None:
    with travel(NOON, tick=False):
        wait_to_learn(alice)
        wait_to_learn(alice, ExtractionStatus.FAILED)
        wait_to_learn(alice, ExtractionStatus.DONE)
        wait_to_learn(alice, ExtractionStatus.DEAD)
        wait_to_learn(alice, ExtractionStatus.RUNNING, lease_until=NOON + timedelta(minutes=1))
        wait_to_learn(alice, ExtractionStatus.RUNNING, lease_until=NOON - timedelta(minutes=1))
        assert consume(alice)["deferred"] == 3


def test_a_look_at_the_headers_does_not_count_as_a_report(alice: Caller) -> None:
    note_energy(alice.app, "search", NOON)
    assert alice.client.head("/api/v1/energy/consumed").status_code == 405
    assert consume(alice)["units"] == 1.0


def test_a_report_is_not_for_caches(alice: Caller) -> None:
    assert alice.get("energy/consumed")["Cache-Control"] == "no-store"


def test_a_question_nobody_understands_marks_nothing(alice: Caller) -> None:
    note_energy(alice.app, "search", NOON)
    assert_problem(alice.get("energy/consumed", since="2027-01-01"), 400, "since")
    assert consume(alice)["units"] == 1.0


def test_who_may_only_read_does_neither(acme: App) -> None:
    reader = make_caller(acme, "rita", ("read",))
    note_energy(acme, "search", NOON)
    assert_problem(reader.put("energy", {"level": 0.0}), 403)
    assert_problem(reader.get("energy/consumed"), 403)
    assert App.objects.get(pk=acme.pk).energy_level == 1.0


def test_an_operator_has_no_energy_to_tell_of(operator: APIClient) -> None:
    assert_problem(operator.put("/api/v1/energy", {"level": 0.5}), 403)
    assert_problem(operator.get("/api/v1/energy/consumed"), 403)


@pytest.mark.parametrize(("method", "path"), [("post", "energy"), ("delete", "energy"), ("post", "energy/consumed")])
def test_there_is_no_other_way(alice: Caller, method: str, path: str) -> None:
    assert_problem(getattr(alice, method)(path), 405)

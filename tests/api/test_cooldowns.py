"""Cooldowns that agents report to each other."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.agent import MemoryAgent
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.talking import after

RESTART = {"action": "restart", "service": "caddy", "seconds": 600, "reason": "restarted twice"}


def test_a_cooldown_is_told_to_the_other_agents_until_it_is_over(alice: Caller, bob: Caller, charlie: Caller) -> None:
    session = alice.start_session()["id"]
    answer = alice.post("cooldowns", {**RESTART, "session_id": session})
    assert answer.status_code == 201
    [told] = bob.get("cooldowns").json()["results"]
    assert (told["action"], told["service"], told["agent"], told["session_id"]) == (
        "restart", "caddy", "alice", session,
    )  # fmt: skip
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

"""What is said again for another time is another memory, and nothing denies what holds at another time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from time_machine import travel

from memories.models import Memory
from tests.conftest import Caller

CODE = "The gate code is 4812"
OVER, COMING = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"


def outcomes(caller: Caller, *said: dict[str, Any]) -> list[str]:
    return [caller.remember(subject="gate", category="general", **one)["outcome"] for one in said]


@pytest.mark.parametrize(
    ("known", "again"),
    [
        ({"valid_until": OVER}, {}),
        ({"valid_until": COMING}, {}),
        ({"valid_from": COMING}, {}),
        ({}, {"valid_until": COMING}),
        ({}, {"valid_from": COMING}),
        ({"valid_from": "2020-03-01T00:00:00Z", "valid_until": "2020-03-15T00:00:00Z"}, {"valid_from": OVER}),
    ],
)
def test_for_another_time_it_is_another_memory(alice: Caller, known: dict[str, Any], again: dict[str, Any]) -> None:
    assert outcomes(alice, {"content": CODE, **known}, {"content": CODE, **again}) == ["created", "created"]
    assert Memory.objects.count() == 2


@pytest.mark.parametrize(
    ("known", "again"),
    [
        ({}, {}),
        ({"valid_from": OVER}, {}),
        ({"valid_from": OVER, "valid_until": COMING}, {"valid_from": OVER, "valid_until": COMING}),
    ],
)
def test_for_the_same_time_it_is_the_same(alice: Caller, known: dict[str, Any], again: dict[str, Any]) -> None:
    assert outcomes(alice, {"content": CODE, **known}, {"content": CODE, **again}) == ["created", "reinforced"]


def test_what_is_over_is_not_denied_by_what_came_after_it(alice: Caller) -> None:
    rome = {"content": "The office is in Rome", "valid_from": "2019-01-01T00:00:00Z", "valid_until": OVER}
    milan = {"content": "The office is in Milan", "valid_from": OVER}
    assert outcomes(alice, rome, milan) == ["created", "created"]


def test_what_holds_now_is_not_denied_by_what_was_over_before_it_was_said(alice: Caller) -> None:
    milan = {"content": "The office is in Milan"}
    rome = {"content": "The office is in Rome", "valid_from": "2019-01-01T00:00:00Z", "valid_until": OVER}
    turin = {"content": "The office is in Turin", "valid_until": OVER}
    assert outcomes(alice, milan, rome, turin) == ["created", "created", "created"]
    assert outcomes(alice, {"content": "The office is in Naples", "valid_until": COMING}) == ["contradicted"]


def test_what_holds_now_is_denied_by_what_holds_from_now_on(alice: Caller) -> None:
    rome, milan = {"content": "The office is in Rome"}, {"content": "The office is in Milan", "valid_from": OVER}
    assert outcomes(alice, rome, milan) == ["created", "contradicted"]


@pytest.mark.parametrize(("first", "then"), [({}, {"valid_from": COMING}), ({"valid_from": COMING}, {})])
def test_what_begins_on_a_day_to_come_denies_nothing_until_then(
    alice: Caller, first: dict[str, Any], then: dict[str, Any]
) -> None:
    rome, milan = {"content": "The office is in Rome", **first}, {"content": "The office is in Milan", **then}
    assert outcomes(alice, rome, milan) == ["created", "created"]
    assert {memory.confidence for memory in Memory.objects.all()} == {0.7}
    with travel(datetime(2999, 1, 2, tzinfo=UTC)):
        found = alice.post("memories/search", {"query": "where is the office?"}).json()["results"]
    # What began then is told before what held until then.
    newest_first = sorted((rome, milan), key=lambda one: "valid_from" not in one)
    assert [hit["content"] for hit in found] == [one["content"] for one in newest_first]
    assert all("conflicting" in hit["trust"] for hit in found)


def test_two_plans_for_one_day_to_come_are_at_odds(alice: Caller) -> None:
    milan = {"content": "The office is in Milan", "valid_from": COMING}
    assert outcomes(alice, milan, milan | {"content": "The office is in Turin"}) == ["created", "contradicted"]


def test_another_wording_of_it_stays_in_its_history(alice: Caller) -> None:
    first, again = {"content": "The gate opens at 7:00"}, {"content": "At 7:00 the gate opens"}
    assert outcomes(alice, first, again, again, first)[1:] == ["reinforced"] * 3
    uid = alice.get("memories").json()["results"][0]["id"]
    reasons = [row["reason"] for row in alice.get(f"memories/{uid}/history").json()["results"]]
    told = [reason for reason in reasons if reason.endswith("; said as: At 7:00 the gate opens")]
    assert (len(told), len(reasons)) == (2, 4)

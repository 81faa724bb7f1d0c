"""Whose memories wait until a person has approved them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from memories.models import Memory, Rejection
from memories.services import MemoryAgent
from tests.conftest import Caller
from tests.dashboard.pages import HTMX
from tests.memories.retrieve.asking import contents, search, set_policy, store
from tests.tables import each_row
from tests.talking import hear, turn

BIRTHDAY = "My birthday is on the 4th of May."


@pytest.fixture(autouse=True)
def policy(alice: Caller) -> None:
    set_policy(alice, approval_origins=["web", "tool"])


def test_it_is_stored_nowhere_until_then(alice: Caller) -> None:
    answer = alice.post("memories", {"content": "Whales sing", "origin": "web"})
    assert (answer.status_code, answer.json()["outcome"]) == (202, "waiting")
    assert contents(search(alice, "whales")) == []
    assert alice.post("context", {}).json()["text"] == ""
    assert alice.remember("Ships sail")["outcome"] == "created"


@each_row("origin, waits", [("user", 1), ("assistant", 0)], rolled_back=True)
def test_facts_of_those_who_are_not_believed_wait_too(alice: Caller, origin: str, waits: int) -> None:
    set_policy(alice, approval_origins=[origin])
    hear(alice, BIRTHDAY)
    assert (Rejection.objects.filter(kind="approval").count(), Memory.objects.count()) == (waits, 1 - waits)


def test_markers_and_digests_of_an_agent_that_is_not_believed(alice: Caller) -> None:
    set_policy(alice, approval_origins=["assistant"], capture_digest=True)
    session = alice.start_session()
    turn(alice, session, 1, BIRTHDAY, "[MEMORY:timing:api] Takes 60s to start")
    alice.post(f"sessions/{session['id']}/end")
    hear(alice, "And on we go with the talk.")
    waiting = Rejection.objects.filter(kind="approval")
    assert {row.candidate["source"] for row in waiting} == {"marker", "digest"}  # type: ignore[index]
    assert not Memory.objects.exclude(origin="user").exists()


def test_rewording_waits_and_other_changes_do_not(alice: Caller) -> None:
    memory = store(alice, "Whales sing")
    set_policy(alice, approval_origins=["assistant"])
    assert alice.patch(f"memories/{memory.uid}", {"content": "Whales howl"}).json()["outcome"] == "waiting"
    assert alice.patch(f"memories/{memory.uid}", {"importance": 5}).json()["importance"] == 5


def test_the_dashboard_approves_and_rejects(alice: Caller, olga: Client) -> None:
    for content in ("Whales sing", "Ships sink"):
        alice.post("memories", {"content": content, "origin": "web"})
    page = olga.get("/upkeep/review", {"kind": "approval"})
    assert page.status_code == 200
    assert b"said by web, alice" in page.content
    whales, ships = Rejection.objects.order_by("pk")

    def decide(row: Rejection, **fields: Any) -> None:
        answer = olga.post("/upkeep/review/decide", {"rejection": str(row.uid), **fields}, headers=HTMX)
        assert answer.status_code == 204, answer.content

    decide(whales, action="approve")
    decide(ships, action="reject", reason="they float")
    memory = Memory.objects.get()
    assert (memory.content, memory.trust_level, memory.agent) == ("Whales sing", "reviewed", alice.agent)
    ships.refresh_from_db()
    assert (ships.decision, ships.decision_reason) == ("confirmed", "they float")
    assert b"they float" in olga.get("/upkeep/review", {"decision": "confirmed"}).content
    MemoryAgent(alice.app, None, "operator:olga").reopen(ships)
    ships.refresh_from_db()
    assert (ships.decision, ships.decision_reason) == ("open", "")


def test_an_export_takes_what_waits_along(alice: Caller) -> None:
    from tests.conftest import make_app
    from tests.memories.import_export.moving import export, take_in

    alice.post("memories", {"content": "Whales sing", "origin": "web"})
    other = make_app("copy")
    assert take_in(other, export(alice.app)).status == "done"
    row = Rejection.objects.for_app(other).get()
    assert (row.kind, row.content, row.agent and row.agent.name) == ("approval", "Whales sing", "alice")

"""Several people speak in one conversation: what each says of themselves is theirs, whoever the session is with."""

from __future__ import annotations

from typing import Any

from memories.models import FutureTrigger, Memory, TriggerStatus
from tests.api.checks import ndjson, user
from tests.conftest import Caller
from tests.tables import each_row
from tests.talking import contents, turn
from tests.upkeep import upkeep_learn_due

LINES = "Bob: I am allergic to peanuts.\nAlice: I am not allergic to anything.\nCarol: Nothing for me. I like tea."
OWN = ["Bob is allergic to peanuts", "Alice is not allergic to anything", "Carol likes tea"]


def said(name: str | None, content: str) -> dict[str, Any]:
    return {"role": "user", "content": content, "name": name}


def tell_all(caller: Caller, *messages: dict[str, Any], **session: Any) -> None:
    started = caller.start_session(**session)
    answer = caller.post(f"sessions/{started['id']}/messages", {"messages": list(messages)})
    assert answer.status_code == 202, answer.content
    upkeep_learn_due()


def test_a_message_is_of_whom_its_name_says(alice: Caller) -> None:
    tell_all(
        alice,
        said("Bob", "I am allergic to peanuts."),
        said("Alice", "I am not allergic to anything."),
        said("Bob", "I live in Graz."),
        said("Alice", "I live in Leoben."),
        said("Bob", "Ich bin Veganer."),
        said("Alice", "Ich bin Veganer."),
    )
    rows = Memory.objects.for_app(alice.app).active().order_by("pk")
    assert list(rows.values_list("content", "subject", "confidence")) == [
        ("Bob is allergic to peanuts", "Bob", 0.9),
        ("Alice is not allergic to anything", "Alice", 0.9),
        ("Bob lives in Graz", "Bob", 0.9),
        ("Alice lives in Leoben", "Alice", 0.9),
        ("Bob: Ich bin Veganer", "Bob", 0.9),
        ("Alice: Ich bin Veganer", "Alice", 0.9),
    ]


@each_row("name, expected", [
    ("Bob", "Bob lives in Graz"),
    (" Bob\n Stone ", "Bob Stone lives in Graz"),
    (r"B\1 (x", r"B\1 (x lives in Graz"),
    ("ALICE", "User lives in Graz"),
    ("user", "User lives in Graz"),
    (" ", "User lives in Graz"),
    (None, "User lives in Graz"),
], rolled_back=True)  # fmt: skip
def test_a_name_of_the_users_own_names_nobody_else(alice: Caller, name: str | None, expected: str) -> None:
    tell_all(alice, said(name, "I live in Graz."), user_id="alice")
    assert contents(alice.app) == [expected]


def test_lines_that_begin_with_names_are_of_whom_they_name(alice: Caller) -> None:
    turn(alice, alice.start_session(), 1, LINES, "Noted.")
    upkeep_learn_due()
    assert contents(alice.app) == OWN


def test_so_are_those_of_a_stream(alice: Caller) -> None:
    assert alice.stream(alice.start_session()["id"], ndjson(user(LINES))).status_code == 200
    upkeep_learn_due()
    assert contents(alice.app) == OWN


def test_nobody_calls_off_what_another_plans(alice: Caller) -> None:
    tell_all(
        alice,
        said("Bob", "Dentist next Friday at 3pm."),
        said("Alice", "The dentist next Friday is cancelled."),
    )
    (trigger,) = FutureTrigger.objects.for_app(alice.app)
    assert (trigger.message, trigger.status) == ("Bob: Dentist next Friday at 3pm.", TriggerStatus.WAITING)
    assert contents(alice.app)[0].startswith("Bob: Dentist on Friday")
    tell_all(alice, said("Bob", "The dentist next Friday is cancelled."))
    trigger.refresh_from_db()
    assert trigger.status == TriggerStatus.CANCELLED

"""What holds since a later day ends what held before, whichever was stored first."""

from __future__ import annotations

from typing import Any

from time_machine import travel

from memories.capture.related_memories import as_held, held_once, of_user
from memories.models import Memory, Status
from tests.conftest import Caller, make_app, make_caller
from tests.tables import each_row

PRICES = {
    "9": ("The ferry costs 9 euros", "2023-01-01"),
    "19": ("The ferry costs 19 euros", "2025-01-01"),
    "29": ("The ferry costs 29 euros", "2026-03-14"),
}


def tell(caller: Caller, price: str, **fields: Any) -> Memory:
    content, since = PRICES[price]
    answer = caller.remember(content, subject="ferry", **{"valid_from": since, **fields})
    return Memory.objects.get(uid=answer["id"])


def intervals(caller: Caller) -> dict[str, tuple[str, str]]:
    """From when and until when each price holds."""

    def day(moment: Any) -> str:
        return f"{moment:%Y-%m-%d}" if moment else ""

    rows = Memory.objects.for_app(caller.app)
    return {row.content.split()[3]: (day(row.valid_from), day(row.valid_until)) for row in rows}


IN_ORDER = {"9": ("2023-01-01", "2025-01-01"), "19": ("2025-01-01", "2026-03-14"), "29": ("2026-03-14", "")}


@each_row(
    "order",
    [("9", "19", "29"), ("9", "29", "19"), ("19", "9", "29"), ("19", "29", "9"), ("29", "9", "19"), ("29", "19", "9")],
    rolled_back=True,
)
@travel("2026-06-15T12:00:00Z", tick=False)
def test_intervals_follow_one_another_in_whatever_order_they_arrive(alice: Caller, order: tuple[str, ...]) -> None:
    for price in order:
        tell(alice, price)
    assert intervals(alice) == IN_ORDER
    (active,) = Memory.objects.for_app(alice.app).filter(status=Status.ACTIVE)
    assert "29" in active.content


@travel("2026-06-15T12:00:00Z", tick=False)
def test_what_arrives_late_takes_nothing_from_what_holds(alice: Caller) -> None:
    current = tell(alice, "29")
    answer = alice.remember("In 2025 the ferry cost 19 euros", subject="ferry", valid_from="2025-01-01")
    current.refresh_from_db()
    assert (current.status, current.confidence, current.valid_until) == (Status.ACTIVE, 0.7, None)
    assert answer["contradicts"] == []


@travel("2026-06-15T12:00:00Z", tick=False)
def test_the_reason_of_the_end_is_kept(alice: Caller) -> None:
    old = tell(alice, "19")
    tell(alice, "29")
    (ended,) = old.revisions.filter(action="superseded")
    assert ended.after["valid_until"].startswith("2026-03-14")


@travel("2026-06-15T12:00:00Z", tick=False)
def test_what_holds_for_a_while_ends_nothing_that_goes_on(alice: Caller) -> None:
    usual = tell(alice, "19")
    tell(alice, "29", valid_until="2026-09-01")
    usual.refresh_from_db()
    assert (usual.status, usual.valid_until) == (Status.ACTIVE, None)


def test_in_preset_ops_the_earlier_ends_and_nothing_stands_for_it(db: None) -> None:
    caller = make_caller(make_app("ops", "ops"), "agent")
    with travel("2026-06-15T12:00:00Z", tick=False):
        old = tell(caller, "19")
        tell(caller, "29")
    old.refresh_from_db()
    assert (old.status, f"{old.valid_until:%Y-%m-%d}") == (Status.ACTIVE, "2026-03-14")


@travel("2026-06-15T12:00:00Z", tick=False)
def test_undo_gives_the_interval_back(alice: Caller) -> None:
    old = tell(alice, "19")
    tell(alice, "29")
    assert alice.patch(f"memories/{old.uid}", {"status": "active"}).status_code == 200
    old.refresh_from_db()
    assert old.status == Status.ACTIVE


@each_row(
    "content, stored",
    [
        ("In 2020 Zoe lived in Prague", "Zoe lives in Prague"),
        ("Zoe used to live in Prague", "Zoe lives in Prague"),
        ("Until May 2021 the office was in Rome", "the office is in Rome"),
        ("Standup was at 10 on Mondays", "Standup is at 10 on Mondays"),
    ],
)
def test_a_state_that_is_over_is_compared_as_it_was_then(content: str, stored: str) -> None:
    assert held_once(content)
    assert as_held(content) == stored


@each_row("content", ["Zoe lives in Prague", "Zoe moved to Prague in 2020", "Met Ana for lunch"])
def test_what_holds_or_happened_is_no_state_that_is_over(content: str) -> None:
    assert not held_once(content)


@each_row(
    "content, answer",
    [
        ("I live in Berlin", "User lives in Berlin"),
        ("I am a nurse", "User is a nurse"),
        ("My phone is red", "User's phone is red"),
        ("It rains", "It rains"),
    ],
)
def test_a_statement_of_the_first_person_is_one_of_the_user(content: str, answer: str) -> None:
    assert of_user(content) == answer

"""`/sessions/{id}/turns`, `/replay`, `/recover`: checkpoints."""

from typing import Any

import pytest
from django.db import transaction

from sessions.models import Resource, Turn
from tests.api.checks import all_memories, assert_problem
from tests.conftest import Caller
from tests.tables import each_row

CHECKPOINT = {
    "user_input": "  Restart jellyfin ",
    "tool_calls": [{"name": "Bash", "input": {"command": "systemctl restart jellyfin"}}, "raw", 3, None],
    "llm_output": "Done.\n",
    "internal_state": {"plan": ["wait", 60], "ünïcode": "✓", "deep": {"a": {"b": [1.5, None, True]}}},
}


EMPTY = {"user_input": "", "tool_calls": [], "llm_output": "", "internal_state": {}}


@pytest.fixture
def session(alice: Caller) -> str:
    return str(alice.start_session()["id"])


def put(caller: Caller, session: str, number: int, **fields: Any) -> Any:
    return caller.put(f"sessions/{session}/turns/{number}", {**CHECKPOINT, **fields})


def test_a_turn_comes_back_exactly_as_it_was_stored(alice: Caller, session: str) -> None:
    answer = put(alice, session, 1)
    assert answer.status_code == 201
    shown = alice.get(f"sessions/{session}/turns/1").json()
    assert {name: shown[name] for name in CHECKPOINT} == CHECKPOINT
    assert shown["turn_number"] == 1
    assert answer.json() == {**shown, "captured": answer.json()["captured"]}


def test_the_same_turn_again_changes_nothing(alice: Caller, session: str) -> None:
    said = "[MEMORY:timing:jellyfin] Takes 60s to start"
    assert put(alice, session, 1, llm_output=said).json()["captured"]["created"] == 1
    again = put(alice, session, 1, llm_output=said)
    assert again.status_code == 200
    assert again.json()["captured"] == dict.fromkeys(again.json()["captured"], 0)
    assert (Turn.objects.count(), Resource.objects.count(), len(all_memories(alice))) == (1, 2, 1)


def test_the_order_of_keys_does_not_make_another_turn(alice: Caller, session: str) -> None:
    put(alice, session, 1, internal_state={"a": 1, "b": 2})
    assert put(alice, session, 1, internal_state={"b": 2, "a": 1}).status_code == 200


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user_input", "Restart jellyfin"),
        ("tool_calls", []),
        ("llm_output", "Done."),
        ("internal_state", {}),
    ],
)
def test_the_same_number_with_another_body_is_a_conflict(alice: Caller, session: str, field: str, value: Any) -> None:
    put(alice, session, 1)
    assert_problem(put(alice, session, 1, **{field: value}), 409)
    shown = alice.get(f"sessions/{session}/turns/1").json()
    assert {name: shown[name] for name in CHECKPOINT} == CHECKPOINT


def test_a_turn_that_conflicts_leaves_no_memory(alice: Caller, session: str) -> None:
    put(alice, session, 1)
    put(alice, session, 1, llm_output="[MEMORY:timing:jellyfin] Takes 60s to start")
    assert all_memories(alice) == []


def test_turn_numbers_belong_to_their_session(alice: Caller, bob: Caller, session: str) -> None:
    put(alice, session, 1)
    other = alice.start_session()["id"]
    assert put(alice, other, 1, llm_output="else").status_code == 201
    assert put(bob, bob.start_session()["id"], 1, llm_output="else").status_code == 201


@each_row("name", list(CHECKPOINT), rolled_back=True)
def test_all_of_a_checkpoint_but_one_part_may_be_left_out(alice: Caller, session: str, name: str) -> None:
    answer = alice.put(f"sessions/{session}/turns/1", {name: CHECKPOINT[name]})
    assert answer.status_code == 201
    assert {name: answer.json()[name] for name in CHECKPOINT} == {**EMPTY, name: CHECKPOINT[name]}


@each_row("body", [{}, EMPTY, {"user_input": " \n", "llm_output": "\u200b"}, {"tool_calls": [], "internal_state": {}}])
def test_a_turn_with_nothing_in_it_is_refused_and_blocks_no_number(alice: Caller, session: str, body: Any) -> None:
    problem = assert_problem(alice.put(f"sessions/{session}/turns/1", body), 400)
    assert "A turn has something in it" in problem["detail"]
    assert Turn.objects.count() == 0
    with transaction.atomic():
        assert put(alice, session, 1).status_code == 201
        transaction.set_rollback(True)


def test_a_turn_without_a_body_is_refused(alice: Caller, session: str) -> None:
    for media_type in ("application/json", ""):
        answer = alice.client.generic("PUT", f"/api/v1/sessions/{session}/turns/1", b"", content_type=media_type)
        assert_problem(answer, 400)
    assert Turn.objects.count() == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user_input", 5),
        ("user_input", None),
        ("user_input", ["x"]),
        ("tool_calls", "Bash"),
        ("tool_calls", {"name": "Bash"}),
        ("tool_calls", None),
        ("tool_calls", 5),
        ("llm_output", 5),
        ("llm_output", {}),
        ("internal_state", "x"),
        ("internal_state", []),
        ("internal_state", 5),
        ("session_id", "x"),
        ("turn_number", 1),
    ],
)
def test_a_checkpoint_field_takes_only_its_own_type(alice: Caller, session: str, field: str, value: Any) -> None:
    assert_problem(put(alice, session, 1, **{field: value}), 400, field)
    assert not Turn.objects.exists()


@pytest.mark.parametrize(
    ("number", "status"),
    [(0, 400), (2**31 - 1, 201), (2**31, 400), (9_999_999_999, 400), (10_000_000_000, 404), (10**300, 404)],
)
def test_a_turn_number_is_a_positive_int32(alice: Caller, session: str, number: int, status: int) -> None:
    assert put(alice, session, number).status_code == status


@pytest.mark.parametrize("number", ["-1", "1.5", "one", "١", "1e3", "%00", " 1"])
def test_what_is_no_number_is_no_address(alice: Caller, session: str, number: str) -> None:
    assert_problem(alice.put(f"sessions/{session}/turns/{number}", CHECKPOINT), 404)


def test_a_turn_that_is_not_stored_is_404(alice: Caller, session: str) -> None:
    put(alice, session, 1)
    for number in (0, 2, 9_999_999_999):
        assert_problem(alice.get(f"sessions/{session}/turns/{number}"), 404)


def test_turns_are_listed_in_order_however_they_came(alice: Caller, session: str) -> None:
    for number in (3, 1, 20, 2):
        put(alice, session, number)
    first = alice.get(f"sessions/{session}/turns", limit=3).json()
    assert [turn["turn_number"] for turn in first["results"]] == [1, 2, 3]
    second = alice.client.get(first["next"]).json()
    assert [turn["turn_number"] for turn in second["results"]] == [20]
    assert second["next"] is None
    assert [t["turn_number"] for t in alice.client.get(second["previous"]).json()["results"]] == [1, 2, 3]


def test_replay_rebuilds_the_state_at_any_turn(alice: Caller, session: str) -> None:
    for number in (1, 2, 3):
        put(alice, session, number, internal_state={"step": number})
    answer = alice.get(f"sessions/{session}/replay", turn=2).json()
    assert (answer["turn_number"], answer["state"]) == (2, {"step": 2})
    assert [turn["turn_number"] for turn in answer["turns"]] == [1, 2]
    assert answer["turns"][0]["user_input"] == CHECKPOINT["user_input"]


def test_replay_at_a_turn_that_is_not_stored_is_404(alice: Caller, session: str) -> None:
    put(alice, session, 1)
    put(alice, session, 3)
    for number in (0, 2, 4, 9_999_999_999):
        assert_problem(alice.get(f"sessions/{session}/replay", turn=number), 404)


@pytest.mark.parametrize("turn", ["", "x", "-1", "1.0", "١", "²", "9" * 11, "9" * 5000, "\0"])
def test_replay_wants_a_number(alice: Caller, session: str, turn: str) -> None:
    assert_problem(alice.get(f"sessions/{session}/replay", turn=turn), 400, "turn")
    assert_problem(alice.get(f"sessions/{session}/replay"), 400, "turn")


def test_recover_returns_the_last_checkpoint(alice: Caller, session: str) -> None:
    for number in (1, 3, 2):
        put(alice, session, number, internal_state={"step": number})
    answer = alice.get(f"sessions/{session}/recover").json()
    assert (answer["turn_number"], answer["state"]) == (3, {"step": 3})
    assert answer["checkpoint"] == alice.get(f"sessions/{session}/turns/3").json()


def test_recover_before_the_first_turn_starts_from_nothing(alice: Caller, session: str) -> None:
    assert alice.get(f"sessions/{session}/recover").json() == {
        "turn_number": 0,
        "state": {},
        "checkpoint": None,
    }


def test_a_turn_keeps_both_raw_texts_as_resources(alice: Caller, session: str) -> None:
    put(alice, session, 4)
    rows = alice.get("resources", session_id=session).json()["results"]
    assert {(row["role"], row["raw_content"], row["turn_number"], row["conversation"]) for row in rows} == {
        ("user", CHECKPOINT["user_input"], 4, session),
        ("assistant", CHECKPOINT["llm_output"], 4, session),
    }


def test_a_memory_of_a_turn_knows_its_turn_session_and_text(alice: Caller) -> None:
    session = alice.start_session(tier=3, user_id="u1")["id"]
    put(alice, session, 9, llm_output="[MEMORY:timing:jellyfin] Takes 60s to start")
    (memory,) = all_memories(alice)
    assert (memory["turn_number"], memory["session_id"], memory["tier"], memory["user_id"]) == (
        9,
        session,
        3,
        "u1",
    )
    resources = alice.get("resources", session_id=session).json()["results"]
    said = next(row for row in resources if row["role"] == "assistant")
    assert memory["resource_id"] == said["id"]


def test_numbers_in_a_checkpoint_survive_the_round_trip(alice: Caller, session: str) -> None:
    state = {"big": 2**63 - 1, "small": -(2**63), "float": 0.1, "tiny": 5e-324, "zero": -0.0}
    put(alice, session, 1, internal_state=state)
    assert alice.get(f"sessions/{session}/recover").json()["state"] == state


def test_a_number_that_cannot_be_kept_exactly_is_refused_not_rounded(alice: Caller, session: str) -> None:
    body = b'{"internal_state": {"id": 123456789012345678901234567890}}'
    path = f"/api/v1/sessions/{session}/turns/1"
    answer = alice.client.generic("PUT", path, body, content_type="application/json")
    if answer.status_code == 201:
        assert b"123456789012345678901234567890" in alice.client.get(path).content
    else:
        assert_problem(answer, 400)

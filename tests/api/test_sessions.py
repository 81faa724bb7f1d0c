"""Sessions: start, open again, list, heartbeat, end; turns, replay, recovery; the prompt of each tier."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone
from time_machine import travel

from memories.capture.ingest_messages import find_memories
from memories.inject.render import EXPLAINED
from memories.models import Memory
from memories.services import MemoryAgent
from memories.tasks import upkeep_work
from memsite.tenancy.policy import OPERATIONAL_CATEGORIES, PERSONAL_CATEGORIES
from sessions.models import TIERS, AgentSession, Resource, Turn
from tests.api.checks import all_memories, assert_problem, say
from tests.conftest import Caller, make_app, make_caller
from tests.memories.retrieve.asking import set_policy
from tests.other_connection import aside, has_to_wait
from tests.tables import each_row
from tests.talking import tell
from tests.upkeep import upkeep_learn_due

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def test_a_session_starts_with_what_was_said_about_it(alice: Caller) -> None:
    with travel(NOON, tick=False):
        body = alice.start_session(
            external_id="run-7", tier=2, user_id="u1", title="Night watch", environment={"HOST": "web-1"}
        )
    displayed = {name: body[name] for name in body.keys() - {"id", "context", "jobs_run"}}
    assert displayed == {
        "external_id": "run-7",
        "agent": "alice",
        "title": "Night watch",
        "tier": 2,
        "user_id": "u1",
        "environment": {"HOST": "web-1"},
        "status": "active",
        "end_reason": "",
        "started_at": "2027-03-01T12:00:00Z",
        "heartbeat_at": "2027-03-01T12:00:00Z",
        "ended_at": None,
    }
    assert alice.get(f"sessions/{body['id']}").json() == {"id": body["id"], **displayed}


def test_a_session_needs_nothing_and_knows_nothing_at_first(alice: Caller) -> None:
    body = alice.start_session()
    assert (body["tier"], body["external_id"], body["environment"]) == (1, None, {})
    assert body["context"] == {"text": "", "tokens": 0, "memories": [], "lessons": [], "triggers": []}
    assert "decay" in body["jobs_run"]


def test_a_session_starts_with_the_memory_block_and_the_lessons(alice: Caller) -> None:
    fact = alice.remember("Postgres needs ten seconds", subject="postgres", category="timing")
    lesson = alice.remember("Ask before restarting the database", kind="lesson", category="lessons")
    context = alice.start_session()["context"]
    assert {memory["id"] for memory in context["memories"]} == {fact["id"], lesson["id"]}
    assert [memory["id"] for memory in context["lessons"]] == [lesson["id"]]
    assert "### postgres" in context["text"]
    assert context["tokens"] == -(-len(context["text"]) // 4)


def test_lessons_and_what_is_due_say_that_something_contradicts_them(alice: Caller) -> None:
    trip = alice.remember("Flies to Lisbon on 26 November", category="travel")
    off = alice.remember("Never wants to see Lisbon", category="travel")
    lesson = alice.remember("Answer in Portuguese", kind="lesson")
    no = alice.remember("Understands English only", category="languages")
    for item, other in ((off, trip), (no, lesson)):
        alice.post(f"memories/{item['id']}/links", {"to": other["id"], "kind": "contradicts"})
    today = f"{datetime.now(tz=UTC):%Y-%m-%d}"
    alice.post("triggers", {"trigger_date": today, "message": "The flight to Lisbon", "memory_ids": [trip["id"]]})
    context = alice.start_session()["context"]
    text = {line.split("] ")[-1].removeprefix("- ") for line in context["text"].splitlines() if "confidence" in line}
    assert text == {
        "Flies to Lisbon on 26 November (confidence: 0.7; conflicting)",
        "Never wants to see Lisbon (confidence: 0.7; conflicting)",
        "Answer in Portuguese (confidence: 0.7; conflicting)",
        "Understands English only (confidence: 0.7; conflicting)",
    }
    assert "conflicting" in context["lessons"][0]["trust"]


def test_what_another_end_user_says_puts_nothing_in_doubt(alice: Caller) -> None:
    lesson = alice.remember("Answer in Portuguese", kind="lesson")
    no = alice.remember("Understands English only", user_id="doe")
    alice.post(f"memories/{no['id']}/links", {"to": lesson["id"], "kind": "contradicts"})
    assert "conflicting" in alice.start_session(user_id="doe")["context"]["text"]
    assert "conflicting" not in alice.start_session(user_id="roe")["context"]["text"]


def test_lessons_about_another_end_user_are_not_handed_over(alice: Caller) -> None:
    alice.remember("Call Ms Doe by her first name", kind="lesson", user_id="doe")
    context = alice.start_session(user_id="roe")["context"]
    assert "Doe" not in str(context)


def test_memories_of_another_end_user_are_not_handed_over(alice: Caller) -> None:
    alice.remember("Allergic to penicillin", user_id="doe")
    alice.remember("The clinic opens at nine")
    context = alice.start_session(user_id="roe")["context"]
    assert [memory["content"] for memory in context["memories"]] == ["The clinic opens at nine"]


def test_the_same_external_id_opens_the_same_session_again(alice: Caller) -> None:
    first = alice.start_session(external_id="run-7", title="Night watch")
    alice.post(f"sessions/{first['id']}/end", {"reason": "done"})
    again = alice.post("sessions", {"external_id": "run-7", "tier": 3})
    assert again.status_code == 200
    body = again.json()
    assert body["id"] == first["id"]
    assert (body["status"], body["ended_at"], body["end_reason"]) == ("active", None, "")
    assert (body["title"], body["tier"]) == ("Night watch", 3)
    assert AgentSession.objects.count() == 1


def test_a_session_stays_with_whom_it_is(alice: Caller) -> None:
    """What one end user said in it would be learnt, and found, as another's."""

    def opened(**user: Any) -> Any:
        return alice.post("sessions", {"external_id": "chat-1", **user})

    assert opened().json()["user_id"] is None
    session = opened(user_id="ann").json()
    tell(alice, session, "I live in Porto.")
    assert_problem(opened(user_id="ben"), 409)
    assert [opened(**user).json()["user_id"] for user in ({}, {"user_id": None}, {"user_id": "ann"})] == ["ann"] * 3
    upkeep_learn_due()
    assert set(Memory.objects.values_list("user_id", flat=True)) == {"ann"}


@pytest.mark.postgres("SQLite's writers wait for each other anyway")
@pytest.mark.django_db(transaction=True)
def test_an_external_id_that_two_open_at_once_is_one_session(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    save, opened = AgentSession.save, []

    def save_late(session: AgentSession, **options: Any) -> None:
        monkeypatch.undo()
        aside(lambda: opened.append(alice.post("sessions", {"external_id": "run-7"})))
        save(session, **options)

    monkeypatch.setattr(AgentSession, "save", save_late)
    opened.append(alice.post("sessions", {"external_id": "run-7", "title": "Night watch"}))
    assert [answer.status_code for answer in opened] == [201, 200]
    assert opened[0].json()["id"] == opened[1].json()["id"]
    assert opened[1].json()["title"] == "Night watch"


@pytest.mark.postgres("SQLite's writers wait for each other anyway")
@pytest.mark.django_db(transaction=True)
def test_a_session_that_is_opened_again_is_not_purged_in_between(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = AgentSession.objects.get(uid=alice.start_session(external_id="run-7")["id"])
    save, waited = AgentSession.save, []

    def purge() -> None:
        MemoryAgent(alice.app, None, "operator:olga").purge_session(session)

    def save_late(*given: Any, **options: Any) -> None:
        waited.append(has_to_wait(purge))
        save(*given, **options)

    monkeypatch.setattr(AgentSession, "save", save_late)
    assert alice.post("sessions", {"external_id": "run-7"}).json()["id"] == str(session.uid)
    assert waited == [True]


def test_an_external_id_is_each_agents_own(alice: Caller, bob: Caller, charlie: Caller) -> None:
    ids = {caller.start_session(external_id="run-7")["id"] for caller in (alice, bob, charlie)}
    assert len(ids) == 3


def test_an_environment_may_be_a_text(alice: Caller) -> None:
    assert alice.start_session(environment="HOST=web-1")["environment"] == {"text": "HOST=web-1"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tier", 0),
        ("tier", 4),
        ("tier", "1"),
        ("tier", True),
        ("tier", None),
        ("tier", 1.5),
        ("tier", 10**30),
        ("external_id", 7),
        ("external_id", "x" * 201),
        ("external_id", ["x"]),
        ("user_id", 7),
        ("user_id", "x" * 201),
        ("title", 7),
        ("title", None),
        ("title", "x" * 501),
        ("environment", 7),
        ("environment", []),
        ("environment", None),
        ("environment", True),
        ("environment", {"a": "x" * 16_384}),
        ("environment", "x" * 16_384),
        ("app", "globex"),
        ("agent", "bob"),
    ],
)
def test_a_session_field_takes_only_what_it_says(alice: Caller, field: str, value: Any) -> None:
    assert_problem(alice.post("sessions", {field: value}), 400, field)
    assert not AgentSession.objects.exists()


def test_the_list_has_this_agents_sessions_the_latest_first(alice: Caller, bob: Caller) -> None:
    ids = [alice.start_session()["id"] for _ in range(3)]
    bob.start_session()
    alice.post(f"sessions/{ids[1]}/end")
    assert [row["id"] for row in alice.get("sessions").json()["results"]] == ids[::-1]
    assert [row["id"] for row in alice.get("sessions", status="ended").json()["results"]] == [ids[1]]
    assert_problem(alice.get("sessions", status="asleep"), 400, "status")


def test_a_heartbeat_is_noted(alice: Caller) -> None:
    with travel(NOON, tick=False):
        uid = alice.start_session()["id"]
    with travel(NOON + timedelta(minutes=5), tick=False):
        assert alice.post(f"sessions/{uid}/heartbeat").json() == {"jobs_run": []}
    assert alice.get(f"sessions/{uid}").json()["heartbeat_at"] == "2027-03-01T12:05:00Z"


@pytest.mark.usefixtures("noon")
def test_a_heartbeat_sets_going_what_is_overdue_once(alice: Caller) -> None:
    uid = alice.start_session()["id"]
    memory = alice.remember("Something old")
    with travel(timezone.now() + timedelta(days=44), tick=False):
        assert "decay" in alice.post(f"sessions/{uid}/heartbeat").json()["jobs_run"]
        assert alice.post(f"sessions/{uid}/heartbeat").json() == {"jobs_run": []}
        upkeep_work()
        assert alice.get(f"memories/{memory['id']}").json()["confidence"] == 0.5


def test_a_session_ends_once_and_the_first_reason_stays(alice: Caller) -> None:
    uid = alice.start_session()["id"]
    with travel(NOON, tick=False):
        answer = alice.post(f"sessions/{uid}/end", {"reason": "done"})
    assert (answer.status_code, answer.json()) == (202, {"status": "ended", "pending": 0})
    assert alice.post(f"sessions/{uid}/end", {"reason": "again"}).status_code == 202
    displayed = alice.get(f"sessions/{uid}").json()
    assert (displayed["status"], displayed["end_reason"], displayed["ended_at"]) == (
        "ended",
        "done",
        "2027-03-01T12:00:00Z",
    )


def test_what_arrives_after_the_end_is_kept(alice: Caller) -> None:
    session = alice.start_session()
    alice.post(f"sessions/{session['id']}/end")
    assert say(alice, session, "[MEMORY:timing:dns] Takes 5s to settle")["created"] == 1


def test_the_end_says_how_many_memories_wait_for_their_vector(alice: Caller) -> None:
    session = alice.start_session()
    say(alice, session, "[MEMORY:timing:dns] Takes 5s to settle")
    Memory.objects.get().vectors.all().delete()
    assert alice.post(f"sessions/{session['id']}/end").json()["pending"] == 1


def test_a_colleagues_session_answers_like_none(alice: Caller, bob: Caller, charlie: Caller) -> None:
    uid = alice.start_session()["id"]
    for outsider in (bob, charlie):
        for path in ("", "/turns", "/turns/1", "/replay?turn=1", "/recover"):
            assert_problem(outsider.get(f"sessions/{uid}{path}"), 404)
        assert_problem(outsider.post(f"sessions/{uid}/heartbeat"), 404)
        assert_problem(outsider.post(f"sessions/{uid}/end"), 404)
    assert alice.get(f"sessions/{uid}").json()["status"] == "active"
    assert_problem(alice.get(f"sessions/{uuid4()}"), 404)


@pytest.mark.parametrize("block", ["ops", "app", "turn"])
def test_the_app_says_which_block_greets_its_agents(db: None, block: str) -> None:
    caller = make_caller(make_app("globex", block=block), "gina")
    caller.remember("Likes tea", category="preferences")
    text = caller.start_session()["context"]["text"]
    begin = {"ops": "## Operational Memory (1 memory", "app": "(memories for app: Globex)", "turn": "~ Likes tea ("}
    assert begin[block] in text


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
    displayed = alice.get(f"sessions/{session}/turns/1").json()
    assert {name: displayed[name] for name in CHECKPOINT} == CHECKPOINT
    assert displayed["turn_number"] == 1
    assert answer.json() == {**displayed, "captured": answer.json()["captured"]}


def test_the_same_turn_again_changes_nothing(alice: Caller, session: str) -> None:
    text = "[MEMORY:timing:jellyfin] Takes 60s to start"
    assert put(alice, session, 1, llm_output=text).json()["captured"]["created"] == 1
    again = put(alice, session, 1, llm_output=text)
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
    displayed = alice.get(f"sessions/{session}/turns/1").json()
    assert {name: displayed[name] for name in CHECKPOINT} == CHECKPOINT


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
    before = alice.client.get(second["previous"])
    assert before.status_code == 200, before.content
    assert [turn["turn_number"] for turn in before.json()["results"]] == [1, 2, 3]


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
    text = next(row for row in resources if row["role"] == "assistant")
    assert memory["resource_id"] == text["id"]


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


MARKER = re.compile(r"^\[MEMORY:.+$", re.MULTILINE)


def prompt(caller: Caller, tier: int) -> str:
    answer = caller.get(f"prompts/{tier}.md")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/markdown; charset=utf-8"
    return str(answer.content.decode())


@pytest.mark.parametrize(("tier", "task"), [(1, "observe"), (2, "investigate"), (3, "remediate")])
def test_each_tier_has_a_task_of_its_own_and_the_same_section_on_recording(alice: Caller, tier: int, task: str) -> None:
    text = prompt(alice, tier)
    assert text.startswith(f"# Your task: {task}\n")
    assert text.partition("## Memory Recording")[2] == prompt(alice, 1).partition("## Memory Recording")[2] != ""


@pytest.mark.parametrize("tier", TIERS)
def test_the_section_has_the_format_the_categories_and_examples(alice: Caller, tier: int) -> None:
    section = prompt(alice, tier).partition("## Memory Recording")[2]
    assert "[MEMORY:category] " in section
    assert "[MEMORY:category:service] " in section
    assert re.findall(r"^- `([\w-]+)`: \w", section, re.MULTILINE) == list(OPERATIONAL_CATEGORIES)
    examples = MARKER.findall(section)[2:]
    assert len(examples) == len(OPERATIONAL_CATEGORIES)
    result = find_memories("\n".join(examples))
    assert [memory.category for memory in result.memories] == list(OPERATIONAL_CATEGORIES)
    assert result.refused == []


def test_every_category_of_the_presets_is_explained_in_plain_characters() -> None:
    assert EXPLAINED.keys() == {*OPERATIONAL_CATEGORIES, *PERSONAL_CATEGORIES}


def test_the_categories_are_those_of_the_app(db: None) -> None:
    agent = make_caller(make_app("lab", marker_categories=["timing", "health", "own-one"]), "agent")
    text = prompt(agent, 1)
    assert re.findall(r"^- `([\w-]+)`", text, re.MULTILINE) == ["timing", "health", "own-one"]
    assert "the user's health" in text, "it is Markdown, not HTML"


def test_an_app_that_reads_no_markers_asks_for_none(alice: Caller) -> None:
    set_policy(alice, capture_markers=False)
    assert "MEMORY" not in prompt(alice, 1)


def test_categories_without_an_example_have_none(alice: Caller) -> None:
    set_policy(alice, marker_categories=["own-one"])
    assert "For example" not in prompt(alice, 1)


@pytest.mark.parametrize("tier", ["0", "4", "11", "observe", "1.md/x"])
def test_there_are_three(alice: Caller, tier: str) -> None:
    assert_problem(alice.get(f"prompts/{tier}.md"), 404)

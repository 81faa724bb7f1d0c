"""`/sessions`: start, open again, list, heartbeat, end."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from time_machine import travel

from memories.agent import MemoryAgent
from memories.models import Memory
from memories.tasks import upkeep_work
from sessions.models import AgentSession
from tests.api.checks import assert_problem, say
from tests.aside import aside, has_to_wait
from tests.conftest import Caller, make_app, make_caller
from tests.talking import tell
from tests.upkeep import upkeep_learn_due

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def test_a_session_starts_with_what_was_said_about_it(alice: Caller) -> None:
    with travel(NOON, tick=False):
        body = alice.start_session(
            external_id="run-7", tier=2, user_id="u1", title="Night watch", environment={"HOST": "web-1"}
        )
    shown = {name: body[name] for name in body.keys() - {"id", "context", "jobs_run"}}
    assert shown == {
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
    assert alice.get(f"sessions/{body['id']}").json() == {"id": body["id"], **shown}


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
    for one, other in ((off, trip), (no, lesson)):
        alice.post(f"memories/{one['id']}/links", {"to": other["id"], "kind": "contradicts"})
    today = f"{datetime.now(tz=UTC):%Y-%m-%d}"
    alice.post("triggers", {"trigger_date": today, "message": "The flight to Lisbon", "memory_ids": [trip["id"]]})
    context = alice.start_session()["context"]
    said = {line.split("] ")[-1].removeprefix("- ") for line in context["text"].splitlines() if "confidence" in line}
    assert said == {
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
def test_an_external_id_that_two_open_at_once_is_one_session(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    create, opened = MemoryAgent.create_session, []

    def create_late(*given: Any) -> AgentSession:
        monkeypatch.undo()
        aside(lambda: opened.append(alice.post("sessions", {"external_id": "run-7"})))
        return create(*given)

    monkeypatch.setattr(MemoryAgent, "create_session", create_late)
    opened.append(alice.post("sessions", {"external_id": "run-7", "title": "Night watch"}))
    assert [answer.status_code for answer in opened] == [201, 200]
    assert opened[0].json()["id"] == opened[1].json()["id"]
    assert opened[1].json()["title"] == "Night watch"


@pytest.mark.postgres("SQLite's writers wait for each other anyway")
@pytest.mark.django_db(transaction=True)
def test_a_session_that_is_opened_again_is_not_purged_in_between(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
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
        ("external_id", ""),
        ("external_id", "x" * 201),
        ("external_id", ["x"]),
        ("user_id", 7),
        ("user_id", ""),
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
    shown = alice.get(f"sessions/{uid}").json()
    assert (shown["status"], shown["end_reason"], shown["ended_at"]) == (
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

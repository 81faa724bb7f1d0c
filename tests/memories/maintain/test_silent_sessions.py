"""Sessions that fell silent: ended as their agents would have ended them, once, and awake again when they come back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from time_machine import travel

from memories.models import Extraction, Injection, Memory, What
from memories.services import MemoryAgent
from memsite.jobs.job import Unclaimed
from sessions.checkpoints import store_turn
from sessions.models import AgentSession, Event, Resource, SessionStatus
from tests.api.checks import assistant, ndjson, user
from tests.conftest import Caller
from tests.talking import contents, row_of, tell, turn
from tests.upkeep import upkeep_learn_due

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def minutes(number: float) -> Any:
    return travel(NOON + timedelta(minutes=number), tick=False)


def flush(caller: Caller, when: float) -> dict[str, int]:
    """The job's counts, `at` minutes after noon."""
    run = Unclaimed(until=NOON + timedelta(minutes=when))
    with minutes(when):
        MemoryAgent(caller.app, None, "system:upkeep").flush_crashed(run.until, run)
    return dict(run.counts)


def read_session(caller: Caller, session: dict[str, Any]) -> dict[str, Any]:
    return dict(caller.get(f"sessions/{session['id']}").json())


@pytest.fixture
def session(alice: Caller) -> dict[str, Any]:
    with minutes(0):
        return alice.start_session(external_id="chat-1")


def test_a_silent_session_is_ended_as_crashed_and_the_feed_says_so(alice: Caller, session: dict[str, Any]) -> None:
    assert flush(alice, 30) == {}
    assert flush(alice, 31) == {"sessions": 1, "unread": 0}
    answer = read_session(alice, session)
    assert (answer["status"], answer["end_reason"], answer["ended_at"]) == ("ended", "crashed", "2027-03-01T12:31:00Z")
    (event,) = alice.get("events").json()["results"]
    assert (event["level"], event["session_id"]) == ("warning", session["id"])
    assert "30 minutes" in event["message"]


@pytest.mark.parametrize(
    "sign",
    [
        lambda c, s: c.post(f"sessions/{s['id']}/heartbeat"),
        lambda c, s: tell(c, s, "hello"),
        lambda c, s: turn(c, s, 1, "hello"),
        lambda c, s: c.stream(s["id"], ndjson(user("hello", "u1"))),
        lambda c, s: c.post("sessions", {"external_id": "chat-1"}),
    ],
)
def test_whatever_an_agent_sends_keeps_its_session_awake_and_wakes_it_up(
    alice: Caller, session: dict[str, Any], sign: Callable[[Caller, dict[str, Any]], Any]
) -> None:
    with minutes(20):
        sign(alice, session)
    assert flush(alice, 40) == {}
    assert flush(alice, 51)["sessions"] == 1
    with minutes(60):
        sign(alice, session)
    answer = read_session(alice, session)
    assert (answer["status"], answer["end_reason"], answer["ended_at"]) == ("active", "", None)


def test_asking_for_context_is_a_sign_of_life(alice: Caller, session: dict[str, Any]) -> None:
    with minutes(20):
        alice.remember("Jellyfin takes a minute to start")
        alice.post("context", {"session_id": session["id"]})
    assert flush(alice, 40) == {}


def test_a_session_that_its_agent_ended_stays_ended(alice: Caller, session: dict[str, Any]) -> None:
    with minutes(10):
        alice.post(f"sessions/{session['id']}/end", {"reason": "done"})
    assert flush(alice, 60) == {}
    with minutes(61):
        tell(alice, session, "one more thing")
    assert (read_session(alice, session)["status"], read_session(alice, session)["end_reason"]) == ("ended", "done")


def test_two_flushes_have_one_effect(alice: Caller, session: dict[str, Any]) -> None:
    """The second one has read the session before the first has ended it."""
    agent, run = MemoryAgent(alice.app, None, "system:upkeep"), Unclaimed(until=NOON)
    agent.catch_up = lambda session: flush(alice, 31)  # type: ignore[method-assign]
    with minutes(31):
        agent.flush_crashed(NOON + timedelta(minutes=31), run)
    assert run.counts == {}
    assert Event.objects.count() == 1


def test_a_flush_that_lost_its_claim_changes_nothing(alice: Caller, session: dict[str, Any]) -> None:
    class Lost(Unclaimed):
        def done(self, counts: Any, **cursor: Any) -> None:
            raise RuntimeError("claimed by another")

    with minutes(31), pytest.raises(RuntimeError):
        MemoryAgent(alice.app, None, "system:upkeep").flush_crashed(NOON + timedelta(minutes=31), Lost(until=NOON))
    assert read_session(alice, session)["status"] == "active"
    assert not Event.objects.exists()


def test_another_apps_sessions_are_not_touched(alice: Caller, charlie: Caller, session: dict[str, Any]) -> None:
    assert flush(charlie, 60) == {}
    assert read_session(alice, session)["status"] == "active"


def test_a_turn_whose_texts_were_never_read_is_read(alice: Caller, session: dict[str, Any]) -> None:
    """Its process died between the two transactions."""
    row = row_of(alice.app, session)
    body = {"user_input": "I live in Lisbon.", "llm_output": "[MEMORY:timing:dns] Takes 5s to settle"}
    with minutes(1), transaction.atomic():
        store_turn(row, 1, {**body, "tool_calls": [], "internal_state": {}}, NOON)
    assert flush(alice, 40) == {"sessions": 1, "unread": 0}
    assert Resource.objects.for_app(alice.app).count() == 2
    with minutes(41):
        upkeep_learn_due()
    assert contents(alice.app) == ["Takes 5s to settle", "User lives in Lisbon"]


def test_a_turn_that_was_read_is_not_read_again(alice: Caller, session: dict[str, Any]) -> None:
    with minutes(1):
        turn(alice, session, 1, "I live in Lisbon.", "Noted.")
        alice.stream(session["id"], ndjson(user("And I play chess.", "u1"), assistant("Nice.", "a1")))
    # The stream's turn got another number than its texts, as when somebody else stored one meanwhile.
    row = row_of(alice.app, session)
    with transaction.atomic():
        body = {"user_input": "And I play chess.", "llm_output": "Nice.", "tool_calls": [], "internal_state": {}}
        store_turn(row, 7, body, NOON)
    before = Resource.objects.count()
    assert flush(alice, 60) == {"sessions": 1, "unread": 0}
    assert Resource.objects.count() == before


def test_what_it_was_greeted_with_and_never_used_is_noted(alice: Caller) -> None:
    with minutes(0):
        alice.remember("Jellyfin takes a minute to start")
        session = alice.start_session()
        turn(alice, session, 1, "What is the capital of Peru?", "Lima is the capital of Peru, on the coast.")
    assert flush(alice, 40)["sessions"] == 1
    (injection,) = Injection.objects.for_app(alice.app)
    assert injection.used is False
    assert Memory.objects.get().priority == 1


def test_a_digest_is_queued_where_the_policy_says_so_and_written_anew_after_a_return(
    alice: Caller, session: dict[str, Any]
) -> None:
    alice.app.policy.capture_digest = True
    alice.app.policy.save()
    with minutes(1):
        tell(alice, session, "We decided to move the servers to Lisbon in May.")
    flush(alice, 40)
    digests = Extraction.objects.for_app(alice.app).filter(what=What.DIGEST)
    assert [row.status for row in digests] == ["pending"]
    with minutes(41):
        upkeep_learn_due()
    assert [row.status for row in digests.all()] == ["done"]
    with minutes(50):
        tell(alice, session, "And to hire Maria as their keeper.")
    flush(alice, 90)
    assert [row.status for row in digests.all()] == ["pending"]


def test_one_session_that_makes_trouble_keeps_no_other_from_its_end(alice: Caller, session: dict[str, Any]) -> None:
    with minutes(0):
        other = alice.start_session()
    agent, run = MemoryAgent(alice.app, None, "system:upkeep"), Unclaimed(until=NOON)

    def fail_for_one(row: AgentSession) -> None:
        if str(row.uid) == session["id"]:
            raise ValueError("cannot be read")

    agent.catch_up = fail_for_one  # type: ignore[method-assign]
    with minutes(31):
        agent.flush_crashed(NOON + timedelta(minutes=31), run)
    assert run.counts == {"sessions": 2, "unread": 1}
    assert {read_session(alice, item)["status"] for item in (session, other)} == {SessionStatus.ENDED}

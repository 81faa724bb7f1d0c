"""`/sessions/{id}/responses`: an agent's answer tells which memories were of use."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from memories.models import Injection, Memory
from tests.api.checks import assert_problem
from tests.conftest import Caller, make_caller

JUDGED = {"id", "word_share", "similarity", "evidence"}


@pytest.fixture
def session(alice: Caller) -> str:
    """A session that was given "whales sing at night" and "whales eat krill" for its first turn."""
    session = alice.start_session()["id"]
    for content in ("whales sing at night", "whales eat krill"):
        alice.remember(content, category=content.split()[1])
    requested = {"query": "what do whales do?", "session_id": session, "turn_number": 1}
    assert alice.post("context", requested).json()["included"] == 2
    return str(session)


def answer(caller: Caller, session: str, text: str = "At night they sing.", turn: int = 1, **more: Any) -> Any:
    return caller.post(f"sessions/{session}/responses", {"turn_number": turn, "text": text, **more})


def known(uid: str) -> Memory:
    return Memory.objects.get(uid=uid)


def test_it_tells_what_was_used_and_what_was_ignored(alice: Caller, session: str) -> None:
    body = answer(alice, session).json()
    assert body.keys() == {"used", "ignored"}
    [used], [ignored] = body["used"], body["ignored"]
    assert used.keys() == ignored.keys() == JUDGED
    assert known(used["id"]).content == "whales sing at night"
    assert used["word_share"] == pytest.approx(2 / 3, abs=1e-6)
    assert used["evidence"].startswith("sing, night; cosine ")
    assert known(ignored["id"]).content == "whales eat krill"
    assert ignored["word_share"] == 0


def test_the_priority_of_the_memory_follows_and_its_history_says_why(alice: Caller, session: str) -> None:
    used = answer(alice, session).json()["used"][0]
    assert alice.get(f"memories/{used['id']}").json()["priority"] == 1.1
    history = alice.get(f"memories/{used['id']}/history").json()["results"]
    last = max(history, key=lambda revision: int(revision["number"]))
    assert (last["action"], last["reason"]) == ("used", used["evidence"])


def test_the_same_answer_again_tells_nothing_new(alice: Caller, session: str) -> None:
    used = answer(alice, session).json()["used"][0]
    assert answer(alice, session).json() == {"used": [], "ignored": []}
    assert known(used["id"]).priority == 1.1


def test_to_say_the_question_again_is_no_use(alice: Caller, session: str) -> None:
    text = "You ask whether whales sing at night or eat krill."
    body = answer(alice, session, text, question="Do whales sing at night, or eat krill?").json()
    assert (body["used"], len(body["ignored"])) == ([], 2)


def test_a_greeting_is_not_ignored_before_its_session_ends(alice: Caller) -> None:
    alice.remember("whales sing at night")
    session = alice.start_session()["id"]
    assert answer(alice, session, "Trains run on time.").json() == {"used": [], "ignored": []}
    assert len(answer(alice, session, "Whales sing at night.", 2).json()["used"]) == 1


def test_an_ended_session_may_still_tell(alice: Caller, session: str) -> None:
    alice.post(f"sessions/{session}/end")
    assert len(answer(alice, session).json()["used"]) == 1


def test_no_answer_is_no_verdict(alice: Caller, session: str) -> None:
    assert answer(alice, session, "").json() == {"used": [], "ignored": []}


def test_another_agents_session_and_another_apps_are_not_there(
    alice: Caller, bob: Caller, charlie: Caller, session: str
) -> None:
    for caller in (bob, charlie):
        assert_problem(answer(caller, session), 404)
    assert_problem(answer(alice, str(uuid4())), 404)
    assert not Injection.objects.exclude(judged_at=None).exists()


def test_a_key_that_may_only_read_cannot_tell(alice: Caller, session: str) -> None:
    reader = make_caller(alice.app, "reader", ("read",))
    assert_problem(answer(reader, session), 403)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": "x"}, "turn_number"),
        ({"turn_number": 1}, "text"),
        ({"turn_number": 0, "text": "x"}, "turn_number"),
        ({"turn_number": 2**31, "text": "x"}, "turn_number"),
        ({"turn_number": "1", "text": "x"}, "turn_number"),
        ({"turn_number": 1, "text": 7}, "text"),
        ({"turn_number": 1, "text": "x" * 1_000_001}, "text"),
        ({"turn_number": 1, "text": "x", "used": []}, "used"),
    ],
)
def test_what_is_not_as_it_should_be_is_named(alice: Caller, session: str, body: dict[str, Any], field: str) -> None:
    assert_problem(alice.post(f"sessions/{session}/responses", body), 400, field)

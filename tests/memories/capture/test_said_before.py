"""What was said long ago and is learnt late (an old conversation that is imported) gives way to what was said since."""

from __future__ import annotations

import pytest

from memories.models import Action, Link, LinkKind, Memory, Revision
from tests.conftest import Caller
from tests.upkeep import upkeep_learn_due

LONG_AGO, SINCE = "2023-05-01T09:00:00Z", "2025-05-01T09:00:00Z"


def hear_at(caller: Caller, moment: str, text: str) -> None:
    session = caller.start_session()
    said = {"role": "user", "content": text, "at": moment}
    assert caller.post(f"sessions/{session['id']}/messages", {"messages": [said]}).status_code == 202
    upkeep_learn_due()


def confidences(caller: Caller) -> dict[str, float]:
    return dict(Memory.objects.for_app(caller.app).values_list("content", "confidence"))


@pytest.fixture
def moved(alice: Caller) -> Caller:
    """What was said since is learnt first: exports of chats begin with the latest."""
    hear_at(alice, SINCE, "I live in Vienna.")
    hear_at(alice, LONG_AGO, "I live in Berlin.")
    return alice


def test_what_was_said_since_stays_as_sure_and_the_old_one_is_doubted(moved: Caller) -> None:
    assert confidences(moved) == {"User lives in Vienna": 0.9, "User lives in Berlin": pytest.approx(0.7)}
    link = Link.objects.for_app(moved.app).get(kind=LinkKind.CONTRADICTS)
    assert (link.from_memory.content, link.to_memory.content) == ("User lives in Vienna", "User lives in Berlin")


def test_it_is_found_first(moved: Caller) -> None:
    found = moved.post("memories/search", {"query": "Where do I live?"}).json()["results"]
    assert [hit["content"] for hit in found] == ["User lives in Vienna", "User lives in Berlin"]


def test_why_the_old_one_is_doubted_outlives_no_word_of_the_other(moved: Caller) -> None:
    """Its reason is noted behind the old one's own statement, where a purge of the newer one does not look for it."""
    doubted = Revision.objects.for_app(moved.app).get(action=Action.CONTRADICTED)
    assert doubted.memory.content == "User lives in Berlin"
    assert doubted.reason == "the contrary was said since"


def test_it_says_nothing_against_what_was_said_since_when_the_old_one_is_said_again(moved: Caller) -> None:
    hear_at(moved, LONG_AGO, "I live in Berlin.")
    known = confidences(moved)
    assert known["User lives in Vienna"] == 0.9
    assert known["User lives in Berlin"] <= 0.9


def test_what_an_agent_has_stored_since_counts_by_when_that_was(alice: Caller) -> None:
    alice.remember("User lives in Vienna")
    hear_at(alice, LONG_AGO, "I live in Berlin.")
    assert confidences(alice)["User lives in Vienna"] == 0.7


def test_what_is_said_now_goes_before_what_was_said_long_ago(alice: Caller) -> None:
    hear_at(alice, LONG_AGO, "I live in Berlin.")
    hear_at(alice, SINCE, "I live in Vienna.")
    assert confidences(alice) == {"User lives in Berlin": pytest.approx(0.7), "User lives in Vienna": 0.9}


def test_nothing_was_said_after_it_was_stored(alice: Caller) -> None:
    """A clock that is wrong, or a date of the future, makes no statement the last word for ever."""
    hear_at(alice, "2199-01-01T00:00:00Z", "I live in Berlin.")
    session = alice.start_session()
    alice.post(f"sessions/{session['id']}/messages", {"messages": [{"role": "user", "content": "I live in Vienna."}]})
    upkeep_learn_due()
    assert confidences(alice) == {"User lives in Berlin": pytest.approx(0.7), "User lives in Vienna": 0.9}

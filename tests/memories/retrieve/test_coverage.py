"""A question over many memories is answered with what covers them: spread over sessions, nothing twice, in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import chain

import pytest

from memories.models import Memory
from sessions.models import AgentSession
from tests.conftest import Caller
from tests.memories.retrieve.asking import contents, search, set_policy, store
from tests.memories.retrieve.test_summaries import summarise

START = datetime(2026, 3, 1, tzinfo=UTC)
ASKED, ANSWERED = "When does the boat get its paint?", "The boat gets its paint when the primer is dry"
ORDER = "In which order did I mention the boat?"


def session_of(caller: Caller, name: str) -> str:
    return str(caller.post("sessions", {"external_id": name}).json()["id"])


def say(caller: Caller, session: str, turn: int, text: str, day: int, speaker: str = "User") -> Memory:
    moment = (START + timedelta(days=day)).isoformat()
    return store(caller, f"{speaker}: {text}", subject=speaker, session_id=session, turn_number=turn, valid_from=moment)


@pytest.fixture
def talks(alice: Caller) -> None:
    """Eight turns about the boat in one session, and one in each of two later ones, told last first."""
    for day, name in ((20, "third"), (10, "second")):
        say(alice, session_of(alice, name), 1, f"the boat again, {name}", day)
    first = session_of(alice, "first")
    for turn in range(8):
        say(alice, first, 2 * turn, f"the boat, the boat, its part {turn} of the boat", 0)
        say(alice, first, 2 * turn + 1, f"the boat has a part {turn}, boat and boat", 0, "Assistant")


@pytest.mark.usefixtures("talks")
def test_every_session_has_its_share(alice: Caller) -> None:
    match = search(alice, ORDER, limit=3)
    assert len({hit.memory.session_id for hit in match.hits}) == AgentSession.objects.count() == 3


@pytest.mark.usefixtures("talks")
def test_an_order_is_answered_in_time(alice: Caller) -> None:
    times = [hit.memory.valid_from for hit in search(alice, ORDER, limit=6).hits]
    assert times == sorted(times)  # type: ignore[type-var]


@pytest.mark.usefixtures("talks")
def test_what_the_asker_said_no_assistant_did(alice: Caller) -> None:
    assert {hit.memory.subject for hit in search(alice, ORDER, limit=8).hits} == {"User"}


@pytest.mark.usefixtures("talks")
def test_a_summary_keeps_an_answer_with_its_question(alice: Caller) -> None:
    hits = search(alice, "Summarise what was said about the boat", limit=4).hits
    turns = [hit.memory.turn_number or 0 for hit in hits if hit.memory.subject == "Assistant"]
    assert turns
    assert {turn - 1 for turn in turns} <= {hit.memory.turn_number for hit in hits}


def test_a_summary_is_of_exchanges_both_parts_of_which_are_of_the_matter(alice: Caller) -> None:
    said = session_of(alice, "yard")
    for turn, text in enumerate(["I saw the boat yesterday", "Nice weather to be out", ASKED, ANSWERED]):
        say(alice, said, turn, text, 0, ("User", "Assistant")[turn % 2])
    for turn, text in enumerate(["my soup was too salty", "add a potato", "the train was late", "ask for a refund"]):
        say(alice, session_of(alice, "home"), turn, text, 1, ("User", "Assistant")[turn % 2])
    found = contents(search(alice, "Summarise what we said about the boat", limit=2))
    assert sorted(found) == [f"Assistant: {ANSWERED}", f"User: {ASKED}"]


@pytest.mark.usefixtures("talks")
def test_pages_make_up_one_answer(alice: Caller) -> None:
    question = "List everything I said about the boat"
    pages = [contents(search(alice, question, limit=3, offset=offset)) for offset in (0, 3)]
    assert [*chain(*pages)] == contents(search(alice, question, limit=6))


@pytest.mark.usefixtures("talks")
def test_parts_add_up_and_scores_fall(alice: Caller) -> None:
    hits = search(alice, "List everything I said about the boat").hits
    assert [sum(hit.parts.values()) for hit in hits] == pytest.approx([hit.formula_score for hit in hits])
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]


@pytest.mark.parametrize(("question", "way"), [(ORDER, "order"), ("Where is the boat?", None)])
def test_an_answer_says_how_it_was_found(alice: Caller, question: str, way: str | None) -> None:
    store(alice, "the boat is at the pier")
    body = alice.post("memories/search", {"query": question}).json()
    assert body["coverage"] == alice.post("context", {"query": question}).json()["coverage"] == way


def test_a_summary_comes_with_that_of_the_category(alice: Caller) -> None:
    set_policy(alice, capture_summaries=True)
    memory = store(alice, "the boat lies at the pier", category="sea")
    summarise(alice, "sea", ("The boat lies at the pier", memory))
    answer = alice.post("memories/search", {"query": "Summarise all about the boat at the pier"}).json()["summaries"]
    assert [(item["passages"], item["sources"]) for item in answer] == [
        (["The boat lies at the pier"], [str(memory.uid)])
    ]


def test_a_nearly_same_memory_comes_later(alice: Caller) -> None:
    for text in ("the boat has a red sail", "the boat has a red sail!", "the boat was built in Kiel by Nora"):
        store(alice, text)
    assert "Kiel" in " ".join(contents(search(alice, "List everything about the boat and its red sail", limit=2)))

"""The page of one session: what was said, what came of it, what the agent was told, and the state at any turn."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from memories.dashboard.views.sessions import SHOWN, TEXTS, as_number
from memories.models import Injection, Memory
from sessions.models import MAX_TURN, AgentSession, Event, Resource
from tests.conftest import Caller
from tests.dashboard.pages import HTMX, elements, fragment, links, queries_of, text_of
from tests.tables import each_row
from tests.talking import hear, tell, turn
from tests.upkeep import upkeep_learn_due


def page_of(session: dict[str, Any]) -> str:
    return f"/sessions/{session['id']}"


def marks(answer: Any) -> list[str]:
    texts = [text for exchange in answer.context["exchanges"] for text in exchange.texts]
    return [piece.text for text in texts for piece in text.pieces if piece.memory]


@pytest.fixture
def shift(alice: Caller) -> dict[str, Any]:
    """A session of three turns in which something is told, noted, refused, reported, and done."""
    alice.remember("Postgres needs VACUUM weekly", subject="postgres")
    session = alice.start_session(title="Night shift", environment={"host": "web-01"})
    turn(
        alice, session, 1, "How is postgres?", "It needs its weekly VACUUM.", internal_state={"step": "look", "open": 2}
    )
    tools = [{"name": "psql", "input": {"sql": "VACUUM"}, "result": "done", "is_error": False}, "odd"]
    text = "[MEMORY:timing:postgres] VACUUM takes 5 minutes\n[MEMORY:nonsense] no\n[EVENT:warning:postgres] was slow"
    turn(alice, session, 2, "Do it.", text, tool_calls=tools, internal_state={"step": "done", "took": 300})
    turn(
        alice,
        session,
        3,
        "Thanks! My dentist appointment is next Friday at 10.",
        "Noted.",
        internal_state={"step": "bye"},
    )
    upkeep_learn_due()
    return session


def test_a_session_reads_as_a_conversation(vera: Client, shift: dict[str, Any]) -> None:
    answer = vera.get(page_of(shift))
    text = text_of(answer)
    statement = [[text.resource.role for text in exchange.texts] for exchange in answer.context["exchanges"]]
    assert statement == [["user", "assistant"]] * 3
    for part in ("How is postgres?", "weekly VACUUM", "psql", "web-01", "was slow", "unknown category", "to come"):
        assert part in text, part
    assert "VACUUM takes 5 minutes" in marks(answer)
    memory = Memory.objects.get(content="VACUUM takes 5 minutes")
    assert f"/memories/{memory.uid}" in links(answer)
    assert text.count("New memory recorded") == 0, "what was captured is shown where it was said"


def test_what_it_was_told_stands_with_its_verdict(vera: Client, shift: dict[str, Any]) -> None:
    assert Injection.objects.filter(used=True).count() == 1
    assert "1 memory, 1 used" in text_of(vera.get(page_of(shift)))


def test_what_was_told_for_a_turn_stands_there(vera: Client, alice: Caller) -> None:
    session = alice.start_session()
    alice.remember("Postgres needs VACUUM weekly", subject="postgres")
    alice.post("context", {"query": "postgres", "session_id": session["id"], "turn_number": 1})
    turn(alice, session, 1, "How is postgres?", "Fine.")
    (item,) = vera.get(page_of(session)).context["exchanges"]
    assert [row.memory.content for row in item.injections] == ["Postgres needs VACUUM weekly"]


@each_row(
    "question, number, changed",
    [
        ("1", 1, [("open", None, "2"), ("step", None, "look")]),
        ("2", 2, [("open", "2", None), ("step", "look", "done"), ("took", None, "300")]),
        ("", 3, [("step", "done", "bye"), ("took", "300", None)]),
        ("99", 3, None),
        ("0", 1, None),
        ("x", 3, None),
        ("9" * 40, 3, None),
    ],
)
def test_the_state_is_replayed_at_any_turn(
    vera: Client, shift: dict[str, Any], question: str, number: int, changed: Any
) -> None:
    answer = vera.get(page_of(shift), {"turn": question})
    state = answer.context["state"]
    assert (state.number, state.last) == (number, 3)
    assert changed is None or list(state.changed) == changed
    slider = elements(answer, "input", type="range")[0]
    assert (slider["min"], slider["max"], slider["value"]) == ("1", "3", str(number))
    part = vera.get(page_of(shift), {"turn": question}, headers={**HTMX, "HX-Target": "replay"})
    assert elements(part, "section", id="replay")
    assert not elements(part, "ol"), "the conversation is not sent again"


def test_every_turn_that_may_be_stored_may_be_asked_for() -> None:
    assert as_number(str(MAX_TURN)) == MAX_TURN
    assert as_number(str(MAX_TURN + 1)) is None


def test_messages_outside_of_turns_are_shown_in_their_order(vera: Client, alice: Caller) -> None:
    session = hear(alice, "I am vegan.", "I moved to Lisbon.")
    answer = vera.get(page_of(session))
    assert [exchange.number for exchange in answer.context["exchanges"]] == [None, None]
    assert marks(answer) == ["I am vegan.", "I moved to Lisbon."]
    assert "there is no state to replay" in text_of(answer)


def test_long_sessions_are_shown_in_pages_and_a_turn_is_found_in_them(vera: Client, alice: Caller) -> None:
    session = alice.start_session()
    row = AgentSession.objects.get(uid=session["id"])
    Resource.objects.bulk_create(
        Resource(
            app=alice.app,
            session=row,
            turn_number=number,
            role="user",
            raw_content=f"Text {number}",
            content_at=row.started_at,
        )
        for number in range(1, 201)
    )
    first = vera.get(page_of(session))
    numbers = [exchange.number for exchange in first.context["exchanges"]]
    assert (len(numbers), numbers[0], numbers[-1]) == (TEXTS, 141, 200)
    older = vera.get(page_of(session), {"after": first.context["slice"].older})
    assert older.context["exchanges"][-1].number == 140
    around = vera.get(page_of(session), {"turn": "30"})
    displayed = [exchange.number for exchange in around.context["exchanges"]]
    assert 30 in displayed
    assert around.context["slice"].newer
    assert elements(around, "li", id="turn-30")[0]["class"] == "exchange asked"


def test_a_very_long_text_is_cut_and_can_be_read_whole(vera: Client, alice: Caller, otto: Client) -> None:
    session = alice.start_session()
    tell(alice, session, "whale " * SHOWN)
    answer = vera.get(page_of(session))
    assert "characters more" in text_of(answer)
    (link,) = [link for link in links(answer) if "/texts/" in link]
    assert text_of(vera.get(link)).count("whale") == SHOWN
    assert otto.get(link).status_code == vera.get(link[:-36] + str(uuid4())).status_code == 404


def test_events_outside_of_turns_are_not_lost(vera: Client, alice: Caller) -> None:
    session = alice.start_session()
    row = AgentSession.objects.get(uid=session["id"])
    Event.objects.create(app=alice.app, session=row, message="The line broke", level="error")
    assert "The line broke" in text_of(vera.get(page_of(session)))


def test_an_empty_session_says_so_and_a_refresh_whether_there_is_news(vera: Client, alice: Caller) -> None:
    session = alice.start_session()
    answer = vera.get(page_of(session))
    assert "Nothing was said yet" in text_of(answer)
    seen = answer.context["seen"]
    assert fragment(vera, page_of(session), **{"X-Seen": seen}).status_code == 204
    tell(alice, session, "hello")
    assert elements(fragment(vera, page_of(session), **{"X-Seen": seen}), "div", id="one-session")


def test_sessions_of_others_do_not_exist(otto: Client, alice: Caller) -> None:
    session = alice.start_session()
    assert otto.get(page_of(session)).status_code == otto.get(f"/sessions/{uuid4()}").status_code == 404


def test_more_turns_ask_no_more_of_the_database(vera: Client, alice: Caller) -> None:
    session = alice.start_session()

    def talk(number: int) -> None:
        text = f"[MEMORY:timing:svc{number}] Takes {number}0s\n[EVENT:info:svc{number}] up\n[MEMORY:nonsense] x"
        turn(alice, session, number, "hi", text, internal_state={"n": number})

    talk(1)
    few = queries_of(vera, page_of(session))
    for number in range(2, 6):
        talk(number)
    assert queries_of(vera, page_of(session), is_warm=True) == few <= 21

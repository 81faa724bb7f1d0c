"""What contradicts something else is told with it: both lines of a block say so, and both memories are tagged."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from memories.models import Memory
from tests.conftest import Caller
from tests.memories.retrieve.asking import set_policy
from tests.memories.retrieve.test_summaries import summarise
from tests.tables import each_row

SING, SILENT = "Whales sing at night", "Whales never sing at night"


@pytest.fixture
def at_odds(alice: Caller) -> tuple[str, str]:
    return contradicting(alice)


def contradicting(caller: Caller, **fields: Any) -> tuple[str, str]:
    item, other = (caller.remember(text, dedupe=False, **fields)["id"] for text in (SING, SILENT))
    caller.post(f"memories/{other}/links", {"to": item, "kind": "contradicts"})
    return item, other


def tagged(memories: list[dict[str, Any]]) -> set[str]:
    return {memory["id"] for memory in memories if "conflicting" in memory["trust"]}


LINES = {
    "ops": "- [general] {} (confidence: 0.7; conflicting)",
    "app": "; conflicting] {}",
    "turn": "~ {} (confidence: 0.7; age: 0d; category: general; conflicting)",
}


@each_row("question, block", product(["", "whales"], LINES), rolled_back=True)
def test_both_lines_say_so(alice: Caller, at_odds: tuple[str, str], question: str, block: str) -> None:
    alice.remember("Whales are large")
    context = alice.post("context", {"format": block, "query": question}).json()
    for text in (SING, SILENT):
        assert LINES[block].format(text) in context["text"]
    assert context["text"].count("conflicting") == 2
    assert tagged(context["memories"]) == {*at_odds}


def test_what_stands_without_the_other_is_at_odds_with_nothing(alice: Caller, at_odds: tuple[str, str]) -> None:
    alice.delete(f"memories/{at_odds[0]}")
    context = alice.post("context", {}).json()
    assert SILENT in context["text"]
    assert "conflicting" not in context["text"]
    assert tagged(context["memories"]) == set()


def test_a_session_begins_with_it(alice: Caller, at_odds: tuple[str, str]) -> None:
    context = alice.start_session()["context"]
    assert context["text"].count("; conflicting)") == 2
    assert tagged(context["memories"]) == {*at_odds}


@each_row("tiered", [False, True], rolled_back=True)
def test_what_contradicts_what_the_session_was_told_before_says_so(alice: Caller, tiered: bool) -> None:
    set_policy(alice, capture_summaries=tiered, tiered=tiered)
    item = alice.remember(SING)["id"]
    session = alice.start_session()
    assert SING in session["context"]["text"]
    other = alice.remember(SILENT, dedupe=False)["id"]
    if tiered:
        summarise(alice, "general", (SILENT, Memory.objects.get(uid=other)))
    alice.post(f"memories/{other}/links", {"to": item, "kind": "contradicts"})
    context = alice.post("context", {"session_id": session["id"], "query": "whales sing at night"}).json()
    assert context["tier_answered"] == ("summaries" if tiered else "items")
    assert [memory["id"] for memory in context["memories"]] == [other]
    assert "conflicting" in context["text"]
    assert tagged(context["memories"]) == {other}


def test_lessons_too(alice: Caller) -> None:
    both = contradicting(alice, kind="lesson")
    context = alice.start_session()["context"]
    assert context["text"].count("; conflicting)") == 2
    assert tagged(context["lessons"]) == {*both}


def test_what_is_known_may_contradict_a_lesson(alice: Caller) -> None:
    lesson = alice.remember(SING, kind="lesson")["id"]
    known = alice.remember(SILENT, dedupe=False)["id"]
    alice.post(f"memories/{known}/links", {"to": lesson, "kind": "contradicts"})
    context = alice.start_session()["context"]
    assert f"{SILENT} (confidence: 0.7; conflicting)" in context["text"]
    assert tagged(context["memories"]) == {known, lesson}


def test_reading_such_a_line_back_is_no_confirmation(alice: Caller, at_odds: tuple[str, str]) -> None:
    session = alice.start_session()
    line = next(line for line in session["context"]["text"].splitlines() if SILENT in line)
    texts = {"turn_number": 1, "user_input": "Go on", "llm_output": f"[MEMORY:work] {line.removeprefix('- ')}"}
    alice.post(f"sessions/{session['id']}/turns", texts)
    assert alice.get(f"memories/{at_odds[1]}").json()["confidence"] == pytest.approx(0.7)

"""Times told by an event: "before the move" is before the day of the memory that tells of the move."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine
from django.db import DatabaseError

from memories.retrieve.pipeline import evidence_for, indexes, make_plan
from memories.retrieve.question import read_question
from memories.retrieve.ranking import STRETCH_DAYS
from memories.retrieve.retrievers import fulltext
from memories.retrieve.scoped_view import Scope, scoped_view
from tests.conftest import Caller
from tests.memories.retrieve.asking import change, contents, embedder_of, forget, link, search, store

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
MOVE = date(2026, 6, 10).toordinal()
BEFORE, AFTER = [(MOVE - STRETCH_DAYS, MOVE)], [(MOVE, MOVE + STRETCH_DAYS)]


@pytest.fixture(autouse=True)
def _standing_clock() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


def on(caller: Caller, day: str, content: str, **fields: Any) -> Any:
    return store(caller, content, valid_from=f"{day}T09:00:00Z", **fields)


@pytest.fixture
def moved(alice: Caller) -> Any:
    return on(alice, "2026-06-10", "We had the big move to Lisbon")


def days_asked(caller: Caller, text: str, mode: str = "auto", **scope: Any) -> list[tuple[int, int]]:
    """The spans of days that the question stands for, once the memories are known."""
    embedder = embedder_of(caller)
    view = indexes.of(caller.app, embedder.name, embedder.dim).view()
    scoped = scoped_view(view, Scope(caller.agent.pk, scope.pop("users", None), NOW.timestamp(), **scope))
    question = read_question(text, scoped, NOW)
    evidence, _ = evidence_for(caller.app, question, scoped, embedder, make_plan(mode, caller.app.policy))
    return list(evidence.question.days)


@pytest.mark.usefixtures("moved")
@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("What did we buy before the move?", BEFORE),
        ("what did we buy until the MOVE", BEFORE),
        ("What did we buy till the move to Lisbon", BEFORE),
        ("What did we buy after the move?", AFTER),
        ("Since the move, what did we buy", AFTER),
        ("AFTER THE MOVE what", AFTER),
        ("What did we buy after\n the move", AFTER),
        ("What was new after we moved?", AFTER),
    ],
)
def test_an_event_stands_for_its_day(alice: Caller, question: str, span: list[tuple[int, int]]) -> None:
    assert days_asked(alice, question) == span


@pytest.mark.usefixtures("moved")
@pytest.mark.parametrize(
    "question",
    [
        "What did we buy?",
        "The move to Lisbon?",
        "What did we buy before the wedding?",
        "What did we buy before it?",
        "What did we buy after all of that",
        "What did we buy before the move to Porto?",
        "Beforehand the move was planned",
        "What happened before? The move was hard",
        "before",
        "after ",
        "since ?",
    ],
)
def test_no_event_is_made_up(alice: Caller, question: str) -> None:
    assert days_asked(alice, question) == []


@pytest.mark.usefixtures("moved")
def test_times_that_are_named_rule_over_events(alice: Caller) -> None:
    (span,) = days_asked(alice, "What did we buy on 3 May 2026 before the move?")
    assert span == (date(2026, 5, 3).toordinal(),) * 2


def test_of_several_that_tell_of_it_the_nearest_in_meaning_counts(alice: Caller) -> None:
    on(alice, "2026-01-01", "A long talk about whether a move like that is a good idea at our age at all")
    on(alice, "2026-06-10", "The move")
    assert days_asked(alice, "after the move") == AFTER


@pytest.mark.parametrize("mode", ["auto", "dual", "fulltext", "tiered"])
@pytest.mark.usefixtures("moved")
def test_every_mode_that_looks_up_words_knows_events(alice: Caller, mode: str) -> None:
    assert days_asked(alice, "after the move", mode) == AFTER


@pytest.mark.parametrize("mode", ["vector", "graph"])
@pytest.mark.usefixtures("moved")
def test_a_mode_without_words_knows_none(alice: Caller, mode: str) -> None:
    assert days_asked(alice, "after the move", mode) == []


@pytest.mark.usefixtures("moved")
def test_without_the_full_text_index_there_are_no_events(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: Any) -> None:
        raise DatabaseError

    monkeypatch.setattr(fulltext, "holders", gone)
    assert days_asked(alice, "after the move") == []


def test_the_day_of_what_one_may_not_see_is_not_told(alice: Caller, bob: Caller, charlie: Caller) -> None:
    on(alice, "2026-06-10", "The secret move", visibility="agent")
    on(alice, "2026-07-10", "The move of doe", user_id="doe")
    on(charlie, "2026-08-10", "The move of globex", visibility="shared")
    store(bob, "something")
    assert days_asked(bob, "after the move", users=("roe",)) == []
    assert days_asked(alice, "after the secret move") == AFTER


def test_the_day_of_what_is_gone_does_not_count(alice: Caller) -> None:
    forgotten = on(alice, "2026-06-10", "The first move")
    archived = on(alice, "2026-06-11", "The second move")
    old, new = on(alice, "2026-06-12", "The third move"), store(alice, "It was cancelled")
    forget(alice, forgotten)
    change(alice, archived, status="archived")
    link(alice, new, old, "supersedes")
    assert days_asked(alice, "after the move") == []


def test_a_memory_without_a_time_of_its_own_tells_by_when_it_was_stored(alice: Caller) -> None:
    with time_machine.travel("2026-06-10T09:00:00Z", tick=False):
        store(alice, "We had the big move")
    assert days_asked(alice, "before the move") == BEFORE


def test_memories_of_the_days_meant_come_first(alice: Caller, moved: Any) -> None:
    for day in ("2026-02-01", "2026-05-20", "2026-06-30", "2026-11-01"):
        on(alice, day, f"We bought a sofa {day}")

    def best(question: str) -> str:
        return next(text for text in contents(search(alice, question)) if "sofa" in text)

    assert best("which sofa before the move") == "We bought a sofa 2026-05-20"
    assert best("which sofa after the move") == "We bought a sofa 2026-06-30"


def test_events_are_part_of_the_explanation(alice: Caller, moved: Any) -> None:
    on(alice, "2026-05-20", "We bought a sofa")
    hits = {hit.memory.content: hit.parts for hit in search(alice, "which sofa before the move").hits}
    assert hits["We bought a sofa"]["day_named"] > 0
    plain = {hit.memory.content: hit.parts for hit in search(alice, "which sofa of the move").hits}
    assert "day_named" not in plain["We bought a sofa"]


@pytest.mark.usefixtures("moved")
@pytest.mark.parametrize(
    "text", ["before " * 1500, "after the " + "move " * 2000, "since\x00move", "until \ud800 🦊 move"]
)
def test_no_question_is_too_much(alice: Caller, text: str) -> None:
    assert len(days_asked(alice, text)) <= 1

"""The same memories give the same answers: in a process that saw each write come, and in one that has just started."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import combinations
from random import Random
from typing import Any

import pytest

from memories.index import similarity, vector_store
from memories.retrieve.pipeline import index_of, indexes
from memories.retrieve.question import read_question
from memories.retrieve.retrievers import fulltext
from memories.retrieve.scoped_view import Scope, ScopedView, scoped_view
from tests.conftest import Caller
from tests.memories.retrieve.asking import change, embedder_of, search, store

WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "knoll", "lagoon", "meadow"]
QUESTIONS = ("amber fjord", "grove", "what of the lagoon and Jones", "Ann by the heath", "knoll inlet birch")
NOW = datetime(2030, 1, 1, tzinfo=UTC)
NAMES = ("Ann Lee", "Ann Jones", None)


@pytest.fixture(autouse=True)
def as_a_large_app(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most is estimated, and many are alike."""
    monkeypatch.setattr(similarity, "SIGN_ROWS", 20)
    monkeypatch.setattr(similarity, "SIGN_CANDIDATES", 12)
    monkeypatch.setattr(similarity, "LEAST_CANDIDATES", 12)
    monkeypatch.setattr(vector_store, "MOST", 16)


def answers(alice: Caller) -> list[Any]:
    results = [search(alice, text, mode=mode, limit=8) for text in QUESTIONS for mode in ("auto", "dual", "vector")]
    return [[(hit.memory.content, hit.score) for hit in item.hits] for item in results]


def answers_of_a_new_process(alice: Caller) -> list[Any]:
    indexes.by_key.clear()
    return answers(alice)


@pytest.fixture
def lived(alice: Caller) -> Caller:
    """What came, was edited and went while others asked."""
    random = Random(3)
    texts = [" ".join(pair) for pair in combinations(WORDS, 2)]
    uids: list[str] = []
    for number in range(0, len(texts), 11):
        body = [{"content": text, "subject": random.choice(NAMES)} for text in texts[number : number + 11]]
        made = alice.post("memories/batch", {"memories": body}).json()["results"]
        uids += [item["id"] for item in made]
        search(alice, QUESTIONS[0])
        for uid in random.sample(uids, 3):
            alice.patch(f"memories/{uid}", {"importance": random.randint(2, 4)})
        gone = uids.pop(random.randrange(len(uids)))
        alice.delete(f"memories/{gone}")
    return alice


def test_a_process_that_has_just_started_answers_as_one_that_saw_every_write(lived: Caller) -> None:
    before = answers(lived)
    assert all(before)
    assert answers_of_a_new_process(lived) == before


def test_nor_does_it_matter_in_which_order_a_process_came_to_know_of_them(lived: Caller) -> None:
    before = answers_of_a_new_process(lived)
    uid = lived.remember("amber fjord by night", dedupe=False)["id"]
    search(lived, QUESTIONS[0])
    lived.delete(f"memories/{uid}")
    assert answers(lived) == before


def reading_of(alice: Caller) -> ScopedView:
    return scoped_view(index_of(alice.app, embedder_of(alice)).view(), Scope(None, None, NOW.timestamp()))


def test_of_several_who_are_called_so_the_same_one_comes_first(alice: Caller) -> None:
    def named() -> list[str]:
        scoped = reading_of(alice)
        return [scoped.view.subjects.names[code] for code in read_question("what did Ann say", scoped, NOW).subjects]

    first = store(alice, "amber", subject="Ann Lee")
    store(alice, "birch", subject="Ann Jones")
    before = named()
    change(alice, first, importance=5)
    indexes.by_key.clear()
    assert named() == before == ["Ann Jones", "Ann Lee"]


def test_what_holds_a_word_is_the_same_in_whatever_order_the_database_answers(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, new_holders = fulltext.fetch_holders, fulltext.new_holders
    monkeypatch.setattr(fulltext, "fetch_holders", lambda *given: [pks[::-1] for pks in ask(*given)])
    monkeypatch.setattr(fulltext, "new_holders", lambda *given: [pks[::-1] for pks in new_holders(*given)])
    for count in (3, 6):
        for number in range(3):
            store(alice, f"amber {count} {number}")
        (places,) = fulltext.look_up(alice.app, reading_of(alice), ["amber"]).places
        assert places.tolist() == list(range(count))

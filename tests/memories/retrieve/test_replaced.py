"""What stands for another memory is found by the words and the meaning of that one, too."""

from __future__ import annotations

from itertools import pairwise

import pytest

from memories.retrieve import scoped_view
from memsite.tenancy.policy import Ranking
from tests.conftest import Caller
from tests.memories.retrieve.asking import contents, forget, link, search, set_policy, store

QUESTION = "Where is the home of the user?"
OLD, NEW = "The home of the user is Graz", "Since May it is Landstrasse 5, Linz"
OTHERS = [
    "User prefers a window seat in trains", "User works from home on Fridays", "User has a dog called Bruno",
    "User likes loud music", "User drives to work by car",
]  # fmt: skip


@pytest.fixture(autouse=True)
def others(alice: Caller) -> None:
    for text in OTHERS:
        store(alice, text)


def supersede(caller: Caller, *texts: str) -> None:
    """Store texts, each of which takes the place of the one before."""
    for old, new in pairwise([store(caller, text) for text in texts]):
        link(caller, new, old, "supersedes")


@pytest.mark.parametrize("ranking", [Ranking.STANDARD, Ranking.PRODUCT, Ranking.DUAL])
def test_a_successor_is_found_by_what_it_replaced(alice: Caller, ranking: str) -> None:
    set_policy(alice, ranking=ranking)
    supersede(alice, OLD, NEW)
    assert contents(search(alice, QUESTION))[0] == NEW


def test_a_successor_is_found_by_the_first_of_a_chain(alice: Caller) -> None:
    supersede(alice, OLD, "Now it is Hauptplatz 3", NEW)
    assert contents(search(alice, QUESTION))[0] == NEW


def test_of_many_that_were_replaced_the_likely_count(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoped_view, "FORMER", 1)
    supersede(alice, "The printer is on the second floor", "The printer was moved to room 12")
    supersede(alice, OLD, NEW)
    assert contents(search(alice, QUESTION))[0] == NEW


def test_an_explanation_tells_what_was_replaced(alice: Caller) -> None:
    supersede(alice, OLD, NEW)
    answer = alice.post("memories/search", {"query": QUESTION, "explain": True}).json()
    assert answer["results"][0]["replaced"] == [OLD]


def test_what_the_caller_may_not_see_counts_for_nothing(alice: Caller, bob: Caller) -> None:
    old, new = store(alice, OLD, visibility="agent"), store(alice, NEW)
    link(alice, new, old, "supersedes")
    assert NEW not in contents(search(bob, QUESTION))[:1]


def test_what_was_forgotten_counts_for_nothing(alice: Caller) -> None:
    old, new = store(alice, OLD), store(alice, NEW)
    link(alice, new, old, "supersedes")
    forget(alice, old)
    assert NEW not in contents(search(alice, QUESTION))[:1]

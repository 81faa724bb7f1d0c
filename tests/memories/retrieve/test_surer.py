"""What contradicts a hit and is surer comes with it, though the question does not find it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import timedelta
from itertools import pairwise, product
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.models import Memory
from memories.retrieve.hits import Recall
from memories.retrieve.index import AppIndex
from memories.retrieve.pipeline import indexes
from memories.retrieve.surer import CLOSE, LOOKED_AT, Placed, contradictions_of, placed
from tests.conftest import Caller
from tests.memories.retrieve.asking import change, contents, forget, link, search, set_policy, store
from tests.memories.retrieve.test_summaries import summarise
from tests.tables import each_row

QUESTION = "whales sing"
MODES = ("auto", "tiered", "dual", "vector", "fulltext")
RANKINGS = ("standard", "confidence", "product", "dual", "recent")


def at_odds(caller: Caller, sure: float = 0.5, surer: float = 0.9, **fields: Any) -> tuple[Memory, Memory]:
    """What the question finds, and what contradicts it, which it does not find."""
    one = store(caller, "whales sing", confidence=sure)
    other = store(caller, "Fish are mute", confidence=surer, **fields)
    link(caller, other, one, "contradicts")
    return one, other


def flagged(found: Recall) -> list[str]:
    return [hit.memory.content for hit in found.hits if "conflicting" in hit.trust]


@each_row("mode", MODES, rolled_back=True)
def test_the_surer_one_stands_before_what_it_contradicts(alice: Caller, mode: str) -> None:
    store(alice, "whales sing on")
    at_odds(alice)
    found = search(alice, QUESTION, mode=mode)
    places = contents(found)
    assert sorted(places) == ["Fish are mute", "whales sing", "whales sing on"]
    assert places.index("Fish are mute") + 1 == places.index("whales sing")
    assert flagged(found) == ["Fish are mute", "whales sing"]


@each_row("ranking", RANKINGS, rolled_back=True)
def test_its_score_is_that_of_what_it_contradicts_and_says_so(alice: Caller, ranking: str) -> None:
    set_policy(alice, ranking=ranking)
    at_odds(alice)
    surer, hit = search(alice, QUESTION).hits
    assert surer.parts == {"surer": surer.score}
    assert surer.score == hit.score
    combine = math.prod if ranking == "product" else sum
    assert combine(hit.parts.values()) == pytest.approx(hit.score)


def test_the_api_and_the_block_tell_it(alice: Caller) -> None:
    alice.remember("User lives in Graz", confidence=0.7, dedupe=False)
    alice.remember("User moved to Linz", confidence=0.9, dedupe=False)
    graz, linz = Memory.objects.order_by("pk")
    link(alice, linz, graz, "contradicts")
    answer = alice.post("memories/search", {"query": "who lives in Graz?", "explain": True}).json()
    assert [hit["content"] for hit in answer["results"]] == [linz.content, graz.content]
    assert all("conflicting" in hit["trust"] for hit in answer["results"])
    assert [*answer["results"][0]["scores"]] == ["surer"]
    text = alice.post("context", {"query": "who lives in Graz?"}).json()["text"]
    assert text.index(linz.content) < text.index(graz.content)
    assert text.count("conflicting") == 2


@each_row("sure, surer, is_told", [(0.9, 0.5, False), (0.7, 0.7, True), (0.5, 0.6, True)], rolled_back=True)
def test_of_equals_the_later_one_is_the_surer(alice: Caller, sure: float, surer: float, is_told: bool) -> None:
    at_odds(alice, sure, surer)
    assert ("Fish are mute" in contents(search(alice, QUESTION))) == is_told


def test_of_equals_the_earlier_one_is_not_brought(alice: Caller) -> None:
    earlier, later = store(alice, "Fish are mute"), store(alice, "whales sing")
    link(alice, later, earlier, "contradicts")
    assert contents(search(alice, QUESTION)) == ["whales sing"]


def test_the_surest_of_several_is_told_and_brings_nothing_itself(alice: Caller) -> None:
    one, _ = at_odds(alice, 0.5, 0.6)
    third, fourth = store(alice, "Krill swims", confidence=0.7), store(alice, "Seals bark", confidence=0.9)
    link(alice, third, one, "contradicts")
    link(alice, fourth, third, "contradicts")
    found = search(alice, QUESTION)
    assert contents(found) == ["Krill swims", "whales sing"]
    assert flagged(found) == contents(found)
    assert contents(search(alice, QUESTION, limit=2)) == contents(found)


@each_row("kind", ["related", "elaborates"], rolled_back=True)
def test_what_does_not_contradict_it_is_not_brought(alice: Caller, kind: str) -> None:
    link(alice, store(alice, "Fish are mute", confidence=0.9), store(alice, "whales sing", confidence=0.5), kind)
    assert contents(search(alice, QUESTION)) == ["whales sing"]


def test_what_may_not_be_shown_is_not_brought(alice: Caller, bob: Caller) -> None:
    _, other = at_odds(alice)
    change(alice, other, visibility="agent")
    assert contents(search(bob, QUESTION)) == ["whales sing"]
    assert len(search(alice, QUESTION).hits) == 2
    change(alice, other, status="archived", visibility="app")
    assert contents(search(alice, QUESTION)) == ["whales sing"]


@pytest.mark.parametrize(
    "fields", [{"user_id": "doe"}, {"valid_until": timezone.now() - timedelta(days=1)}], ids=["another user", "run out"]
)
def test_nor_what_is_of_another_user_or_has_run_out(alice: Caller, fields: dict[str, Any]) -> None:
    one, other = store(alice, "whales sing", confidence=0.5), store(alice, "Fish are mute", confidence=0.9, **fields)
    link(alice, other, one, "contradicts")
    assert contents(search(alice, QUESTION, user_id="roe")) == ["whales sing"]


def test_nor_what_a_filter_keeps_out(alice: Caller) -> None:
    at_odds(alice, category="fish")
    assert contents(search(alice, QUESTION, filters={"not": {"category": "fish"}})) == ["whales sing"]


def test_nor_what_is_excluded_or_was_told_already(alice: Caller) -> None:
    _, other = at_odds(alice)
    assert contents(search(alice, QUESTION, exclude=(other.pk,))) == ["whales sing"]
    assert contents(search(alice, QUESTION, told=(other.pk,))) == ["whales sing"]


def test_nor_what_is_gone(alice: Caller) -> None:
    _, other = at_odds(alice)
    forget(alice, other)
    found = search(alice, QUESTION)
    assert (contents(found), flagged(found)) == (["whales sing"], [])


def test_of_the_past_it_is_told_as_it_was(alice: Caller) -> None:
    store(alice, "whales sing", confidence=0.5)
    then = timezone.now()
    at_odds(alice)
    assert contents(search(alice, QUESTION, as_of=then)) == ["whales sing"]


def test_it_counts_as_an_access_of_both(alice: Caller) -> None:
    at_odds(alice)
    search(alice, QUESTION)
    assert [*Memory.objects.values_list("access_count", flat=True)] == [1, 1]


def test_it_comes_with_what_summaries_answer(alice: Caller) -> None:
    set_policy(alice, capture_summaries=True)
    one, other = at_odds(alice)
    summarise(alice, "sea", ("whales sing", one))
    found = search(alice, QUESTION, mode="tiered")
    assert found.tier == "summaries"
    assert contents(found) == [other.content, one.content]
    assert flagged(found) == contents(found)
    assert found.hits[0].parts == {"surer": found.hits[1].score}


def test_another_apps_shared_memory_comes_with_its_own_contradiction(alice: Caller, charlie: Caller) -> None:
    for caller in (alice, charlie):
        set_policy(caller, share_memories=True)
    one, other = at_odds(charlie)
    change(charlie, one, visibility="shared")
    assert contents(search(alice, QUESTION, shared=True)) == [one.content]
    change(charlie, other, visibility="shared")
    found = search(alice, QUESTION, shared=True)
    assert contents(found) == [other.content, one.content]
    assert flagged(found) == contents(found)


def test_no_more_are_answered_than_were_asked_for(alice: Caller) -> None:
    one, other = at_odds(alice)
    first = search(alice, QUESTION, limit=1)
    assert (contents(first), first.more) == ([other.content], True)
    second = search(alice, QUESTION, limit=1, offset=1)
    assert (contents(second), second.more) == ([one.content], False)


def test_a_hit_says_that_it_is_at_odds_with_one_of_a_page_before(alice: Caller) -> None:
    one, _ = at_odds(alice)
    assert flagged(search(alice, QUESTION, limit=1)) == []
    assert flagged(search(alice, QUESTION, limit=1, offset=1)) == [one.content]


def test_so_it_does_where_summaries_answer(alice: Caller) -> None:
    set_policy(alice, capture_summaries=True)
    one, _ = at_odds(alice)
    summarise(alice, "sea", ("whales sing", one))
    first, second = (search(alice, QUESTION, limit=1, offset=at, mode="tiered") for at in (0, 1))
    assert (first.tier, flagged(first), second.tier, flagged(second)) == ("summaries", [], "summaries", [one.content])


def test_so_it_does_among_what_other_apps_share(alice: Caller, charlie: Caller) -> None:
    for caller in (alice, charlie):
        set_policy(caller, share_memories=True)
    one, _ = at_odds(charlie, visibility="shared")
    change(charlie, one, visibility="shared")
    found = [search(alice, QUESTION, limit=1, offset=at, shared=True) for at in (0, 1)]
    assert [flagged(page) for page in found] == [[], [one.content]]


@pytest.fixture
def long(alice: Caller) -> int:
    """Return how many memories the question finds, or brings: more than are looked at on the first page."""
    found = [store(alice, f"whales sing n{number}", confidence=0.4) for number in range(CLOSE + 8)]
    hidden = [store(alice, f"Fish number {number} is mute", confidence=0.9) for number in range(3)]
    for one, other in ((found[2], hidden[0]), (found[9], hidden[1]), (found[-1], hidden[2]), (found[1], found[-2])):
        link(alice, other, one, "contradicts")
    change(alice, found[-2], confidence=0.8)
    return len(found) + len(hidden)


@each_row("mode, ranking", list(product(["auto", "vector"], RANKINGS)), rolled_back=True)
def test_all_pages_together_are_one_long_answer(alice: Caller, long: int, ranking: str, mode: str) -> None:
    set_policy(alice, ranking=ranking)
    whole = contents(search(alice, QUESTION, limit=100, mode=mode))
    assert len(whole) == len(set(whole)) == long
    for limit in (1, 3, 7):
        pages = [search(alice, QUESTION, limit=limit, offset=at, mode=mode) for at in range(0, len(whole), limit)]
        # A page shows the surer of its own hits first: the same memories stand on it, whatever their order there.
        assert [sorted(contents(page)) for page in pages] == [
            sorted(whole[at : at + limit]) for at in range(0, len(whole), limit)
        ]


def test_what_changes_while_it_is_searched_for_is_found_as_it_was(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of an index die under the views that were made of it: each change of a memory gives it another one."""
    one, other = at_odds(alice)
    kept: list[AppIndex] = []

    def placed_late(*arguments: Any) -> list[Placed]:
        found = placed(*arguments)
        for index in indexes.of_app(alice.app.pk):
            for memory in (one, other):
                index.bury(memory.pk)
            kept.append(index)
        return found

    monkeypatch.setattr("memories.retrieve.surer.placed", placed_late)
    assert contents(search(alice, QUESTION)) == [other.content, one.content]
    assert kept


def test_however_many_hits_are_looked_at_the_query_is_possible(alice: Caller) -> None:
    assert contradictions_of(alice.app, range(1, LOOKED_AT + 1)) == []


def test_where_nothing_is_at_odds_it_is_not_asked_again_as_of_a_commit(
    alice: Caller, django_assert_num_queries: Any
) -> None:
    one = store(alice, "whales sing")
    with django_assert_num_queries(2):
        assert [contradictions_of(alice.app, [one.pk], (1, 1)) for _ in range(4)] == [[]] * 4
    one, other = at_odds(alice)
    pair = contradictions_of(alice.app, [one.pk])
    assert set(*pair) == {one.pk, other.pk}
    with django_assert_num_queries(3):
        assert [contradictions_of(alice.app, [one.pk], (1, 2)) for _ in range(2)] == [pair] * 2


# --- the order alone


SURER = st.dictionaries(st.integers(0, 60), st.integers(0, 60), max_size=12)


@settings(max_examples=200)
@given(SURER, st.integers(1, 40))
def test_what_stands_first_is_the_same_however_far_one_looks(surer: Mapping[int, int], most: int) -> None:
    """Memories 0 to 39 are found, in this order; some are contradicted by a surer one, which has a higher number."""
    scores = [1.0 / (1 + number) for number in range(40)]

    def surest_against(pk: int) -> int | None:
        other = surer.get(pk)
        return other if other is not None and other > pk else None

    whole = placed(range(40), scores, 40, surest_against)
    assert len({one.pk for one in whole}) == len(whole)
    assert {one.pk for one in whole} >= set(range(40))
    assert placed(range(min(40, most + CLOSE)), scores, most, surest_against)[:most] == whole[:most]
    for before, one in pairwise(whole):
        assert before.score >= one.score
        if before.brought:
            assert surer[one.pk] == before.pk
    at = {one.pk: number for number, one in enumerate(whole)}
    for pk, number in at.items():
        if (other := surest_against(pk)) is not None and not whole[number].brought:
            assert at[other] <= number + 2 * CLOSE

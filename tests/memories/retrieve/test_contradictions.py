"""What contradicts a hit and is surer comes with it, though the question does not find it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.index.app_index import AppIndex
from memories.models import Memory, Source
from memories.retrieve.contradictions import (
    CLOSE,
    LOOKED_AT,
    PlacedMemory,
    contradictions_of,
    place_contradictions,
    put_surest_first,
)
from memories.retrieve.hits import Hit, Recall
from memories.retrieve.pipeline import indexes
from memories.retrieve.ranking import BAND
from memories.store import Candidate
from memsite.tenancy.models import App
from tests.conftest import Caller
from tests.memories.retrieve.asking import agent_of, change, contents, forget, link, search, set_policy, store
from tests.memories.retrieve.test_summaries import summarise
from tests.tables import each_row

QUESTION = "whales sing"
MODES = ("auto", "tiered", "dual", "vector", "fulltext")
RANKINGS = ("standard", "confidence", "product", "dual", "recent")


def at_odds(caller: Caller, sure: float = 0.5, more_certain: float = 0.9, **fields: Any) -> tuple[Memory, Memory]:
    """What the question finds, and what contradicts it, which it does not find."""
    item = store(caller, "whales sing", confidence=sure)
    other = store(caller, "Fish are mute", confidence=more_certain, **fields)
    link(caller, other, item, "contradicts")
    return item, other


def flagged(result: Recall) -> list[str]:
    return [hit.memory.content for hit in result.hits if "conflicting" in hit.trust]


@each_row("mode", MODES, rolled_back=True)
def test_the_more_certain_one_stands_before_what_it_contradicts(alice: Caller, mode: str) -> None:
    store(alice, "whales sing on")
    at_odds(alice)
    match = search(alice, QUESTION, mode=mode)
    places = contents(match)
    assert sorted(places) == ["Fish are mute", "whales sing", "whales sing on"]
    assert places.index("Fish are mute") + 1 == places.index("whales sing")
    assert flagged(match) == ["Fish are mute", "whales sing"]


@each_row("ranking", RANKINGS, rolled_back=True)
def test_its_score_is_that_of_what_it_contradicts_and_says_so(alice: Caller, ranking: str) -> None:
    set_policy(alice, ranking=ranking)
    at_odds(alice)
    more_certain, hit = search(alice, QUESTION).hits
    assert more_certain.parts == {"surer": more_certain.formula_score}
    assert more_certain.formula_score == hit.formula_score
    combine = math.prod if ranking == "product" else sum
    assert combine(hit.parts.values()) == pytest.approx(hit.formula_score)


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


@each_row("sure, more_certain, is_told", [(0.9, 0.5, False), (0.7, 0.7, True), (0.5, 0.6, True)], rolled_back=True)
def test_of_equals_the_later_one_is_the_more_certain(
    alice: Caller, sure: float, more_certain: float, is_told: bool
) -> None:
    at_odds(alice, sure, more_certain)
    assert ("Fish are mute" in contents(search(alice, QUESTION))) == is_told


def test_of_equals_the_earlier_one_is_not_brought(alice: Caller) -> None:
    earlier, later = store(alice, "Fish are mute"), store(alice, "whales sing")
    link(alice, later, earlier, "contradicts")
    assert contents(search(alice, QUESTION)) == ["whales sing"]


def test_the_surest_of_several_is_told_and_brings_nothing_itself(alice: Caller) -> None:
    item, _ = at_odds(alice, 0.5, 0.6)
    third, fourth = store(alice, "Krill swims", confidence=0.7), store(alice, "Seals bark", confidence=0.9)
    link(alice, third, item, "contradicts")
    link(alice, fourth, third, "contradicts")
    match = search(alice, QUESTION)
    assert contents(match) == ["Krill swims", "whales sing"]
    assert flagged(match) == contents(match)
    assert contents(search(alice, QUESTION, limit=2)) == contents(match)


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
    item, other = store(alice, "whales sing", confidence=0.5), store(alice, "Fish are mute", confidence=0.9, **fields)
    link(alice, other, item, "contradicts")
    assert contents(search(alice, QUESTION, user_id="roe")) == ["whales sing"]


def test_nor_what_a_filter_keeps_out(alice: Caller) -> None:
    at_odds(alice, category="fish")
    assert contents(search(alice, QUESTION, filters={"not": {"category": "fish"}})) == ["whales sing"]


def test_nor_what_is_excluded_or_was_told_already(alice: Caller) -> None:
    _, other = at_odds(alice)
    assert contents(search(alice, QUESTION, exclude=(other.pk,))) == ["whales sing"]
    assert contents(search(alice, QUESTION, shown_pks=(other.pk,))) == ["whales sing"]


def test_nor_what_is_gone(alice: Caller) -> None:
    _, other = at_odds(alice)
    forget(alice, other)
    match = search(alice, QUESTION)
    assert (contents(match), flagged(match)) == (["whales sing"], [])


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
    item, other = at_odds(alice)
    summarise(alice, "sea", ("whales sing", item))
    match = search(alice, QUESTION, mode="tiered")
    assert match.tier == "summaries"
    assert contents(match) == [other.content, item.content]
    assert flagged(match) == contents(match)
    assert match.hits[0].parts == {"surer": match.hits[1].formula_score}


def test_another_apps_shared_memory_comes_with_its_own_contradiction(alice: Caller, charlie: Caller) -> None:
    for caller in (alice, charlie):
        set_policy(caller, share_memories=True)
    item, other = at_odds(charlie)
    change(charlie, item, visibility="shared")
    assert contents(search(alice, QUESTION, shared=True)) == [item.content]
    change(charlie, other, visibility="shared")
    match = search(alice, QUESTION, shared=True)
    assert contents(match) == [other.content, item.content]
    assert flagged(match) == contents(match)


def test_no_more_are_answered_than_were_asked_for(alice: Caller) -> None:
    item, other = at_odds(alice)
    first = search(alice, QUESTION, limit=1)
    assert (contents(first), first.more) == ([other.content], True)
    second = search(alice, QUESTION, limit=1, offset=1)
    assert (contents(second), second.more) == ([item.content], False)


def test_a_hit_says_that_it_is_at_odds_with_one_of_a_page_before(alice: Caller) -> None:
    item, _ = at_odds(alice)
    assert flagged(search(alice, QUESTION, limit=1)) == []
    assert flagged(search(alice, QUESTION, limit=1, offset=1)) == [item.content]


def test_so_it_does_where_summaries_answer(alice: Caller) -> None:
    set_policy(alice, capture_summaries=True)
    item, _ = at_odds(alice)
    summarise(alice, "sea", ("whales sing", item))
    first, second = (search(alice, QUESTION, limit=1, offset=index, mode="tiered") for index in (0, 1))
    assert (first.tier, flagged(first), second.tier, flagged(second)) == ("summaries", [], "summaries", [item.content])


def test_so_it_does_among_what_other_apps_share(alice: Caller, charlie: Caller) -> None:
    for caller in (alice, charlie):
        set_policy(caller, share_memories=True)
    item, _ = at_odds(charlie, visibility="shared")
    change(charlie, item, visibility="shared")
    results = [search(alice, QUESTION, limit=1, offset=index, shared=True) for index in (0, 1)]
    assert [flagged(page) for page in results] == [[], [item.content]]


@pytest.fixture
def long(alice: Caller) -> int:
    """Return how many memories the question finds, or brings: more than are looked at on the first page."""
    results = [store(alice, f"whales sing n{number}", confidence=0.4) for number in range(CLOSE + 8)]
    hidden = [store(alice, f"Fish number {number} is mute", confidence=0.9) for number in range(3)]
    for item, other in (
        (results[2], hidden[0]),
        (results[9], hidden[1]),
        (results[-1], hidden[2]),
        (results[1], results[-2]),
    ):
        link(alice, other, item, "contradicts")
    change(alice, results[-2], confidence=0.8)
    return len(results) + len(hidden)


@each_row("mode, ranking", list(product(["auto", "vector"], RANKINGS)), rolled_back=True)
def test_all_pages_together_are_one_long_answer(alice: Caller, long: int, ranking: str, mode: str) -> None:
    set_policy(alice, ranking=ranking)
    whole = contents(search(alice, QUESTION, limit=100, mode=mode))
    assert len(whole) == len(set(whole)) == long
    for limit in (1, 3, 7):
        pages = [
            search(alice, QUESTION, limit=limit, offset=number, mode=mode) for number in range(0, len(whole), limit)
        ]
        # A page shows the surer of its own hits first: the same memories stand on it, whatever their order there.
        assert [sorted(contents(page)) for page in pages] == [
            sorted(whole[number : number + limit]) for number in range(0, len(whole), limit)
        ]


def test_what_changes_while_it_is_searched_for_is_found_as_it_was(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of an index die under the views that were made of it: each change of a memory gives it another one."""
    item, other = at_odds(alice)
    retained: list[AppIndex] = []

    def placed_late(*arguments: Any) -> list[PlacedMemory]:
        result = place_contradictions(*arguments)
        for index in indexes.of_app(alice.app.pk):
            for memory in (item, other):
                index.bury(memory.pk)
            retained.append(index)
        return result

    monkeypatch.setattr("memories.retrieve.contradictions.place_contradictions", placed_late)
    assert contents(search(alice, QUESTION)) == [other.content, item.content]
    assert retained


def test_however_many_hits_are_looked_at_the_query_is_possible(alice: Caller) -> None:
    assert contradictions_of(alice.app, range(1, LOOKED_AT + 1)) == []


def test_where_nothing_is_at_odds_it_is_not_asked_again_as_of_a_commit(
    alice: Caller, django_assert_num_queries: Any
) -> None:
    item = store(alice, "whales sing")
    with django_assert_num_queries(2):
        assert [contradictions_of(alice.app, [item.pk], (1, 1)) for _ in range(4)] == [[]] * 4
    item, other = at_odds(alice)
    pair = contradictions_of(alice.app, [item.pk])
    assert set(*pair) == {item.pk, other.pk}
    with django_assert_num_queries(3):
        assert [contradictions_of(alice.app, [item.pk], (1, 2)) for _ in range(2)] == [pair] * 2


# --- the order alone


SURER = st.dictionaries(st.integers(0, 60), st.integers(0, 60), max_size=12)


@settings(max_examples=200)
@given(SURER, st.integers(1, 40))
def test_what_stands_first_is_the_same_however_far_one_looks(more_certain: Mapping[int, int], most: int) -> None:
    """Memories 0 to 39 are found, in this order; some are contradicted by a surer one, which has a higher number."""
    scores = [1.0 / (1 + number) for number in range(40)]

    def surest_against(pk: int) -> int | None:
        other = more_certain.get(pk)
        return other if other is not None and other > pk else None

    whole = place_contradictions(range(40), scores, 40, surest_against)
    assert len({item.pk for item in whole}) == len(whole)
    assert {item.pk for item in whole} >= set(range(40))
    assert place_contradictions(range(min(40, most + CLOSE)), scores, most, surest_against)[:most] == whole[:most]
    for before, item in pairwise(whole):
        assert before.score >= item.score
        if before.brought:
            assert more_certain[item.pk] == before.pk
    index = {item.pk: number for number, item in enumerate(whole)}
    for pk, number in index.items():
        if (other := surest_against(pk)) is not None and not whole[number].brought:
            assert index[other] <= number + 2 * CLOSE


START = datetime(2027, 3, 1, 12, tzinfo=UTC)


def trust_of(caller: Caller, now: datetime | None = None) -> list[str]:
    (hit,) = search(caller, "whales", now).hits
    return hit.trust


def test_what_nobody_said_twice_is_unconfirmed_until_somebody_does(alice: Caller) -> None:
    with time_machine.travel(START, tick=False) as clock:
        alice.remember("whales sing")
        assert trust_of(alice) == ["unconfirmed"]
        clock.shift(60)
        alice.remember("whales sing")
        assert trust_of(alice) == []


def test_what_an_operator_stored_needs_no_second_voice(alice: Caller) -> None:
    agent_of(alice).remember([Candidate(content="whales sing", source=Source.OPERATOR)])
    assert trust_of(alice) == []


def test_what_has_begun_to_hold_of_late_is_not_stale(alice: Caller) -> None:
    with time_machine.travel(START, tick=False):
        store(alice, "whales sing", valid_from=START + timedelta(days=90))
    assert "stale" not in trust_of(alice, START + timedelta(days=100))
    assert "stale" in trust_of(alice, START + timedelta(days=121))


@pytest.mark.parametrize(("days", "is_stale"), [(29, False), (31, True)])
def test_what_was_not_confirmed_for_long_is_stale(alice: Caller, days: int, is_stale: bool) -> None:
    with time_machine.travel(START, tick=False):
        store(alice, "whales sing")
    assert ("stale" in trust_of(alice, START + timedelta(days=days))) == is_stale


def test_of_two_at_odds_the_more_certain_comes_first(alice: Caller) -> None:
    best, more_certain = (
        store(alice, "whales sing loud", confidence=0.5),
        store(alice, "whales sing no loud songs", confidence=0.9),
    )
    assert contents(search(alice, "whales sing")) == ["whales sing loud", "whales sing no loud songs"]
    link(alice, best, more_certain, "contradicts")
    match = search(alice, "whales sing")
    assert contents(match) == ["whales sing no loud songs", "whales sing loud"]
    assert all("conflicting" in hit.trust for hit in match.hits)


def test_two_that_merely_have_to_do_with_each_other_stay_where_they_are(alice: Caller) -> None:
    best, more_certain = (
        store(alice, "whales sing", confidence=0.5),
        store(alice, "whales sing no songs", confidence=0.9),
    )
    link(alice, best, more_certain, "related")
    assert contents(search(alice, "whales sing")) == ["whales sing", "whales sing no songs"]


def test_what_is_put_away_is_at_odds_with_nothing(alice: Caller) -> None:
    item, other = store(alice, "whales sing"), store(alice, "whales never sing")
    link(alice, item, other, "contradicts")
    change(alice, other, status="archived")
    assert trust_of(alice) == ["unconfirmed"]


def ranked(confidences: list[float]) -> list[Hit]:
    return [Hit(App(), Memory(pk=pk, confidence=value), 1.0 / (1 + pk)) for pk, value in enumerate(confidences)]


def test_three_in_a_row_at_odds_are_all_in_order() -> None:
    hits = ranked([0.3, 0.6, 0.9])
    put_surest_first(hits, [(0, 1), (1, 2)], BAND)
    place = {hit.memory.pk: number for number, hit in enumerate(hits)}
    assert place[1] < place[0]
    assert place[2] < place[1]


def in_place(band: float, *answer: tuple[float, float]) -> list[int]:
    """Pks of hits that are all at odds, told as (score, confidence), in their order after the surer were surfaced."""
    hits = [Hit(App(), Memory(pk=pk, confidence=confidence), score) for pk, (score, confidence) in enumerate(answer)]
    put_surest_first(hits, [(pk, pk + 1) for pk in range(len(hits) - 1)], band)
    return [hit.memory.pk for hit in hits]


def test_what_fits_much_less_stays_behind_however_sure_it_is() -> None:
    assert in_place(1.5, (9.0, 0.3), (7.6, 0.9)) == [1, 0]
    assert in_place(1.5, (9.0, 0.3), (7.4, 0.9)) == [0, 1]
    assert in_place(1.5, (9.0, 0.3), (8.5, 0.5), (7.0, 0.9), (6.5, 1.0)) == [1, 0, 3, 2]
    assert in_place(0.0, (0.0, 0.3), (0.0, 0.9)) == [1, 0]


def test_nobody_overtakes_what_fits_better_by_being_at_odds_with_the_best(alice: Caller) -> None:
    best = store(alice, "The whales sing at night in the northern bay", confidence=0.5)
    store(alice, "The whales of the northern bay sleep at night", confidence=0.5)
    sure = store(alice, "Fish are silent", confidence=0.9)
    link(alice, best, sure, "contradicts")
    question = "when do the whales sing in the northern bay?"
    match = search(alice, question, floor=False)
    assert match.hits[0].formula_score - match.hits[-1].formula_score > BAND
    assert contents(match)[0] == best.content
    assert contents(match)[-1] == sure.content
    assert [hit.trust[0] for hit in match.hits if "conflicting" in hit.trust] == ["conflicting"] * 2


@pytest.mark.parametrize("mode", ["vector", "dual"])
def test_where_scores_are_shares_a_quarter_is_much_less(alice: Caller, mode: str) -> None:
    best, near = store(alice, "whales sing", confidence=0.5), store(alice, "whales sing songs", confidence=0.7)
    far = store(alice, "some of the many whales out there do never ever sing", confidence=0.9)
    link(alice, best, near, "contradicts")
    link(alice, best, far, "contradicts")
    match = search(alice, "whales sing", mode=mode)
    scores = {hit.memory.content: hit.formula_score for hit in match.hits}
    assert scores[far.content] < 0.75 * scores[best.content] < scores[near.content]
    assert contents(match) == [near.content, best.content, far.content]


@settings(max_examples=60)
@given(st.data())
def test_however_many_are_at_odds_the_more_certain_of_each_two_comes_first(data: st.DataObject) -> None:
    confidences = data.draw(st.lists(st.sampled_from([0.3, 0.5, 0.7, 0.9]), min_size=2, max_size=6))
    numbers = st.integers(0, len(confidences) - 1)
    pairs = data.draw(st.lists(st.tuples(numbers, numbers).filter(lambda pair: pair[0] != pair[1]), max_size=8))
    hits = ranked(confidences)
    put_surest_first(hits, pairs, BAND)
    place = {hit.memory.pk: number for number, hit in enumerate(hits)}
    assert sorted(place) == list(range(len(confidences)))
    for item, other in pairs:
        if confidences[item] > confidences[other]:
            assert place[item] < place[other]
    untouched = [pk for pk in place if not any(pk in pair for pair in pairs)]
    assert untouched == sorted(untouched)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)

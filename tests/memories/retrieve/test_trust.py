"""Trust tags of hits, and the surer of two that are at odds in the better place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.models import Memory, Source
from memories.retrieve.hits import Hit
from memories.retrieve.ranking import BAND
from memories.retrieve.trust import surface_the_surer
from memories.store import Candidate
from memsite.tenancy.models import App
from tests.conftest import Caller
from tests.memories.retrieve.asking import agent_of, change, contents, link, search, store

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


def test_of_two_at_odds_the_surer_comes_first(alice: Caller) -> None:
    best, surer = store(alice, "whales sing", confidence=0.5), store(alice, "whales sing no songs", confidence=0.9)
    assert contents(search(alice, "whales sing")) == ["whales sing", "whales sing no songs"]
    link(alice, best, surer, "contradicts")
    found = search(alice, "whales sing")
    assert contents(found) == ["whales sing no songs", "whales sing"]
    assert all("conflicting" in hit.trust for hit in found.hits)


def test_two_that_merely_have_to_do_with_each_other_stay_where_they_are(alice: Caller) -> None:
    best, surer = store(alice, "whales sing", confidence=0.5), store(alice, "whales sing no songs", confidence=0.9)
    link(alice, best, surer, "related")
    assert contents(search(alice, "whales sing")) == ["whales sing", "whales sing no songs"]


def test_what_is_put_away_is_at_odds_with_nothing(alice: Caller) -> None:
    one, other = store(alice, "whales sing"), store(alice, "whales never sing")
    link(alice, one, other, "contradicts")
    change(alice, other, status="archived")
    assert trust_of(alice) == ["unconfirmed"]


def ranked(confidences: list[float]) -> list[Hit]:
    return [Hit(App(), Memory(pk=pk, confidence=value), 1.0 / (1 + pk)) for pk, value in enumerate(confidences)]


def test_three_in_a_row_at_odds_are_all_in_order() -> None:
    hits = ranked([0.3, 0.6, 0.9])
    surface_the_surer(hits, [(0, 1), (1, 2)], BAND)
    place = {hit.memory.pk: number for number, hit in enumerate(hits)}
    assert place[1] < place[0]
    assert place[2] < place[1]


def placed(band: float, *told: tuple[float, float]) -> list[int]:
    """Pks of hits that are all at odds, told as (score, confidence), in their order after the surer were surfaced."""
    hits = [Hit(App(), Memory(pk=pk, confidence=confidence), score) for pk, (score, confidence) in enumerate(told)]
    surface_the_surer(hits, [(pk, pk + 1) for pk in range(len(hits) - 1)], band)
    return [hit.memory.pk for hit in hits]


def test_what_fits_much_less_stays_behind_however_sure_it_is() -> None:
    assert placed(1.5, (9.0, 0.3), (7.6, 0.9)) == [1, 0]
    assert placed(1.5, (9.0, 0.3), (7.4, 0.9)) == [0, 1]
    assert placed(1.5, (9.0, 0.3), (8.5, 0.5), (7.0, 0.9), (6.5, 1.0)) == [1, 0, 3, 2]
    assert placed(0.0, (0.0, 0.3), (0.0, 0.9)) == [1, 0]


def test_nobody_overtakes_what_fits_better_by_being_at_odds_with_the_best(alice: Caller) -> None:
    best = store(alice, "The whales sing at night in the northern bay", confidence=0.5)
    store(alice, "The whales of the northern bay sleep at night", confidence=0.5)
    sure = store(alice, "Fish are silent", confidence=0.9)
    link(alice, best, sure, "contradicts")
    question = "when do the whales sing in the northern bay?"
    found = search(alice, question, floor=False)
    assert found.hits[0].score - found.hits[-1].score > BAND
    assert contents(found)[0] == best.content
    assert contents(found)[-1] == sure.content
    assert [hit.trust[0] for hit in found.hits if "conflicting" in hit.trust] == ["conflicting"] * 2


@pytest.mark.parametrize("mode", ["vector", "dual"])
def test_where_scores_are_shares_a_quarter_is_much_less(alice: Caller, mode: str) -> None:
    best, near = store(alice, "whales sing", confidence=0.5), store(alice, "whales sing songs", confidence=0.7)
    far = store(alice, "some of the many whales out there do never ever sing", confidence=0.9)
    link(alice, best, near, "contradicts")
    link(alice, best, far, "contradicts")
    found = search(alice, "whales sing", mode=mode)
    scores = {hit.memory.content: hit.score for hit in found.hits}
    assert scores[far.content] < 0.75 * scores[best.content] < scores[near.content]
    assert contents(found) == [near.content, best.content, far.content]


@settings(max_examples=60)
@given(st.data())
def test_however_many_are_at_odds_the_surer_of_each_two_comes_first(data: st.DataObject) -> None:
    confidences = data.draw(st.lists(st.sampled_from([0.3, 0.5, 0.7, 0.9]), min_size=2, max_size=6))
    numbers = st.integers(0, len(confidences) - 1)
    pairs = data.draw(st.lists(st.tuples(numbers, numbers).filter(lambda pair: pair[0] != pair[1]), max_size=8))
    hits = ranked(confidences)
    surface_the_surer(hits, pairs, BAND)
    place = {hit.memory.pk: number for number, hit in enumerate(hits)}
    assert sorted(place) == list(range(len(confidences)))
    for one, other in pairs:
        if confidences[one] > confidences[other]:
            assert place[one] < place[other]
    untouched = [pk for pk in place if not any(pk in pair for pair in pairs)]
    assert all(place[pk] == pk for pk in untouched)

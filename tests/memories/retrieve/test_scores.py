"""Scores: from 0 to 1, in the order of the hits, and what lies below the floor below what is shown."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.index.similarity import ExactCosines
from memories.providers.embeddings import Thresholds
from memories.retrieve.calibration import (
    COMPETING,
    Calibration,
    calibration_of,
    calibration_of_all,
    lines,
    together,
)
from memories.retrieve.hits import Recall, put_below_floor
from memories.retrieve.ranking import Evidence, least_relevant
from memories.retrieve.retrievers.fulltext import match_words
from memsite.tenancy.policy import Ranking
from tests.conftest import Caller
from tests.memories.retrieve.asking import contents, link, search, set_policy, store
from tests.memories.retrieve.test_ranking import reading_of
from tests.tables import each_row

MODES = ("auto", "tiered", "dual", "vector", "fulltext", "graph")
TEXTS = (
    "whales sing",
    "whales sing at night",
    "a choir sings",
    "whales swim far",
    "the north has whales",
    "whale song",
)
FORMULA = st.lists(st.floats(-30, 30), min_size=1, max_size=30)


@pytest.fixture
def texts(alice: Caller) -> Caller:
    for number, text in enumerate(TEXTS):
        store(alice, text, tags=["whales"], importance=1 + number % 5, confidence=0.4 + number / 10)
    return alice


def is_falling(result: Recall) -> bool:
    scores = [hit.score for hit in result.hits]
    return all(0 < score < 1 for score in scores) and all(item >= other for item, other in pairwise(scores))


@each_row("mode, ranking", [(mode, ranking) for mode in MODES for ranking in Ranking], rolled_back=True)
def test_scores_fall_in_every_mode_and_ranking(texts: Caller, mode: str, ranking: str) -> None:
    set_policy(texts, ranking=ranking)
    match = search(texts, "do whales sing?", mode=mode, floor=False, limit=50)
    assert match.hits
    assert is_falling(match)


@each_row("ranking", list(Ranking), rolled_back=True)
def test_a_page_has_the_scores_that_the_whole_has(texts: Caller, ranking: str) -> None:
    set_policy(texts, ranking=ranking)
    whole = search(texts, "do whales sing?", limit=50).hits
    pages = [search(texts, "do whales sing?", limit=1, offset=number).hits[0] for number in range(len(whole))]
    assert [hit.score for hit in pages] == [hit.score for hit in whole]


@each_row("ranking", list(Ranking), rolled_back=True)
def test_what_is_below_the_floor_scores_below_what_is_shown(texts: Caller, ranking: str) -> None:
    store(texts, "quarterly tax declaration", importance=5, confidence=1.0)
    set_policy(texts, ranking=ranking)
    displayed = search(texts, "do whales sing?", limit=50).hits
    (below,) = [
        hit for hit in search(texts, "do whales sing?", floor=False, limit=50).hits if "tax" in hit.memory.content
    ]
    assert below.score < displayed[-1].score


@each_row("ranking", list(Ranking), rolled_back=True)
def test_where_nothing_fits_everything_scores_little(texts: Caller, ranking: str) -> None:
    set_policy(texts, ranking=ranking)
    hits = search(texts, "quarterly tax declaration", floor=False).hits
    put_below_floor(hits, [])
    assert hits
    assert all(hit.score <= 0.0501 for hit in hits)


def test_what_is_put_behind_for_its_confidence_says_so(alice: Caller) -> None:
    set_policy(alice, ranking="confidence")
    store(alice, "whales sing by day", confidence=0.4)
    store(alice, "whales sing often at night", confidence=0.9)
    first, second = search(alice, "whales sing").hits
    assert (first.memory.confidence, second.score) == (0.9, first.score)
    assert second.parts["less_confident"] < 0
    assert sum(second.parts.values()) == pytest.approx(second.formula_score)


@each_row("ranking", ["standard", "product", "dual"], rolled_back=True)
def test_what_is_less_sure_than_what_it_contradicts_is_lowered_and_says_so(alice: Caller, ranking: str) -> None:
    set_policy(alice, ranking=ranking)
    best, more_certain = store(alice, "whales sing", confidence=0.5), store(alice, "whales sing tunes", confidence=0.9)
    between = store(alice, "whales sing songs", confidence=0.5)
    link(alice, best, more_certain, "contradicts")
    match = search(alice, "whales sing")
    assert contents(match) == [between.content, more_certain.content, best.content]
    assert is_falling(match)
    lowered = match.hits[-1]
    combined = np.prod if match.combined == "product" else np.sum
    assert "conflicting" in lowered.parts
    assert combined([*lowered.parts.values()]) == pytest.approx(lowered.formula_score)


def test_the_policy_has_a_lowest_score_and_a_request_may_name_another(texts: Caller) -> None:
    whole = search(texts, "do whales sing?").hits
    set_policy(texts, min_score=whole[1].score)
    assert len(search(texts, "do whales sing?").hits) == 2
    assert len(search(texts, "do whales sing?", min_score=0.0).hits) == len(whole)


def test_it_holds_for_a_context_too(texts: Caller) -> None:
    body = {"query": "do whales sing?", "format": "json"}
    best = search(texts, "do whales sing?").hits[0].score
    assert texts.post("context", {**body, "min_score": best}).json()["included"] == 1
    assert texts.post("context", {**body, "min_score": 1}).json()["included"] == 0


@each_row("path", ["memories/search", "context"], rolled_back=True)
@pytest.mark.django_db
def test_a_lowest_score_of_before_is_refused_and_told_why(alice: Caller, path: str) -> None:
    answer = alice.post(path, {"query": "whales", "min_score": 3.5})
    assert answer.status_code == 400
    assert "0 to 1" in answer.content.decode()


@given(FORMULA)
def test_a_score_rises_with_the_formula(formula: list[float]) -> None:
    result = np.sort(np.array(formula))
    for ranking in lines():
        scores = calibration_of(ranking, result).scores(result)
        assert ((scores > 0) & (scores < 1)).all()
        assert (np.diff(scores) >= 0).all()


@given(st.floats(0.001, 0.999))
def test_a_score_is_that_of_its_result(score: float) -> None:
    calibration = Calibration(2.0, -1.0)
    assert calibration.score(calibration.formula(score)) == pytest.approx(score, abs=1e-6)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=COMPETING), st.integers(0, COMPETING))
def test_answers_of_several_apps_are_calibrated_as_one(formula: list[float], cut: int) -> None:
    parts = [np.array(some) for some in (formula[:cut], formula[cut:]) if some]
    whole = calibration_of("standard", np.array(formula))
    merged = calibration_of_all([calibration_of("standard", part) for part in parts])
    assert merged is not None
    assert merged.intercept == pytest.approx(whole.intercept)


def test_answers_of_several_rankings_are_not() -> None:
    formula = np.array([0.5])
    assert calibration_of_all([calibration_of("standard", formula), calibration_of("summaries", formula)]) is None


def test_no_more_compete_than_are_kept_for_the_first_page() -> None:
    formula = np.arange(100.0)
    assert together(formula, 5.0) == together(formula[-COMPETING:], 5.0)
    assert together(np.array([2.0]), 0.5) == 2.0


def least(*cosines: float) -> float:
    """Of MiniLM's, in an app with these."""
    scoped = reading_of(len(cosines))
    thresholds = Thresholds(same=0.85, related=0.45, relevant=0.25)
    values = ExactCosines(np.array(cosines, np.float32))
    words = match_words(scoped, [], [])
    looks = lambda places: np.zeros(places.shape, np.uint16)  # noqa: E731
    return least_relevant(Evidence(scoped, None, values, words, looks, thresholds, scoped.nothing))  # type: ignore[arg-type]


@each_row(
    "cosines, is_lower",
    [
        # "WiFi problem" over a memory of network configuration, alone and among others.
        ((0.187,), True),
        ((0.187, 0.03, -0.02, 0.05), True),
        ((0.187, 0.02, -0.04, 0.05, 0.08, -0.01, 0.03, 0.06, -0.03, 0.04), True),
        # As near as others, or as the best of so many usually is.
        ((0.187, 0.17, 0.15, 0.18), False),
        ((0.187, *[0.1, 0.02, -0.05, 0.15] * 20), False),
        # Too far in any case, and near enough in any case.
        ((0.11,), False),
        ((0.5, 0.02), False),
        # In a large app.
        ((0.187, *[0.0] * 200), False),
    ],
)
def test_in_a_small_app_what_stands_out_is_relevant(cosines: tuple[float, ...], is_lower: bool) -> None:
    assert (least(*cosines) <= 0.187) == is_lower

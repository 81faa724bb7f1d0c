"""What is asked of an app's cosines is the same as if each of them had been worked out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.index import similarity
from memories.index import similarity as cosines_
from memories.index.app_index import IndexView
from memories.index.columns import Codes, Subjects, empty_columns, grow
from memories.index.similarity import Cosines, EstimatedCosines, ExactCosines, Floats, IndexedCosines
from memories.index.vector_store import InProcessStore, Sample
from memories.providers.embeddings import Thresholds
from memories.retrieve import ranking
from memories.retrieve.question import Question
from memories.retrieve.ranking import Evidence, Scale, by_words, candidates, scale_of, subjects_named
from memories.retrieve.retrievers.fulltext import match_words
from memories.retrieve.scoped_view import ScopedView

DIM, ROWS, MOST = 64, 300, 20
seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few are many here."""
    monkeypatch.setattr(similarity, "SIGN_ROWS", 50)
    monkeypatch.setattr(similarity, "SIGN_CANDIDATES", 40)
    monkeypatch.setattr(ranking, "CANDIDATES", MOST)
    monkeypatch.setattr(cosines_, "SIGNS_DRAWN", ROWS)


def view_of(random: np.random.Generator) -> IndexView:
    """Half of it in sessions of some turns."""
    columns = empty_columns(DIM).each(lambda column: grow(column, ROWS))
    vectors = random.standard_normal((ROWS, DIM)) + random.standard_normal(DIM)
    columns.vectors[:] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    columns.signs[:] = similarity.sign_bits(columns.vectors)
    columns.pk[:] = np.arange(1, ROWS + 1)
    in_session = random.random(ROWS) < 0.5
    columns.session[:] = np.where(in_session, random.integers(1, 30, ROWS), -columns.pk)
    columns.turn[:] = random.permutation(ROWS)
    columns.alive[:] = columns.embedded[:] = True
    columns.length[:], columns.words[:] = 80, random.integers(5, 20, ROWS)
    columns.subject[:] = random.integers(0, 3, ROWS)
    return IndexView(columns, Codes(), Subjects())


def question_of(random: np.random.Generator) -> Floats:
    vector = random.standard_normal(DIM).astype(np.float32)
    return vector / np.linalg.norm(vector)


def reading_of(random: np.random.Generator, share: float) -> ScopedView:
    view = view_of(random)
    allowed = random.random(ROWS) < share
    return ScopedView(view, allowed, allowed)


def estimated(scoped: ScopedView, question: Floats) -> EstimatedCosines:
    results = scoped.view.held.measure(question, scoped.rows, scoped.places)
    assert isinstance(results, EstimatedCosines)
    return results


def exactly(scoped: ScopedView, question: Floats) -> Floats:
    return scoped.view.held.of(scoped.rows) @ question


def listed(scoped: ScopedView, question: Floats) -> IndexedCosines:
    """What pgvector's index would list, of two thirds of what may be shown."""
    stored = scoped.view.held
    assert isinstance(stored, InProcessStore)
    exact = stored.columns.vectors[scoped.rows] @ question
    usual = Sample().usual(question, stored.columns, stored.of)
    assert usual
    best = np.sort(similarity.top(exact, 2 * MOST))
    return IndexedCosines(stored.columns.signs, question, scoped.rows, usual, best, exact[best])


def exact_cosines(scoped: ScopedView, question: Floats) -> ExactCosines:
    return ExactCosines(exactly(scoped, question))


def every(cosines: Cosines, scoped: ScopedView) -> Floats:
    return cosines.at(np.arange(scoped.size)).copy()


@given(seeds, st.sampled_from([0.4, 1.0]))
def test_those_of_whom_little_is_told_are_as_if_all_were(seed: int, share: float) -> None:
    random = np.random.default_rng(seed)
    scoped, question = reading_of(random, share), question_of(random)
    cosines = estimated(scoped, question)
    values, exact = every(cosines, scoped), exactly(scoped, question)
    differing = similarity.differences(scoped.view.columns.signs, question, scoped.rows)
    assert values[cosines.foremost] == pytest.approx(exact[cosines.foremost], abs=1e-6)
    others = np.delete(np.arange(scoped.size), cosines.foremost)
    assert differing[others].min() >= differing[cosines.foremost].max()
    assert (np.diff(values[others][np.argsort(differing[others], kind="stable")]) <= 0).all()
    assert cosines.best == values[cosines.foremost].max()
    for least in (-1.0, float(np.median(values)), float(values[cosines.foremost].min()), 1.0):
        assert sorted(cosines.reaching(least, 1)) == np.flatnonzero(values >= np.float32(least)).tolist()


@given(seeds)
def test_a_closer_look_is_exact_and_leaves_all_others_as_they_were(seed: int) -> None:
    random = np.random.default_rng(seed)
    scoped, question = reading_of(random, 0.8), question_of(random)
    cosines = estimated(scoped, question)
    before, usual = every(cosines, scoped), cosines.usual
    looked_at = random.integers(0, scoped.size, (3, 15))
    cosines.look_closer(looked_at)
    values, exact = every(cosines, scoped), exactly(scoped, question)
    assert values[looked_at] == pytest.approx(exact[looked_at], abs=1e-6)
    others = np.setdiff1d(np.arange(scoped.size), looked_at)
    assert (values[others] == before[others]).all()
    assert cosines.usual == usual
    assert sorted(cosines.reaching(0.1, 1)) == np.flatnonzero(values >= np.float32(0.1)).tolist()


@given(seeds, st.sampled_from([estimated, listed, exact_cosines]))
def test_what_is_raised_is_as_near_and_all_others_are_as_they_were(
    seed: int, measured: Callable[[ScopedView, Floats], Cosines]
) -> None:
    random = np.random.default_rng(seed)
    scoped, question = reading_of(random, 0.8), question_of(random)
    cosines = measured(scoped, question)
    places = random.choice(scoped.size, 9, replace=False)
    cosines.look_closer(places)
    before, least = every(cosines, scoped), np.linspace(0.5, 0.9, 9, dtype=np.float32)
    cosines.raise_to(places, least)
    before[places] = np.maximum(before[places], least)
    assert every(cosines, scoped) == pytest.approx(before, abs=1e-6)
    assert set(places[least > 0.8]) <= set(cosines.foremost)


@given(seeds, st.sampled_from([0.4, 1.0]))
def test_what_an_index_has_listed_is_exact_and_nothing_else_is_nearer(seed: int, share: float) -> None:
    random = np.random.default_rng(seed)
    scoped, question = reading_of(random, share), question_of(random)
    cosines = listed(scoped, question)
    values, exact = every(cosines, scoped), exactly(scoped, question)
    some = random.integers(0, scoped.size, (2, 3))
    assert (cosines.at(some) == values[some]).all()
    assert values[cosines.foremost] == pytest.approx(exact[cosines.foremost], abs=1e-6)
    assert values.max() == cosines.best
    assert np.delete(values, cosines.foremost).max() <= values[cosines.foremost].min()
    assert set(cosines.reaching(-1.0, MOST)) == set(cosines.foremost)
    assert cosines.reaching(-1.0, 3 * MOST).tolist() == list(range(scoped.size))
    cosines.look_closer(some)
    assert (every(cosines, scoped) == values).all()


@given(seeds)
def test_a_sample_says_the_mean_and_the_spread_of_all(seed: int) -> None:
    random = np.random.default_rng(seed)
    scoped, question = reading_of(random, 1.0), question_of(random)
    exact = exactly(scoped, question)
    for cosines in (estimated(scoped, question), listed(scoped, question), ExactCosines(exact)):
        assert cosines.usual == pytest.approx((exact.mean(), exact.std()), abs=0.01)


@given(seeds, st.sampled_from([0.4, 1.0]), st.booleans(), st.integers(0, 3), st.sampled_from(["signs", "all", "none"]))
def test_candidates_are_the_best_of_all(seed: int, share: float, named: bool, words: int, how: str) -> None:
    random = np.random.default_rng(seed)
    scoped, vector = reading_of(random, share), question_of(random)
    places = [np.sort(random.permutation(scoped.size)[: random.integers(1, 60)]) for _ in range(words)]
    how_measured: dict[str, Cosines] = {
        "signs": estimated(scoped, vector),
        "all": ExactCosines(exactly(scoped, vector)),
        "none": ExactCosines(np.zeros(scoped.size, np.float32)),
    }
    evidence = Evidence(
        scoped,
        Question("", "", [], [], [1] if named else [], [], wants_time=False, wants_name=False),
        how_measured[how],
        match_words(scoped, [str(number) for number in range(words)], places),
        lambda places: np.zeros(places.shape, np.uint16),
        Thresholds(same=0.9, related=0.5, relevant=0.2, usual=(0.1, 0.1)),
        np.zeros(scoped.size, np.float32),
    )
    scale = scale_of(evidence.cosines, scoped.size, evidence.thresholds.usual)
    rough = roughly_all(evidence, scale)
    results = candidates(evidence, scale)
    assert len(results) == MOST
    assert (np.diff(results) > 0).all()
    assert np.sort(rough[results]) == pytest.approx(np.sort(rough)[-MOST:], abs=1e-4)


def roughly_all(evidence: Evidence, scale: Scale) -> Floats:
    """Of all in order, each worked out; nothing but for those that may be among the best and what is beside them."""
    scoped, words = evidence.scoped, evidence.words
    score = scale(every(evidence.cosines, scoped)) + 4 * words.bm25 / max(words.best, 1e-6)
    score += 0.7 * subjects_named(evidence, scoped.subjects)[0]
    score = score[scoped.order.rows]
    good = np.zeros(scoped.size, bool)
    good[scoped.at_of_place[np.concatenate([evidence.cosines.foremost, by_words(words, scoped.size)])]] = True
    least = np.sort(score[good])[-MOST]
    remaining = good & (score >= (least / 1.8 if least > 0 else least))
    chosen, joined = remaining.copy(), ~scoped.order.begins[1:]
    chosen[1:] |= remaining[:-1] & joined
    chosen[:-1] |= remaining[1:] & joined
    lift = np.where(good | chosen, 0.4 * np.maximum(score, 0), 0)
    shared: Floats = score.copy()
    shared[1:] += lift[:-1] * joined
    shared[:-1] += lift[1:] * joined
    return np.where(chosen, shared, -np.inf)

"""A large app: signs say which memories are likely, and of these the cosines are measured."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from memories.index import similarity
from memories.index.columns import empty_columns, grow
from memories.index.similarity import EstimatedCosines, Floats, difference_counts, scaled
from memories.index.vector_store import MOST, Sample
from memories.retrieve.pipeline import indexes
from tests.conftest import Caller
from tests.memories.retrieve.asking import contents, search

WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "knoll", "lagoon", "meadow"]


@pytest.fixture
def pairs(alice: Caller) -> Caller:
    """One memory of each two words, and one of three of which two are in its question."""
    texts = [f"{item} {other}" for item, other in combinations(WORDS, 2)]
    alice.post("memories/batch", {"memories": [{"content": text} for text in [*texts, "amber birch zenith"]]})
    return alice


def large_from(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(similarity, "SIGN_ROWS", rows)
    monkeypatch.setattr(similarity, "SIGN_CANDIDATES", 10)
    indexes.by_key.clear()


def test_what_signs_say_of_most_does_not_outdo_what_is_measured_of_the_nearest(
    pairs: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = search(pairs, "zenith birch", mode="vector").hits[:1]
    large_from(monkeypatch, 20)
    results = search(pairs, "zenith birch", mode="vector").hits
    assert (
        [hit.memory.content for hit in exact] == [hit.memory.content for hit in results[:1]] == ["amber birch zenith"]
    )
    assert results[0].formula_score == pytest.approx(exact[0].formula_score)


def test_what_words_find_has_its_own_cosine_though_its_signs_are_unlike(
    pairs: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cosines() -> dict[str, float]:
        """What its cosine adds to the score of each hit, by text."""
        hits = search(pairs, "amber quartz", limit=50).hits
        return {hit.memory.content: hit.parts.get("meaning", 0) for hit in hits}

    pairs.remember("amber " + " ".join(["lagoon meadow heath grove"] * 9))
    exact = cosines()
    large_from(monkeypatch, 20)
    monkeypatch.setattr(similarity, "LEAST_CANDIDATES", 1)
    assert len(exact) > 5
    assert max(exact.values()) > 2 * min(exact.values())
    assert cosines() == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize(("size", "likely"), [(5_001, 500), (40_000, 1_000), (160_000, 2_000), (10**6, 3_000)])
def test_a_larger_app_has_more_that_are_likely(size: int, likely: int) -> None:
    assert similarity.likely_among(size) == likely


def test_nothing_fits_in_a_large_app_either(pairs: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert contents(search(pairs, "quantum chromodynamics")) == []
    large_from(monkeypatch, 20)
    assert contents(search(pairs, "quantum chromodynamics")) == []


def estimated(differing: np.ndarray, dim: int, usual: tuple[float, float]) -> Floats:
    return scaled(difference_counts(differing, dim), usual)[differing]


def test_estimates_have_the_mean_and_spread_of_those_that_are_exact() -> None:
    differing = np.random.default_rng(1).integers(3, 9, 1_000).astype(np.uint16)
    results = estimated(differing, 384, (0.2, 0.15))
    assert (results.mean(), results.std()) == pytest.approx((0.2, 0.15), abs=1e-4)
    assert (np.argsort(-results, kind="stable") == np.argsort(differing, kind="stable")).all()


def test_where_all_signs_agree_all_are_usual() -> None:
    differing = np.full(50, 7, np.uint16)
    results = estimated(differing, 384, (0.2, 0.1))
    assert results == pytest.approx(np.full(50, 0.2), abs=1e-6)


def test_without_a_vector_there_is_nothing_usual() -> None:
    columns = empty_columns(64).each(lambda column: grow(column, 30))
    assert Sample().usual(np.ones(64, np.float32), columns, columns.vectors.__getitem__) is None
    differing = np.array([0, 64], np.uint16)
    results = EstimatedCosines(
        differing, difference_counts(differing, 64), None, lambda places: np.zeros(len(places), np.float32)
    )
    assert results.usual == (0, 1)
    assert results.table[[0, 64]].tolist() == [1, -1]


def test_a_sample_is_of_all_however_many_they_are_and_where_nothing_else_came_it_is_not_read_again() -> None:
    columns = empty_columns(2).each(lambda column: grow(column, 5 * MOST))
    columns.embedded[:], columns.alive[:], columns.pk[:] = True, True, 7 + 3 * np.arange(5 * MOST)
    columns.vectors[:, 0] = np.arange(5 * MOST)
    item, requests = Sample(), np.array([1, 0], np.float32)
    drawn = []

    def of(rows: similarity.Rows) -> np.ndarray:
        drawn.append(len(rows))
        return columns.vectors[rows]

    for size in (MOST // 2, 2 * MOST, 3 * MOST, 2 * MOST, 5 * MOST):
        results = item.usual(requests, columns.head(size), of)
        assert results == pytest.approx(usual_to(size), rel=0.01)
        assert results == item.usual(requests, columns.head(size), of)
        assert results == Sample().usual(requests, columns.head(size), columns.vectors.__getitem__)
    # What was in it before is not read again.
    assert drawn[0] == MOST // 2
    assert sum(drawn) <= 3 * MOST
    assert len(item.rows_of(columns)) == pytest.approx(5 / 8 * MOST, rel=0.02)


def test_what_a_sample_is_of_hangs_on_what_lives_alone() -> None:
    columns = empty_columns(2).each(lambda column: grow(column, 3 * MOST))
    columns.embedded[:], columns.alive[:], columns.pk[:] = True, True, 1 + np.arange(3 * MOST)
    columns.vectors[:, 0] = np.random.default_rng(0).normal(size=3 * MOST)
    lived, requests = Sample(), np.array([1, 0], np.float32)
    for size in range(MOST, 3 * MOST, 97):
        lived.usual(requests, columns.head(size), columns.vectors.__getitem__)
        columns.alive[size // 2] = False
    columns.alive[10::2] = False
    left = columns.each(lambda column: column[columns.alive])
    results = lived.usual(requests, columns, columns.vectors.__getitem__)
    assert results == Sample().usual(requests, left, left.vectors.__getitem__)


def usual_to(end: int) -> tuple[float, float]:
    """Mean and spread of the numbers below this one."""
    return end / 2, end / 12**0.5


def test_what_is_usual_is_that_of_the_cosines_of_all_that_were_drawn() -> None:
    random = np.random.default_rng(0)
    columns = empty_columns(16).each(lambda column: grow(column, 300))
    columns.vectors[:] = random.normal(0.1, 0.2, (300, 16))
    columns.embedded[:200], columns.alive[100:] = True, True
    question = random.normal(size=16).astype(np.float32)
    cosines = columns.vectors[100:200] @ question
    results = Sample().usual(question, columns, columns.vectors.__getitem__)
    assert results == pytest.approx((cosines.mean(), cosines.std()), rel=1e-4)


def test_so_many_are_likely_and_at_the_limit_the_later_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "SIGN_CANDIDATES", 10)
    for seed in range(20):
        differing = np.random.default_rng(seed).integers(0, 9, 60).astype(np.uint16)
        results = similarity.closest(differing, difference_counts(differing, 64))
        order = np.lexsort((-np.arange(60), differing))
        assert results.tolist() == sorted(order[:10])


def test_where_there_are_fewer_all_are_likely() -> None:
    differing = np.array([5, 0, 64], np.uint16)
    assert similarity.closest(differing, difference_counts(differing, 64)).tolist() == [0, 1, 2]


def test_signs_are_compared_in_blocks_and_the_last_is_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "SIGNS_AT_ONCE", 8)
    random = np.random.default_rng(3)
    vectors = random.standard_normal((20, 300)).astype(np.float32)
    query = random.standard_normal(300).astype(np.float32)
    results = similarity.hamming(similarity.sign_bits(vectors), similarity.signs_of(query))
    assert results.tolist() == np.count_nonzero((vectors > 0) != (query > 0), axis=1).tolist()

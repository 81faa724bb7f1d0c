import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.index import similarity as module
from memories.index.similarity import highest, nearest, sign_bits


def unit_vectors(count: int, dim: int = 64, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(count=st.integers(1, 200), depth=st.integers(1, 50), seed=st.integers(0, 9))
def test_it_finds_what_sorting_everything_finds(count: int, depth: int, seed: int) -> None:
    vectors = unit_vectors(count, seed=seed)
    query = unit_vectors(1, seed=seed + 100)[0]
    rows, scores = nearest(vectors, sign_bits(vectors), query, np.arange(count), depth)
    assert list(rows) == list(np.argsort(-(vectors @ query), kind="stable")[:depth])
    assert np.allclose(scores, (vectors @ query)[rows], atol=1e-6)


@given(
    count=st.integers(0, 3_000), depth=st.integers(1, 60), seed=st.integers(0, 9), steps=st.sampled_from([2, 7, 10**6])
)
def test_the_highest_are_those_of_everything_sorted(count: int, depth: int, seed: int, steps: int) -> None:
    """Also where many are alike, and where there are blocks enough to leave most out."""
    scores = np.random.default_rng(seed).integers(0, steps, count).astype(np.float32)
    results = highest(scores, depth)
    assert len(set(results.tolist())) == len(results) == min(depth, count)
    assert sorted(scores[results]) == sorted(np.sort(scores)[::-1][:depth])


def test_only_the_given_rows_are_looked_at() -> None:
    vectors = unit_vectors(100)
    some = np.array([3, 50, 51])
    rows, _ = nearest(vectors, sign_bits(vectors), vectors[7], some, 10)
    assert set(rows) == {3, 50, 51}


def test_no_rows_give_nothing() -> None:
    vectors = unit_vectors(10)
    rows, scores = nearest(vectors, sign_bits(vectors), vectors[0], np.array([], dtype=np.intp), 5)
    assert len(rows) == len(scores) == 0


@pytest.mark.parametrize("share", [1.0, 0.1])
def test_sign_bits_first_lose_almost_nothing(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    monkeypatch.setattr(module, "SIGN_ROWS", 500)
    monkeypatch.setattr(module, "SIGN_CANDIDATES", 1000)
    # Neighbours around centres, as texts have them; evenly spread noise has none.
    centres = unit_vectors(40, dim=384)
    vectors = centres.repeat(250, axis=0) + 0.06 * np.random.default_rng(1).normal(size=(10_000, 384))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    rows = np.flatnonzero(np.random.default_rng(2).random(10_000) < share)
    results = 0
    for query in vectors[::500]:
        exact = rows[np.argsort(-(vectors[rows] @ query), kind="stable")[:10]]
        results += len(set(exact) & set(nearest(vectors, sign_bits(vectors), query, rows, 10)[0]))
    assert results / (10 * 20) >= 0.99


def test_a_dimension_that_is_no_multiple_of_64_has_sign_bits_too() -> None:
    assert sign_bits(unit_vectors(3, dim=100)).shape == (3, 2)

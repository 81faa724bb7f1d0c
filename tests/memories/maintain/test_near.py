"""Vectors that are near each other, in pieces; and groups of them."""

from __future__ import annotations

import numpy as np
import pytest

from bench.synthetic import unit_vectors
from memories.index.columns import empty_columns, grow
from memories.index.vector_store import InProcessStore, Sample
from memories.maintain import near
from memories.maintain.clusters import clusters_of
from memories.maintain.near import near_pairs

FLOOR = 0.6


@pytest.fixture
def vectors():
    return unit_vectors(700, 1, 16, seed=4)[0]


def held(vectors):
    columns = empty_columns(vectors.shape[1]).each(lambda column: grow(column, len(vectors)))
    columns.vectors[:] = vectors
    return InProcessStore(columns, Sample())


def brute_force(vectors, rows, most):
    cosines = vectors[rows] @ vectors[rows].T
    pairs = []
    for place in range(len(rows)):
        behind = [other for other in range(place + 1, len(rows)) if cosines[place, other] >= FLOOR]
        pairs += [(place, other) for other in sorted(behind, key=lambda other: -cosines[place, other])[:most]]
    return pairs


@pytest.mark.parametrize("tile", [64, 8192])
@pytest.mark.parametrize("most", [3, 10_000])
def test_the_nearest_behind_each_whatever_the_pieces(vectors, monkeypatch, tile, most):
    monkeypatch.setattr(near, "TILE", tile)
    rows = np.random.default_rng(1).permutation(700)[:400]
    expected = brute_force(vectors, rows, most)
    assert len(expected) > 500
    for step in (7, 150, 400):
        found = [
            pair
            for first in range(0, len(rows), step)
            for pair in near_pairs(held(vectors), rows, first, min(first + step, len(rows)), FLOOR, most)
        ]
        assert [(place, other) for place, other, _ in found] == expected
        assert min(cosine for *_, cosine in found) >= FLOOR


def test_of_what_is_new_only(vectors):
    rows = np.arange(700)
    found = {place for place, *_ in near_pairs(held(vectors), rows, 10, 20, FLOOR, 5)}
    assert found <= set(range(10, 20))


def test_nothing_is_near_nothing(vectors):
    assert list(near_pairs(held(vectors), np.arange(1), 0, 1, FLOOR, 5)) == []
    assert list(near_pairs(held(np.zeros((3, 16), np.float32)), np.arange(3), 0, 3, FLOOR, 5)) == []


def at_degrees(*degrees):
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_clusters_are_what_is_near_their_middle():
    """Cosine 0.9 is 26 degrees: 40 and 80 are near 60, and not near each other."""
    assert clusters_of(at_degrees(80, 60, 40, 200, 210, 0), 0.9, 3, 9) == [[0, 1, 2]]
    assert clusters_of(at_degrees(80, 60, 40, 200, 210, 205), 0.9, 3, 9) == [[0, 1, 2], [3, 4, 5]]
    assert clusters_of(at_degrees(80, 60), 0.9, 3, 9) == []


def test_the_nearest_are_taken_where_there_are_too_many():
    assert clusters_of(at_degrees(30, 20, 10, 9, 0), 0.9, 3, 3) == [[0, 1, 2]]


def test_none_is_in_two_clusters_and_none_without_words_in_one():
    vectors = np.concatenate([unit_vectors(900, 1, 16, seed=2)[0], np.zeros((5, 16), np.float32)])
    found = clusters_of(vectors, 0.8, 3, 40)
    members = [place for cluster in found for place in cluster]
    assert len(found) > 5
    assert len(members) == len(set(members))
    assert max(members) < 900
    assert {len(cluster) for cluster in found} <= set(range(3, 41))
    assert found == clusters_of(vectors, 0.8, 3, 40)


def test_clusters_of_nothing():
    assert clusters_of(np.zeros((0, 16), np.float32), 0.5, 3, 40) == []

"""Compute cosines: exact below `SIGN_ROWS`, and above it estimated by sign bits, then exact for what may matter."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memories.providers.embeddings import Vectors

SIGN_ROWS = 5_000
# So many times the root of all are likely, within these bounds.
CANDIDATES_OF_ROOT, LEAST_CANDIDATES, SIGN_CANDIDATES = 5, 500, 3_000
# Below this share of rows it pays to gather them; above it, to score all and pick.
GATHER_BELOW = 0.25
# Rows that are gathered at a time: they stay in the processor's cache, which saves a third.
GATHER_ROWS = 256
# Scores that are looked at together for the best of them, at most, and so many times as many such blocks as are wanted.
BLOCK, BLOCKS = 32, 3
# So many words of 64 bits differ in a number of bits that a byte holds.
WORDS_OF_A_BYTE = 3
# Rows whose signs are compared at a time: of a million, it takes a third less than all at once.
SIGNS_AT_ONCE = 2**16
# How many are counted at least to know how many signs differ in all, and every how manieth: primes, so that nothing
# that comes in turns falls in step.
DRAWN, DRAWN_STEPS = 2**14, (1, 7, 61, 509)
# A smaller spread of what signs tell is none: all differ in the same number of them.
LEAST_SPREAD = 1e-6

Rows = NDArray[np.intp]
Floats = NDArray[np.float32]
Counts = NDArray[np.intp]
# How many signs differ in a sample of so many, is as in all.
SIGNS_DRAWN = 2_000
Measure = Callable[[Rows], Floats]
"""The exact cosines at some places, in any order."""
Signs = NDArray[np.uint64]


def sign_bits(vectors: Vectors) -> NDArray[np.uint64]:
    """Return one bit per dimension, shape (n, ceil(dim / 64)), in column order.

    Their Hamming distance follows the angle.
    """
    words = -(-vectors.shape[1] // 64)
    packed = np.zeros((len(vectors), 8 * words), np.uint8)
    packed[:, : -(-vectors.shape[1] // 8)] = np.packbits(vectors > 0, axis=1)
    return np.asfortranarray(packed.view(np.uint64))


def take_rows(values: NDArray[Any], rows: Rows) -> NDArray[Any]:
    """Return the values of some rows, which rise. Nothing is copied where these are all."""
    return values if len(rows) == len(values) else values[rows]


def cosines(vectors: Vectors, query: Vectors, rows: Rows) -> NDArray[np.float32]:
    """Return the cosines of some rows, which rise."""
    if len(rows) > GATHER_BELOW * len(vectors):
        return take_rows(np.vecdot(vectors, query), rows)
    return gathered_cosines(vectors, query, rows)


def gathered_cosines(vectors: Vectors, query: Vectors, rows: Rows) -> NDArray[np.float32]:
    products = np.empty(len(rows), np.float32)
    buffer = np.empty((min(GATHER_ROWS, len(rows)), vectors.shape[1]), np.float32)
    for start in range(0, len(rows), GATHER_ROWS):
        some = rows[start : start + GATHER_ROWS]
        # Rows are valid: "raise" would copy all of them once more to check it.
        block = vectors.take(some, axis=0, out=buffer[: len(some)], mode="clip")
        np.vecdot(block, query, out=products[start : start + len(some)])
    return products


def nearest(
    vectors: Vectors, signs: NDArray[np.uint64], query: Vectors, rows: Rows, depth: int
) -> tuple[Rows, NDArray[np.float32]]:
    """Return the `depth` rows of `rows` with the highest cosine, best first, and their cosines."""
    if len(rows) > SIGN_ROWS:
        rows = likely(signs, query, rows)
    scores = cosines(vectors, query, rows)
    best = top(scores, depth)
    return rows[best], scores[best]


def likely(signs: NDArray[np.uint64], query: Vectors, rows: Rows) -> Rows:
    """Return the rows whose signs agree best with the query's."""
    differing = differences(signs, query, rows)
    return rows[closest(differing, difference_counts(differing, len(query)))]


def differences(signs: NDArray[np.uint64], query: Vectors, rows: Rows) -> NDArray[np.uint16]:
    """Return in how many signs each of some rows, which rise, differs from the query."""
    if len(rows) > GATHER_BELOW * len(signs):
        return take_rows(hamming(signs, signs_of(query)), rows)
    return disagreeing(signs, query, rows)


def disagreeing(signs: NDArray[np.uint64], query: Vectors, rows: Rows) -> NDArray[np.uint16]:
    """Return the same of a few rows, in any order and shape."""
    return hamming(signs[rows.ravel()], signs_of(query)).reshape(rows.shape)


def signs_of(query: Vectors) -> NDArray[np.uint64]:
    """Return the signs of one vector as `sign_bits` has them: in half of the time, where they fill whole words."""
    packed = np.packbits(query > 0)
    signs: NDArray[np.uint64] = sign_bits(query[None])[0] if len(packed) % 8 else packed.view(np.uint64)
    return signs


@cache
def estimates(dim: int) -> NDArray[np.float64]:
    """Return the cosine of vectors that differ in 0, 1, … signs: at angle a they differ in about a / π of them."""
    cosines: NDArray[np.float64] = np.cos(math.pi * np.arange(dim + 1) / dim)
    return cosines


def difference_counts(differing: NDArray[np.uint16], dim: int) -> Counts:
    """Return how many rows differ in 0, 1, … signs; of very many rows, how many of a sample."""
    step = next(step for step in (*DRAWN_STEPS, len(differing)) if len(differing) <= DRAWN * step)
    return np.bincount(differing[::step], minlength=dim + 1)


def moments(counts: Counts, cosines: NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and spread of what is told, where so many differ in 0, 1, … signs."""
    shares = counts / max(1, int(counts.sum()))
    mean = float(shares @ cosines)
    return mean, math.sqrt(max(0.0, float(shares @ np.square(cosines)) - mean**2))


def scaled(counts: Counts, usual: tuple[float, float]) -> Floats:
    """Return estimates, shape (dim + 1,), with the mean and the spread of the `usual` exact cosines.

    `counts` says how many differ in 0, 1, … signs.

    Signs alone spread real vectors too far, and of sparse ones, which share the sign of what is not there, they find
    all alike: beside exact cosines they would count for more than these.
    """
    cosines = estimates(len(counts) - 1)
    mean, spread = moments(counts, cosines)
    factor = usual[1] / max(spread, LEAST_SPREAD)
    return (cosines * factor + (usual[0] - mean * factor)).astype(np.float32)


def closest(differing: NDArray[np.uint16], counts: Counts) -> Rows:
    """Places of the likely ones, which differ least, in order; of those at the limit, the later ones.

    `counts` may be of a sample: then they are about as many as are wanted. Counting is 3 times as fast as partitioning.
    """
    wanted = likely_among(len(differing))
    share = int(counts.sum()) / max(1, len(differing))
    # A number of numpy's own would make one of its kind of each.
    limit = int(counts.cumsum().searchsorted(wanted * share))
    places = np.flatnonzero(differing <= limit)
    if len(places) > wanted:
        is_likely = np.ones(len(places), bool)
        is_likely[np.flatnonzero(differing[places] == limit)[: len(places) - wanted]] = False
        places = places[is_likely]
    return places


def likely_among(size: int) -> int:
    """Return how many of so many rows are measured exactly."""
    return min(SIGN_CANDIDATES, max(LEAST_CANDIDATES, int(CANDIDATES_OF_ROOT * math.sqrt(size))))


def hamming(signs: NDArray[np.uint64], query: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Return the differing bits per row. Word by word: rows stay in cache and no (n, words) array is made twice."""
    distances = np.zeros(len(signs), np.uint16)
    for first in range(0, len(signs), SIGNS_AT_ONCE):
        block, block_distances = signs[first : first + SIGNS_AT_ONCE], distances[first : first + SIGNS_AT_ONCE]
        for start in range(0, signs.shape[1], WORDS_OF_A_BYTE):
            some = range(start, min(start + WORDS_OF_A_BYTE, signs.shape[1]))
            counts = np.bitwise_count(block[:, start] ^ query[start])
            for word in some[1:]:
                counts += np.bitwise_count(block[:, word] ^ query[word])
            block_distances += counts
    return distances


def top(scores: NDArray[np.float32], depth: int) -> Rows:
    """Return the indices of the `depth` highest scores, best first; ties by position."""
    some = highest(scores, depth)
    return some[np.lexsort((some, -scores[some]))]


def highest(scores: NDArray[np.float32], depth: int) -> Rows:
    """Return indices of the `depth` highest, in no order; of those at the limit, some.

    So many blocks have one that reaches the limit of the blocks' best: of all others none is among them. A block is
    every so manieth score: so the best of all blocks are found side by side.
    """
    block = min(BLOCK, len(scores) // max(1, BLOCKS * depth))
    if block < 2:
        return some_highest(scores, depth)
    blocks = len(scores) // block
    best = scores[: blocks * block].reshape(block, blocks).max(axis=0)
    places = np.flatnonzero(scores >= np.partition(best, -depth)[-depth])
    return places[some_highest(scores[places], depth)]


def some_highest(scores: NDArray[np.float32], depth: int) -> Rows:
    places = np.flatnonzero(scores >= lowest_of_highest(scores, depth))
    # Many at the limit are alike: finding it and then what reaches it takes half of what parting them off takes.
    return places if len(places) <= depth else np.argpartition(-scores, depth - 1)[:depth]


def lowest_of_highest(scores: NDArray[np.float32], depth: int) -> float:
    """Return the lowest of the `depth` highest scores."""
    if len(scores) <= depth:
        return -math.inf
    # From the front: among many that are alike, numpy takes ten times as long to part off the last ones.
    return -float(np.partition(-scores, depth - 1)[depth - 1])


def distinct_rows(rows: Rows, others: Rows) -> Rows:
    """Return all of these once, rising."""
    rising = np.sort(np.concatenate([rows, others]))
    once: Rows = rising[np.append(True, rising[1:] != rising[:-1])]
    return once


class Cosines(Protocol):
    """Give the cosines of a question at all places of a scoped view."""

    @property
    def usual(self) -> tuple[float, float]:
        """Return their mean and spread, as they were before any was looked at more closely."""

    @property
    def best(self) -> float:
        """Return the highest that is exact; -1 if there is none."""

    @property
    def foremost(self) -> Rows:
        """Return the places of the highest: all that may matter by their cosine alone."""

    def at(self, places: Rows) -> Floats:
        """Return the cosines at some places, of whatever shape."""

    def reaching(self, least: float, most: int) -> Rows:
        """Return the places of those that are not less; where these are costly to find, of the `most` highest."""

    def look_closer(self, places: Rows) -> None:
        """Make these exact from now on, if that costs little."""

    def raise_to(self, places: Rows, least: Floats) -> None:
        """Count each of these places, which are distinct, as no less near than this."""


class ExactCosines:
    """Hold exact cosines at all places."""

    def __init__(self, values: Floats) -> None:
        self.values = values

    @property
    def usual(self) -> tuple[float, float]:
        return float(self.values.mean(dtype=np.float64)), float(self.values.std(dtype=np.float64))

    @property
    def best(self) -> float:
        return float(self.values.max(initial=-1))

    @property
    def foremost(self) -> Rows:
        return np.arange(len(self.values))

    def at(self, places: Rows) -> Floats:
        return self.values[places]

    def reaching(self, least: float, most: int) -> Rows:
        return np.flatnonzero(self.values >= least)

    def look_closer(self, places: Rows) -> None:
        """Do nothing: all are exact."""

    def raise_to(self, places: Rows, least: Floats) -> None:
        self.values[places] = np.maximum(self.values[places], least)


class NoCosines(ExactCosines):
    """Stand for unknown cosines: all are 0, and none is preferred."""

    def __init__(self, size: int) -> None:
        super().__init__(np.zeros(size, np.float32))

    @property
    def foremost(self) -> Rows:
        return np.arange(0)


class EstimatedCosines:
    """Told by signs, and exact for those whose signs agree best.

    `codes` are in how many signs each differs; from the number of dimensions on, which of the exact ones it is. The
    `table` has the cosine of each code: the whole is two bytes a place, and most are never looked at.
    """

    def __init__(
        self,
        differing: NDArray[np.uint16],
        counts: Counts,
        usual: tuple[float, float] | None,
        measure: Measure,
        *,
        closer: bool = True,
    ) -> None:
        """Choose the places to look at.

        `counts` are how many differ in so many signs, of all or of a sample; the `usual` mean and spread are
        exact, if they are known. The likely ones are measured; others when they are looked at `closer`, if that
        costs little.
        """
        self.usual = usual or moments(counts, estimates(len(counts) - 1))
        self.codes, self.table, self.signs = differing, scaled(counts, self.usual), len(counts)
        self.measure, self.closer = measure, closer
        self.foremost = closest(differing, counts)
        self.put(self.foremost)

    def put(self, places: Rows, cosines: Floats | None = None) -> None:
        known = len(self.table)
        self.codes[places] = np.arange(known, known + len(places), dtype=np.uint16)
        self.table = np.concatenate([self.table, self.measure(places) if cosines is None else cosines])

    @property
    def best(self) -> float:
        return float(self.table[self.signs :].max(initial=-1))

    def at(self, places: Rows) -> Floats:
        # The same as an index, without looking at each whether it is within bounds: half of the time.
        return self.table.take(self.codes.take(places, mode="clip"), mode="clip")

    def reaching(self, least: float, most: int) -> Rows:
        # The more signs differ, the less is told.
        limit = int(np.count_nonzero(self.table[: self.signs] >= least))
        exact = np.flatnonzero(self.codes >= self.signs)
        return np.concatenate([np.flatnonzero(self.codes < limit), exact[self.at(exact) >= least]])

    def look_closer(self, places: Rows) -> None:
        if self.closer:
            self.put(places[self.codes.take(places, mode="clip") < self.signs])

    def raise_to(self, places: Rows, least: Floats) -> None:
        self.look_closer(places)
        nearer = least > self.at(places)
        self.put(places[nearer], least[nearer])
        self.foremost = distinct_rows(self.foremost, places[nearer])


class IndexedCosines:
    """The nearest of an app, as an index has listed them; of the others what their signs say, when it is asked.

    None of the others is nearer than the last of these, whatever its signs say.
    """

    def __init__(
        self, signs: Signs, query: Vectors, rows: Rows, usual: tuple[float, float], foremost: Rows, exact: Floats
    ) -> None:
        """Hold exact cosines of some rows, and estimates of the others.

        `foremost` are places among `rows`, both of which rise, `exact` their cosines, the `usual` mean and
        spread those of all.
        """
        self.signs, self.query, self.rows, self.usual = signs, query, rows, usual
        self.foremost, self.exact = foremost, exact
        drawn = disagreeing(signs, query, rows[:: len(rows) // SIGNS_DRAWN + 1])
        self.table = np.minimum(scaled(difference_counts(drawn, len(query)), usual), exact.min())

    @property
    def best(self) -> float:
        return float(self.exact.max())

    @cached_property
    def every(self) -> Floats:
        cosines: Floats = self.table[differences(self.signs, self.query, self.rows)]
        cosines[self.foremost] = self.exact
        return cosines

    def at(self, places: Rows) -> Floats:
        if places.size > GATHER_BELOW * len(self.rows):
            return self.every[places]
        cosines: Floats = self.table[disagreeing(self.signs, self.query, self.rows[places])]
        listed = np.minimum(np.searchsorted(self.foremost, places), len(self.foremost) - 1)
        is_listed = self.foremost[listed] == places
        cosines[is_listed] = self.exact[listed[is_listed]]
        return cosines

    def reaching(self, least: float, most: int) -> Rows:
        if len(self.foremost) >= most:
            return self.foremost[self.exact >= least]
        return np.flatnonzero(self.every >= least)

    def look_closer(self, places: Rows) -> None:
        """Do nothing: the database would have to be asked once more."""

    def raise_to(self, places: Rows, least: Floats) -> None:
        # What is less near than the last of these is not among them.
        nearer = least > np.maximum(self.at(places), self.exact.min())
        foremost = distinct_rows(self.foremost, places[nearer])
        exact = np.zeros(len(foremost), np.float32)
        exact[np.searchsorted(foremost, self.foremost)] = self.exact
        exact[np.searchsorted(foremost, places[nearer])] = least[nearer]
        self.foremost, self.exact = foremost, exact
        vars(self).pop("every", None)

"""Serve an app's vectors by rows of its index, and the sample that tells how near a question usually is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memories.index import similarity as near
from memories.index.columns import Columns
from memories.index.similarity import Cosines, Estimated, Floats, Measured, Rows
from memories.providers.embeddings import Vectors
from memsite.db.lru_cache import Latest

MOST = 1_000
"""About as many are drawn at most, and half of that at least, where there are more: with so many, a spread is told to
3 %."""
QUESTIONS_KEPT = 1024
SO_MANY_TIMES, MORE_BY_CHANCE = 2, 5
"""Of a sample, so many more than expected are nearer than what should be the nearest by no chance: five spreads."""
# The numbers of an app rise by steps, and multiples of the golden ratio are spread evenly whatever the step is.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
HASH_BITS = 32


@dataclass(frozen=True, slots=True)
class Chosen:
    """Of the first `seen` rows of an index those that this share of all falls on, whether they live or not."""

    share: float
    seen: int
    rows: Rows

    def continued(self, columns: Columns) -> Chosen:
        """With the rows that the columns have more."""
        size = len(columns.pk)
        if size <= self.seen:
            return self
        new = self.seen + np.flatnonzero(falls_on(columns.pk[self.seen :], self.share))
        return Chosen(self.share, size, np.concatenate([self.rows, new]))


@dataclass(frozen=True, slots=True)
class Drawn:
    """The vectors of some rows. What they say to the last questions is kept: to read them all for each would push as
    much else out of the processor's cache.
    """

    rows: Rows
    vectors: Vectors
    told: Latest[tuple[float, float]] = field(default_factory=lambda: Latest(QUESTIONS_KEPT))

    def cosines(self, query: Vectors) -> Floats:
        found: Floats = np.vecdot(self.vectors, query)
        return found

    def usual(self, query: Vectors) -> tuple[float, float]:
        """Mean and spread of a question's cosines."""
        key = query.tobytes()
        usual = self.told.get(key)
        if usual is None:
            cosines = self.cosines(query)
            usual = float(cosines.mean(dtype=np.float64)), float(cosines.std(dtype=np.float64))
            self.told.put(key, usual)
        return usual


class Sample:
    """For all views of an index, until its rows are others.

    A memory is in it by its number alone. So it is the same in each process and on each database, however long ago an
    index was read: what an answer is would hang on that otherwise.
    """

    def __init__(self) -> None:
        self.chosen = Chosen(1.0, 0, np.zeros(0, np.intp))
        self.drawn: Drawn | None = None

    def usual(self, query: Vectors, columns: Columns, of: Callable[[Rows], Vectors]) -> tuple[float, float] | None:
        """Mean and spread of the question's cosines with the sample; None if there is no vector at all.

        `of`, here and below, answers the vectors of some rows.
        """
        drawn = self.drawn_from(columns, of)
        return drawn.usual(query) if drawn else None

    def is_likely(
        self, query: Vectors, columns: Columns, of: Callable[[Rows], Vectors], rows: Rows, count: int, least: float
    ) -> bool:  # fmt: skip
        """Whether there are about so many of these rows, which rise, that are nearer to the question than `least`, and
        not far more. An index that leads from neighbour to neighbour may end among the wrong ones.
        """
        drawn = self.drawn_from(columns, of)
        if drawn is None:
            return True
        at = np.minimum(np.searchsorted(rows, drawn.rows), len(rows) - 1)
        nearer = drawn.cosines(query)[rows[at] == drawn.rows] > least
        return int(nearer.sum()) <= MORE_BY_CHANCE + SO_MANY_TIMES * len(nearer) * count / len(rows)

    def drawn_from(self, columns: Columns, of: Callable[[Rows], Vectors]) -> Drawn | None:
        rows, drawn = self.rows_of(columns), self.drawn
        if not len(rows):
            return None
        # Two threads that draw it at the same time draw the same.
        if drawn is None or not np.array_equal(drawn.rows, rows):
            self.drawn = drawn = drawn_again(drawn, rows, of) if drawn else Drawn(rows, of(rows))
        return drawn

    def rows_of(self, columns: Columns) -> Rows:
        """Where in the columns it is. Only rows that came since are looked at, while about as many are alive."""
        share, chosen = share_of(int(np.count_nonzero(columns.alive))), self.chosen
        if chosen.share != share:
            chosen = Chosen(share, 0, np.zeros(0, np.intp))
        self.chosen = chosen = chosen.continued(columns)
        # An earlier view has fewer.
        rows = chosen.rows[: int(np.searchsorted(chosen.rows, len(columns.pk)))]
        there: Rows = rows[columns.alive[rows] & columns.embedded[rows]]
        return there


def drawn_again(before: Drawn, rows: Rows, of: Callable[[Rows], Vectors]) -> Drawn:
    """With those that came and without those that went: only the former are read."""
    is_known, is_left = np.isin(rows, before.rows), np.isin(before.rows, rows)
    vectors = np.empty((len(rows), before.vectors.shape[1]), np.float32)
    vectors[is_known] = before.vectors[is_left]
    vectors[~is_known] = of(rows[~is_known])
    return Drawn(rows, vectors)


def share_of(size: int) -> float:
    """Half as large whenever there are twice as many."""
    return 0.5 ** max(0, math.ceil(math.log2(max(1, size) / MOST)))


def falls_on(pks: NDArray[np.int64], share: float) -> NDArray[np.bool_]:
    hashed: NDArray[np.uint64] = (pks.astype(np.uint64) * GOLDEN) >> np.uint64(64 - HASH_BITS)
    return hashed < np.uint64(share * 2**HASH_BITS)


Places = Callable[[NDArray[Any]], Rows]
"""Where in a reading some memories are, by their pks; those that are not are left out."""


class VectorStore(Protocol):
    """The vectors of one view, of `dim` numbers each."""

    dim: int

    def measure(self, query: Vectors, rows: Rows, places: Places) -> Cosines:
        """Of these rows, which rise, and are what is at all `places`."""

    def nearest(self, query: Vectors, rows: Rows, depth: int) -> tuple[Rows, Floats]:
        """The `depth` of these rows with the highest cosine, best first, and their cosines."""

    def of(self, rows: Rows) -> Vectors:
        """Shape (len(rows), dim)."""

    def worth_comparing(self, asked: Rows, rows: Rows, floor: float) -> Rows:
        """Places in `rows` of what may reach that cosine with one of those asked."""


class InProcessStore:
    """In the columns themselves. Of a large app, signs say which are the likely ones."""

    def __init__(self, columns: Columns, sample: Sample) -> None:
        self.columns, self.sample, self.dim = columns, sample, columns.vectors.shape[1]

    def measure(self, query: Vectors, rows: Rows, places: Places) -> Cosines:
        columns = self.columns
        if len(rows) <= near.SIGN_ROWS:
            return Measured(near.cosines(columns.vectors, query, rows))

        def measured(some: Rows) -> Floats:
            return near.gathered(columns.vectors, query, rows[some])

        differing = near.differences(columns.signs, query, rows)
        counts = near.counted(differing, len(query))
        return Estimated(differing, counts, self.drawn.usual(query) if self.drawn else None, measured)

    @cached_property
    def drawn(self) -> Drawn | None:
        """The sample of these columns, looked for once: it takes longer than what it says to a question."""
        return self.sample.drawn_from(self.columns, self.of)

    def nearest(self, query: Vectors, rows: Rows, depth: int) -> tuple[Rows, Floats]:
        return near.nearest(self.columns.vectors, self.columns.signs, query, rows, depth)

    def of(self, rows: Rows) -> Vectors:
        return self.columns.vectors[rows]

    def worth_comparing(self, asked: Rows, rows: Rows, floor: float) -> Rows:
        """All: they are at hand."""
        return np.arange(len(rows))

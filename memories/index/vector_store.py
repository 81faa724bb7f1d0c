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
from memories.index.similarity import Cosines, EstimatedCosines, ExactCosines, Floats, Rows
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
Places = Callable[[NDArray[Any]], Rows]
"""Return the places in a scoped view of some memories, by their pks, without those that are not in view."""


@dataclass(frozen=True, slots=True)
class SampledRows:
    """Hold, of the first `seen` rows of an index, those in a sample of this share, whether they live or not."""

    share: float
    seen: int
    rows: Rows

    def continued(self, columns: Columns) -> SampledRows:
        """Return it continued with the rows that the columns have more."""
        size = len(columns.pk)
        if size <= self.seen:
            return self
        hashed: NDArray[np.uint64] = (columns.pk[self.seen :].astype(np.uint64) * GOLDEN) >> np.uint64(64 - HASH_BITS)
        new = self.seen + np.flatnonzero(hashed < np.uint64(self.share * 2**HASH_BITS))
        return SampledRows(self.share, size, np.concatenate([self.rows, new]))


@dataclass(frozen=True, slots=True)
class SampledVectors:
    """Hold the vectors of some rows, and cache their mean and spread for the last questions.

    Reading them all for each question would push as much else out of the processor's cache.
    """

    rows: Rows
    vectors: Vectors
    usual_by_question: Latest[tuple[float, float]] = field(default_factory=lambda: Latest(QUESTIONS_KEPT))

    def cosines(self, query: Vectors) -> Floats:
        values: Floats = np.vecdot(self.vectors, query)
        return values

    def usual(self, query: Vectors) -> tuple[float, float]:
        """Return mean and spread of a question's cosines."""
        key = query.tobytes()
        usual = self.usual_by_question.get(key)
        if usual is None:
            cosines = self.cosines(query)
            usual = float(cosines.mean(dtype=np.float64)), float(cosines.std(dtype=np.float64))
            self.usual_by_question.put(key, usual)
        return usual


class Sample:
    """Hold a sample of an index's vectors for all its views, until its rows change.

    A memory is sampled by its pk alone. So the sample is the same in each process and on each database, however long
    ago an index was read: what an answer is would depend on that otherwise.
    """

    def __init__(self) -> None:
        self.chosen = SampledRows(1.0, 0, np.zeros(0, np.intp))
        self.drawn: SampledVectors | None = None

    def usual(self, query: Vectors, columns: Columns, of: Callable[[Rows], Vectors]) -> tuple[float, float] | None:
        """Return mean and spread of the question's cosines with the sample; None if there is no vector at all.

        `of`, here and below, returns the vectors of some rows.
        """
        drawn = self.drawn_from(columns, of)
        return drawn.usual(query) if drawn else None

    def is_likely(
        self, query: Vectors, columns: Columns, of: Callable[[Rows], Vectors], rows: Rows, count: int, least: float
    ) -> bool:
        """Tell whether about `count` of these rows, which rise, and not far more, are nearer than `least`.

        An index that leads from neighbour to neighbour may end among the wrong ones.
        """
        drawn = self.drawn_from(columns, of)
        if drawn is None:
            return True
        places = np.minimum(np.searchsorted(rows, drawn.rows), len(rows) - 1)
        nearer = drawn.cosines(query)[rows[places] == drawn.rows] > least
        return int(nearer.sum()) <= MORE_BY_CHANCE + SO_MANY_TIMES * len(nearer) * count / len(rows)

    def drawn_from(self, columns: Columns, of: Callable[[Rows], Vectors]) -> SampledVectors | None:
        rows, drawn = self.rows_of(columns), self.drawn
        if not len(rows):
            return None
        # Two threads that draw it at the same time draw the same.
        if drawn is None or not np.array_equal(drawn.rows, rows):
            if drawn is None:
                vectors = of(rows)
            else:
                # Only those that were not in the sample before are read.
                is_known, is_left = np.isin(rows, drawn.rows), np.isin(drawn.rows, rows)
                vectors = np.empty((len(rows), drawn.vectors.shape[1]), np.float32)
                vectors[is_known] = drawn.vectors[is_left]
                vectors[~is_known] = of(rows[~is_known])
            self.drawn = drawn = SampledVectors(rows, vectors)
        return drawn

    def rows_of(self, columns: Columns) -> Rows:
        """Return the sampled rows of the columns. Only new rows are looked at, while about as many are alive."""
        living, chosen = max(1, int(np.count_nonzero(columns.alive))), self.chosen
        share = 0.5 ** max(0, math.ceil(math.log2(living / MOST)))
        if chosen.share != share:
            chosen = SampledRows(share, 0, np.zeros(0, np.intp))
        self.chosen = chosen = chosen.continued(columns)
        # An earlier view has fewer.
        rows = chosen.rows[: int(np.searchsorted(chosen.rows, len(columns.pk)))]
        there: Rows = rows[columns.alive[rows] & columns.embedded[rows]]
        return there


class VectorStore(Protocol):
    """Give access to the vectors of one view, of `dim` numbers each."""

    dim: int

    def measure(self, query: Vectors, rows: Rows, places: Places) -> Cosines:
        """Return the cosines of a query with these rows, which rise, and are what is at all `places`."""

    def nearest(self, query: Vectors, rows: Rows, depth: int) -> tuple[Rows, Floats]:
        """Return the `depth` of these rows with the highest cosine, best first, and their cosines."""

    def of(self, rows: Rows) -> Vectors:
        """Return the vectors of some rows, shape (len(rows), dim)."""

    def cosines_of(self, query: Vectors, rows: Rows) -> Floats:
        """Return the cosines of a query with some rows, as far as they are known without asking the database."""

    def worth_comparing(self, queried: Rows, rows: Rows, floor: float) -> Rows:
        """Return the places in `rows` of what may reach that cosine with one of those asked."""


class InProcessStore:
    """Read vectors from the columns. In a large app, sign bits select the likely ones."""

    def __init__(self, columns: Columns, sample: Sample) -> None:
        self.columns, self.sample, self.dim = columns, sample, columns.vectors.shape[1]

    def measure(self, query: Vectors, rows: Rows, places: Places) -> Cosines:
        columns = self.columns
        if len(rows) <= near.SIGN_ROWS:
            return ExactCosines(near.cosines(columns.vectors, query, rows))

        def measured(some: Rows) -> Floats:
            return near.gathered_cosines(columns.vectors, query, rows[some])

        differing = near.differences(columns.signs, query, rows)
        counts = near.difference_counts(differing, len(query))
        return EstimatedCosines(differing, counts, self.drawn.usual(query) if self.drawn else None, measured)

    @cached_property
    def drawn(self) -> SampledVectors | None:
        """Return the sample of these columns, looked up once: it takes longer than its answer to a question."""
        return self.sample.drawn_from(self.columns, self.of)

    def nearest(self, query: Vectors, rows: Rows, depth: int) -> tuple[Rows, Floats]:
        return near.nearest(self.columns.vectors, self.columns.signs, query, rows, depth)

    def of(self, rows: Rows) -> Vectors:
        return self.columns.vectors[rows]

    def cosines_of(self, query: Vectors, rows: Rows) -> Floats:
        return near.gathered_cosines(self.columns.vectors, query, rows)

    def worth_comparing(self, queried: Rows, rows: Rows, floor: float) -> Rows:
        """Return all places: the vectors are at hand."""
        return np.arange(len(rows))

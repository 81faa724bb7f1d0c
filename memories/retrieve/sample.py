"""Some of an app's vectors: what tells how near a question usually is to its memories."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from memories.providers.embeddings import Vectors
from memories.retrieve.columns import Columns
from memories.retrieve.latest import Latest
from memories.retrieve.nearest import Rows

MOST = 1_000
"""With so many, a spread is told to 2 %."""
GROWTH = 1.5
QUESTIONS_KEPT = 1024


@dataclass(frozen=True, slots=True)
class Moments:
    """Of vectors drawn from `size` rows: their mean, shape (dim,), and their covariance, shape (dim, dim).

    With these the mean and the spread of their cosines with any question are known without looking at them again: a
    third of the memory. For the last questions that is kept: to read the covariance with each would push as much else
    out of the processor's cache.
    """

    size: int
    mean: Vectors
    covariance: Vectors
    told: Latest[tuple[float, float]] = field(default_factory=lambda: Latest(QUESTIONS_KEPT))

    def usual(self, query: Vectors) -> tuple[float, float]:
        """Mean and spread of a question's cosines."""
        key = query.tobytes()
        usual = self.told.get(key)
        if usual is None:
            squares = float(query @ (self.covariance @ query))
            usual = float(self.mean @ query), math.sqrt(max(0.0, squares))
            self.told.put(key, usual)
        return usual


class Sample:
    """Drawn when it is first asked for, and anew when the app has grown by half. For all views of an index."""

    def __init__(self) -> None:
        self.drawn: Moments | None = None

    def usual(self, query: Vectors, columns: Columns, of: Callable[[Rows], Vectors]) -> tuple[float, float] | None:
        """Mean and spread of the question's cosines with the sample; None if there is no vector at all.

        `of` answers the vectors of some rows.
        """
        size = len(columns.pk)
        # Two threads that draw it at the same time draw the same.
        if self.drawn is None or not self.drawn.size <= size <= GROWTH * self.drawn.size:
            rows = np.flatnonzero(columns.embedded & columns.alive)
            if not len(rows):
                return None
            self.drawn = moments_of(size, of(rows[:: len(rows) // MOST + 1]))
        return self.drawn.usual(query)


def moments_of(size: int, vectors: Vectors) -> Moments:
    mean = vectors.mean(axis=0)
    away = vectors - mean
    return Moments(size, mean, away.T @ away / np.float32(len(vectors)))

"""An app's vectors, as those ask who need them: by rows of its index, wherever the vectors are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memories.providers.embeddings import Vectors
from memories.retrieve import nearest as near
from memories.retrieve.columns import Columns
from memories.retrieve.cosines import Cosines, Estimated, Measured
from memories.retrieve.nearest import Floats, Rows
from memories.retrieve.sample import Drawn, Sample

Places = Callable[[NDArray[Any]], Rows]
"""Where in a reading some memories are, by their pks; those that are not are left out."""


class Held(Protocol):
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


class InProcess:
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

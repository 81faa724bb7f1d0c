"""Some of an app's vectors: what tells how near a question usually is to its memories."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from memories.providers.embeddings import Vectors
from memories.retrieve.columns import Columns
from memories.retrieve.nearest import Floats, Rows

MOST = 1_000
"""With so many, a spread is told to 2 %."""
GROWTH = 1.5


class Sample:
    """Drawn when it is first asked for, and anew when the app has grown by half. For all views of an index."""

    def __init__(self) -> None:
        self.drawn: tuple[int, Vectors] | None = None

    def cosines(self, query: Vectors, columns: Columns, of: Callable[[Rows], Vectors]) -> Floats:
        """Of the question with each of the sample; `of` answers the vectors of some rows."""
        size = len(columns.pk)
        # Two threads that draw it at the same time draw the same.
        if self.drawn is None or not self.drawn[0] <= size <= GROWTH * self.drawn[0]:
            rows = np.flatnonzero(columns.embedded & columns.alive)
            self.drawn = size, of(rows[:: len(rows) // MOST + 1])
        found: Floats = np.vecdot(self.drawn[1], query)
        return found

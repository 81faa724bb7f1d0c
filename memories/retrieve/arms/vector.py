"""The vector arm: the cosine of the question with every memory of a reading. Exact for all that may matter."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from memories.providers.embeddings import Vectors
from memories.retrieve.nearest import SIGN_ROWS, closest, cosines, differences
from memories.retrieve.reading import Floats, Reading


def measure(reading: Reading, query: Vectors) -> Floats:
    """Shape (reading.size,). Of a large app, cosines are estimated by sign bits and those of the nearest are exact."""
    columns, rows = reading.view.columns, reading.rows
    if reading.size <= SIGN_ROWS:
        return cosines(columns.vectors, query, rows)
    differing = differences(columns.signs, query, rows)
    # Vectors at angle a differ in about a / π of their signs.
    found = estimates(len(query))[differing]
    near = closest(differing)
    found[near] = cosines(columns.vectors, query, rows[near])
    return found


@cache
def estimates(dim: int) -> Floats:
    """The cosine of vectors that differ in so many signs."""
    angles: Floats = np.cos(math.pi * np.arange(dim + 1) / dim).astype(np.float32)
    return angles

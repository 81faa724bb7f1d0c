"""The vector arm: the cosine of the question with every memory of a reading. Exact for all that may matter."""

from __future__ import annotations

import math

import numpy as np

from memories.providers.embeddings import Vectors
from memories.retrieve.nearest import SIGN_ROWS, cosines, hamming, likely, sign_bits
from memories.retrieve.reading import Floats, Reading


def measure(reading: Reading, query: Vectors) -> Floats:
    """Shape (reading.size,). Of a large app, cosines are estimated by sign bits and those of the nearest are exact."""
    columns, rows = reading.view.columns, reading.rows
    if reading.size <= SIGN_ROWS:
        return cosines(columns.vectors, query, rows)
    differing = hamming(columns.signs, sign_bits(query[None])[0])[rows]
    # Vectors at angle a differ in about a / π of their signs.
    found = np.cos(math.pi * differing.astype(np.float32) / len(query))
    near = likely(columns.signs, query, rows)
    found[reading.place_of_row[near]] = cosines(columns.vectors, query, near)
    exact: Floats = found.astype(np.float32)
    return exact

"""The vector arm: the cosine of the question with every memory of a reading. Exact for all that may matter."""

from __future__ import annotations

from collections.abc import Callable

from memories.providers.embeddings import Vectors
from memories.retrieve.reading import Floats, Reading, Rows


def measure(reading: Reading, query: Vectors) -> Floats:
    """Shape (reading.size,). Of a large app, cosines are estimated by sign bits and those of the nearest are exact."""
    return reading.view.held.measure(query, reading.rows, reading.places)


def exactly(reading: Reading, query: Vectors) -> Callable[[Rows], Floats] | None:
    """What measures it at some places, where `measure` has estimated most."""
    held = reading.view.held.exactly(query, reading.size)
    return None if held is None else lambda places: held(reading.rows[places])

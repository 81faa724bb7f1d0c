"""The vector arm: the cosine of the question with every memory of a reading. Exact for all that may matter."""

from __future__ import annotations

from memories.providers.embeddings import EmbedderMisconfigured, Vectors
from memories.retrieve.cosines import Cosines
from memories.retrieve.reading import Reading


def measure(reading: Reading, query: Vectors) -> Cosines:
    """Of a large app, cosines are estimated by sign bits and those of the nearest are exact. EmbedderMisconfigured if
    the vectors of the app have another length: its model was replaced by another one of the same name.
    """
    if len(query) != (dim := reading.view.held.dim):
        raise EmbedderMisconfigured(f"the question's vector has {len(query)} dimensions, those of the app have {dim}")
    return reading.view.held.measure(query, reading.rows, reading.places)

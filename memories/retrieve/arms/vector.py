"""The vector arm: cosine with every allowed memory that has a vector of the current model. Exact."""

import numpy as np

from memories.models import Vector
from memories.models.vector import from_bytes
from memories.retrieve.query import Query


def search_vectors(query: Query) -> dict[int, float]:
    """Cosine by memory pk, the best `depth`. One query that reads the vectors of the allowed memories."""
    if query.vector is None:
        return {}
    rows = Vector.objects.for_app(query.app).filter(model=query.embedder.name, memory__in=query.allowed)
    found = list(rows.values_list("memory_id", "data"))
    if not found:
        return {}
    cosines = from_bytes([bytes(data) for _, data in found], len(query.vector)) @ query.vector
    best = np.argsort(-cosines, kind="stable")[: query.depth]
    return {found[index][0]: float(cosines[index]) for index in best}

"""Groups of vectors around their middle."""

from __future__ import annotations

import numpy as np

from memories.providers.embeddings import Vectors


def clusters_of(vectors: Vectors, floor: float, least: int, most: int) -> list[list[int]]:
    """Places of what is `floor` or more near one of them, `least` to `most` of them, each in one cluster at most.

    The one with the most neighbours is the first middle (of equals, the first), with the nearest of these around it;
    then the same with what is left. Always the same for the same rows. Memory: 5 bytes for each pair.
    """
    cosines = vectors @ vectors.T
    # A text without words has the zero vector, and is near nothing.
    near = (cosines >= floor) & np.any(vectors, axis=1)[:, None]
    neighbours = near.sum(axis=1)
    found = []
    while len(near) and neighbours.max() >= least:
        middle = int(np.argmax(neighbours))
        around = np.flatnonzero(near[middle])
        # The middle itself, whatever the last digit of its cosine says.
        closeness = np.where(around == middle, 2.0, cosines[middle, around])
        members = around[np.lexsort((around, -closeness))[:most]]
        found.append(sorted(members.tolist()))
        neighbours -= near[:, members].sum(axis=1)
        near[members] = near[:, members] = False
        neighbours[members] = 0
    return found

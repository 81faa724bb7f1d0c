"""Which of very many vectors are near each other, in pieces that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from memories.index.vector_store import VectorStore

TILE = 8_192
"""Columns at a time: with 256 rows 8 MB of cosines."""

Places = NDArray[np.intp]
NearPair = tuple[int, int, float]


def near_pairs(
    held: VectorStore, rows: Places, first: int, end: int, floor: float, most: int
) -> Iterator[NearPair]:  # fmt: skip
    """(place, later place, cosine) in `rows` with a cosine of `floor` or more, for places from `first` to `end`.

    Of each place the `most` nearest of those behind it, the nearest first; the same whatever pieces they are asked in.
    """
    asked = held.of(rows[first:end])
    found: list[tuple[Places, Places, NDArray[np.float32]]] = []
    # One grid for all, so that what a place is compared with does not depend on the piece it is asked in.
    for start in range((first + 1) // TILE * TILE, len(rows), TILE):
        places = start + held.worth_comparing(rows[first:end], rows[start : start + TILE], floor)
        cosines = asked @ held.of(rows[places]).T
        # What is not behind the place itself was or will be seen from the other side.
        cosines[np.arange(first, end)[:, None] >= places] = -2
        at, columns = highest(cosines, floor, most)
        found.append((at + first, places[columns], cosines[at, columns]))
    if found:
        places, others, alike = (np.concatenate(parts) for parts in zip(*found, strict=True))
        yield from nearest_first(places, others, alike, most)


def highest(cosines: NDArray[np.float32], floor: float, most: int) -> tuple[Places, Places]:
    """Where the `most` highest of each row are, as far as they reach the floor."""
    reached = np.count_nonzero(cosines >= floor, axis=1)
    crowded = np.flatnonzero(reached > most)
    few = np.flatnonzero((reached > 0) & (reached <= most))
    at, columns = np.nonzero(cosines[few] >= floor)
    best = np.argpartition(-cosines[crowded], most, axis=1)[:, :most]
    return np.concatenate([few[at], np.repeat(crowded, most)]), np.concatenate([columns, best.ravel()])


def nearest_first(places: Places, others: Places, alike: NDArray[np.float32], most: int) -> Iterator[NearPair]:
    order = np.lexsort((others, -alike, places))
    taken, last = 0, -1
    for at in order.tolist():
        taken = taken + 1 if places[at] == last else 1
        last = int(places[at])
        if taken <= most:
            yield last, int(others[at]), float(alike[at])

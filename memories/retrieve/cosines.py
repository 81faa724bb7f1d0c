"""How near a question is to the memories of a reading, place by place: exactly, or as far as it matters.

Where there are many, nothing is worked out for each of them that is not asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memories.providers.embeddings import Vectors
from memories.retrieve import nearest as near
from memories.retrieve.nearest import Counts, Floats, Rows

# How many signs differ in a sample of so many, is as in all.
SIGNS_DRAWN = 2_000
Measure = Callable[[Rows], Floats]
"""The exact cosines at some places, in any order."""
Signs = NDArray[np.uint64]


class Cosines(Protocol):
    """Of all places."""

    @property
    def usual(self) -> tuple[float, float]:
        """Their mean and spread, as they were before any was looked at more closely."""

    @property
    def best(self) -> float:
        """The highest that is exact; -1 if there is none."""

    @property
    def foremost(self) -> Rows:
        """Places of the highest: all that may matter by their cosine alone."""

    def at(self, places: Rows) -> Floats:
        """At some places, of whatever shape."""

    def reaching(self, least: float, most: int) -> Rows:
        """Places of those that are not less; where these are costly to find, of the `most` highest of them."""

    def look_closer(self, places: Rows) -> None:
        """From now on these are exact, if that costs little."""


class Measured:
    """All are exact."""

    def __init__(self, values: Floats) -> None:
        self.values = values

    @property
    def usual(self) -> tuple[float, float]:
        return float(self.values.mean(dtype=np.float64)), float(self.values.std(dtype=np.float64))

    @property
    def best(self) -> float:
        return float(self.values.max(initial=-1))

    @property
    def foremost(self) -> Rows:
        return np.arange(len(self.values))

    def at(self, places: Rows) -> Floats:
        return self.values[places]

    def reaching(self, least: float, most: int) -> Rows:
        return np.flatnonzero(self.values >= least)

    def look_closer(self, places: Rows) -> None:
        """There is nothing closer."""


class Unmeasured(Measured):
    """Nothing is known of them: all are 0, and none is to be preferred."""

    def __init__(self, size: int) -> None:
        super().__init__(np.zeros(size, np.float32))

    @property
    def foremost(self) -> Rows:
        return np.arange(0)


class Estimated:
    """Told by signs, and exact for those whose signs agree best.

    `codes` are in how many signs each differs; from the number of dimensions on, which of the exact ones it is. The
    `table` has the cosine of each code: the whole is two bytes a place, and most are never looked at.
    """

    def __init__(
        self, differing: NDArray[np.uint16], counts: Counts, usual: tuple[float, float] | None, measure: Measure, *,
        closer: bool = True,
    ) -> None:  # fmt: skip
        """`counts` are how many differ in so many signs, of all or of a sample; the `usual` mean and spread are exact,
        if they are known. The likely ones are measured; others when they are looked at `closer`, if that costs little.
        """
        self.usual = usual or near.moments(counts, near.estimates(len(counts) - 1))
        self.codes, self.table, self.signs = differing, near.scaled(counts, self.usual), len(counts)
        self.measure, self.closer = measure, closer
        self.foremost = near.closest(differing, counts)
        self.put(self.foremost)

    def put(self, places: Rows) -> None:
        known = len(self.table)
        self.codes[places] = np.arange(known, known + len(places), dtype=np.uint16)
        self.table = np.concatenate([self.table, self.measure(places)])

    @property
    def best(self) -> float:
        return float(self.table[self.signs :].max(initial=-1))

    def at(self, places: Rows) -> Floats:
        # The same as an index, without looking at each whether it is within bounds: half of the time.
        return self.table.take(self.codes.take(places, mode="clip"), mode="clip")

    def reaching(self, least: float, most: int) -> Rows:
        # The more signs differ, the less is told.
        limit = int(np.count_nonzero(self.table[: self.signs] >= least))
        exact = np.flatnonzero(self.codes >= self.signs)
        return np.concatenate([np.flatnonzero(self.codes < limit), exact[self.at(exact) >= least]])

    def look_closer(self, places: Rows) -> None:
        if self.closer:
            self.put(places[self.codes.take(places, mode="clip") < self.signs])


class Listed:
    """The nearest of an app, as an index has listed them; of the others what their signs say, when it is asked.

    None of the others is nearer than the last of these, whatever its signs say.
    """

    def __init__(
        self, signs: Signs, query: Vectors, rows: Rows, usual: tuple[float, float], foremost: Rows, exact: Floats
    ) -> None:
        """`foremost` are places among `rows`, both of which rise, `exact` their cosines, the `usual` mean and
        spread those of all.
        """
        self.signs, self.query, self.rows, self.usual = signs, query, rows, usual
        self.foremost, self.exact = foremost, exact
        drawn = near.disagreeing(signs, query, rows[:: len(rows) // SIGNS_DRAWN + 1])
        self.table = np.minimum(near.scaled(near.counted(drawn, len(query)), usual), exact.min())

    @property
    def best(self) -> float:
        return float(self.exact.max())

    @cached_property
    def every(self) -> Floats:
        found: Floats = self.table[near.differences(self.signs, self.query, self.rows)]
        found[self.foremost] = self.exact
        return found

    def at(self, places: Rows) -> Floats:
        if places.size > near.GATHER_BELOW * len(self.rows):
            return self.every[places]
        found: Floats = self.table[near.disagreeing(self.signs, self.query, self.rows[places])]
        listed = np.minimum(np.searchsorted(self.foremost, places), len(self.foremost) - 1)
        is_listed = self.foremost[listed] == places
        found[is_listed] = self.exact[listed[is_listed]]
        return found

    def reaching(self, least: float, most: int) -> Rows:
        if len(self.foremost) >= most:
            return self.foremost[self.exact >= least]
        return np.flatnonzero(self.every >= least)

    def look_closer(self, places: Rows) -> None:
        """The database would have to be asked once more."""

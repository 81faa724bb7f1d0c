"""The rows of an index as they were said: sessions together, turns rising."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memories.retrieve.columns import Columns
from memories.retrieve.nearest import Rows

Value = TypeVar("Value", bound=np.generic)
# So many new rows find their places among those that are in order already; more are sorted with them.
MERGED = 200


@dataclass(frozen=True, slots=True)
class Order:
    """`rows` in order, and of each whether a session `begins` with it."""

    rows: Rows
    begins: NDArray[np.bool_]

    def continued(self, columns: Columns) -> Order:
        """With the rows that the columns have more."""
        first = len(self.rows)
        if len(columns.pk) - first > MERGED:
            return order_of(columns)
        return self.with_rows(np.arange(first, len(columns.pk)), columns)

    def with_rows(self, rows: Rows, columns: Columns) -> Order:
        """With a few more."""
        if not len(rows):
            return self
        new = rows[sorted_rows(columns, rows)]
        places = np.fromiter(self.places_of(new, columns), np.intp, len(new))
        rows, begins = inserted(self.rows, places, new), inserted(self.begins, places, np.ones(len(new), bool))
        # What follows a new row may not begin its session any more.
        at = places + np.arange(len(new))
        for some in (at[at > 0], at[at < len(rows) - 1] + 1):
            begins[some] = columns.session[rows[some]] != columns.session[rows[some - 1]]
        return Order(rows, begins)

    def without(self, gone: Rows, columns: Columns) -> Order:
        """Without a few, which are all in it."""
        if not len(gone):
            return self
        places = np.flatnonzero(np.isin(self.rows, gone))
        rows, begins = np.delete(self.rows, places), np.delete(self.begins, places)
        # What followed one of them may begin its session now.
        at = np.unique(places - np.arange(len(places)))
        at = at[at < len(rows)]
        begins[at] = (at == 0) | (columns.session[rows[at]] != columns.session[rows[at - 1]])
        return Order(rows, begins)

    def places_of(self, new: Rows, columns: Columns) -> Iterator[int]:
        """Before which of those in order each of the new rows belongs."""
        pk, turn, session = columns.pk, columns.turn, columns.session
        for row in new:
            start, end = (
                find(self.rows, session[row], key=session.__getitem__) for find in (bisect_left, bisect_right)
            )
            beside = self.rows[start:end]
            earlier = (turn[beside] < turn[row]) | ((turn[beside] == turn[row]) & (pk[beside] <= pk[row]))
            yield start + int(np.count_nonzero(earlier))


def order_of(columns: Columns) -> Order:
    rows = sorted_rows(columns, slice(None))
    return Order(rows, first_ones(columns.session[rows]))


def sorted_rows(columns: Columns, some: Rows | slice) -> Rows:
    """Where some rows are among themselves, in order."""
    return np.lexsort((columns.pk[some], columns.turn[some], columns.session[some]))


def first_ones(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each differs from the one before."""
    differs = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs


def counted(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], Rows]:
    """Each value once, rising, and how often it is there: `np.unique` takes twice as long for a few."""
    rising = np.sort(values)
    begins = np.flatnonzero(first_ones(rising))
    return rising[begins], np.diff(begins, append=len(rising))


def distinct(numbers: Rows, size: int) -> Rows:
    """Each of these numbers below `size` once: without sorting them, and without looking at all that are below it."""
    last, count = np.empty(size, np.int32), np.arange(len(numbers), dtype=np.int32)
    last[numbers] = count
    once: Rows = numbers[last[numbers] == count]
    return once


def inserted(values: NDArray[Value], places: Rows, new: NDArray[Value]) -> NDArray[Value]:
    """As `np.insert` with rising places, but a few cost little more than the copy."""
    kept = [values[start:end] for start, end in pairwise([0, *places.tolist(), len(values)])]
    pieces = zip_longest(kept, np.split(new, range(1, len(new))), fillvalue=new[:0])
    return np.concatenate([piece for pair in pieces for piece in pair])

"""The rows of an index in the order in which they were said, kept as rows are added."""

from __future__ import annotations

import numpy as np
import pytest

from memories.index.columns import MERGED, Columns, empty_columns, grow, inserted, turn_order_of, value_counts

KNOWN = 300


def columns_of(size: int, seed: int) -> Columns:
    """Turns of some sessions, memories on their own, and some that were written again."""
    random = np.random.default_rng(seed)
    columns = empty_columns(4).each(lambda column: grow(column, size))
    columns.pk[:] = random.permutation(size) + 1
    again = (size - KNOWN) // 2
    columns.pk[KNOWN : KNOWN + again] = columns.pk[:again]
    session = random.integers(0, 20, size)
    columns.session[:] = np.where(session > 0, session, -columns.pk)
    columns.turn[:] = random.integers(0, 5, size)
    return columns


@pytest.mark.parametrize("added", [0, 1, 2, 7, MERGED, MERGED + 1])
def test_new_rows_find_their_places_as_if_all_were_sorted(added: int) -> None:
    columns = columns_of(KNOWN + added, added)
    order = turn_order_of(columns.head(KNOWN)).continued(columns)
    keys = np.stack([columns.session, columns.turn, columns.pk])
    assert sorted(order.rows.tolist()) == list(range(KNOWN + added))
    assert keys[:, order.rows].T.tolist() == keys[:, np.lexsort(keys[::-1])].T.tolist()
    sessions = columns.session[order.rows]
    assert order.begins.tolist() == [True, *(sessions[1:] != sessions[:-1]).tolist()]


def test_the_first_rows_of_all_are_put_in_order() -> None:
    columns = columns_of(KNOWN, 1)
    nothing = turn_order_of(columns.head(0))
    assert nothing.begins.tolist() == []
    assert nothing.continued(columns).rows.tolist() == turn_order_of(columns).rows.tolist()
    assert nothing.continued(columns.head(3)).rows.tolist() == turn_order_of(columns.head(3)).rows.tolist()


def test_values_are_put_between_others() -> None:
    values, new = np.arange(6), np.array([10, 11, 12])
    for places in ([0, 0, 0], [0, 3, 6], [2, 2, 5], [6, 6, 6]):
        assert inserted(values, np.array(places), new).tolist() == np.insert(values, places, new).tolist()
    assert inserted(values, np.array([], np.intp), new[:0]).tolist() == values.tolist()


@pytest.mark.parametrize("gone", [[], [0], [KNOWN - 1], range(40), range(0, KNOWN, 3), range(KNOWN)])
def test_rows_that_go_leave_the_others_as_if_they_had_never_been(gone: list[int]) -> None:
    columns = columns_of(KNOWN, 3)
    order = turn_order_of(columns).without(np.array(gone, np.intp), columns)
    left = [row for row in turn_order_of(columns).rows.tolist() if row not in set(gone)]
    assert order.rows.tolist() == left
    sessions = columns.session[left]
    assert order.begins.tolist() == [True, *(sessions[1:] != sessions[:-1]).tolist()][: len(left)]


def test_rows_come_back_where_they_were() -> None:
    columns = columns_of(KNOWN, 4)
    order, some = turn_order_of(columns), np.arange(7, KNOWN, 5)
    again = order.without(some, columns).with_rows(some, columns)
    assert again.rows.tolist() == order.rows.tolist()
    assert again.begins.tolist() == order.begins.tolist()


@pytest.mark.parametrize("values", [[], [3], [5, 5, 5], [4, 1, 4, 2**40, -1, 1, 4]])
def test_each_value_is_counted_once(values: list[int]) -> None:
    several, times = value_counts(np.array(values, np.int64))
    assert (several.tolist(), times.tolist()) == tuple(
        part.tolist() for part in np.unique(np.array(values, np.int64), return_counts=True)
    )

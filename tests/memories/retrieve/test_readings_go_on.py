"""What is known of a reading is carried into the next one: after any few writes it says what one from scratch says."""

from __future__ import annotations

import numpy as np
import pytest

from memories.retrieve.columns import Codes, Columns, Sessions, Subjects, empty_columns, grow
from memories.retrieve.index import View
from memories.retrieve.order import MERGED
from memories.retrieve.reading import Reading, Scope, read

NOW = 2e9
ROUNDS, MOST_SESSIONS = 12, 20
ANYBODY, ANN, LATER = Scope(None, None, NOW), Scope(None, ("ann",), NOW), Scope(None, None, NOW + 1_000)


class Growing:
    """An index of made-up rows, as far as its views and readings go."""

    def __init__(self, seed: int, size: int = 300) -> None:
        self.random = np.random.default_rng(seed)
        self.columns = empty_columns(4).each(lambda column: grow(column, 10_000))
        self.size, self.next_pk = 0, 1
        self.users, self.sessions = Codes(), Sessions()
        self.users.take_in("ann")
        self.view = View(self.head(), self.users, Subjects())
        self.add(size)
        self.go_on()

    def head(self) -> Columns:
        return self.columns.head(self.size)

    def go_on(self) -> View:
        self.view = View(self.head(), self.users, Subjects(), None, self.view.known_now())
        return self.view

    def add(self, count: int) -> None:
        random, columns = self.random, self.columns
        rows = np.arange(self.size, self.size + count)
        columns.pk[rows] = np.arange(self.next_pk, self.next_pk + count)
        session = random.integers(0, MOST_SESSIONS, count)
        columns.session[rows] = np.where(session > 0, session, -columns.pk[rows])
        columns.session_number[rows] = self.sessions.numbers_of(columns.session[rows])
        columns.turn[rows] = random.integers(0, 9, count)
        columns.words[rows], columns.length[rows] = random.integers(1, 50, count), random.integers(1, 900, count)
        columns.user[rows] = random.integers(0, 3, count)
        columns.active[rows] = random.random(count) < 0.8
        columns.since[rows], columns.until[rows] = -np.inf, np.where(random.random(count) < 0.1, NOW + 500, np.inf)
        columns.alive[rows] = True
        self.size, self.next_pk = self.size + count, self.next_pk + count

    def bury(self, count: int) -> None:
        living = np.flatnonzero(self.columns.alive[: self.size])
        self.columns.alive[self.random.choice(living, min(count, len(living)), replace=False)] = False

    def edit(self, count: int) -> None:
        """The row dies, and another one says the same memory, in the same place of its session."""
        living = np.flatnonzero(self.columns.alive[: self.size])
        for row in self.random.choice(living, min(count, len(living)), replace=False):
            self.add(1)
            last = self.size - 1
            for name in ("pk", "session", "session_number", "turn", "user"):
                column = getattr(self.columns, name)
                column[last] = column[row]
            self.columns.alive[row] = False


def told(reading: Reading) -> dict[str, list[object]]:
    """The words of sessions without the zeros behind the last: nobody asks for what is not here."""
    words = np.trim_zeros(reading.session_words, "b")
    return {
        "rows": reading.rows.tolist(), "order": reading.order.rows.tolist(), "begins": reading.order.begins.tolist(),
        "bounds": reading.session_bounds.tolist(), "words": words.tolist(), "sums": reading.sums.tolist(),
        "means": [reading.mean_words, reading.mean_session_words, reading.session_count, reading.chat],
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_a_reading_that_goes_on_says_what_one_from_scratch_says(seed: int) -> None:
    index = Growing(seed)
    steps = [index.add, index.bury, index.edit]
    went_on = 0
    for number in range(ROUNDS):
        for scope in (ANYBODY, ANN, LATER)[: 1 + number % 3]:
            reading = read(index.view, scope)
            assert told(reading) == told(read(View(index.head(), index.users, Subjects()), scope))
            went_on += reading.changes is not None
        steps[int(index.random.integers(0, 3))](int(index.random.integers(0, 5)))
        index.go_on()
    assert went_on > ROUNDS


def test_what_was_read_two_views_ago_is_still_known() -> None:
    index = Growing(1)
    told(read(index.view, ANYBODY))
    for _ in range(3):
        index.add(1)
        index.go_on()
    reading = read(index.view, ANYBODY)
    assert reading.changes is not None
    assert [len(rows) for rows in reading.changes] == [0, int(reading.allowed[-3:].sum())]


def test_of_many_changes_all_is_worked_out_anew() -> None:
    index = Growing(2)
    told(read(index.view, ANYBODY))
    index.add(2 * MERGED)
    reading = read(index.go_on(), ANYBODY)
    assert reading.changes is None
    assert told(reading) == told(read(View(index.head(), index.users, Subjects()), ANYBODY))


def test_what_time_lets_out_changes_little() -> None:
    index = Growing(3)
    told(read(index.view, ANYBODY))
    later = read(index.view, LATER)
    assert later.changes is not None
    gone, came = later.changes
    assert len(gone) > 5
    assert not len(came)


def test_a_reading_of_nothing_goes_on() -> None:
    index = Growing(4, size=0)
    told(read(index.view, ANYBODY))
    index.add(3)
    index.columns.active[:3] = [True, False, True]
    assert told(read(index.go_on(), ANYBODY))["rows"] == [0, 2]
    index.bury(3)
    assert told(read(index.go_on(), ANYBODY))["rows"] == []

"""What a caller may be shown is worked out once for those who see the same, and anew whenever it changes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
import time_machine

from memories.index import app_index as index_module
from memories.index.app_index import IndexView
from memories.index.columns import MERGED, Codes, Columns, Sessions, Subjects, empty_columns, grow
from memories.retrieve.pipeline import indexes
from memories.retrieve.scoped_view import Scope, ScopedView, scoped_view
from memsite.tenancy.access import Users
from tests.conftest import Caller
from tests.memories.retrieve.asking import contents, embedder_of, forget, search, store

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def scoped(alice: Caller) -> Callable[..., ScopedView]:
    def of(now: datetime = NOON, agent: Caller | None = None, users: Users = None, **scope: Any) -> ScopedView:
        embedder = embedder_of(alice)
        view = indexes.of(alice.app, embedder.name, embedder.dim).view()
        return scoped_view(view, Scope(agent.agent.pk if agent else None, users, now.timestamp(), **scope))

    return of


Read = Callable[..., ScopedView]


def test_the_same_eyes_read_the_same_thing(alice: Caller, scoped: Read) -> None:
    store(alice, "whales sing")
    assert scoped() is scoped()
    assert scoped(agent=alice) is scoped(agent=alice, now=NOON + timedelta(days=1))


def test_a_write_is_read(alice: Caller, scoped: Read) -> None:
    memory = store(alice, "whales sing")
    assert scoped().size == 1
    store(alice, "herons stand")
    assert scoped().size == 2
    forget(alice, memory)
    assert scoped().size == 1


def test_agents_and_users_without_memories_of_their_own_see_the_same(alice: Caller, bob: Caller, scoped: Read) -> None:
    store(alice, "whales sing")
    assert scoped(agent=alice) is scoped(agent=bob)
    assert scoped(users=("ann",)) is scoped(users=("ben",)) is scoped(users=())


def test_what_is_one_agents_is_not_read_by_another(alice: Caller, bob: Caller, scoped: Read) -> None:
    store(alice, "whales sing", visibility="agent")
    store(alice, "herons stand")
    assert [scoped(agent=item).size for item in (alice, bob, alice, bob)] == [2, 1, 2, 1]
    assert scoped().size == 2
    assert contents(search(bob, "whales sing")) == []


def test_what_is_one_users_is_not_read_for_another(alice: Caller, scoped: Read) -> None:
    store(alice, "whales sing", user_id="ann")
    store(alice, "herons stand")
    assert [scoped(users=users).size for users in (("ann",), ("ben",), ("ann",), ("cleo",), None)] == [2, 1, 2, 1, 2]


def test_what_is_of_one_of_several_users_or_of_none_is_read_for_them(alice: Caller, scoped: Read) -> None:
    for user in ("ann", "ben", "cleo", None):
        store(alice, f"of {user}", user_id=user)
    assert [scoped(users=users).size for users in ((), ("ann",), ("ann", "cleo"), ("cleo", "ann"), None)] == [
        1,
        2,
        3,
        3,
        4,
    ]
    assert scoped(users=("ann", "cleo")) is scoped(users=("cleo", "ann", "dan"))


def test_what_is_shared_is_read_apart(alice: Caller, scoped: Read) -> None:
    store(alice, "whales sing", visibility="shared")
    store(alice, "herons stand")
    assert [scoped(shared=shared).size for shared in (False, True, False)] == [2, 1, 2]


def test_time_lets_memories_in_and_out(alice: Caller, scoped: Read) -> None:
    with time_machine.travel(NOON, tick=False):
        store(alice, "for ever")
        store(alice, "from two on", valid_from="2027-03-01T14:00:00Z")
        store(alice, "until four", valid_until="2027-03-01T16:00:00Z")

    def size(hour: int) -> int:
        return scoped(NOON.replace(hour=hour)).size

    assert [size(hour) for hour in (12, 13, 14, 15, 16, 17)] == [2, 2, 3, 3, 2, 2]
    assert [size(hour) for hour in (17, 15, 13)] == [2, 3, 2]
    assert scoped(NOON) is scoped(NOON + timedelta(hours=1, minutes=59))


def test_what_is_left_out_or_let_in_by_number_is_never_kept(alice: Caller, scoped: Read) -> None:
    memory = store(alice, "whales sing")
    store(alice, "herons stand")
    assert scoped(without=(memory.pk,)).size == 1
    assert scoped(only=np.array([memory.pk])).size == 1
    assert scoped().size == 2


def test_only_the_last_few_are_kept(alice: Caller, scoped: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "VIEWS_KEPT", 2)
    for user in ("ann", "ben", "cleo"):
        store(alice, f"of {user}", user_id=user)
    first = scoped(users=("ann",))
    for user in ("ben", "cleo"):
        scoped(users=(user,))
    assert len(first.view.scoped_views.values) == 2
    assert scoped(users=("ann",)) is not first


def test_sessions_are_measured_from_their_first_turn_to_their_last(alice: Caller, scoped: Read) -> None:
    session = alice.start_session()["id"]
    for turn, content in enumerate(["one", "one two", "one two three"]):
        store(alice, content, session_id=session, turn_number=turn)
    alone = store(alice, "one two")
    whole = scoped()
    assert (whole.session_bounds[0], whole.session_bounds[-1], len(whole.session_bounds)) == (0, 4, 3)
    assert sorted(whole.session_lengths(np.arange(2)).tolist()) == [0.5, 1.5]
    index = whole.order.rows
    numbers = whole.values_at("session_number", index).tolist()
    assert numbers in ([0, 0, 0, 1], [1, 0, 0, 0])
    part = scoped(without=(alone.pk,))
    assert (part.session_bounds.tolist(), part.session_count) == ([0, 3], 1)
    assert part.values_at("words", part.order.rows).tolist() == [1, 2, 3]


def test_a_part_is_read_as_the_whole_would_be_without_the_rest(alice: Caller, scoped: Read) -> None:
    """What is not allowed changes nothing: no place, no session, no mean."""
    session = alice.start_session()["id"]
    cached = [store(alice, f"turn {turn} of it", session_id=session, turn_number=turn) for turn in (5, 1, 3)]
    cached.append(store(alice, "alone but for one other word", subject="Ann"))
    before = scoped()
    more = [store(alice, "long and " * 30, session_id=session, turn_number=turn, subject="Ben") for turn in (2, 4)]
    part = scoped(without=tuple(memory.pk for memory in more))

    def told(item: ScopedView) -> list[object]:
        rows = item.order.rows
        pks = item.pks[rows].tolist()
        places = item.places(np.array([memory.pk for memory in [*cached, *more]]))
        return [
            *(pks, item.joined.tolist(), item.session_bounds.tolist(), item.pks[places].tolist()),
            *(item.mean_words, item.mean_session_words, item.session_count, item.chat),
            *(
                item.length_discount(rows).tolist(),
                item.session_lengths(item.values_at("session_number", rows)).tolist(),
            ),
            *(item.subjects_by("ann"), item.subjects_by("ben")),
        ]

    assert told(part) == told(before)
    assert scoped().subjects_by("ben") == [2]


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
        self.view = IndexView(self.head(), self.users, Subjects())
        self.add(size)
        self.go_on()

    def head(self) -> Columns:
        return self.columns.head(self.size)

    def go_on(self) -> IndexView:
        self.view = IndexView(self.head(), self.users, Subjects(), None, self.view.known_now())
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


def tell(scoped: ScopedView) -> dict[str, list[object]]:
    """The words of sessions without the zeros behind the last: nobody asks for what is not here."""
    words = np.trim_zeros(scoped.session_words, "b")
    return {
        "rows": scoped.rows.tolist(),
        "order": scoped.order.rows.tolist(),
        "begins": scoped.order.begins.tolist(),
        "bounds": scoped.session_bounds.tolist(),
        "words": words.tolist(),
        "sums": scoped.sums.tolist(),
        "means": [scoped.mean_words, scoped.mean_session_words, scoped.session_count, scoped.chat],
    }


@pytest.mark.parametrize("seed", range(8))
def test_a_reading_that_goes_on_says_what_one_from_scratch_says(seed: int) -> None:
    index = Growing(seed)
    steps = [index.add, index.bury, index.edit]
    went_on = 0
    for number in range(ROUNDS):
        for scope in (ANYBODY, ANN, LATER)[: 1 + number % 3]:
            scoped = scoped_view(index.view, scope)
            assert tell(scoped) == tell(scoped_view(IndexView(index.head(), index.users, Subjects()), scope))
            went_on += scoped.changes is not None
        steps[int(index.random.integers(0, 3))](int(index.random.integers(0, 5)))
        index.go_on()
    assert went_on > ROUNDS


def test_what_was_read_two_views_ago_is_still_known() -> None:
    index = Growing(1)
    tell(scoped_view(index.view, ANYBODY))
    for _ in range(3):
        index.add(1)
        index.go_on()
    scoped = scoped_view(index.view, ANYBODY)
    assert scoped.changes is not None
    assert [len(rows) for rows in scoped.changes] == [0, int(scoped.allowed[-3:].sum())]


def test_of_many_changes_all_is_worked_out_anew() -> None:
    index = Growing(2)
    tell(scoped_view(index.view, ANYBODY))
    index.add(2 * MERGED)
    scoped = scoped_view(index.go_on(), ANYBODY)
    assert scoped.changes is None
    assert tell(scoped) == tell(scoped_view(IndexView(index.head(), index.users, Subjects()), ANYBODY))


def test_what_time_lets_out_changes_little() -> None:
    index = Growing(3)
    tell(scoped_view(index.view, ANYBODY))
    later = scoped_view(index.view, LATER)
    assert later.changes is not None
    gone, came = later.changes
    assert len(gone) > 5
    assert not len(came)


def test_a_reading_of_nothing_goes_on() -> None:
    index = Growing(4, size=0)
    tell(scoped_view(index.view, ANYBODY))
    index.add(3)
    index.columns.active[:3] = [True, False, True]
    assert tell(scoped_view(index.go_on(), ANYBODY))["rows"] == [0, 2]
    index.bury(3)
    assert tell(scoped_view(index.go_on(), ANYBODY))["rows"] == []


def test_turns_without_a_session_stand_beside_those_of_the_same_day_agent_and_user(
    alice: Caller, bob: Caller, scoped: Read
) -> None:
    day, later = datetime(2027, 2, 1, 9, tzinfo=UTC), datetime(2027, 2, 2, 9, tzinfo=UTC)
    store(alice, "Ida: whales sing", subject="Ida", valid_from=day)
    store(alice, "Ida: herons stand", subject="Ida", valid_from=later)
    store(alice, "Jon: owls hunt", subject="Jon", valid_from=day + timedelta(hours=3))
    store(bob, "Ida: bees hum", subject="Ida", valid_from=day)
    store(alice, "Ida: ants march", subject="Ida", valid_from=day, user_id="ann")
    store(alice, "Ida: moles dig", subject="Ida")
    store(alice, "Owls are birds", subject="owls", valid_from=day)
    view = scoped()
    session = view.view.columns.session
    assert (session[0], len(set(session.tolist()))) == (session[2], 6)
    assert (view.session_count, view.has_sessions) == (6, True)
    # A view that is continued gives the same numbers as one that is read anew.
    store(alice, "Ida: foxes bark", subject="Ida", valid_from=later)
    assert scoped().session_count == 6

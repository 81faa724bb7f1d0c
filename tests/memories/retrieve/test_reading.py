"""What a caller may be shown is worked out once for those who see the same, and anew whenever it changes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
import time_machine

from memories.retrieve import index as index_module
from memories.retrieve.pipeline import indexes
from memories.retrieve.reading import Reading, Scope, read
from memsite.tenancy.end_users import Users
from tests.conftest import Caller
from tests.memories.retrieve.asking import contents, embedder_of, forget, search, store

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def reading(alice: Caller) -> Callable[..., Reading]:
    def of(now: datetime = NOON, agent: Caller | None = None, users: Users = None, **scope: Any) -> Reading:
        embedder = embedder_of(alice)
        view = indexes.of(alice.app, embedder.name, embedder.dim).view()
        return read(view, Scope(agent.agent.pk if agent else None, users, now.timestamp(), **scope))

    return of


Read = Callable[..., Reading]


def test_the_same_eyes_read_the_same_thing(alice: Caller, reading: Read) -> None:
    store(alice, "whales sing")
    assert reading() is reading()
    assert reading(agent=alice) is reading(agent=alice, now=NOON + timedelta(days=1))


def test_a_write_is_read(alice: Caller, reading: Read) -> None:
    memory = store(alice, "whales sing")
    assert reading().size == 1
    store(alice, "herons stand")
    assert reading().size == 2
    forget(alice, memory)
    assert reading().size == 1


def test_agents_and_users_without_memories_of_their_own_see_the_same(
    alice: Caller, bob: Caller, reading: Read
) -> None:  # fmt: skip
    store(alice, "whales sing")
    assert reading(agent=alice) is reading(agent=bob)
    assert reading(users=("ann",)) is reading(users=("ben",)) is reading(users=())


def test_what_is_one_agents_is_not_read_by_another(alice: Caller, bob: Caller, reading: Read) -> None:
    store(alice, "whales sing", visibility="agent")
    store(alice, "herons stand")
    assert [reading(agent=one).size for one in (alice, bob, alice, bob)] == [2, 1, 2, 1]
    assert reading().size == 2
    assert contents(search(bob, "whales sing")) == []


def test_what_is_one_users_is_not_read_for_another(alice: Caller, reading: Read) -> None:
    store(alice, "whales sing", user_id="ann")
    store(alice, "herons stand")
    assert [reading(users=users).size for users in (("ann",), ("ben",), ("ann",), ("cleo",), None)] == [2, 1, 2, 1, 2]


def test_what_is_of_one_of_several_users_or_of_none_is_read_for_them(alice: Caller, reading: Read) -> None:
    for user in ("ann", "ben", "cleo", None):
        store(alice, f"of {user}", user_id=user)
    assert [reading(users=users).size for users in ((), ("ann",), ("ann", "cleo"), ("cleo", "ann"), None)] == [
        1,
        2,
        3,
        3,
        4,
    ]
    assert reading(users=("ann", "cleo")) is reading(users=("cleo", "ann", "dan"))


def test_what_is_shared_is_read_apart(alice: Caller, reading: Read) -> None:
    store(alice, "whales sing", visibility="shared")
    store(alice, "herons stand")
    assert [reading(shared=shared).size for shared in (False, True, False)] == [2, 1, 2]


def test_time_lets_memories_in_and_out(alice: Caller, reading: Read) -> None:
    with time_machine.travel(NOON, tick=False):
        store(alice, "for ever")
        store(alice, "from two on", valid_from="2027-03-01T14:00:00Z")
        store(alice, "until four", valid_until="2027-03-01T16:00:00Z")

    def size(hour: int) -> int:
        return reading(NOON.replace(hour=hour)).size

    assert [size(hour) for hour in (12, 13, 14, 15, 16, 17)] == [2, 2, 3, 3, 2, 2]
    assert [size(hour) for hour in (17, 15, 13)] == [2, 3, 2]
    assert reading(NOON) is reading(NOON + timedelta(hours=1, minutes=59))


def test_what_is_left_out_or_let_in_by_number_is_never_kept(alice: Caller, reading: Read) -> None:
    memory = store(alice, "whales sing")
    store(alice, "herons stand")
    assert reading(without=(memory.pk,)).size == 1
    assert reading(only=np.array([memory.pk])).size == 1
    assert reading().size == 2


def test_only_the_last_few_are_kept(alice: Caller, reading: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "READINGS_KEPT", 2)
    for user in ("ann", "ben", "cleo"):
        store(alice, f"of {user}", user_id=user)
    first = reading(users=("ann",))
    for user in ("ben", "cleo"):
        reading(users=(user,))
    assert len(first.view.readings.values) == 2
    assert reading(users=("ann",)) is not first


def test_sessions_are_measured_from_their_first_turn_to_their_last(alice: Caller, reading: Read) -> None:
    session = alice.start_session()["id"]
    for turn, content in enumerate(["one", "one two", "one two three"]):
        store(alice, content, session_id=session, turn_number=turn)
    alone = store(alice, "one two")
    whole = reading()
    assert (whole.session_bounds[0], whole.session_bounds[-1], len(whole.session_bounds)) == (0, 4, 3)
    assert sorted(whole.session_lengths(np.arange(2)).tolist()) == [0.5, 1.5]
    at = whole.order.rows
    numbers = whole.at("session_number", at).tolist()
    assert numbers in ([0, 0, 0, 1], [1, 0, 0, 0])
    part = reading(without=(alone.pk,))
    assert (part.session_bounds.tolist(), part.session_count) == ([0, 3], 1)
    assert part.at("words", part.order.rows).tolist() == [1, 2, 3]


def test_a_part_is_read_as_the_whole_would_be_without_the_rest(alice: Caller, reading: Read) -> None:
    """What is not allowed changes nothing: no place, no session, no mean."""
    session = alice.start_session()["id"]
    kept = [store(alice, f"turn {turn} of it", session_id=session, turn_number=turn) for turn in (5, 1, 3)]
    kept.append(store(alice, "alone but for one other word", subject="Ann"))
    before = reading()
    more = [store(alice, "long and " * 30, session_id=session, turn_number=turn, subject="Ben") for turn in (2, 4)]
    part = reading(without=tuple(memory.pk for memory in more))

    def told(one: Reading) -> list[object]:
        rows = one.order.rows
        pks = one.pks[rows].tolist()
        places = one.places(np.array([memory.pk for memory in [*kept, *more]]))
        return [
            *(pks, one.joined.tolist(), one.session_bounds.tolist(), one.pks[places].tolist()),
            *(one.mean_words, one.mean_session_words, one.session_count, one.chat),
            *(one.length_discount(rows).tolist(), one.session_lengths(one.at("session_number", rows)).tolist()),
            *(one.subjects_by("ann"), one.subjects_by("ben")),
        ]

    assert told(part) == told(before)
    assert reading().subjects_by("ben") == [2]

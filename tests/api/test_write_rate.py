"""Exactly N writes a minute and agent; 429 says truthfully when to come again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from time_machine import travel

from memories.models import Memory
from memsite.tenancy.models import AppPolicy
from tests.api.checks import assert_problem
from tests.conftest import Caller, make_app, make_caller

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def slow(limit: int = 3) -> Caller:
    return make_caller(make_app("globex", writes_per_minute=limit), "gina")


def write(caller: Caller, text: str = "x") -> Any:
    return caller.post("memories", {"content": text, "dedupe": False})


@pytest.mark.parametrize("limit", [1, 3, 20])
def test_exactly_so_many_writes_are_taken_in_a_minute(db: None, limit: int) -> None:
    caller = slow(limit)
    with travel(NOON, tick=False):
        statuses = [write(caller).status_code for _ in range(limit + 5)]
    assert statuses == [201] * limit + [429] * 5
    assert Memory.objects.count() == limit


@pytest.mark.parametrize(("seconds", "wait"), [(0, 60), (0.5, 60), (1, 59), (59, 1), (59.9, 1)])
def test_the_wait_it_tells_is_neither_too_short_nor_too_long(db: None, seconds: float, wait: int) -> None:
    caller = slow(1)
    with travel(NOON, tick=False):
        write(caller)
    with travel(NOON + timedelta(seconds=seconds), tick=False):
        refused = write(caller)
        assert_problem(refused, 429)
        assert refused["Retry-After"] == str(wait)
    with travel(NOON + timedelta(seconds=seconds + wait), tick=False):
        assert write(caller).status_code == 201


def test_the_turn_of_a_minute_frees_nothing(db: None) -> None:
    caller = slow(3)
    with travel(NOON + timedelta(seconds=59), tick=False):
        statuses = [write(caller).status_code for _ in range(3)]
    with travel(NOON + timedelta(seconds=61), tick=False):
        statuses.append(write(caller).status_code)
    assert statuses == [201, 201, 201, 429]


def test_no_minute_has_more_wherever_it_begins(db: None) -> None:
    """Tried every seven seconds and a bit, for four minutes."""
    caller, made = slow(5), list[float]()
    for number in range(34):
        seconds = number * 7.3
        with travel(NOON + timedelta(seconds=seconds), tick=False):
            made += [seconds for _ in range(2) if write(caller).status_code == 201]
    assert {sum(begin <= second < begin + 60 for second in made) for begin in made[:15]} == {5}


def test_writes_come_free_one_by_one_as_they_were_made(db: None) -> None:
    caller = slow(2)
    for seconds, statuses in ((0, [201]), (30, [201, 429]), (60, [201, 429]), (89, [429]), (90, [201, 429])):
        with travel(NOON + timedelta(seconds=seconds), tick=False):
            assert [write(caller).status_code for _ in statuses] == statuses


def test_one_second_too_early_is_still_too_early(db: None) -> None:
    caller = slow(1)
    with travel(NOON, tick=False):
        write(caller)
    with travel(NOON + timedelta(seconds=59), tick=False):
        assert_problem(write(caller), 429)


def test_a_refused_write_does_not_count(db: None) -> None:
    caller = slow(3)
    with travel(NOON, tick=False):
        write(caller)
        batch = {"memories": [{"content": "a"}, {"content": "b"}, {"content": "c"}]}
        assert_problem(caller.post("memories/batch", batch), 429)
        assert [write(caller).status_code for _ in range(3)] == [201, 201, 429]


def test_a_wrong_body_does_not_count(db: None) -> None:
    caller = slow(1)
    with travel(NOON, tick=False):
        assert_problem(caller.post("memories", {"content": ""}), 400)
        assert write(caller).status_code == 201


def test_each_agent_has_its_own_minute(db: None) -> None:
    caller = slow(1)
    colleague = make_caller(caller.app, "hugo")
    with travel(NOON, tick=False):
        assert [write(item).status_code for item in (caller, colleague, caller, colleague)] == [201, 201, 429, 429]


def test_reading_and_deleting_go_on_when_writing_does_not(db: None) -> None:
    caller = slow(1)
    with travel(NOON, tick=False):
        uid = write(caller).json()["id"]
        assert_problem(write(caller), 429)
        assert caller.get(f"memories/{uid}").status_code == 200
        assert caller.post("memories/search", {"query": "x"}).status_code == 200
        assert caller.post("sessions", {}).status_code == 201
        assert caller.delete(f"memories/{uid}").status_code == 200


def test_what_can_never_be_written_is_not_told_to_wait(db: None) -> None:
    caller = slow(2)
    answer = caller.post("memories/batch", {"memories": [{"content": str(n)} for n in range(3)]})
    assert_problem(answer, 422)
    assert "Retry-After" not in answer


def test_a_changed_limit_holds_at_once(db: None) -> None:
    caller = slow(1)
    with travel(NOON, tick=False):
        write(caller)
        assert_problem(write(caller), 429)
        AppPolicy.objects.filter(app=caller.app).update(writes_per_minute=2)
        assert [write(caller).status_code for _ in range(2)] == [201, 429]


def test_a_clock_that_jumps_back_opens_no_endless_endpoint(db: None) -> None:
    caller = slow(2)
    with travel(NOON + timedelta(hours=1), tick=False):
        assert [write(caller).status_code for _ in range(3)] == [201, 201, 429]
    with travel(NOON, tick=False):
        assert [write(caller).status_code for _ in range(3)] == [201, 201, 429]

"""`as_of`: what was known at a moment, as it was said then. The question is still matched with what is said today."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random
from typing import Any

import pytest
import time_machine
from django.db import connection

from memories.maintain.aging import decay_app
from memories.models import Memory, RecallCount
from memories.retrieve import pipeline
from memories.retrieve.pipeline import indexes, past_state_at
from memories.retrieve.scoped_view import Scope, scoped_view
from memories.services import MemoryAgent
from memories.store import writing
from memories.store.revisions import parse, state_at
from memsite.jobs.job import Unclaimed
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.memories.retrieve.asking import change, contents, embedder_of, forget, link, search, set_policy, store
from tests.tables import each_row

START = datetime(2027, 3, 1, 12, tzinfo=UTC)
TODAY = START + timedelta(days=400)
MODES = ("auto", "dual", "vector", "fulltext", "tiered")


def day(number: float) -> datetime:
    return START + timedelta(days=number)


@pytest.fixture
def on() -> Iterator[Callable[[float], None]]:
    """Sets the day; the clock stands."""
    with time_machine.travel(START, tick=False) as clock:
        yield lambda number: clock.move_to(day(number))


def known(caller: Caller, number: float, query: str = "whales", **options: Any) -> list[str]:
    """What is found today as of that day."""
    return contents(search(caller, query, TODAY, as_of=day(number), **options))


@each_row("mode", MODES, rolled_back=True)
def test_an_edited_memory_says_what_it_said_then(alice: Caller, on: Any, mode: str) -> None:
    on(0)
    memory = store(alice, "whales sing", importance=2, tags=["old"])
    on(10)
    change(alice, memory, content="whales hum", importance=5, tags=["new"])
    hit = search(alice, "whales", TODAY, as_of=day(9), mode=mode).hits[0].memory
    assert (hit.content, hit.importance, hit.tags) == ("whales sing", 2, ["old"])
    assert known(alice, 10, mode=mode) == ["whales hum"]
    memory.refresh_from_db()
    assert memory.content == "whales hum"


@each_row("mode", MODES, rolled_back=True)
def test_what_was_stored_later_was_not_known(alice: Caller, on: Any, mode: str) -> None:
    on(5)
    store(alice, "whales sing")
    assert known(alice, 4.999, mode=mode) == []
    assert known(alice, 5, mode=mode) == ["whales sing"]
    assert known(alice, -100_000, mode=mode) == []


def test_what_was_stored_later_of_earlier_days_was_not_known_then(alice: Caller, on: Any) -> None:
    on(5)
    store(alice, "whales sing", valid_from=str(day(-50)))
    assert known(alice, 0) == []


def test_what_was_archived_later_was_known_and_what_was_restored_later_was_not(alice: Caller, on: Any) -> None:
    on(0)
    memory = store(alice, "whales sing")
    on(10)
    change(alice, memory, status="archived")
    assert (known(alice, 9), known(alice, 10)) == (["whales sing"], [])
    on(20)
    change(alice, memory, status="active")
    assert (known(alice, 9), known(alice, 15), known(alice, 20)) == (["whales sing"], [], ["whales sing"])


def test_an_undone_change_was_true_in_between(alice: Caller, on: Any) -> None:
    on(0)
    memory = store(alice, "whales sing")
    on(10)
    change(alice, memory, content="whales hum")
    on(20)
    with MemoryAgent(alice.app, None, "operator:olga").changing(memory) as (write, current):
        write.undo(current)
    assert [known(alice, number) for number in (5, 15, 25)] == [["whales sing"], ["whales hum"], ["whales sing"]]


def test_what_was_superseded_later_was_known(alice: Caller, on: Any) -> None:
    on(0)
    old = store(alice, "whales sing")
    on(10)
    link(alice, store(alice, "whales hum"), old, "supersedes")
    assert (known(alice, 5), known(alice, 10)) == (["whales sing"], ["whales hum"])


def test_what_was_contradicted_later_was_as_sure_as_then(alice: Caller, on: Any) -> None:
    on(0)
    memory = store(alice, "whales sing", confidence=0.45)
    on(1)
    other = store(alice, "krill swims")
    on(2)
    with writing(alice.app, "agent:bob", day(2)) as write:
        write.contradict(memory, by=other, reason="no")
    assert memory.status == "inactive"
    assert known(alice, 3) == []
    (hit,) = search(alice, "whales", TODAY, as_of=day(1)).hits
    assert (hit.memory.confidence, hit.memory.status) == (0.45, "active")


def test_what_fell_inactive_by_decay_was_known_before(alice: Caller, on: Any) -> None:
    on(0)
    store(alice, "whales sing")
    on(80)
    decay_app(alice.app, day(80), Unclaimed(day(80)))
    assert Memory.objects.get().status == "inactive"
    assert (known(alice, 79), known(alice, 80)) == (["whales sing"], [])
    # 44 days: two weeks after the 30 of grace, at a tenth a week.
    (hit,) = search(alice, "whales", TODAY, as_of=day(44)).hits
    assert hit.memory.confidence == pytest.approx(0.5)


def test_what_decayed_and_was_edited_again_is_told_of_both_times(alice: Caller, on: Any) -> None:
    on(0)
    memory = store(alice, "whales sing")
    on(80)
    decay_app(alice.app, day(80), Unclaimed(day(80)))
    on(90)
    change(alice, memory, confidence=0.8)
    assert [known(alice, number) for number in (70, 85, 95)] == [["whales sing"], [], ["whales sing"]]


def test_windows_count_as_they_were_told_then(alice: Caller, on: Any) -> None:
    on(0)
    memory = store(alice, "whales sing", valid_from=str(day(10)), valid_until=str(day(20)))
    expected = {5: [], 10: ["whales sing"], 19.9: ["whales sing"], 20: [], 300: []}
    assert {number: known(alice, number) for number in expected} == expected
    on(30)
    change(alice, memory, valid_until=None)
    assert {number: known(alice, number) for number in (5, 15, 25, 35)} == {
        5: [],
        15: ["whales sing"],
        25: [],
        35: ["whales sing"],
    }


def test_a_window_that_was_closed_later_was_open(alice: Caller, on: Any) -> None:
    on(0)
    memory = store(alice, "whales sing")
    on(10)
    change(alice, memory, valid_until=str(day(2)))
    assert (known(alice, 9), known(alice, 10), contents(search(alice, "whales", TODAY))) == (["whales sing"], [], [])


@each_row("number", [5, 15], rolled_back=True)
def test_what_was_forgotten_is_gone_from_every_time(alice: Caller, on: Any, number: float) -> None:
    on(0)
    memory = store(alice, "whales sing")
    on(10)
    forget(alice, memory)
    assert known(alice, number) == []


def test_a_past_search_is_no_access_but_is_counted(alice: Caller, on: Any) -> None:
    on(0)
    store(alice, "whales sing")
    assert known(alice, 1) == ["whales sing"]
    memory = Memory.objects.get()
    assert (memory.access_count, memory.accessed_at) == (0, None)
    count = RecallCount.objects.get()
    assert (count.day, count.mode, count.tier, count.searches, count.found) == (TODAY.date(), "auto", "items", 1, 1)


def test_age_counts_to_the_moment_asked_about(alice: Caller, on: Any) -> None:
    on(0)
    store(alice, "whales sing")
    set_policy(alice, ranking="product")
    (hit,) = search(alice, "whales", TODAY, as_of=day(48.5)).hits
    assert hit.parts["recency"] == pytest.approx(0.75)


def test_a_hit_is_stale_if_it_was_not_confirmed_for_long_then(alice: Caller, on: Any) -> None:
    on(0)
    store(alice, "whales sing")
    assert "stale" not in search(alice, "whales", TODAY, as_of=day(1)).hits[0].trust
    assert "stale" in search(alice, "whales", TODAY, as_of=day(31)).hits[0].trust


def test_a_hit_was_confirmed_only_if_it_was_by_then(alice: Caller, on: Any) -> None:
    on(0)
    alice.remember("whales sing")
    on(10)
    assert alice.remember("whales sing")["outcome"] == "reinforced"
    assert "unconfirmed" in search(alice, "whales", TODAY, as_of=day(5)).hits[0].trust
    assert "unconfirmed" not in search(alice, "whales", TODAY, as_of=day(15)).hits[0].trust


def test_windows_of_now_hide_what_has_not_begun_or_is_over(alice: Caller, on: Any) -> None:
    on(0)
    store(alice, "whales sing", valid_from=str(day(10)))
    store(alice, "whales hum", valid_until=str(day(5)))
    assert [sorted(contents(search(alice, "whales", day(number)))) for number in (4.9, 5, 9.9, 10)] == [
        ["whales hum"],
        [],
        [],
        ["whales sing"],
    ]


def test_what_has_not_begun_is_not_put_before_an_agent_either(alice: Caller, on: Any) -> None:
    on(0)
    store(alice, "whales sing", valid_from=str(day(10)))
    assert "whales" not in alice.post("context", {}).json()["text"]
    on(10)
    assert "whales" in alice.post("context", {}).json()["text"]


def test_a_moment_to_come_finds_what_will_hold_then(alice: Caller, on: Any) -> None:
    on(0)
    store(alice, "whales sing", valid_from=str(day(10)))
    store(alice, "whales hum", valid_until=str(day(5)))
    soon = search(alice, "whales", START, as_of=day(11))
    assert contents(soon) == ["whales sing"]
    assert contents(search(alice, "whales", START, as_of=day(1))) == ["whales hum"]


def test_this_very_moment_is_now(alice: Caller, on: Any) -> None:
    on(0)
    store(alice, "whales sing")
    assert contents(search(alice, "whales", START, as_of=START)) == ["whales sing"]
    assert Memory.objects.get().access_count == 1


def test_users_agents_filters_and_other_apps_are_kept_apart_in_the_past_too(
    alice: Caller, bob: Caller, charlie: Caller, on: Any
) -> None:
    on(0)
    store(alice, "whales private", visibility="agent")
    store(alice, "whales of doe", user_id="doe", category="work")
    store(charlie, "whales of globex", visibility="shared")
    assert known(bob, 1, user_id="roe") == []
    assert known(bob, 1) == ["whales of doe"]
    assert known(bob, 1, filters={"category": "health"}) == []
    assert sorted(known(alice, 1, filters={"category": ["work", "general"]})) == ["whales of doe", "whales private"]


def test_exclusions_hold_in_the_past(alice: Caller, on: Any) -> None:
    on(0)
    memory = store(alice, "whales sing")
    assert known(alice, 1, exclude=(memory.pk,)) == []


# --- over the API


@each_row(
    "moment", ["2027-03-06T12:00:00Z", "2027-03-06T12:00:00+00:00", "2027-03-06T21:00:00+09:00"], rolled_back=True
)
def test_the_api_takes_moments_of_any_zone(alice: Caller, on: Any, moment: str) -> None:
    on(0)
    memory = store(alice, "whales sing")
    on(5)
    change(alice, memory, content="whales hum")
    on(20)
    (hit,) = alice.post("memories/search", {"query": "whales", "as_of": moment}).json()["results"]
    assert hit["content"] == "whales hum"
    body = alice.post("memories/search", {"query": "whales", "as_of": "2027-03-06T11:59:59Z"}).json()
    assert [hit["content"] for hit in body["results"]] == ["whales sing"]
    assert body["tier_answered"] == "items"


@each_row("value", ["", "yesterday", 5, True, "2027-13-01T00:00:00Z", [], {}])
def test_a_moment_that_is_none_is_refused(alice: Caller, value: Any) -> None:
    assert_problem(alice.post("memories/search", {"query": "whales", "as_of": value}), 400, "as_of")


ENDS_OF_TIME = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00"]


@each_row("zone, moment", list(product(["UTC", "Asia/Tokyo", "America/Los_Angeles"], ENDS_OF_TIME)), rolled_back=True)
def test_the_ends_of_time_are_no_trouble(alice: Caller, zone: str, moment: str) -> None:
    set_policy(alice, time_zone=zone)
    store(alice, "whales sing")
    for query in ("whales", "whales next week", "whales in 3 days", "whales last month"):
        answer = alice.post("memories/search", {"query": query, "as_of": moment})
        assert answer.status_code in (200, 400), (query, answer.content)
    filters = {"valid_until": {"lte": moment}}
    assert alice.post("memories/search", {"query": "whales", "filters": filters}).status_code in (200, 400)


def test_a_shared_search_of_the_past_is_refused(alice: Caller) -> None:
    body = {"query": "whales", "scope": "shared", "as_of": "2027-03-01T12:00:00Z"}
    assert_problem(alice.post("memories/search", body), 400, "as_of")


def test_of_what_has_not_changed_since_nothing_is_read(alice: Caller, on: Any) -> None:
    on(0)
    store(alice, "whales sing")
    memory = store(alice, "whales hum")
    on(10)
    change(alice, memory, status="archived")
    then = past_state_at(alice.app, day(5))
    assert (then.changed.tolist(), then.known.tolist()) == ([memory.pk], [memory.pk])
    assert past_state_at(alice.app, day(10)).changed.tolist() == []


@pytest.mark.parametrize("seed", range(2))
def test_what_was_known_is_what_the_revisions_tell(
    alice: Caller, on: Any, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether few or many have changed since: those are read in two ways."""
    draw = Random(seed)
    for number in range(40):
        on(number)
        there = list(Memory.objects.for_app(alice.app))
        what = draw.randrange(6)
        if not there or what < 2:
            edges = {"valid_from": str(day(draw.randint(0, 30)))}, {"valid_until": str(day(draw.randint(40, 50)))}, {}
            store(alice, f"whales sing {number}", **draw.choice(edges))
        elif what == 2:
            change(alice, draw.choice(there), status=draw.choice(["archived", "active"]))
        elif what == 3:
            change(alice, draw.choice(there), valid_until=draw.choice([None, str(day(number - 1)), str(day(60))]))
        elif what == 4 and number > 20:
            forget(alice, draw.choice(there))
        elif number > 20:
            decay_app(alice.app, day(number + 20), Unclaimed(day(number + 20)))
    for number in (0, 1.5, 5, 10, 15, 20, 25, 30, 39, 50):
        expected = {memory.content for memory in Memory.objects.all() if was_known(memory, day(number))}
        for few in (0, 500):
            monkeypatch.setattr(pipeline, "FEW", few)
            results = {memory.content for memory in found_then(alice, day(number))}
            assert results == expected, (number, few)


def found_then(caller: Caller, moment: datetime) -> list[Memory]:
    embedder = embedder_of(caller)
    view = indexes.of(caller.app, embedder.name, embedder.dim).view()
    scoped = scoped_view(view, Scope(None, None, moment.timestamp(), past=past_state_at(caller.app, moment)))
    return list(Memory.objects.filter(pk__in=scoped.pks.tolist()))


def was_known(memory: Memory, moment: datetime) -> bool:
    state = state_at(memory, moment)
    return state is not None and pipeline.was_valid(
        {name: parse(name, state[name]) for name in pipeline.TELLING}, moment
    )


def test_what_changes_while_the_past_is_read_is_no_hindrance(
    alice: Caller, on: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many, those that changed are looked for twice."""
    on(0)
    first, second = store(alice, "whales sing"), store(alice, "bears sleep")
    on(10)
    change(alice, first, content="whales hum")
    monkeypatch.setattr(pipeline, "FEW", 0)

    def meanwhile(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if "memories_revision" in sql and not done:
            done.append(second.pk)
            Memory.objects.filter(pk=second.pk).update(updated_at=day(11))
        return execute(sql, *rest)

    done: list[int] = []
    with connection.execute_wrapper(meanwhile):
        then = past_state_at(alice.app, day(9))
    assert done == [second.pk]
    assert then.changed.tolist() == [first.pk]

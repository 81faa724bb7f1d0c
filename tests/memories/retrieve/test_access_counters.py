"""What searches count, and that it is written: together, once, later if it has to be."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from multiprocessing import get_context
from threading import Thread
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, OperationalError, connection
from structlog.testing import capture_logs

from memories.models import EnergyUse, Memory, RecallCount
from memories.retrieve import access_counters
from memories.retrieve.access_counters import TOUCHED_AT_ONCE, AccessCounters, AccessCounts, counters
from memsite.config.conf import get_conf
from memsite.db.transactions import count
from memsite.tenancy.models import App
from tests.conftest import Caller, make_app
from tests.memories.retrieve.asking import search
from tests.talking import at_time
from tests.unwritable import read_only

NOON = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
KIND = (date(2027, 3, 1), "auto", "items")


class Later:
    """One whose time comes when a test says so."""

    made: list[Later] = []

    def __init__(self, seconds: float, work: Callable[[], None]) -> None:
        self.seconds, self.run = seconds, work

    def start(self) -> None:
        self.made.append(self)


@pytest.fixture
def later(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[Later]:
    """Counts are written after half a second, as on a site; what waits for it."""
    settings.MEMSITE = replace(get_conf(), count_milliseconds=500)
    monkeypatch.setattr(Later, "made", [])
    monkeypatch.setattr(access_counters, "DelayedThread", Later)
    monkeypatch.setattr(access_counters, "counters", fresh := AccessCounters())
    monkeypatch.setattr("memories.retrieve.pipeline.counters", fresh)
    monkeypatch.setattr(connection, "close", lambda: None)
    return Later.made


def counted() -> tuple[list[int], list[tuple[str, int, int]], list[tuple[int, float]]]:
    """Accesses by memory, searches by tier, energy."""
    return (
        list(Memory.objects.order_by("pk").values_list("access_count", flat=True)),
        list(RecallCount.objects.order_by("tier").values_list("tier", "searches", "found")),
        list(EnergyUse.objects.filter(operation="search").values_list("calls", "units")),
    )


def tell(app: App) -> list[Any]:
    """What the database is told, in order."""
    return [parameters for _, parameters in AccessCounts(app).statements()]


def raising(error: Exception) -> Callable[..., bool]:
    def fail(*_: Any) -> bool:
        raise error

    return fail


# --- what is added


def test_it_adds_up(acme: App) -> None:
    both = AccessCounts(acme, {1: (1, NOON), 2: (1, NOON)}, {KIND: (1, 1, 0.5)})
    both.add(
        AccessCounts(
            acme, {2: (2, NOON - SECOND), 3: (1, NOON)}, {KIND: (2, 0, 0.25), (*KIND[:2], "none"): (1, 0, 0.1)}
        )
    )
    assert both.touched == {1: (1, NOON), 2: (3, NOON), 3: (1, NOON)}
    assert both.searches == {KIND: (3, 1, 0.75), (*KIND[:2], "none"): (1, 0, 0.1)}


def test_memories_that_were_found_alike_are_told_together(acme: App) -> None:
    touched = dict.fromkeys(range(TOUCHED_AT_ONCE + 1, 0, -1), (2, NOON)) | {9_999: (1, NOON)}
    many, item, other = (parameters for _, parameters in AccessCounts(acme, touched).statements())
    assert many[3:] == list(range(1, TOUCHED_AT_ONCE + 1))
    assert (item[0], item[3:], other[0], other[3:]) == (2, [TOUCHED_AT_ONCE + 1], 1, [9_999])


def test_nothing_is_told_of_nothing(acme: App) -> None:
    assert tell(acme) == []


# --- when it is written


def test_searches_are_counted_together_a_moment_later(alice: Caller, later: list[Later]) -> None:
    alice.remember("whales sing")
    alice.remember("herons hunt")
    for second, question in enumerate(("whales", "whales", "herons", "quantum")):
        with at_time(NOON + second * SECOND):
            alice.post("memories/search", {"query": question, "limit": 1})
    assert counted() == ([0, 0], [], [])
    assert [item.seconds for item in later] == [0.5]
    later[0].run()
    assert counted() == ([2, 1], [("items", 3, 3), ("none", 1, 0)], [(4, 4.0)])
    whales, herons = Memory.objects.order_by("pk")
    assert (whales.accessed_at, herons.accessed_at) == (NOON + SECOND, NOON + 2 * SECOND)
    alice.post("memories/search", {"query": "whales"})
    assert len(later) == 2, "what comes after it has a moment of its own"
    later[1].run()
    assert Memory.objects.earliest("pk").access_count == 3


def test_a_search_asks_the_database_only_for_reading(alice: Caller, later: list[Later]) -> None:
    alice.remember("whales sing")
    search(alice, "whales")
    with connection.execute_wrapper(refuse_writes):
        assert search(alice, "whales")


def refuse_writes(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    assert not re.search(r"\b(INSERT|UPDATE|DELETE)\b", sql), sql
    return execute(sql, params, many, context)


def test_each_app_has_its_own(alice: Caller, charlie: Caller, later: list[Later]) -> None:
    for caller in (alice, charlie):
        caller.remember("whales sing")
        caller.post("memories/search", {"query": "whales"})
    charlie.post("memories/search", {"query": "whales"})
    later[0].run()
    searches = dict(RecallCount.objects.values_list("app__app_id", "searches"))
    assert searches == {alice.app.app_id: 1, charlie.app.app_id: 2}
    assert set(Memory.objects.values_list("app__app_id", "access_count")) == set(searches.items())


@pytest.mark.parametrize(
    ("took", "seconds"), [(0.004, 0.5), (0.02, 2.0), (9.0, 5.0)], ids=["quickly", "at length", "for ever"]
)
def test_what_takes_long_to_write_is_written_the_less_often(
    alice: Caller, later: list[Later], monkeypatch: pytest.MonkeyPatch, took: float, seconds: float
) -> None:
    clock = iter([0.0, took])
    alice.remember("whales sing")
    alice.post("memories/search", {"query": "whales"})
    monkeypatch.setattr(access_counters, "perf_counter", lambda: next(clock))
    later[0].run()
    alice.post("memories/search", {"query": "whales"})
    assert [item.seconds for item in later] == [0.5, pytest.approx(seconds)]


def test_who_sets_a_longer_moment_has_it(alice: Caller, later: list[Later], settings: Any) -> None:
    settings.MEMSITE = replace(get_conf(), count_milliseconds=60_000)
    alice.post("memories/search", {"query": "whales"})
    assert [item.seconds for item in later] == [60.0]


def test_a_process_that_ends_waits_for_no_moment() -> None:
    """But writes what it counted: whoever started the thread, a daemon, too."""
    scoped, writing = os.pipe()

    def live() -> None:
        counts = access_counters.DelayedThread(3_600, lambda: os.write(writing, b" written"))
        starter = Thread(target=counts.start, daemon=True)
        starter.start()
        starter.join()
        os.write(writing, b"ends")

    # It ends as a process of its own does: with its main thread, and then with all that are no daemons.
    process = get_context("fork").Process(target=live)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of other threads, which do nothing here
        process.start()
    process.join(60)
    process.kill()
    os.close(writing)
    with os.fdopen(scoped) as answer:
        assert (answer.read(), process.exitcode) == ("ends written", 0)


# --- what stands in the way


def test_where_no_thread_is_to_be_had_a_search_answers_and_a_later_one_counts_both(
    alice: Caller, later: list[Later], monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.remember("whales sing")
    with monkeypatch.context() as patch:
        patch.setattr(Later, "start", raising(RuntimeError("can't start new thread")))
        assert alice.post("memories/search", {"query": "whales"}).json()["results"]
    alice.post("memories/search", {"query": "whales"})
    later[0].run()
    assert counted() == ([2], [("items", 2, 2)], [(2, 2.0)])


@pytest.mark.parametrize(
    "held_up", [lambda *_: False, raising(OperationalError("the server is away")), raising(read_only())]
)
def test_what_cannot_be_written_yet_is_kept(
    alice: Caller, later: list[Later], monkeypatch: pytest.MonkeyPatch, held_up: Callable[..., bool]
) -> None:
    monkeypatch.setattr(access_counters, "connection", Free())
    alice.remember("whales sing")
    alice.post("memories/search", {"query": "whales"})
    with monkeypatch.context() as patch:
        patch.setattr(access_counters, "count", held_up)
        later[0].run()
    assert len(later) == 2, "it is tried again"
    alice.post("memories/search", {"query": "whales"})
    later[1].run()
    assert counted() == ([2], [("items", 2, 2)], [(2, 2.0)])
    assert len(later) == 2


def test_a_database_that_takes_nothing_is_told_once_and_again_when_it_is_the_next_time(
    alice: Caller, later: list[Later], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_counters, "connection", Free())
    with capture_logs() as logs:
        for outage in (1, 2):
            alice.post("memories/search", {"query": "whales"})
            with monkeypatch.context() as patch:
                patch.setattr(access_counters, "count", raising(read_only()))
                for _ in range(3):
                    later[-1].run()
            later[-1].run()
            assert [line["log_level"] for line in logs].count("warning") == outage


def test_what_goes_wrong_with_one_app_loses_nothing_of_the_others(
    alice: Caller, charlie: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = AccessCounters()
    for caller in (alice, charlie):
        item.keep(AccessCounts(caller.app, {}, {KIND: (1, 1, 0.5)}))
    with monkeypatch.context() as patch:
        patch.setattr(access_counters, "count", raising(ValueError("unforeseen")))
        with pytest.raises(ValueError, match="unforeseen"):
            item.write()
    item.write()
    assert [row.app for row in RecallCount.objects.all()] == [charlie.app]


def test_a_process_that_ends_does_not_try_for_ever(
    alice: Caller, later: list[Later], monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.remember("whales sing")
    alice.post("memories/search", {"query": "whales"})
    monkeypatch.setattr(access_counters, "count", lambda *_: False)
    monkeypatch.setattr("threading.Thread.is_alive", lambda _: False)
    now = iter(range(100))
    monkeypatch.setattr(access_counters, "monotonic", lambda: next(now))
    monkeypatch.setattr(access_counters, "sleep", lambda _: None)
    later[0].run()
    assert len(later) == 1
    assert next(now) < 10


def test_a_process_that_ends_waits_for_others_who_write_for_a_while(
    alice: Caller, later: list[Later], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_counters, "connection", Free())
    alice.remember("whales sing")
    alice.post("memories/search", {"query": "whales"})
    held_up = iter([False, False])
    monkeypatch.setattr(access_counters, "count", lambda work: next(held_up, True) and count(work))
    monkeypatch.setattr("threading.Thread.is_alive", lambda _: False)
    monkeypatch.setattr(access_counters, "monotonic", lambda: 0.0)
    monkeypatch.setattr(access_counters, "sleep", lambda _: None)
    later[0].run()
    assert counted() == ([1], [("items", 1, 1)], [(1, 1.0)])


def test_a_process_that_ends_does_not_wait_for_a_database_that_is_away(
    alice: Caller, later: list[Later], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_counters, "connection", Free())
    alice.remember("whales sing")
    alice.post("memories/search", {"query": "whales"})
    requested: list[Any] = []
    away = raising(OperationalError("the server is away"))
    monkeypatch.setattr(access_counters, "count", lambda work: requested.append(work) or away(work))
    monkeypatch.setattr("threading.Thread.is_alive", lambda _: False)
    later[0].run()
    assert (len(requested), len(later)) == (1, 1)


def test_what_has_no_place_any_more_takes_nothing_else_along(
    alice: Caller, later: list[Later], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, there = make_app("gone"), alice.app
    monkeypatch.setattr(access_counters, "connection", Free())
    monkeypatch.setattr(access_counters, "count", lambda work: refused(work, gone))
    item = AccessCounters()
    for app in (gone, there):
        item.add(AccessCounts(app, {}, {KIND: (1, 1, 0.5)}))
    item.write()
    assert [row.app for row in RecallCount.objects.all()] == [there]
    assert not item.unwritten


def refused(work: Any, gone: App) -> bool:
    (statements,) = work.args
    if statements[0][1][0] == gone.pk:
        raise IntegrityError("no such app")
    work()
    return True


def test_within_a_transaction_an_error_is_the_transactions(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """After it, PostgreSQL takes nothing more."""
    monkeypatch.setattr(access_counters, "count", raising(DatabaseError("broken")))
    assert connection.in_atomic_block
    with pytest.raises(DatabaseError, match="broken"):
        search(alice, "whales")


def test_a_copy_of_a_process_does_not_count_what_the_other_one_counts(acme: App) -> None:
    counters.keep(AccessCounts(acme, {}, {KIND: (1, 1, 0.5)}))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of other threads, which do nothing here
            child = os.fork()
        if not child:
            os._exit(len(counters.unwritten))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert counters.unwritten.keys() == {acme.pk}
    finally:
        counters.forget()


class Free:
    """A connection as a thread of its own has it: in no transaction, whatever the test's is in."""

    in_atomic_block = False

    def __getattr__(self, name: str) -> Any:
        return getattr(connection, name)

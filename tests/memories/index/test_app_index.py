"""The index in memory sees every write before the next search, and no search is disturbed by one."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from memories.index import app_index as index_module
from memories.index.app_index import AppIndex, Indexes, IndexView, LivingRows
from memories.index.columns import Sessions, Subjects
from memories.maintain.embedding import embed_backlog
from memories.models import Memory, Vector
from memories.retrieve.scoped_view import Scope, scoped_view
from memories.services import MemoryAgent
from memories.store import Candidate, writing
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App
from tests.conftest import Caller

NOW = 2e9


@pytest.fixture
def index(alice: Caller) -> AppIndex:
    return AppIndex(alice.app.pk, "hash", 64)


def alive(index: AppIndex) -> list[str]:
    view = index.view().columns
    pks = [int(pk) for pk in view.pk[view.alive]]
    return [Memory.objects.get(pk=pk).content for pk in pks]


@pytest.fixture(autouse=True)
def model_name(alice: Caller, index: AppIndex) -> None:
    embedder = MemoryAgent(alice.app, alice.agent, "x").embedder
    index.model, index.dim = embedder.name, embedder.dim


def test_a_write_is_found_by_the_next_view(alice: Caller, index: AppIndex) -> None:
    alice.remember("the first")
    assert alive(index) == ["the first"]
    alice.remember("quite another one")
    assert alive(index) == ["the first", "quite another one"]


def test_nothing_written_costs_one_query(alice: Caller, index: AppIndex, django_assert_num_queries: Any) -> None:
    alice.remember("the first")
    index.view()
    with django_assert_num_queries(1):
        index.view()


def test_nothing_written_since_a_commit_costs_none(
    alice: Caller, index: AppIndex, django_assert_num_queries: Any
) -> None:
    alice.remember("the first")
    index.view((1, 1))
    with django_assert_num_queries(0):
        index.view((1, 1))
    alice.remember("quite another one")
    assert index.view((1, 2)).size == 2


def test_what_follows_a_later_commit_does_not_go_back(
    alice: Caller, index: AppIndex, django_assert_num_queries: Any
) -> None:
    alice.remember("the first")
    index.view((1, 1))
    alice.remember("quite another one")
    latest = index.view()
    with django_assert_num_queries(0):
        assert index.view((1, 1)) is latest


def test_an_edit_replaces_its_row(alice: Caller, index: AppIndex) -> None:
    memory = alice.remember("the first")
    index.view()
    alice.patch(f"memories/{memory['id']}", {"content": "the first, mended"})
    assert alive(index) == ["the first, mended"]
    view = index.view()
    pk = Memory.objects.get().pk
    assert [int(view.columns.pk[row]) for row in view.rows_of(np.array([pk, 10**9]))] == [pk]


def test_a_deletion_travels(alice: Caller, index: AppIndex) -> None:
    memory = alice.remember("the first")
    alice.remember("quite another one")
    index.view()
    alice.delete(f"memories/{memory['id']}")
    assert alive(index) == ["quite another one"]


def test_a_view_is_not_disturbed_by_later_writes(alice: Caller, index: AppIndex) -> None:
    memory = alice.remember("the first")
    before = index.view().columns
    vectors = before.vectors.copy()
    more = [{"content": f"memory number {number} about topic {number * 7}"} for number in range(50)]
    made = alice.post("memories/batch", {"memories": more}).json()["results"]
    assert len({item["id"] for item in made}) == 50
    alice.patch(f"memories/{memory['id']}", {"content": "something else entirely"})
    index.view()
    assert len(before.pk) == 1
    assert np.array_equal(before.vectors, vectors)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has always refused it.")
def test_a_number_that_is_too_large_is_read_as_the_largest(alice: Caller, index: AppIndex) -> None:
    alice.remember("Whales sing")
    alice.remember("Bears sleep")
    Memory.objects.filter(content="Whales sing").update(turn_number=2**31)
    view = index.view()
    assert sorted(view.columns.turn.tolist()) == [0, 2**31 - 1]
    assert alice.post("memories/search", {"query": "whales"}).status_code == 200


def test_dead_rows_are_dropped(alice: Caller, index: AppIndex) -> None:
    memory = alice.remember("the first")
    alice.remember("quite another one")
    for number in range(12):
        alice.patch(f"memories/{memory['id']}", {"importance": 1 + number % 5})
        index.view()
    assert index.size <= 4
    assert sorted(alive(index)) == ["quite another one", "the first"]


def test_where_most_has_changed_all_is_read_anew(
    alice: Caller, index: AppIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Appended, the new rows would take twice the memory beside the old ones."""
    monkeypatch.setattr(index_module, "FEW_CHANGES", 0)
    memories = [alice.remember(f"number {word}") for word in ("one", "two", "three", "four", "five")]
    before = index.view()
    alice.patch(f"memories/{memories[0]['id']}", {"importance": 5})
    assert sorted(index.view().columns.alive.tolist()) == [False, True, True, True, True, True]
    for memory in memories[:4]:
        alice.patch(f"memories/{memory['id']}", {"importance": 4})
    alice.delete(f"memories/{memories[4]['id']}")
    sizes: list[int] = []
    reserve = AppIndex.reserve
    monkeypatch.setattr(AppIndex, "reserve", lambda self, size: (sizes.append(size), reserve(self, size)))
    after = index.view()
    assert sizes == [4, 4]
    assert after.columns.alive.tolist() == [True] * 4
    assert after.columns.importance.tolist() == [4] * 4
    assert before.columns.importance.tolist() == [3] * 5
    results = alice.post("memories/search", {"query": "number two"}).json()["results"]
    assert results[0]["content"] == "number two"


@pytest.mark.parametrize("at_once", [2, 100])
def test_rows_stand_as_they_were_written_in_whatever_order_the_database_answers(
    alice: Caller, index: AppIndex, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    def in_any_order(*given: Any, **options: Any) -> Iterator[Any]:
        rows = [row for some in changed_between(*given, **options) for row in some]
        Random(1).shuffle(rows)
        yield from (rows[start : start + at_once] for start in range(0, len(rows), at_once))

    changed_between = index_module.changed_between
    monkeypatch.setattr(index_module, "changed_between", in_any_order)
    alice.remember("the first")
    index.view()
    body = {"memories": [{"content": f"number {number}", "importance": number % 5 + 1} for number in range(20)]}
    made = [item["id"] for item in alice.post("memories/batch", body).json()["results"]]
    for uid in reversed(made[:5]):
        alice.patch(f"memories/{uid}", {"content": f"edited {uid}"})
    view = index.view()
    expected = Memory.objects.order_by("change_number", "pk")
    assert view.columns.pk.tolist() == [memory.pk for memory in expected]
    assert view.columns.importance.tolist() == [memory.importance for memory in expected]
    assert [index.row_of.get(pk) for pk in view.columns.pk.tolist()] == list(range(len(view.columns.pk)))
    # What is gone by number is gone by row.
    alice.delete(f"memories/{made[0]}")
    assert index.view().size == 20
    assert not Memory.objects.filter(uid=made[0]).exists()


def test_a_memory_without_a_vector_is_there_and_gets_it_later(alice: Caller, index: AppIndex) -> None:
    alice.remember("the first")
    Vector.objects.all().delete()
    assert list(index.view().columns.embedded) == [False]
    agent = MemoryAgent(alice.app, alice.agent, "x")
    run = Unclaimed(until=Memory.objects.get().created_at)
    embed_backlog(alice.app, run.until, run, agent.embedder)
    view = index.view().columns
    assert list(view.embedded[view.alive]) == [True]
    assert np.isclose(np.linalg.norm(view.vectors[view.alive][0]), 1.0)


def test_private_memories_carry_their_owner(alice: Caller, index: AppIndex) -> None:
    alice.remember("mine alone", visibility="agent")
    alice.remember("for everyone in the app")
    assert list(index.view().columns.owner) == [alice.agent.pk, 0]


def test_other_apps_are_not_in_it(alice: Caller, charlie: Caller, index: AppIndex) -> None:
    charlie.remember("of another app")
    assert alive(index) == []


@pytest.mark.parametrize("is_compacted", [False, True])
def test_a_view_that_is_no_longer_the_latest_is_freed_at_once(
    alice: Caller, index: AppIndex, *, is_compacted: bool
) -> None:
    memory = alice.remember("something")
    view = index.view()
    assert scoped_view(view, Scope(None, None, NOW)).size == 1
    gone = weakref.ref(view)
    alice.patch(f"memories/{memory['id']}", {"importance": 5})
    if not is_compacted:
        for number in range(9):
            alice.remember(f"thing {number}")
    gc.disable()
    try:
        del view
        later = index.view()
        assert (len(later.columns.pk) == 1) == is_compacted
        assert gone() is None
    finally:
        gc.enable()


def test_the_least_recently_used_index_goes_first(alice: Caller, charlie: Caller) -> None:
    alice.remember("something")
    charlie.remember("something")
    indexes = Indexes(limit_bytes=1)
    first = indexes.of(alice.app, "m", 64)
    first.view()
    assert indexes.of(alice.app, "m", 64) is first
    indexes.of(charlie.app, "m", 64).view()
    assert indexes.of(alice.app, "m", 64) is not first


def test_of_apps_that_are_asked_once_each_no_more_are_cached_than_the_limit_allows(
    alice: Caller, charlie: Caller, db: None
) -> None:
    """As of the nights of all of them."""
    third = App.objects.create(app_id="third", name="Third")
    for caller in (alice, charlie):
        caller.remember("something")
    indexes = Indexes(limit_bytes=1)
    for app in (alice.app, charlie.app, third):
        indexes.of(app, "m", 64).view()
    assert [app_pk for app_pk, _, _ in indexes.by_key] == [third.pk]


def test_what_indexes_take_is_added_up_when_one_has_grown_and_not_at_each_question(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice.remember("something")
    summed: list[int] = []
    indexes = Indexes(limit_bytes=10**9)
    shrink = indexes.shrink
    monkeypatch.setattr(indexes, "shrink", lambda: summed.append(1) or shrink())
    for times in (1, 2, 2, 2):
        indexes.of(alice.app, "m", 64).view()
        assert len(summed) == times
    with writing(alice.app, "agent:alice", timezone.now()) as write:
        for number in range(100):
            write.create(Candidate(content=f"something new: {number}"))
    indexes.of(alice.app, "m", 64).view()
    indexes.of(alice.app, "m", 64).view()
    assert len(summed) == 3


def test_what_is_known_of_the_rows_before_is_what_is_found_anew(alice: Caller, index: AppIndex) -> None:
    def check(size: int, *, rises: bool = True) -> None:
        view = index.view()
        anew = IndexView(view.columns, view.users, view.subjects)
        assert view.size == size
        assert view.order.rows.tolist() == anew.order.rows.tolist()
        assert view.order.begins.tolist() == anew.order.begins.tolist()
        assert sorted(view.moments) == sorted(anew.moments)
        assert view.session_words.tolist() == anew.session_words.tolist()
        assert (view.rises, anew.rises) == (rises, rises)

    check(0)
    session = alice.start_session()["id"]
    row_counts = {"of whales": 4, "by night": 2}
    first, second = (alice.remember(text, session_id=session, turn_number=row_counts[text]) for text in row_counts)
    check(2)
    alice.remember("alone")
    alice.remember("between them", session_id=session, turn_number=3)
    alice.remember("for a while", valid_from="2026-01-01T00:00:00Z", valid_until="2099-01-01T00:00:00Z")
    check(5)
    alice.patch(f"memories/{first['id']}", {"content": "mended"})
    check(5, rises=False)
    alice.remember("after that")
    check(6, rises=False)
    alice.delete(f"memories/{second['id']}")
    check(5, rises=False)
    assert len(index.view().columns.pk) == 5, "what went is dropped"
    alice.remember("afterwards", session_id=session, turn_number=0)
    check(6, rises=False)


def test_what_is_in_order_is_not_sorted_again(alice: Caller, index: AppIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        alice.remember(f"the first {number}")
    assert len(index.view().order.rows) == 4
    alice.remember("quite another one")
    sorted_rows: list[int] = []
    lexsort = np.lexsort
    monkeypatch.setattr(np, "lexsort", lambda keys: (sorted_rows.append(len(keys[0])), lexsort(keys))[1])
    assert len(index.view().order.rows) == 5
    assert sorted_rows == [1]


def test_sessions_keep_their_numbers() -> None:
    sessions = Sessions()
    assert sessions.numbers_of(np.array([7, -3, 9, 7])) == [0, 1, 2, 0]
    # A memory that is written again is no turn of what it was before.
    assert sessions.numbers_of(np.array([9, -3])) == [2, 3]
    assert sessions.numbers_of(np.array([-3, 8])) == [4, 5]
    assert sessions.numbers_of(np.array([], np.int64)) == []


def test_subjects_are_known_by_the_words_of_their_names() -> None:
    subjects = Subjects()
    assert [subjects.code(name) for name in ("Ann Lee", "Lee, Lee", None, "Ann Lee")] == [1, 2, 0, 1]
    assert subjects.by_word == {"ann": [1], "lee": [1, 2]}
    assert subjects.words_by_letter == {"a": ["ann"], "l": ["lee"]}


def test_a_row_is_found_by_its_memory_until_that_goes_and_when_it_is_back() -> None:
    rows = LivingRows(np.array([3, 5, 9]), np.array([2, 0, 1], np.int32))
    assert [rows.get(pk) for pk in (2, 3, 4, 5, 9, 10)] == [None, 2, None, 0, 1, None]
    assert (rows.pop(5), rows.get(5), rows.pop(5), len(rows)) == (0, None, None, 2)
    rows.update([(5, 7), (11, 8)])
    assert (rows.get(5), rows.get(11), rows.pop(11), 11 in rows, len(rows)) == (7, 8, 8, False, 3)

"""Whoever writes brings the index up to date, so that the next search does not have to."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.db import transaction

from memories.index import similarity
from memories.index.app_index import AppIndex
from memories.index.columns import empty_columns
from memories.index.vector_store import InProcessStore, Sample
from memories.models import Memory
from memories.retrieve import warmup
from memories.retrieve.pipeline import index_of, indexes
from tests.conftest import Caller
from tests.memories.retrieve.asking import change, contents, embedder_of, forget, search, store

Committing = Callable[[], AbstractContextManager[Any]]


@pytest.fixture
def committing(django_capture_on_commit_callbacks: Any) -> Committing:
    """In it, what a write does once it is committed is done at its end: a test's own transaction never is."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The apps whose indexes were brought up to date."""
    seen: list[int] = []
    follow = warmup.refresh

    def told(index: AppIndex) -> None:
        seen.append(index.app_pk)
        follow(index)

    monkeypatch.setattr(warmup, "refresh", told)
    return seen


def hold(caller: Caller) -> list[int]:
    """What the index holds, without looking whether there is more."""
    columns = index_of(caller.app, embedder_of(caller)).latest_view.columns
    return sorted(columns.pk[columns.alive].tolist())


def all_of(caller: Caller) -> list[int]:
    return sorted(Memory.objects.for_app(caller.app).values_list("pk", flat=True))


def test_what_is_written_is_in_the_index_before_anybody_asks(alice: Caller, committing: Committing) -> None:
    first = store(alice, "whales sing")
    search(alice, "whales")
    with committing():
        second = store(alice, "herons fish")
    assert hold(alice) == [first.pk, second.pk]
    with committing():
        search(alice, "whales")
        change(alice, first, content="whales sleep")
    assert hold(alice) == all_of(alice)
    with committing():
        search(alice, "whales")
        forget(alice, second)
    assert hold(alice) == [first.pk]
    assert contents(search(alice, "whales sleep")) == ["whales sleep"]


def test_the_next_search_reads_nothing_but_whether_anything_is_new(
    alice: Caller, committing: Committing, django_assert_num_queries: Any
) -> None:
    store(alice, "whales sing")
    search(alice, "whales")
    with committing():
        store(alice, "herons fish")
    index = index_of(alice.app, embedder_of(alice))
    with django_assert_num_queries(1):
        index.view()


def test_what_a_reading_had_worked_out_is_worked_out_of_the_next(alice: Caller, committing: Committing) -> None:
    for number in range(3):
        store(alice, f"whales sing {number}")
    search(alice, "whales sing")
    index = index_of(alice.app, embedder_of(alice))
    (before,) = index.latest_view.scoped_views.values.values()
    with committing():
        store(alice, "whales sing 4")
    (after,) = index.latest_view.scoped_views.values.values()
    assert after.scoped.view is index.latest_view
    assert after.scoped.size == before.scoped.size + 1
    assert set(vars(before.scoped)) <= set(vars(after.scoped))
    assert {"order", "sums"} <= set(vars(after.scoped))
    search(alice, "whales sing")
    assert [*index.latest_view.scoped_views.values.values()] == [after]


def test_the_sample_of_a_large_app_is_drawn_for_the_next_search(
    alice: Caller, committing: Committing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(similarity, "SIGN_ROWS", 2)
    for number in range(3):
        store(alice, f"whales sing {number}")
    search(alice, "whales sing")
    index = index_of(alice.app, embedder_of(alice))
    with committing():
        store(alice, "whales sing 4")
    drawn = vars(index.latest_view.held)["drawn"]
    assert len(drawn.rows) == 4
    search(alice, "whales sing")
    assert index.sample.drawn is drawn


def test_what_keeps_its_vectors_elsewhere_by_now_is_not_asked_for_what_it_has_not() -> None:
    class Other:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    warmup.work_out(Other(), InProcessStore(empty_columns(4), Sample()))


def test_only_what_searches_have_read_since_is_read_again(alice: Caller, committing: Committing) -> None:
    store(alice, "whales sing")
    store(alice, "herons fish", user_id="ann")
    search(alice, "whales", user_id="ann")
    search(alice, "whales", user_id="bob")
    scoped_views = []
    for number in range(2):
        with committing():
            store(alice, f"whales sing {number}")
        scoped_views.append(len(index_of(alice.app, embedder_of(alice)).latest_view.scoped_views.values))
        search(alice, "whales", user_id="bob")
    assert scoped_views == [2, 1]
    assert len(contents(search(alice, "herons fish", user_id="ann"))) >= 1


def test_of_many_writes_in_a_row_one_does_it(alice: Caller, committing: Committing, followed: list[int]) -> None:
    store(alice, "whales sing")
    search(alice, "whales")
    for number in range(3):
        with committing():
            store(alice, f"herons fish {number}")
    assert followed == [alice.app.pk]
    assert len(contents(search(alice, "herons fish"))) == 3
    with committing():
        store(alice, "herons fish again")
    assert followed == [alice.app.pk] * 2


def test_who_has_asked_nothing_has_nothing_to_bring_up_to_date(
    alice: Caller, charlie: Caller, committing: Committing, followed: list[int]
) -> None:
    with committing():
        store(alice, "whales sing")
    search(charlie, "whales")
    with committing():
        store(alice, "whales sing again")
    assert followed == []


def test_what_is_taken_back_is_not_read(alice: Caller, committing: Committing, followed: list[int]) -> None:
    first = store(alice, "whales sing")
    search(alice, "whales")
    with committing(), transaction.atomic():
        store(alice, "herons fish")
        transaction.set_rollback(True)
    assert followed == []
    assert hold(alice) == [first.pk]


def test_a_write_stays_written_whatever_becomes_of_the_index(
    alice: Caller, committing: Committing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store(alice, "whales sing")
    search(alice, "whales")
    monkeypatch.setattr(warmup, "refresh", lambda index: 1 / 0)
    with committing():
        store(alice, "herons fish")
    assert "division by zero" in caplog.text
    monkeypatch.undo()
    assert set(contents(search(alice, "herons fish"))) >= {"herons fish"}


def test_the_index_of_another_app_is_left_alone(
    alice: Caller, charlie: Caller, committing: Committing, followed: list[int]
) -> None:
    store(alice, "whales sing")
    store(charlie, "herons fish")
    for caller in (alice, charlie):
        search(caller, "whales herons")
    with committing():
        store(charlie, "herons sleep")
    assert followed == [charlie.app.pk]
    assert [index.app_pk for index in indexes.of_app(alice.app.pk)] == [alice.app.pk]

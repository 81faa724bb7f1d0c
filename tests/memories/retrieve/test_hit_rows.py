"""Rows of hits that were read lately: shown again while they are the same, and read anew as soon as they are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from memories.models import Memory
from memories.retrieve import hit_rows
from memories.retrieve.hit_rows import KEPT_CHARACTERS, kept, rows_of
from tests.conftest import Caller
from tests.memories.retrieve.asking import change, contents, forget, search, store

OF_TESTS = 1
"""As deep in transactions is a test that has begun none of its own."""


@pytest.fixture(autouse=True)
def as_without_the_tests_transaction(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(hit_rows, "is_committed", lambda: len(connection.savepoint_ids) < OF_TESTS)
    kept.clear()
    yield
    kept.clear()


def sql_of(asked: Any) -> list[str]:
    return [one["sql"] for one in asked]


def test_a_row_is_read_once(alice: Caller, django_assert_num_queries: Any) -> None:
    whale = store(alice, "whales sing", tags=["sea"], metadata={"depth": [1, None]})
    with django_assert_num_queries(1):
        first = rows_of(alice.app, [whale.pk])[whale.pk]
    with django_assert_num_queries(1) as asked:
        again = rows_of(alice.app, [whale.pk])[whale.pk]
    assert "content" not in sql_of(asked)[0]
    for field in Memory._meta.concrete_fields:
        assert getattr(again, field.attname) == getattr(first, field.attname), field.name
    assert (again.app, again.session, again.resource) == (alice.app, None, None)


def test_it_comes_with_its_session(alice: Caller) -> None:
    session = alice.post("sessions", {}).json()["id"]
    whale = store(alice, "whales sing", session_id=session, turn_number=3)
    for _ in range(2):
        row = rows_of(alice.app, [whale.pk])[whale.pk]
        assert row.session is not None
        assert str(row.session.uid) == session


def test_what_changes_is_read_anew(alice: Caller) -> None:
    whale = store(alice, "whales sing")
    assert contents(search(alice, "whales")) == ["whales sing"]
    for fields in ({"content": "whales sing at night"}, {"tags": ["sea"]}, {"confidence": 0.4}, {"pinned": True}):
        change(alice, whale, **fields)
        (hit,) = search(alice, "whales").hits
        stored = Memory.objects.get(pk=whale.pk)
        for field in Memory._meta.concrete_fields:
            if not field.name.startswith("access"):
                assert getattr(hit.memory, field.attname) == getattr(stored, field.attname), field.name
    forget(alice, whale)
    assert rows_of(alice.app, [whale.pk]) == {}


def test_who_says_it_again_makes_it_surer(alice: Caller) -> None:
    whale = store(alice, "Takes 60 s to start", category="timing", subject="jellyfin")
    before = rows_of(alice.app, [whale.pk])[whale.pk].confidence
    alice.remember("Takes 60 s to start", category="timing", subject="jellyfin")
    assert rows_of(alice.app, [whale.pk])[whale.pk].confidence > before


def test_what_is_counted_is_of_now(alice: Caller) -> None:
    whale = store(alice, "whales sing")
    counts = [rows_of(alice.app, [whale.pk])[whale.pk].access_count for _ in range(2)]
    Memory.objects.filter(pk=whale.pk).update(access_count=7)
    counts.append(rows_of(alice.app, [whale.pk])[whale.pk].access_count)
    assert counts == [0, 0, 7]


def test_of_another_app_nothing_is_shown_that_is_kept(alice: Caller, charlie: Caller) -> None:
    whale = store(alice, "whales sing")
    assert rows_of(alice.app, [whale.pk])
    assert rows_of(charlie.app, [whale.pk]) == {}


def test_what_a_caller_changes_is_its_own(alice: Caller) -> None:
    whale = store(alice, "whales sing", tags=["sea"], metadata={"depth": [1]})
    for _ in range(3):
        row = rows_of(alice.app, [whale.pk])[whale.pk]
        assert (row.content, row.tags, row.metadata) == ("whales sing", ["sea"], {"depth": [1]})
        row.content = "herons stand"
        row.tags.append("land")
        row.metadata["depth"].append(2)


def test_what_a_transaction_has_written_is_not_kept(alice: Caller) -> None:
    whale = store(alice, "whales sing")
    number = Memory.objects.get(pk=whale.pk).change_number
    assert hit_rows.is_committed()
    with transaction.atomic():
        assert not hit_rows.is_committed()
        Memory.objects.filter(pk=whale.pk).update(content="herons stand", change_number=number + 1)
        assert rows_of(alice.app, [whale.pk])[whale.pk].content == "herons stand"
        transaction.set_rollback(True)
    change(alice, whale, content="newts swim")
    assert rows_of(alice.app, [whale.pk])[whale.pk].content == "newts swim"


def test_of_what_is_forgotten_nothing_stays_in_the_process(alice: Caller) -> None:
    whale = store(alice, "whales sing")
    search(alice, "whales")
    assert kept.get((alice.app.pk, whale.pk))
    forget(alice, whale)
    search(alice, "herons")
    assert kept.get((alice.app.pk, whale.pk)) is None


def test_a_long_one_is_read_each_time(alice: Caller, django_assert_num_queries: Any) -> None:
    Memory.objects.filter(pk=(whale := store(alice, "whales sing")).pk).update(content="x" * (KEPT_CHARACTERS + 1))
    for _ in range(2):
        with django_assert_num_queries(1) as asked:
            rows_of(alice.app, [whale.pk])
        assert "content" in sql_of(asked)[0]


def test_those_that_are_known_and_those_that_are_not_come_together(alice: Caller) -> None:
    whale, heron, newt = (store(alice, text) for text in ("whales sing", "herons stand", "newts swim"))
    rows_of(alice.app, [whale.pk])
    found = rows_of(alice.app, [newt.pk, whale.pk, heron.pk, 10**9])
    assert {pk: row.content for pk, row in found.items()} == {
        whale.pk: "whales sing", heron.pk: "herons stand", newt.pk: "newts swim",
    }  # fmt: skip
    assert rows_of(alice.app, []) == {}


def test_as_of_one_commit_nothing_is_asked(alice: Caller, django_assert_num_queries: Any) -> None:
    whale, heron = store(alice, "whales sing", tags=["sea"]), store(alice, "herons stand")
    rows_of(alice.app, [whale.pk], (1, 1))
    with django_assert_num_queries(0):
        row = rows_of(alice.app, [whale.pk], (1, 1))[whale.pk]
    for field in Memory._meta.concrete_fields:
        if not field.name.startswith("access"):
            assert getattr(row, field.attname) == getattr(whale, field.attname), field.name
    with django_assert_num_queries(1) as asked:
        assert set(rows_of(alice.app, [whale.pk, heron.pk], (1, 1))) == {whale.pk, heron.pk}
    assert "content" in sql_of(asked)[0]


def test_as_of_another_it_is_looked_whether_it_is_the_same(alice: Caller, django_assert_num_queries: Any) -> None:
    whale = store(alice, "whales sing")
    rows_of(alice.app, [whale.pk], (1, 1))
    Memory.objects.filter(pk=whale.pk).update(access_count=7)
    with django_assert_num_queries(1) as asked:
        counts = [rows_of(alice.app, [whale.pk], commit)[whale.pk].access_count for commit in ((1, 1), (1, 2), (1, 2))]
    assert "content" not in sql_of(asked)[0]
    assert counts == [0, 7, 7]
    change(alice, whale, content="whales sing at night")
    assert rows_of(alice.app, [whale.pk], (1, 3))[whale.pk].content == "whales sing at night"
    forget(alice, whale)
    assert rows_of(alice.app, [whale.pk], (1, 4)) == {}


def test_what_was_kept_without_a_commit_is_looked_at(alice: Caller, django_assert_num_queries: Any) -> None:
    whale = store(alice, "whales sing")
    rows_of(alice.app, [whale.pk])
    with django_assert_num_queries(2):
        for _ in range(2):
            rows_of(alice.app, [whale.pk])
    with django_assert_num_queries(1):
        for _ in range(2):
            rows_of(alice.app, [whale.pk], (1, 1))


def test_of_another_app_nothing_is_shown_as_of_the_same_commit(alice: Caller, charlie: Caller) -> None:
    whale = store(alice, "whales sing")
    for _ in range(2):
        assert rows_of(alice.app, [whale.pk], (1, 1))
        assert rows_of(charlie.app, [whale.pk], (1, 1)) == {}


def test_what_a_caller_changes_is_its_own_as_of_a_commit_too(alice: Caller) -> None:
    whale = store(alice, "whales sing", tags=["sea"], metadata={"depth": [1]})
    for commit in ((1, 1), (1, 1), (1, 2), (1, 2)):
        row = rows_of(alice.app, [whale.pk], commit)[whale.pk]
        assert (row.content, row.tags, row.metadata) == ("whales sing", ["sea"], {"depth": [1]})
        row.content = "herons stand"
        row.tags.append("land")
        row.metadata["depth"].append(2)

"""Rows of hits that were read lately: shown again while they are the same, and read anew as soon as they are not."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from memories.api.serializers.memories import show_memory
from memories.compat.mem0 import show_item
from memories.mcp.tools import brief
from memories.models import Memory
from memories.retrieve import hits
from memories.retrieve.hits import KEPT_CHARACTERS, Hit, cached_rows, recent_memories
from memories.retrieve.pipeline import SearchRequest
from memories.store import writing
from memsite.db.lru_cache import Commit
from memsite.tenancy.models import App
from tests.conftest import Caller
from tests.memories.retrieve.asking import agent_of, change, contents, forget, link, search, store

OF_TESTS = 1
"""As deep in transactions is a test that has begun none of its own."""


@pytest.fixture(autouse=True)
def as_without_the_tests_transaction(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(hits, "is_committed", lambda: len(connection.savepoint_ids) < OF_TESTS)
    recent_memories.clear()
    yield
    recent_memories.clear()


def sql_of(requested: Any) -> list[str]:
    return [item["sql"] for item in requested]


def test_a_row_is_read_once(alice: Caller, django_assert_num_queries: Any) -> None:
    whale = store(alice, "whales sing", tags=["sea"], metadata={"depth": [1, None]})
    with django_assert_num_queries(1):
        first = cached_rows(alice.app, [whale.pk])[whale.pk]
    with django_assert_num_queries(1) as requested:
        again = cached_rows(alice.app, [whale.pk])[whale.pk]
    assert "content" not in sql_of(requested)[0]
    for field in Memory._meta.concrete_fields:
        assert getattr(again, field.attname) == getattr(first, field.attname), field.name
    assert (again.session, again.resource) == (None, None)


def test_it_comes_with_its_session(alice: Caller) -> None:
    session = alice.post("sessions", {}).json()["id"]
    whale = store(alice, "whales sing", session_id=session, turn_number=3)
    for _ in range(2):
        row = cached_rows(alice.app, [whale.pk])[whale.pk]
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
    assert cached_rows(alice.app, [whale.pk]) == {}


def test_who_says_it_again_makes_it_more_certain(alice: Caller) -> None:
    whale = store(alice, "Takes 60 s to start", category="timing", subject="jellyfin")
    before = cached_rows(alice.app, [whale.pk])[whale.pk].confidence
    alice.remember("Takes 60 s to start", category="timing", subject="jellyfin")
    assert cached_rows(alice.app, [whale.pk])[whale.pk].confidence > before


def test_what_is_counted_is_of_now(alice: Caller) -> None:
    whale = store(alice, "whales sing")
    counts = [cached_rows(alice.app, [whale.pk])[whale.pk].access_count for _ in range(2)]
    Memory.objects.filter(pk=whale.pk).update(access_count=7)
    counts.append(cached_rows(alice.app, [whale.pk])[whale.pk].access_count)
    assert counts == [0, 0, 7]


def test_of_another_app_nothing_is_shown_that_is_kept(alice: Caller, charlie: Caller) -> None:
    whale = store(alice, "whales sing")
    assert cached_rows(alice.app, [whale.pk])
    assert cached_rows(charlie.app, [whale.pk]) == {}


@pytest.mark.parametrize("commit", [None, (1, 1)], ids=str)
def test_what_a_caller_changes_of_a_hit_is_its_own(alice: Caller, commit: Commit | None) -> None:
    whale = store(alice, "whales sing", tags=["sea"], metadata={"depth": [1]})
    for _ in range(3):
        hit = Hit(alice.app, cached_rows(alice.app, [whale.pk], commit)[whale.pk], 1.0)
        assert (hit.memory.content, hit.memory.tags, hit.memory.metadata) == ("whales sing", ["sea"], {"depth": [1]})
        memory = hit.memory
        memory.content = "herons stand"
        memory.tags.append("land")
        memory.metadata["depth"].append(2)


def test_a_hits_memory_is_of_the_app_that_asked(alice: Caller, django_assert_num_queries: Any) -> None:
    whale = store(alice, "whales sing")
    for app in (alice.app, App.objects.select_related("policy").get(pk=alice.app.pk)):
        hit = Hit(app, cached_rows(app, [whale.pk])[whale.pk], 1.0)
        with django_assert_num_queries(0):
            assert hit.memory.app is app


def test_nobody_who_asks_changes_what_is_kept(alice: Caller) -> None:
    """Neither what it says nor what was read with it."""
    session = alice.post("sessions", {}).json()["id"]
    whale = store(alice, "whales sing", tags=["sea"], metadata={"depth": [1]}, session_id=session, turn_number=1)
    heron = store(alice, "whales never sing", confidence=0.4)
    link(alice, whale, heron, "contradicts")
    was = timezone.now()
    change(alice, whale, tags=["sea", "song"])
    search(alice, "whales sing")
    before = {pk: state_of(cached_rows(alice.app, [pk])[pk]) for pk in (whale.pk, heron.pk)}
    question = {"query": "whales sing"}
    now = ["sea", "song"]
    for requested, tags in (({}, now), ({"explain": True}, now), ({"as_of": was.isoformat()}, ["sea"]), ({}, now)):
        result = alice.post("memories/search", question | requested).json()["results"]
        assert [hit["tags"] for hit in result if hit["id"] == str(whale.uid)] == [tags]
    alice.post("context", question)
    alice.post("context", {})
    alice.post("context", question | {"session_id": session})
    hits = agent_of(alice).search(SearchRequest(text="whales sing")).hits
    assert {hit.memory.pk for hit in hits} == set(before)
    for hit in hits:
        brief(hit.memory)
        show_item(hit.memory)
    assert {pk: state_of(cached_rows(alice.app, [pk])[pk]) for pk in before} == before


def test_what_was_put_into_the_cold_archive_meanwhile_is_told_all_the_same(
    alice: Caller, django_assert_num_queries: Any
) -> None:
    """Between the search and the reading of its hits."""
    whale = store(alice, "whales sing")
    with writing(alice.app, "test", timezone.now()) as write:
        write.freeze([whale], "nobody asks for it")
    row = cached_rows(alice.app, [whale.pk])[whale.pk]
    with django_assert_num_queries(0):
        assert (row.content, show_memory(row)["content"]) == ("", "whales sing")


def state_of(row: Memory) -> tuple[dict[str, Any], set[str]]:
    counted = ("_state", "access_count", "accessed_at")
    texts = {name: deepcopy(value) for name, value in vars(row).items() if name not in counted}
    return texts, set(row._state.fields_cache)


def test_what_a_transaction_has_written_is_not_kept(alice: Caller) -> None:
    whale = store(alice, "whales sing")
    number = Memory.objects.get(pk=whale.pk).change_number
    assert hits.is_committed()
    with transaction.atomic():
        assert not hits.is_committed()
        Memory.objects.filter(pk=whale.pk).update(content="herons stand", change_number=number + 1)
        assert cached_rows(alice.app, [whale.pk])[whale.pk].content == "herons stand"
        transaction.set_rollback(True)
    change(alice, whale, content="newts swim")
    assert cached_rows(alice.app, [whale.pk])[whale.pk].content == "newts swim"


def test_of_what_is_forgotten_nothing_stays_in_the_process(alice: Caller) -> None:
    whale = store(alice, "whales sing")
    search(alice, "whales")
    assert recent_memories.get((alice.app.pk, whale.pk))
    forget(alice, whale)
    search(alice, "herons")
    assert recent_memories.get((alice.app.pk, whale.pk)) is None


def test_a_long_one_is_read_each_time(alice: Caller, django_assert_num_queries: Any) -> None:
    Memory.objects.filter(pk=(whale := store(alice, "whales sing")).pk).update(content="x" * (KEPT_CHARACTERS + 1))
    for _ in range(2):
        with django_assert_num_queries(1) as requested:
            cached_rows(alice.app, [whale.pk])
        assert "content" in sql_of(requested)[0]


def test_those_that_are_known_and_those_that_are_not_come_together(alice: Caller) -> None:
    whale, heron, newt = (store(alice, text) for text in ("whales sing", "herons stand", "newts swim"))
    cached_rows(alice.app, [whale.pk])
    result = cached_rows(alice.app, [newt.pk, whale.pk, heron.pk, 10**9])
    assert {pk: row.content for pk, row in result.items()} == {
        whale.pk: "whales sing",
        heron.pk: "herons stand",
        newt.pk: "newts swim",
    }
    assert cached_rows(alice.app, []) == {}


def test_as_of_one_commit_nothing_is_asked(alice: Caller, django_assert_num_queries: Any) -> None:
    whale, heron = store(alice, "whales sing", tags=["sea"]), store(alice, "herons stand")
    cached_rows(alice.app, [whale.pk], (1, 1))
    with django_assert_num_queries(0):
        row = cached_rows(alice.app, [whale.pk], (1, 1))[whale.pk]
    for field in Memory._meta.concrete_fields:
        if not field.name.startswith("access"):
            assert getattr(row, field.attname) == getattr(whale, field.attname), field.name
    with django_assert_num_queries(1) as requested:
        assert set(cached_rows(alice.app, [whale.pk, heron.pk], (1, 1))) == {whale.pk, heron.pk}
    assert "content" in sql_of(requested)[0]


def test_as_of_another_it_is_looked_whether_it_is_the_same(alice: Caller, django_assert_num_queries: Any) -> None:
    whale = store(alice, "whales sing")
    cached_rows(alice.app, [whale.pk], (1, 1))
    Memory.objects.filter(pk=whale.pk).update(access_count=7)
    with django_assert_num_queries(1) as requested:
        counts = [
            cached_rows(alice.app, [whale.pk], commit)[whale.pk].access_count for commit in ((1, 1), (1, 2), (1, 2))
        ]
    assert "content" not in sql_of(requested)[0]
    assert counts == [0, 7, 7]
    change(alice, whale, content="whales sing at night")
    assert cached_rows(alice.app, [whale.pk], (1, 3))[whale.pk].content == "whales sing at night"
    forget(alice, whale)
    assert cached_rows(alice.app, [whale.pk], (1, 4)) == {}


def test_what_was_kept_without_a_commit_is_looked_at(alice: Caller, django_assert_num_queries: Any) -> None:
    whale = store(alice, "whales sing")
    cached_rows(alice.app, [whale.pk])
    with django_assert_num_queries(2):
        for _ in range(2):
            cached_rows(alice.app, [whale.pk])
    with django_assert_num_queries(1):
        for _ in range(2):
            cached_rows(alice.app, [whale.pk], (1, 1))


def test_of_another_app_nothing_is_shown_as_of_the_same_commit(alice: Caller, charlie: Caller) -> None:
    whale = store(alice, "whales sing")
    for _ in range(2):
        assert cached_rows(alice.app, [whale.pk], (1, 1))
        assert cached_rows(charlie.app, [whale.pk], (1, 1)) == {}

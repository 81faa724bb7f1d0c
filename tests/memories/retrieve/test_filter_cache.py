"""What a filter lets in is kept, and is at every time what the database would say."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection

from memories.maintain.aging import decay_app
from memories.models import Memory
from memories.retrieve import filters as let_in_module
from memories.retrieve.filters import FilterError, build_filter, cached_filters, matching_pks
from memsite.jobs.job import Unclaimed
from tests.conftest import Caller
from tests.memories.retrieve.asking import change, contents, forget, search, store

OF_TESTS = 1
"""As deep in transactions is a test that has begun none of its own."""
OLD = {"tags": "old"}


@pytest.fixture(autouse=True)
def as_without_the_tests_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(let_in_module, "is_committed", lambda: len(connection.savepoint_ids) < OF_TESTS)


def asked_now(caller: Caller, filters: dict[str, Any]) -> list[int]:
    rows = Memory.objects.for_app(caller.app).filter(build_filter(filters))
    return sorted(rows.values_list("pk", flat=True))


def test_a_filter_that_is_asked_again_reads_what_was_written_since(
    alice: Caller, django_assert_num_queries: Any
) -> None:
    whale, heron = store(alice, "whales sing", tags=["old"]), store(alice, "herons stand", tags=["old"])
    store(alice, "krill swims")
    with django_assert_num_queries(2):
        assert sorted(matching_pks(alice.app, OLD)) == [whale.pk, heron.pk]
    with django_assert_num_queries(1):
        assert sorted(matching_pks(alice.app, OLD)) == [whale.pk, heron.pk]
    change(alice, whale, tags=[])
    bear = store(alice, "bears sleep", tags=["old"])
    with django_assert_num_queries(3) as requested:
        assert sorted(matching_pks(alice.app, OLD)) == [heron.pk, bear.pk]
    assert all("> " in query["sql"] and "change_number" in query["sql"] for query in requested.captured_queries[1:])
    with django_assert_num_queries(1):
        assert sorted(matching_pks(alice.app, OLD)) == [heron.pk, bear.pk]


FILTERS: list[dict[str, Any]] = [
    OLD,
    {"not": OLD},
    {"category": "work"},
    {"importance": {"gte": 3}},
    {"or": [{"subject": "caddy"}, {"metadata.n": 1}]},
    {"confidence": {"lt": 0.5}},
    {"user_id": None},
    {"access_count": {"gte": 1}},
    {"agent": "alice"},
]


@pytest.mark.parametrize("seed", range(2))
def test_it_is_what_the_database_would_say_whatever_happens(
    alice: Caller, charlie: Caller, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(let_in_module, "MEANWHILE", 6)
    draw = Random(seed)
    store(charlie, "of another app", tags=["old"], category="work", importance=5)
    for step in range(32):
        there = list(Memory.objects.for_app(alice.app))
        item = draw.choice(there) if there else None
        fields = {
            "tags": draw.choice([[], ["old"], ["new", "old"]]),
            "category": draw.choice(["work", "home"]),
            "importance": draw.randint(1, 5),
            "subject": draw.choice(["caddy", "dns"]),
            "metadata": {"n": draw.randint(0, 1)},
            "confidence": draw.choice([0.4, 0.9]),
        }
        what = draw.randrange(6)
        if item is None or what < 2:
            store(alice, f"whale {step}", user_id=draw.choice([None, "ada"]), **fields)
        elif what == 2:
            change(alice, item, **dict(draw.sample(sorted(fields.items()), 2)))
        elif what == 3:
            forget(alice, item)
        elif what == 4:
            search(alice, item.content, filters=draw.choice(FILTERS))
        for filters in draw.sample(FILTERS, 5):
            assert sorted(matching_pks(alice.app, filters)) == asked_now(alice, filters)
    assert cached_filters.values


def test_what_decay_lowers_is_seen(alice: Caller) -> None:
    whale, unsure = store(alice, "whales sing"), {"confidence": {"lt": 0.5}}
    assert matching_pks(alice.app, unsure).tolist() == []
    later = whale.created_at + timedelta(days=80)
    decay_app(alice.app, later, Unclaimed(later))
    assert matching_pks(alice.app, unsure).tolist() == [whale.pk]


def test_a_search_finds_what_was_let_in_since(alice: Caller) -> None:
    whale = store(alice, "whales sing")
    assert contents(search(alice, "whales", filters=OLD)) == []
    change(alice, whale, tags=["old"])
    assert contents(search(alice, "whales", filters=OLD)) == ["whales sing"]


def test_after_very_many_changes_all_are_asked_about(
    alice: Caller, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    monkeypatch.setattr(let_in_module, "MEANWHILE", 1)
    matching_pks(alice.app, OLD)
    whales = [store(alice, f"whale {number}", tags=["old"]).pk for number in range(3)]
    with django_assert_num_queries(2):
        assert sorted(matching_pks(alice.app, OLD)) == whales


def test_what_a_transaction_has_read_is_not_kept(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(let_in_module, "is_committed", lambda: False)
    whale = store(alice, "whales sing", tags=["old"])
    assert sorted(matching_pks(alice.app, OLD)) == [whale.pk]
    assert not cached_filters.values


def test_what_cannot_be_read_is_refused(alice: Caller) -> None:
    with pytest.raises(FilterError):
        matching_pks(alice.app, {"tag": "old"})

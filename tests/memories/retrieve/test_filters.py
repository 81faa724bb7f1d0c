"""Filters say which memories may be found; what cannot be read is refused with the field's name."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.models import Memory
from memories.retrieve.filters import FilterError, build_filter
from tests.conftest import Caller


@pytest.fixture
def shelf(alice: Caller) -> Caller:
    alice.remember("one", category="work", subject="caddy", tags=["old", "été"], importance=1, metadata={"a": {"b": 5}})
    alice.remember("two", category="work", tags=["new"], importance=3, pinned=True)
    alice.remember("three", category="health", importance=5, kind="lesson", confidence=0.9, external_id="x3")
    return alice


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "one two three"),
        ({"category": "work"}, "one two"),
        ({"category": ["work", "health"]}, "one two three"),
        ({"category": "work", "importance": {"gte": 3}}, "two"),
        ({"and": [{"category": "work"}, {"not": {"tags": "old"}}]}, "two"),
        ({"or": [{"tags": "new"}, {"kind": "lesson"}]}, "two three"),
        ({"not": {"or": [{"tags": "new"}, {"kind": "lesson"}]}}, "one"),
        ({"tags": "été"}, "one"),
        ({"tags": "ol"}, ""),
        ({"tags": ["old", "new"]}, "one two"),
        ({"subject": "caddy"}, "one"),
        ({"subject": None}, "two three"),
        ({"subject": "general"}, "two three"),
        ({"subject": {"ne": "caddy"}}, "two three"),
        ({"importance": {"gt": 1, "lt": 5}}, "two"),
        ({"importance": {"in": [1, 5]}}, "one three"),
        ({"pinned": True}, "two"),
        ({"metadata.a.b": 5}, "one"),
        ({"metadata.a.b": 6}, ""),
        ({"external_id": "x3"}, "three"),
        ({"agent": "alice"}, "one two three"),
        ({"agent": "bob"}, ""),
        ({"created_at": {"gte": "2020-01-01T00:00:00Z"}}, "one two three"),
        ({"created_at": {"lt": "2020-01-01"}}, ""),
    ],
    ids=str,
)
def test_what_a_filter_lets_through(shelf: Caller, filters: dict[str, Any], expected: str) -> None:
    rows = Memory.objects.filter(build_filter(filters)).order_by("id")
    assert [row.content for row in rows] == expected.split()


@pytest.mark.parametrize(
    "filters",
    [
        [],
        "x",
        {"colour": "red"},
        {"category": 5},
        {"category": {"gt": "a"}},
        {"importance": "3"},
        {"importance": {"gte": None}},
        {"importance": {"near": 3}},
        {"kind": "novel"},
        {"pinned": 1},
        {"created_at": {"gte": "yesterday"}},
        {"created_at": {"gte": "2020-13-45"}},
        {"created_at": {"gte": "0001-01-01T00:00:00+23:59"}},
        {"valid_until": "9999-12-31T23:59:59-23:59"},
        {"session_id": "x"},
        {"and": {}},
        {"and": []},
        {"not": []},
        {"category": []},
        {"metadata.a__b": {"x": 1}},
        {"metadata.": 1},
        {"password": "x"},
        {"app__secret": "x"},
    ],
    ids=str,
)
def test_what_cannot_be_read_is_refused(filters: Any) -> None:
    with pytest.raises(FilterError):
        build_filter(filters)


def test_a_filter_is_no_way_to_keep_the_server_busy() -> None:
    deep: dict[str, Any] = {"category": "x"}
    for _ in range(50):
        deep = {"not": deep}
    with pytest.raises(FilterError, match="levels"):
        build_filter(deep)
    with pytest.raises(FilterError, match="parts"):
        build_filter({"and": [{"category": "x"}] * 200})


NAMES = st.sampled_from(["and", "or", "not", "tags", "category", "importance", "created_at", "gte", "in", "metadata.a"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_nothing_but_a_filter_error_is_ever_raised(filters: Any) -> None:
    with contextlib.suppress(FilterError):
        build_filter(filters)


def test_a_search_finds_only_what_its_filter_lets_through(shelf: Caller) -> None:
    found = shelf.post("memories/search", {"query": "one two three", "filters": {"tags": "old"}}).json()["results"]
    assert [hit["content"] for hit in found] == ["one"]


def test_a_wrong_filter_is_a_clear_error(shelf: Caller) -> None:
    answer = shelf.post("memories/search", {"query": "one", "filters": {"colour": "red"}})
    assert answer.status_code == 400
    assert answer.json()["errors"] == [{"field": "filters", "detail": "colour: unknown field."}]


def test_a_filter_opens_no_other_app(shelf: Caller, charlie: Caller) -> None:
    charlie.remember("one of another app", category="work")
    found = shelf.post("memories/search", {"query": "one of another app", "filters": {"category": "work"}}).json()
    assert "another app" not in str(found["results"])

"""Filters say which memories may be found; what cannot be read is refused with the field's name."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.models import Memory
from memories.retrieve.filters import FilterError, build_filter, users_named
from tests.conftest import Caller
from tests.tables import each_row


@pytest.fixture
def shelf(alice: Caller) -> Caller:
    alice.remember("one", category="work", subject="caddy", tags=["old", "été"], importance=1, metadata={"a": {"b": 5}})
    alice.remember("two", category="work", tags=["new"], importance=3, pinned=True)
    alice.remember("three", category="health", importance=5, kind="lesson", confidence=0.9, external_id="x3")
    return alice


@each_row(
    "filters, expected",
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
)
def test_what_a_filter_lets_through(shelf: Caller, filters: dict[str, Any], expected: str) -> None:
    assert let_through(filters) == expected.split()


@each_row(
    "filters, named",
    [
        ({}, ""),
        ({"category": "ann", "metadata.user_id": "ann"}, ""),
        ({"user_id": "ann"}, "ann"),
        ({"user_id": ["ann", None, "ben"]}, "ann ben"),
        ({"user_id": {"eq": "ann"}}, "ann"),
        ({"user_id": {"in": ["ann", "ben"], "ne": "cleo"}}, "ann ben"),
        ({"and": [{"user_id": "ann"}, {"or": [{"user_id": "ben"}, {"tags": "cleo"}]}]}, "ann ben"),
        ({"user_id": None}, ""),
        ({"user_id": {"ne": "ann"}}, ""),
        ({"not": {"user_id": "ann"}}, ""),
        ({"not": {"not": {"user_id": "ann"}}}, ""),
    ],
)
def test_a_filter_names_the_end_users_it_asks_for(filters: dict[str, Any], named: str) -> None:
    build_filter(filters)
    assert sorted(users_named(filters)) == named.split()


LOOKUPS = ("contains", "has_key", "has_keys", "regex", "range", "startswith", "isnull", "in", "a__contains", "s__regex")
NAMED = {
    name: f"of {name}" for name in (*LOOKUPS, "a-b", "a b", 'a"b', "a\\b", "ünï", "0", "%s", "'", "$", "[0]", "{}")
}


@pytest.fixture
def named(alice: Caller) -> None:
    alice.remember("named", metadata={**NAMED, "s": NAMED, "t": "a" * 40})
    alice.remember("other", metadata={"s": [], "t": NAMED})


@each_row("name", NAMED)
def test_any_name_in_metadata_is_a_name_and_never_a_lookup(named: None, name: str) -> None:
    Memory.objects.filter(content="other").update(metadata={"s": [NAMED[name]], "t": NAMED})
    assert let_through({f"metadata.{name}": NAMED[name]}) == ["named"]
    assert let_through({f"metadata.s.{name}": NAMED[name]}) == ["named"]
    assert let_through({f"metadata.t.{name}": NAMED[name]}) == ["other"]
    for value in ("^(a+)+$", "(", "o", "", True, 5, None):
        assert let_through({f"metadata.{name}": value}) == (["other"] if value is None else [])


VALUES: dict[str, Any] = {
    "true": True,
    "false": False,
    "one": 1,
    "one point": 1.0,
    "zero": 0,
    "large": 2**63 + 2**20,
    "small": -(2**63),
    "text of one": "1",
    "text of true": "true",
    "quoted": '"1"',
    "text of null": "null",
    "empty": "",
    "null": None,
    "list": [1],
    "object": {"b": 1},
}


@pytest.fixture
def kinds(alice: Caller) -> None:
    for content, value in VALUES.items():
        alice.remember(content, metadata={"a": value})
    alice.remember("none")


@each_row(
    "value, expected",
    [
        (True, "true"),
        (False, "false"),
        (1, "one, one point"),
        (1.0, "one, one point"),
        (0, "zero"),
        (2**63 + 2**20, "large"),
        (-(2**63), "small"),
        ("1", "text of one"),
        ("true", "text of true"),
        ('"1"', "quoted"),
        ("null", "text of null"),
        ("", "empty"),
        (None, "none, null"),
        ("[1]", ""),
        ('{"b": 1}', ""),
        ([True, None], "none, null, true"),
        ({"eq": 1}, "one, one point"),
        ({"in": ["1", 0]}, "text of one, zero"),
    ],
)
def test_a_value_in_metadata_is_of_one_kind(kinds: None, value: Any, expected: str) -> None:
    result = let_through({"metadata.a": value})
    assert ", ".join(sorted(result)) == expected
    others = let_through({"not": {"metadata.a": value}})
    assert sorted(result + others) == sorted([*VALUES, "none"])
    if not isinstance(value, list | dict):
        assert let_through({"metadata.a": {"ne": value}}) == others


@pytest.fixture
def tagged(alice: Caller) -> None:
    alice.remember("small", tags=["storage", "ünïcode", 'a"b\\c'])
    alice.remember("large", tags=["Storage", "Ünïcode"])
    alice.remember("none")


@each_row(
    "filters, expected",
    [
        ({"tags": ", "}, ""),
        ({"tags": '", "'}, ""),
        ({"tags": "storage"}, "small"),
        ({"tags": "STORAGE"}, ""),
        ({"tags": "ünïcode"}, "small"),
        ({"tags": "Ünïcode"}, "large"),
        ({"tags": "_torage"}, ""),
        ({"tags": "%"}, ""),
        ({"tags": 'a"b\\c'}, "small"),
        ({"tags": None}, "none"),
        ({"tags": {"ne": "storage"}}, "large none"),
        ({"tags": {"eq": "Storage"}}, "large"),
        ({"tags": {"in": ["storage", None]}}, "small none"),
        ({"tags": ["storage", "Storage"]}, "small large"),
        ({"not": {"tags": None}}, "small large"),
    ],
)
def test_a_tag_is_a_whole_tag(tagged: None, filters: dict[str, Any], expected: str) -> None:
    assert let_through(filters) == expected.split()


@pytest.fixture
def plain(alice: Caller) -> None:
    alice.remember("plain", category="general")
    alice.remember(
        "of prod",
        category="general",
        metadata={"env": "prod"},
        user_id="prod",
        subject="prod",
        valid_until="2999-01-01T00:00:00Z",
    )


@each_row(
    "filters",
    [
        {"not": {"metadata.env": "prod"}},
        {"metadata.env": {"ne": "prod"}},
        {"not": {"not": {"metadata.env": None}}},
        {"not": {"user_id": "prod"}},
        {"user_id": {"ne": "prod"}},
        {"not": {"valid_until": {"gt": "2000-01-01"}}},
        {"not": {"session_id": "0198c0de-0000-7000-8000-000000000000"}},
        {"not": {"and": [{"category": "general"}, {"subject": "prod"}]}},
    ],
)
def test_not_keeps_what_has_no_such_field(plain: None, filters: dict[str, Any]) -> None:
    assert "plain" in let_through(filters)


def let_through(filters: dict[str, Any]) -> list[str]:
    return [row.content for row in Memory.objects.filter(build_filter(filters)).order_by("id")]


@each_row(
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
        {"metadata.a": [["x"]]},
        {"metadata.a": {"gt": 1}},
        {"metadata.a": 2**64},
        {"metadata.a": float("inf")},
        {"metadata.": 1},
        {"metadata.a..b": 1},
        {"metadata." + "a." * 10 + "a": 1},
        {"tags": 5},
        {"tags": {"gt": "a"}},
        {"password": "x"},
        {"app__secret": "x"},
    ],
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
    result = shelf.post("memories/search", {"query": "one two three", "filters": {"tags": "old"}}).json()["results"]
    assert [hit["content"] for hit in result] == ["one"]


def test_a_wrong_filter_is_a_clear_error(shelf: Caller) -> None:
    answer = shelf.post("memories/search", {"query": "one", "filters": {"colour": "red"}})
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["field"] == "filters"
    assert error["detail"].startswith(
        "colour: unknown field; there are and, or, not, tags, metadata.<name>, access_count,"
    )


def test_words_in_capitals_are_told_how_they_are_written(shelf: Caller) -> None:
    answer = shelf.post("memories/search", {"query": "one", "filters": {"AND": [{"tags": "old"}]}})
    assert "AND: unknown field; there are and, or, not, " in answer.json()["detail"]


def test_no_filters_are_none(shelf: Caller) -> None:
    output = [shelf.post("memories/search", {"query": "one", **filters}).json() for filters in ({}, {"filters": None})]
    without, with_none = ([hit["id"] for hit in answer["results"]] for answer in output)
    assert without == with_none != []


def test_a_filter_opens_no_other_app(shelf: Caller, charlie: Caller) -> None:
    charlie.remember("one of another app", category="work")
    result = shelf.post("memories/search", {"query": "one of another app", "filters": {"category": "work"}}).json()
    assert "another app" not in str(result["results"])


def test_a_text_that_is_too_long_is_told_how_long_it_may_be() -> None:
    with pytest.raises(FilterError, match="category: takes a text of 1,000 characters at most"):
        build_filter({"category": "x" * 1_001})

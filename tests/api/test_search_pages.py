"""`next` and `cursor` of `/memories/search`: pages that make up one long answer, and cursors that are none."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.exceptions import ValidationError

from memories.api.pagination import FARTHEST, fingerprint, make_cursor, read_cursor
from memories.api.serializers.memories import SearchQuestion
from memories.models import Memory
from memories.retrieve.pipeline import indexes
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.tables import each_row

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
RANKINGS = ("standard", "confidence", "product", "dual", "recent")
MODES = ("auto", "tiered", "dual", "vector", "fulltext", "graph")
SEAS = ("red", "blue", "white", "black", "deep", "calm", "cold", "warm", "north", "south", "dead")
QUESTION: dict[str, Any] = {"query": "whales sing", "touch": False}


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    with time_machine.travel(NOON, tick=False) as clock:
        yield clock


def set_policy(caller: Caller, **values: Any) -> None:
    for name, value in values.items():
        setattr(caller.app.policy, name, value)
    caller.app.policy.save()


def search(caller: Caller, **body: Any) -> dict[str, Any]:
    answer = caller.post("memories/search", {**QUESTION, **body})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def pages(caller: Caller, **body: Any) -> list[list[dict[str, Any]]]:
    """The results of each page, as far as there are more."""
    result, cursor = [], None
    while cursor or not result:
        page = search(caller, **body, cursor=cursor)
        result.append(page["results"])
        cursor = page["next"]
        assert len(result) < 50
    return result


def joined(results: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [hit for page in results for hit in page]


@pytest.fixture
def whales(alice: Caller) -> None:
    """Eleven memories that fit in different ways."""
    alice.post(
        "memories/batch",
        {
            "memories": [
                {
                    "content": f"whales sing{' on' * (number % 4)} in the {word} sea",
                    "confidence": 0.4 + number % 3 / 10,
                    "importance": 1 + number % 5,
                    "tags": ["whales"],
                    "category": ("sea", "zoo")[number % 2],
                }
                for number, word in enumerate(SEAS)
            ]
        },
    )


@pytest.mark.usefixtures("whales")
@each_row("ranking, limit", product(RANKINGS, [1, 3, 5, 11]), rolled_back=True)
def test_all_pages_together_are_one_long_answer(alice: Caller, ranking: str, limit: int) -> None:
    set_policy(alice, ranking=ranking)
    whole = search(alice, limit=100, explain=True)["results"]
    assert len(whole) == 11
    result = pages(alice, limit=limit, explain=True)
    assert joined(result) == whole
    assert [len(page) for page in result[:-1]] == [limit] * (len(result) - 1)
    assert result[-1]


@pytest.mark.usefixtures("whales")
@each_row("mode", MODES, rolled_back=True)
def test_in_every_mode(alice: Caller, mode: str) -> None:
    whole = search(alice, limit=100, mode=mode)
    assert whole["next"] is None
    assert len(whole["results"]) == 11
    assert joined(pages(alice, limit=4, mode=mode)) == whole["results"]


@pytest.mark.usefixtures("whales")
@each_row(
    "options",
    [
        {"filters": {"category": "sea"}},
        {"user_id": "doe"},
        {"scope": "shared"},
        {"touch": True},
        {"filters": {"and": [{"importance": {"gte": 2}}, {"not": {"category": "zoo"}}]}},
    ],
    rolled_back=True,
)
def test_with_every_option(alice: Caller, options: dict[str, Any]) -> None:
    whole = search(alice, limit=100, **options)["results"]
    result = joined(pages(alice, limit=2, **options))
    assert [hit["id"] for hit in result] == [hit["id"] for hit in whole]
    assert len(result) >= 4


@pytest.mark.usefixtures("whales")
def test_pages_of_the_past(alice: Caller, clock: Any) -> None:
    clock.shift(timedelta(days=1))
    alice.remember("whales sing today", dedupe=False)
    whole = search(alice, limit=100, as_of=NOON.isoformat())["results"]
    assert len(whole) == 11
    assert joined(pages(alice, limit=4, as_of=NOON.isoformat())) == whole


@pytest.mark.usefixtures("whales")
@each_row("ranking", ["standard", "product"], rolled_back=True)
def test_pages_of_shared_memories(alice: Caller, charlie: Caller, ranking: str) -> None:
    for caller in (alice, charlie):
        set_policy(caller, share_memories=True, ranking=ranking)
    for number in range(5):
        charlie.remember(f"whales sing {'on ' * number}for globex", visibility="shared", dedupe=False)
    whole = search(alice, limit=100, scope="shared")["results"]
    assert sum(hit["shared_by"] == "globex" for hit in whole) == 5
    assert joined(pages(alice, limit=3, scope="shared")) == whole
    assert len(whole) == 16


@pytest.mark.usefixtures("whales")
def test_pages_of_shared_memories_when_there_are_none_of_ones_own(alice: Caller, charlie: Caller) -> None:
    for caller in (alice, charlie):
        set_policy(caller, share_memories=True)
    for memory in Memory.objects.all():
        alice.patch(f"memories/{memory.uid}", {"visibility": "shared"})
    charlie.remember("krill swims")
    whole = search(charlie, limit=100, scope="shared")["results"]
    assert len(whole) == 11
    assert joined(pages(charlie, limit=3, scope="shared")) == whole


@pytest.mark.usefixtures("whales")
@each_row("ranking", RANKINGS, rolled_back=True)
def test_a_lowest_score_leaves_hits_out_and_nothing_else(alice: Caller, ranking: str) -> None:
    set_policy(alice, ranking=ranking)
    whole = search(alice, limit=100)["results"]
    middle = sorted(hit["score"] for hit in whole)[5]
    expected = [hit["id"] for hit in whole if hit["score"] >= middle]
    for limit in (100, 3, 1):
        result = joined(pages(alice, limit=limit, min_score=middle))
        assert [hit["id"] for hit in result] == expected, limit


def test_an_answer_that_just_fills_a_page_has_no_next(alice: Caller) -> None:
    for number in range(4):
        alice.remember(f"whales sing {number}", dedupe=False)
    assert search(alice, limit=4)["next"] is None
    assert search(alice, limit=3)["next"]
    second = search(alice, limit=2, cursor=search(alice, limit=2)["next"])
    assert (len(second["results"]), second["next"]) == (2, None)


def test_nothing_found_has_no_next(alice: Caller) -> None:
    assert search(alice)["next"] is None


@pytest.mark.usefixtures("whales")
def test_pages_are_ranked_by_the_time_of_the_first(alice: Caller, clock: Any) -> None:
    whole = search(alice, limit=100, explain=True)["results"]
    first = search(alice, limit=6, explain=True)
    clock.shift(timedelta(minutes=59))
    second = search(alice, limit=6, explain=True, cursor=first["next"])
    assert first["results"] + second["results"] == whole
    again = search(alice, limit=6, explain=True, cursor=first["next"])
    assert again["results"] == second["results"]


@pytest.mark.usefixtures("whales")
@each_row(
    "options",
    [{}, {"mode": "vector"}, {"scope": "shared"}, {"filters": {"importance": {"gte": 3}}}],
    rolled_back=True,
)
def test_what_is_stored_between_two_pages_moves_none_of_them(
    alice: Caller, charlie: Caller, clock: Any, options: dict[str, Any]
) -> None:
    clock.move_to(NOON)
    for caller in (alice, charlie):
        set_policy(caller, share_memories=True)
    for number in range(3):
        charlie.remember(f"whales sing {'on ' * number}", visibility="shared", importance=5, dedupe=False)
    whole = search(alice, limit=100, **options)["results"]
    first = search(alice, limit=2, **options)
    clock.shift(timedelta(seconds=1))
    for caller in (alice, charlie):
        caller.remember("whales sing", visibility="shared", importance=5, dedupe=False)
    assert len(search(alice, limit=100, **options)["results"]) > len(whole)
    second = search(alice, limit=2, cursor=first["next"], **options)
    assert [hit["id"] for hit in first["results"] + second["results"]] == [hit["id"] for hit in whole[:4]]


@pytest.mark.usefixtures("whales")
def test_what_a_clock_that_was_ahead_has_stored_is_on_its_page_still(alice: Caller) -> None:
    Memory.objects.update(created_at=NOON + timedelta(days=9))
    indexes.by_key.clear()
    assert len(joined(pages(alice, limit=4))) == 11


@pytest.mark.usefixtures("whales")
def test_what_runs_out_between_two_pages_is_on_its_page_still(alice: Caller, clock: Any) -> None:
    for memory in Memory.objects.all():
        alice.patch(f"memories/{memory.uid}", {"valid_until": (NOON + timedelta(minutes=1)).isoformat()})
    first = search(alice, limit=6)
    clock.shift(timedelta(minutes=30))
    assert len(search(alice, limit=6, cursor=first["next"])["results"]) == 5


@pytest.mark.usefixtures("whales")
def test_a_cursor_shows_nobody_more_than_their_own_search(alice: Caller, bob: Caller, charlie: Caller) -> None:
    for number in range(5):
        alice.remember(f"whales sing secretly {number}", visibility="agent", dedupe=False)
    cursor = search(alice, limit=4)["next"]
    theirs = search(bob, limit=4, cursor=cursor)["results"]
    assert theirs == search(bob, limit=100)["results"][4:8]
    assert search(charlie, limit=4, cursor=cursor)["results"] == []


# --- cursors that do not fit


OTHERS: list[dict[str, Any]] = [
    {"query": "whales hum"},
    {"limit": 4},
    {"mode": "vector"},
    {"min_score": 0.0},
    {"user_id": "doe"},
    {"filters": {"category": "sea"}},
    {"explain": True},
    {"touch": True},
    {"scope": "shared"},
    {"as_of": "2027-03-01T11:00:00Z"},
]


@pytest.mark.usefixtures("whales")
@each_row("other", OTHERS)
def test_a_cursor_of_another_search_is_refused(alice: Caller, other: dict[str, Any]) -> None:
    body = {**QUESTION, "limit": 3}
    cursor = search(alice, **body)["next"]
    assert_problem(alice.post("memories/search", {**body, **other, "cursor": cursor}), 400, "cursor")


@pytest.mark.usefixtures("whales")
def test_the_same_search_in_other_words_is_the_same(alice: Caller) -> None:
    item = {"limit": 3, "filters": {"category": ["sea", "zoo"], "importance": {"gte": 1, "lte": 5}}}
    other = {"filters": {"importance": {"lte": 5, "gte": 1}, "category": ["sea", "zoo"]}, "limit": 3, "mode": "auto"}
    assert search(alice, **other, cursor=search(alice, **item)["next"])["results"]


@pytest.mark.usefixtures("whales")
def test_no_filters_are_the_same_however_they_are_told(alice: Caller) -> None:
    cursors = {search(alice, limit=3, **answer)["next"] for answer in ({}, {"filters": {}}, {"filters": None})}
    assert len(cursors) == 1


def test_no_cursor_is_the_first_page(alice: Caller) -> None:
    alice.remember("whales sing")
    assert search(alice, cursor=None)["results"] == search(alice)["results"]


def ask() -> dict[str, Any]:
    """What the fingerprint of the question's cursor is made of."""
    serializer = SearchQuestion(data=QUESTION)
    assert serializer.is_valid()
    return {name: value for name, value in serializer.validated_data.items() if name != "cursor"}


def encoded(answer: Any) -> str:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def forged(offset: Any, seconds: Any) -> str:
    return encoded([offset, seconds, fingerprint(ask())])


NOW = NOON.timestamp()
FORGED: list[tuple[Any, Any]] = [
    (0, NOW),
    (-1, NOW),
    (-(10**30), NOW),
    (10**30, NOW),
    (FARTHEST + 1, NOW),
    (1.5, NOW),
    (1e300, NOW),
    (float("nan"), NOW),
    (float("inf"), NOW),
    (None, NOW),
    ("1", NOW),
    ([], NOW),
    ({}, NOW),
    (False, NOW),
    (1, float("nan")),
    (1, float("inf")),
    (1, float("-inf")),
    (1, 10**30),
    (1, -(10**30)),
    (1, 1e18),
    (1, -1e12),
    (1, None),
    (1, "now"),
    (1, []),
    (1, NOW - 3601),
    (1, NOW + 1),
    (1, 0),
    (1, -1),
    (1, True),
]


@pytest.mark.usefixtures("whales")
@each_row("offset, seconds", FORGED)
def test_numbers_that_no_cursor_holds_are_refused(alice: Caller, offset: Any, seconds: Any) -> None:
    assert_problem(alice.post("memories/search", {**QUESTION, "cursor": forged(offset, seconds)}), 400, "cursor")


def test_the_forged_ones_fail_for_what_is_wrong_with_them(alice: Caller) -> None:
    alice.remember("whales sing")
    assert search(alice, cursor=forged(1, NOW))["results"] == []


CURSORS = [
    "x",
    "=",
    "====",
    "%%%",
    "🦊",
    "ü",
    "\u2028",
    "null",
    "W10",
    "e30",
    "MQ",
    "-_-_",
    "a" * 200,
    "[" * 200,
    "A" * 199,
    encoded([]),
    encoded([1]),
    encoded([1, 2]),
    encoded([1, 2, 3, 4]),
    encoded({}),
    encoded({"a": 1, "b": 2, "c": 3}),
    encoded("abc"),
    encoded('"abc"'),
    encoded("1"),
    encoded("null"),
    encoded("[1,2,3]"),
    encoded("[1,NaN,3]"),
    encoded('[1,2,"\\ud800"]'),
    encoded("[" * 140),
    encoded("1" * 140),
    encoded("[1e999,1,2]"),
    encoded("\ufeff[1,2,3]"),
]


@pytest.mark.usefixtures("whales")
@each_row("cursor", CURSORS)
def test_texts_that_are_no_cursor_are_refused(alice: Caller, cursor: str) -> None:
    assert_problem(alice.post("memories/search", {**QUESTION, "cursor": cursor}), 400, "cursor")


@each_row("cursor", ["", " ", 5, True, [], {}, "x" * 201, "x" * 100_000])
def test_values_that_are_no_text_are_refused(alice: Caller, cursor: Any) -> None:
    assert_problem(alice.post("memories/search", {**QUESTION, "cursor": cursor}), 400, "cursor")


@pytest.mark.usefixtures("whales")
def test_any_changed_letter_is_noticed_or_does_no_harm(alice: Caller) -> None:
    cursor = search(alice, limit=3)["next"]
    for number in range(len(cursor)):
        changed = cursor[:number] + ("A" if cursor[number] != "A" else "B") + cursor[number + 1 :]
        answer = alice.post("memories/search", {**QUESTION, "limit": 3, "cursor": changed})
        assert answer.status_code in (200, 400), changed


@pytest.mark.usefixtures("whales")
@each_row("minutes, is_good", [(0, True), (60, True), (60.1, False), (60 * 24 * 365, False)], rolled_back=True)
def test_a_cursor_is_good_for_an_hour(alice: Caller, clock: Any, minutes: float, is_good: bool) -> None:
    clock.move_to(NOON)
    body = {**QUESTION, "limit": 3}
    cursor = search(alice, **body)["next"]
    clock.shift(timedelta(minutes=minutes))
    answer = alice.post("memories/search", {**body, "cursor": cursor})
    if is_good:
        assert len(answer.json()["results"]) == 3
    else:
        assert "Too old" in str(assert_problem(answer, 400, "cursor"))


@pytest.mark.usefixtures("whales")
def test_going_on_does_not_make_a_cursor_younger(alice: Caller, clock: Any) -> None:
    body = {**QUESTION, "limit": 3}
    cursor = search(alice, **body)["next"]
    clock.shift(timedelta(minutes=40))
    cursor = search(alice, **body, cursor=cursor)["next"]
    clock.shift(timedelta(minutes=40))
    assert_problem(alice.post("memories/search", {**body, "cursor": cursor}), 400, "cursor")


def test_a_shared_search_of_the_past_is_refused_on_every_page(alice: Caller) -> None:
    body = {**QUESTION, "scope": "shared", "as_of": NOON.isoformat()}
    assert_problem(alice.post("memories/search", body), 400, "as_of")
    assert_problem(alice.post("memories/search", {**body, "cursor": "x"}), 400, "as_of")


# --- any at all


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    offset=st.integers(1, FARTHEST),
    minutes=st.floats(0, 59.9),
    query=st.text(min_size=1).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)),
)
def test_a_cursor_says_what_it_was_made_of_to_the_same_search_only(offset: int, minutes: float, query: str) -> None:
    started = NOON - timedelta(minutes=minutes)
    cursor = make_cursor(offset, started, {"query": query})
    read_offset, read_started = read_cursor(cursor, {"query": query}, NOON)
    assert read_offset == offset
    assert abs(read_started - started) <= timedelta(microseconds=1)
    assert len(cursor) <= 200
    with pytest.raises(ValidationError, match="another search"):
        read_cursor(cursor, {"query": query + "x"}, NOON)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cursor=JSON | st.tuples(JSON, JSON, st.just(fingerprint({"query": "x"}))))
def test_no_cursor_breaks_the_reader(cursor: Any) -> None:
    try:
        offset, started = read_cursor(encoded(cursor), {"query": "x"}, NOON)
    except ValidationError:
        return
    assert 0 < offset <= FARTHEST
    assert NOON - timedelta(hours=1) <= started <= NOON


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cursor=st.text(max_size=200) | st.binary(max_size=140).map(lambda raw: urlsafe_b64encode(raw).decode()))
def test_no_text_breaks_the_reader(cursor: str) -> None:
    with pytest.raises(ValidationError):
        read_cursor(cursor, {"query": "x"}, NOON)

"""`/memories/batch`: many at once, each with its own answer."""

from datetime import UTC, datetime
from typing import Any

import pytest
from time_machine import travel

from memories.models import Memory
from tests.api.checks import MEMORY_FIELDS, all_memories, assert_problem
from tests.conftest import Caller, make_app, make_caller

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
NOBODY = "01890000-0000-7000-8000-000000000000"


def post(caller: Caller, *items: Any, **more: Any) -> Any:
    return caller.post("memories/batch", {"memories": list(items), **more})


def test_each_item_gets_its_memory_in_the_order_they_came(alice: Caller) -> None:
    items = [{"content": f"Fact number {n}", "importance": n} for n in range(1, 6)]
    answer = post(alice, *items)
    assert answer.status_code == 200
    results = answer.json()["results"]
    assert [(row["content"], row["importance"], row["outcome"]) for row in results] == [
        (item["content"], item["importance"], "created") for item in items
    ]
    assert results[0].keys() == MEMORY_FIELDS | {"outcome", "reason", "contradicts"}
    assert [row["id"] for row in all_memories(alice)] == [row["id"] for row in results][::-1]


BAD = [
    {},
    {"content": ""},
    {"content": 5},
    {"content": "x", "importance": 9},
    {"content": "x", "colour": "red"},
    {"content": "x" * 2001},
    {"content": "x", "session_id": "none"},
    {"content": "x", "session_id": NOBODY},
    {"content": "x", "dedupe": False},
    {"content": "x", "error": "mine"},
    {"content": "x", "metadata": []},
    {"content": "x", "metadata": {"a": "x" * 16_384}},
    "text",
    5,
    None,
    True,
    [],
    [["content", "x"]],
]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_a_bad_item_harms_no_other(alice: Caller, bad: Any) -> None:
    answer = post(alice, {"content": "Before"}, bad, {"content": "After"})
    assert answer.status_code == 200, answer.content
    first, refused, last = answer.json()["results"]
    assert (first["content"], last["content"]) == ("Before", "After")
    assert refused.keys() == {"error"}
    assert refused["error"]["status"] == 400
    assert all(error.keys() == {"field", "detail"} for error in refused["error"]["errors"])
    assert refused["error"]["errors"]
    assert Memory.objects.count() == 2


def test_a_batch_of_bad_items_stores_nothing(alice: Caller) -> None:
    results = post(alice, *BAD).json()["results"]
    assert len(results) == len(BAD)
    assert all("error" in row for row in results)
    assert not Memory.objects.exists()


def test_a_batch_keeps_repetitions_unless_told_otherwise(alice: Caller) -> None:
    twice = [{"content": "Takes 60s to start"}] * 2
    assert [row["outcome"] for row in post(alice, *twice).json()["results"]] == ["created", "created"]
    assert Memory.objects.count() == 2


def test_with_dedupe_an_item_may_reinforce_the_one_before_it(alice: Caller) -> None:
    first, second = post(alice, *[{"content": "Takes 60s to start"}] * 2, dedupe=True).json()["results"]
    assert (first["outcome"], second["outcome"], second["id"]) == ("created", "reinforced", first["id"])
    assert second["confidence"] == 0.8
    assert Memory.objects.count() == 1


def test_five_hundred_fit_and_one_more_does_not(alice: Caller) -> None:
    items = [{"content": f"Fact number {n}"} for n in range(501)]
    assert_problem(post(alice, *items), 400)
    assert not Memory.objects.exists()
    assert len(post(alice, *items[:500]).json()["results"]) == 500
    assert Memory.objects.count() == 500


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"memories": []},
        {"memories": None},
        {"memories": "x"},
        {"memories": {"content": "x"}},
        {"memories": [{"content": "x"}], "dedupe": "no"},
        {"memories": [{"content": "x"}], "atomic": True},
    ],
    ids=str,
)
def test_a_body_that_is_no_batch_is_refused_whole(alice: Caller, body: Any) -> None:
    assert_problem(alice.post("memories/batch", body), 400)
    assert not Memory.objects.exists()


def test_items_of_ones_own_sessions_know_them_and_those_of_others_are_refused(alice: Caller, bob: Caller) -> None:
    mine = alice.start_session(tier=3, user_id="u1")["id"]
    theirs = bob.start_session()["id"]
    results = post(alice, {"content": "a", "session_id": mine}, {"content": "b", "session_id": theirs}).json()
    stored, refused = results["results"]
    assert (stored["session_id"], stored["tier"], stored["user_id"]) == (mine, 3, "u1")
    assert [error["field"] for error in refused["error"]["errors"]] == ["session_id"]


def test_a_batch_is_found_at_once(alice: Caller) -> None:
    post(alice, *({"content": text} for text in ("Whales sing", "Trains run", "Bears sleep")))
    result = alice.post("memories/search", {"query": "trains"}).json()["results"]
    assert [hit["content"] for hit in result] == ["Trains run"]


def test_there_is_nothing_else_at_this_address(alice: Caller) -> None:
    for method in ("get", "put", "patch", "delete"):
        assert_problem(getattr(alice.client, method)("/api/v1/memories/batch"), 405)


def test_each_item_counts_as_a_write(db: None) -> None:
    caller = make_caller(make_app("globex", writes_per_minute=3), "gina")
    with travel(NOON, tick=False):
        assert_problem(post(caller, *[{"content": "x"}] * 4), 422)
        assert post(caller, *[{"content": f"x{n}"} for n in range(2)]).status_code == 200
        assert_problem(post(caller, *[{"content": "y"}] * 2), 429)
    assert Memory.objects.count() == 2

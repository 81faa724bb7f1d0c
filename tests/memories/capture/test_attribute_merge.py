"""What is said again brings along what the memory has not: nothing of either is lost, and the history says so."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.models import Memory, Revision
from memories.store import writing
from memsite.http.json_body import MAX_OBJECT_CHARACTERS
from tests.conftest import Caller
from tests.talking import hear

OPENS = "The gate opens at 7:00"


def say(caller: Caller, **fields: Any) -> dict[str, Any]:
    return caller.remember(OPENS, subject="gate", **fields)


def said_again(caller: Caller, first: dict[str, Any], again: dict[str, Any]) -> dict[str, Any]:
    answer = say(caller, **first)
    body = say(caller, **again)
    assert (body["id"], body["outcome"]) == (answer["id"], "reinforced")
    return body


@pytest.mark.parametrize(
    ("name", "known", "again", "then"),
    [
        ("importance", 2, 5, 5),
        ("importance", 5, 2, 5),
        ("importance", 1, None, 1),
        ("tags", ["a", "b"], ["c", "a", "d"], ["a", "b", "c", "d"]),
        ("tags", ["a"], None, ["a"]),
        ("metadata", {"a": 1, "b": 2}, {"b": 3, "c": 4}, {"a": 1, "b": 2, "c": 4}),
        ("pinned", False, True, True),
        ("pinned", True, False, True),
        ("external_id", None, "mine", "mine"),
        ("external_id", "first", "second", "first"),
    ],
)
def test_it_joins_what_is_known(alice: Caller, name: str, known: Any, again: Any, then: Any) -> None:
    body = said_again(alice, {name: known}, {} if again is None else {name: again})
    assert body[name] == then
    assert alice.get(f"memories/{body['id']}").json()[name] == then
    last = Revision.objects.latest("number")
    assert (last.action, last.after.get(name, known)) == ("reinforced", then)


def test_tags_join_up_to_their_limit(alice: Caller) -> None:
    body = said_again(alice, {"tags": [f"old{n}" for n in range(48)]}, {"tags": ["x", "y", "z"]})
    assert body["tags"][47:] == ["old47", "x", "y"]


def test_metadata_that_are_too_much_together_stay_as_they_were(alice: Caller) -> None:
    half = "x" * (MAX_OBJECT_CHARACTERS // 2)
    body = said_again(alice, {"metadata": {"a": half}}, {"metadata": {"b": half}})
    assert body["metadata"] == {"a": half}


def test_what_a_tag_names_leads_to_the_memory(alice: Caller) -> None:
    said_again(alice, {}, {"tags": ["Harbour"]})
    hits = alice.post("memories/search", {"query": "harbour", "mode": "graph"}).json()["results"]
    assert [hit["content"] for hit in hits] == [OPENS]


@pytest.mark.parametrize("origin", ["web", "tool", "agent"])
def test_nobody_adds_to_what_is_trusted_more(alice: Caller, origin: str) -> None:
    more = {"importance": 5, "tags": ["x"], "metadata": {"x": 1}, "pinned": True, "external_id": "theirs"}
    body = said_again(alice, {}, {**more, "origin": origin})
    assert body["confidence"] == 0.8
    assert (body["importance"], body["tags"], body["metadata"], body["pinned"]) == (3, [], {}, False)
    assert body["external_id"] == "theirs"
    assert body["trust_level"] == alice.get(f"memories/{body['id']}").json()["trust_level"]


def test_it_adds_to_what_is_as_little_trusted(alice: Caller) -> None:
    assert said_again(alice, {"origin": "web"}, {"origin": "web", "tags": ["x"]})["tags"] == ["x"]


def test_it_can_be_undone(alice: Caller) -> None:
    body = said_again(alice, {"tags": ["a"]}, {"tags": ["b"], "external_id": "mine", "importance": 5})
    with writing(alice.app, "operator:olga", timezone.now()) as write:
        write.undo(Memory.objects.get(uid=body["id"]))
    memory = Memory.objects.get()
    assert (memory.tags, memory.external_id, memory.importance) == (["a"], None, 3)


def test_a_fact_found_in_talk_makes_it_as_important_as_it_sounds(alice: Caller) -> None:
    hear(alice, "I live in Berlin.")
    Memory.objects.update(importance=1)
    hear(alice, "I live in Berlin.")
    assert Memory.objects.get().importance == 3


def test_it_takes_no_statement_more_unless_a_tag_is_new(alice: Caller) -> None:
    say(alice, tags=["a"])
    say(alice, tags=["a"])

    def statements(**more: Any) -> int:
        with CaptureQueriesContext(connection) as queries:
            say(alice, **more)
        return len(queries)

    assert statements(importance=5, metadata={"x": 1}, pinned=True, external_id="mine") == statements()
    assert statements(tags=["b"]) <= statements() + 6

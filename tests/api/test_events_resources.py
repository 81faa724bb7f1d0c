"""`/events` and `/resources`: what was reported, and the raw text it came from."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from time_machine import travel

from memories.services import MemoryAgent
from tests.api.checks import all_memories, assert_problem, say
from tests.conftest import Caller
from tests.tables import each_row

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def events(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    answer = caller.get("events", **query)
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


def test_an_event_marker_fills_the_feed(alice: Caller) -> None:
    session = alice.start_session()
    with travel(NOON, tick=False):
        say(alice, session, "[EVENT:critical:postgres] Connection refused")
    (event,) = events(alice)
    assert event.pop("id")
    assert event == {
        "level": "critical",
        "service": "postgres",
        "message": "Connection refused",
        "session_id": session["id"],
        "turn_number": None,
        "memory_id": None,
        "created_at": "2027-03-01T12:00:00Z",
    }


def test_the_feed_is_filtered_by_level_service_and_session(alice: Caller) -> None:
    item, two = alice.start_session(), alice.start_session()
    say(alice, item, "[EVENT:info:dns] a\n[EVENT:error:dns] b\n[EVENT:info] c")
    say(alice, two, "[EVENT:info:web] d")
    assert [event["message"] for event in events(alice)] == ["d", "c", "b", "a"]
    assert [event["message"] for event in events(alice, level="error")] == ["b"]
    assert [event["message"] for event in events(alice, service="dns")] == ["b", "a"]
    assert [event["message"] for event in events(alice, session_id=two["id"])] == ["d"]
    assert [event["message"] for event in events(alice, level="info", service="dns")] == ["a"]


def test_the_feed_tells_of_no_memory_that_one_may_not_see_any_more(alice: Caller, bob: Caller) -> None:
    def ids_of(caller: Caller) -> list[str]:
        return [row["memory_id"] for row in events(caller)]

    first, second = (alice.remember(text)["id"] for text in ("Whales sing", "Bears sleep"))
    assert ids_of(bob) == [second, first]
    alice.patch(f"memories/{first}", {"visibility": "agent"})
    assert (ids_of(alice), ids_of(bob)) == ([second, first], [second])
    MemoryAgent(alice.app, None, "operator:olga").roll_back("agent", alice.agent.name)
    assert (ids_of(alice), ids_of(bob)) == ([], [])


def test_the_feed_is_the_apps_and_of_no_other(alice: Caller, bob: Caller, charlie: Caller) -> None:
    say(alice, alice.start_session(), "[EVENT:info:dns] Of acme")
    assert [event["message"] for event in events(bob)] == ["Of acme"]
    assert events(charlie) == []


def test_a_new_memory_of_a_marker_is_in_the_feed_with_its_session(alice: Caller) -> None:
    session = alice.start_session()
    say(alice, session, "[MEMORY:timing:dns] Takes 5s to settle")
    (memory,) = all_memories(alice)
    (event,) = events(alice)
    assert (event["memory_id"], event["session_id"], event["service"]) == (memory["id"], session["id"], "dns")


@pytest.mark.parametrize(
    ("name", "value"),
    [("level", "loud"), ("level", ""), ("session_id", "x"), ("session_id", ""), ("memory_id", "x"), ("limit", "0")],
)
def test_the_feeds_parameters_take_only_what_they_say(alice: Caller, name: str, value: str) -> None:
    assert_problem(alice.get("events", **{name: value}), 400, name)


def test_resources_are_the_raw_texts_of_ones_own_sessions(alice: Caller, bob: Caller, charlie: Caller) -> None:
    item, two = alice.start_session(), alice.start_session()
    with travel(NOON, tick=False):
        say(alice, item, "First")
    say(alice, two, "Second")
    rows = alice.get("resources").json()["results"]
    assert [row["raw_content"] for row in rows] == ["Second", "First"]
    assert rows[1].keys() == {
        "id",
        "role",
        "name",
        "raw_content",
        "content_type",
        "content_at",
        "conversation",
        "turn_number",
        "created_at",
    }
    assert (rows[1]["created_at"], rows[1]["content_type"]) == ("2027-03-01T12:00:00Z", "text/plain")
    filtered = alice.get("resources", session_id=item["id"]).json()["results"]
    assert [row["raw_content"] for row in filtered] == ["First"]
    for outsider in (bob, charlie):
        assert outsider.get("resources").json()["results"] == []
        assert_problem(outsider.get("resources", session_id=item["id"]), 404)


def test_a_memory_points_to_the_text_it_came_from(alice: Caller) -> None:
    session = alice.start_session()
    say(alice, session, "I noticed something.\n[MEMORY:timing:dns] Takes 5s to settle\nThat is all.")
    (memory,) = all_memories(alice)
    (resource,) = alice.get("resources").json()["results"]
    assert memory["resource_id"] == resource["id"]
    assert memory["content"] == "Takes 5s to settle"
    assert resource["raw_content"].startswith("I noticed something.")


@pytest.mark.parametrize(("name", "value"), [("session_id", "x"), ("role", "user"), ("limit", "1000")])
def test_the_parameters_of_resources_take_only_what_they_say(alice: Caller, name: str, value: str) -> None:
    assert_problem(alice.get("resources", **{name: value}), 400, name)


def test_neither_can_be_written_or_deleted(alice: Caller) -> None:
    for path in ("events", "resources"):
        for method in ("post", "put", "patch", "delete"):
            assert_problem(getattr(alice.client, method)(f"/api/v1/{path}", {}), 405)
    assert_problem(alice.get(f"resources/{uuid4()}"), 404)


@each_row(
    "query, contents",
    [
        ({"since": "2027-03-02"}, ["Second"]),
        ({"until": "2027-03-02T00:00:00Z"}, ["First"]),
        ({"since": "2027-03-01", "until": "2027-03-03"}, ["Second", "First"]),
        ({"since": "2028-01-01"}, []),
    ],
)
def test_resources_are_narrowed_to_what_was_said_in_a_range(
    alice: Caller, query: dict[str, str], contents: list[str]
) -> None:
    if not alice.get("resources").json()["results"]:
        for day, text in ((NOON, "First"), (NOON + timedelta(days=1), "Second")):
            with travel(day, tick=False):
                say(alice, alice.start_session(), text)
    assert [row["raw_content"] for row in alice.get("resources", **query).json()["results"]] == contents


@each_row("query", [{"since": "soon"}, {"since": "2027-03-02", "until": "2027-03-02"}])
def test_a_range_of_resources_that_cannot_be_is_refused(alice: Caller, query: dict[str, str]) -> None:
    assert_problem(alice.get("resources", **query), 400, list(query)[-1])

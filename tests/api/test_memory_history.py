"""History and links of a memory, and `If-Match`: no edit is lost."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from time_machine import travel

from memories.models import Link, Memory
from tests.api.checks import assert_problem
from tests.conftest import Caller

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def history(caller: Caller, uid: str, **query: Any) -> list[dict[str, Any]]:
    answer = caller.get(f"memories/{uid}/history", **query)
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


def links(caller: Caller, uid: str) -> set[tuple[str, str, str]]:
    rows = caller.get(f"memories/{uid}/links").json()["results"]
    return {(row["from_id"], row["kind"], row["to_id"]) for row in rows}


def test_every_change_is_one_row_with_before_after_actor_and_time(alice: Caller, bob: Caller) -> None:
    with travel(NOON, tick=False):
        uid = alice.remember("Whales sing", importance=2)["id"]
    with travel(NOON + timedelta(hours=1), tick=False):
        bob.patch(f"memories/{uid}", {"importance": 4, "content": "Whales hum"})
    first, second = history(alice, uid)
    assert (first["number"], first["action"], first["actor"], first["before"]) == (1, "created", "agent:alice", {})
    assert first["after"]["content"] == "Whales sing"
    assert first["created_at"] == "2027-03-01T12:00:00Z"
    assert (second["number"], second["action"], second["actor"]) == (2, "edited", "agent:bob")
    assert second["created_at"] == "2027-03-01T13:00:00Z"
    texts = {name: (second["before"][name], second["after"][name]) for name in ("content", "importance")}
    assert texts == {"content": ("Whales sing", "Whales hum"), "importance": (2, 4)}
    assert second["before"].keys() == second["after"].keys()
    assert "category" not in second["after"]


def test_each_kind_of_change_has_its_name(alice: Caller) -> None:
    with travel(NOON, tick=False):
        uid = alice.remember("Takes 60s to start", category="timing")["id"]
        alice.remember("Takes 60s to start", category="timing")
        alice.patch(f"memories/{uid}", {"status": "archived"})
        alice.patch(f"memories/{uid}", {"status": "active"})
        alice.patch(f"memories/{uid}", {"importance": 1})
    with travel(NOON + timedelta(days=44), tick=False):
        alice.start_session()
    actions = [row["action"] for row in history(alice, uid)]
    assert actions == ["created", "reinforced", "archived", "restored", "edited", "decayed"]
    assert [row["number"] for row in history(alice, uid)] == [1, 2, 3, 4, 5, 6]


def test_the_confidence_timeline_can_be_read_from_the_history(alice: Caller) -> None:
    uid = alice.remember("Takes 60s to start")["id"]
    alice.remember("Takes 60s to start")
    alice.patch(f"memories/{uid}", {"confidence": 0.4})
    steps = [row["after"]["confidence"] for row in history(alice, uid) if "confidence" in row["after"]]
    assert steps == [0.7, 0.8, 0.4]


def test_a_reinforcement_says_why(alice: Caller) -> None:
    uid = alice.remember("Takes 60s to start")["id"]
    alice.remember("Takes 60s to start")
    assert history(alice, uid)[1]["reason"]


def test_a_long_history_comes_in_pages_oldest_first(alice: Caller) -> None:
    uid = alice.remember("Whales sing", importance=1)["id"]
    for importance in (2, 3, 4):
        alice.patch(f"memories/{uid}", {"importance": importance})
    first = alice.get(f"memories/{uid}/history", limit=3).json()
    assert [row["number"] for row in first["results"]] == [1, 2, 3]
    assert [row["number"] for row in alice.client.get(first["next"]).json()["results"]] == [4]


def test_history_cannot_be_written(alice: Caller) -> None:
    uid = alice.remember("Whales sing")["id"]
    for method in ("post", "put", "patch", "delete"):
        assert_problem(getattr(alice.client, method)(f"/api/v1/memories/{uid}/history", {}), 405)


@pytest.fixture
def pair(alice: Caller) -> tuple[str, str]:
    return alice.remember("Whales sing")["id"], alice.remember("Whales eat krill")["id"]


@pytest.mark.parametrize("kind", ["related", "supersedes", "contradicts", "elaborates"])
def test_a_link_is_seen_from_both_ends(alice: Caller, pair: tuple[str, str], kind: str) -> None:
    item, two = pair
    answer = alice.post(f"memories/{item}/links", {"to": two, "kind": kind})
    assert answer.status_code == 201
    assert {name: answer.json()[name] for name in ("from_id", "to_id", "kind")} == {
        "from_id": item,
        "to_id": two,
        "kind": kind,
    }
    assert links(alice, item) == links(alice, two) == {(item, kind, two)}


def test_a_link_is_related_unless_said_otherwise(alice: Caller, pair: tuple[str, str]) -> None:
    assert alice.post(f"memories/{pair[0]}/links", {"to": pair[1]}).json()["kind"] == "related"


def test_the_same_link_again_is_the_same_link(alice: Caller, pair: tuple[str, str]) -> None:
    first = alice.post(f"memories/{pair[0]}/links", {"to": pair[1]})
    again = alice.post(f"memories/{pair[0]}/links", {"to": pair[1]})
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert Link.objects.count() == 1


def test_the_way_back_and_another_kind_are_links_of_their_own(alice: Caller, pair: tuple[str, str]) -> None:
    item, two = pair
    alice.post(f"memories/{item}/links", {"to": two})
    assert alice.post(f"memories/{two}/links", {"to": item}).status_code == 201
    assert alice.post(f"memories/{item}/links", {"to": two, "kind": "elaborates"}).status_code == 201
    assert len(links(alice, item)) == 3


def test_a_memory_is_not_linked_to_itself_or_to_nothing(alice: Caller, pair: tuple[str, str]) -> None:
    item, _ = pair
    assert_problem(alice.post(f"memories/{item}/links", {"to": item}), 400, "to")
    assert_problem(alice.post(f"memories/{item}/links", {"to": str(uuid4())}), 404)
    assert_problem(alice.post(f"memories/{uuid4()}/links", {"to": item}), 404)


@pytest.mark.parametrize(
    ("field", "value"),
    [("to", None), ("to", "x"), ("to", 5), ("to", True), ("to", []), ("kind", "friend"), ("kind", None), ("from", "x")],
)
def test_a_link_takes_only_what_it_says(alice: Caller, pair: tuple[str, str], field: str, value: Any) -> None:
    assert_problem(alice.post(f"memories/{pair[0]}/links", {"to": pair[1], field: value}), 400, field)
    assert not Link.objects.exists()


def test_memories_of_two_apps_are_never_linked(alice: Caller, charlie: Caller) -> None:
    mine, foreign = alice.remember("Whales sing")["id"], charlie.remember("Whales sing")["id"]
    assert_problem(alice.post(f"memories/{mine}/links", {"to": foreign}), 404)
    assert_problem(alice.post(f"memories/{foreign}/links", {"to": mine}), 404)
    assert not Link.objects.exists()


def test_links_to_a_colleagues_private_memory_are_not_shown(alice: Caller, bob: Caller) -> None:
    public = alice.remember("Whales sing")["id"]
    private = alice.remember("I like whales", visibility="agent")["id"]
    alice.post(f"memories/{public}/links", {"to": private})
    assert links(alice, public) == {(public, "related", private)}
    assert links(bob, public) == set()
    assert_problem(bob.post(f"memories/{public}/links", {"to": private}), 404)


def test_a_contradiction_links_the_newer_to_the_older(alice: Caller) -> None:
    old = alice.remember("Must be started after WireGuard", category="dependency", subject="caddy")
    new = alice.remember("Need not be started after WireGuard", category="dependency", subject="caddy")
    assert (new["outcome"], new["contradicts"]) == ("contradicted", [old["id"]])
    assert links(alice, old["id"]) == {(new["id"], "contradicts", old["id"])}


def test_what_is_superseded_by_a_link_leaves_the_default_results(alice: Caller) -> None:
    old, new = alice.remember("Whales sing at night")["id"], alice.remember("Whales hum all day")["id"]
    alice.post(f"memories/{new}/links", {"to": old, "kind": "supersedes"})
    result = alice.post("memories/search", {"query": "whales"}).json()["results"]
    assert [hit["id"] for hit in result] == [new]
    assert "at night" not in alice.post("context", {}).json()["text"]


def test_two_memories_do_not_supersede_each_other(alice: Caller) -> None:
    item, two, three = (alice.remember(text)["id"] for text in ("Whales sing", "Bears sleep", "Trains run"))
    for new, old in ((two, item), (three, two)):
        assert alice.post(f"memories/{new}/links", {"to": old, "kind": "supersedes"}).status_code == 201
    for old, new in ((two, three), (item, two), (item, three)):
        assert_problem(alice.post(f"memories/{old}/links", {"to": new, "kind": "supersedes"}), 409)
        assert alice.post(f"memories/{old}/links", {"to": new, "kind": "related"}).status_code == 201
    assert alice.get(f"memories/{three}").json()["status"] == "active"
    assert alice.post(f"memories/{two}/links", {"to": item, "kind": "supersedes"}).status_code == 200


def test_what_stands_for_itself_again_may_supersede_what_superseded_it(alice: Caller) -> None:
    item, two = (alice.remember(text)["id"] for text in ("Whales sing", "Bears sleep"))
    alice.post(f"memories/{two}/links", {"to": item, "kind": "supersedes"})
    Memory.objects.filter(uid=item).update(status="active")
    assert alice.post(f"memories/{item}/links", {"to": two, "kind": "supersedes"}).status_code == 201
    assert alice.get(f"memories/{item}").json()["status"] == "active"


def test_a_memory_is_shown_as_it_was_then(alice: Caller) -> None:
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False):
        uid = alice.remember("Takes 60s to start")["id"]
    with time_machine.travel("2026-03-11T12:00:00Z", tick=False):
        alice.patch(f"memories/{uid}", {"content": "Takes 90s to start"})
    then = alice.get(f"memories/{uid}", as_of="2026-03-05T00:00:00Z").json()
    assert (then["content"], then["confidence"]) == ("Takes 60s to start", 0.7)
    later = alice.get(f"memories/{uid}", as_of="2026-04-24T12:00:00Z").json()
    assert (later["content"], later["confidence"]) == ("Takes 90s to start", 0.5)
    assert alice.get(f"memories/{uid}").json().keys() == then.keys()
    assert_problem(alice.get(f"memories/{uid}", as_of="2026-02-01T00:00:00Z"), 404)
    for moment in ("yesterday", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"):
        assert_problem(alice.get(f"memories/{uid}", as_of=moment), 400, "as_of")
    assert alice.get(f"memories/{uid}", as_of="9999-12-31T23:59:59Z").status_code == 200
    assert_problem(alice.get(f"memories/{uid}", asof="x"), 400)


@pytest.fixture
def uid(alice: Caller) -> str:
    return str(alice.remember("Whales sing")["id"])


def tag(caller: Caller, uid: str) -> str:
    return str(caller.get(f"memories/{uid}")["ETag"])


def test_an_edit_of_the_version_one_has_read_is_made(alice: Caller, uid: str) -> None:
    first = tag(alice, uid)
    answer = alice.patch(f"memories/{uid}", {"importance": 5}, **{"If-Match": first})
    assert answer.status_code == 200
    assert answer["ETag"] == tag(alice, uid) != first
    assert answer["ETag"][0] == answer["ETag"][-1] == '"'


def test_every_answer_that_shows_a_memory_tells_its_version(alice: Caller, uid: str) -> None:
    assert alice.patch(f"memories/{uid}", {"importance": 5}).json()["version"] == 2
    (listed,) = alice.get("memories").json()["results"]
    (hit,) = alice.post("memories/search", {"query": "what do whales do"}).json()["results"]
    item = alice.get(f"memories/{uid}")
    assert listed["version"] == hit["version"] == item.json()["version"] == 2
    assert item["ETag"] == '"2"'
    assert alice.remember("Whales sing")["version"] == 3
    (hit,) = alice.post("memories/search", {"query": "what do whales do"}).json()["results"]
    assert hit["version"] == 3


def test_a_search_leaves_the_version_as_it_is(alice: Caller, uid: str) -> None:
    alice.post("memories/search", {"query": "what do whales do"})
    (hit,) = alice.post("memories/search", {"query": "what do whales do"}).json()["results"]
    assert hit["version"] == alice.get(f"memories/{uid}").json()["version"] == 1


def test_the_second_of_two_editors_is_told(alice: Caller, bob: Caller, uid: str) -> None:
    both = tag(alice, uid)
    alice.patch(f"memories/{uid}", {"importance": 5}, **{"If-Match": both})
    assert_problem(bob.patch(f"memories/{uid}", {"importance": 1}, **{"If-Match": both}), 412)
    assert_problem(bob.delete(f"memories/{uid}", **{"If-Match": both}), 412)
    assert alice.get(f"memories/{uid}").json()["importance"] == 5


@pytest.mark.parametrize("named", ['"1"', '"4"', f'"{10**20}"'], ids=["gone", "to come", "of no memory"])
def test_who_names_another_version_is_told_which_it_is(alice: Caller, uid: str, named: str) -> None:
    alice.patch(f"memories/{uid}", {"importance": 5})
    answer = assert_problem(alice.patch(f"memories/{uid}", {"importance": 1}, **{"If-Match": named}), 412)
    assert answer["detail"] == "It is at version 2, not at the one in the request: read it again."


def test_a_reinforcement_makes_another_version(alice: Caller, bob: Caller, uid: str) -> None:
    first = tag(alice, uid)
    bob.remember("Whales sing")
    assert_problem(alice.patch(f"memories/{uid}", {"confidence": 0.5}, **{"If-Match": first}), 412)


def test_a_delete_of_the_version_one_has_read_is_made(alice: Caller, uid: str) -> None:
    assert alice.delete(f"memories/{uid}", **{"If-Match": tag(alice, uid)}).status_code == 200


@pytest.mark.parametrize("anything", ["*", ""])
def test_without_a_version_the_edit_is_made(alice: Caller, uid: str, anything: str) -> None:
    headers = {"If-Match": anything} if anything else {}
    assert alice.patch(f"memories/{uid}", {"importance": 5}, **headers).status_code == 200


@pytest.mark.parametrize(
    "odd",
    [
        '"x"',
        '"-1"',
        '"1.5"',
        '"²"',
        "abc",
        '"9999999999999999999999"',
        "ü",
        "\x00",
        '"0"',
        '"x,1"',
        '"2", "3"',
        '"',
        ",",
    ],
)
def test_a_tag_that_is_none_of_ours_never_matches(alice: Caller, uid: str, odd: str) -> None:
    assert_problem(alice.patch(f"memories/{uid}", {"importance": 5}, **{"If-Match": odd}), 412)
    assert alice.get(f"memories/{uid}").json()["importance"] == 3


@pytest.mark.parametrize("several", ['"x", "1"', '"1","2"', 'W/"7", W/"1"', '"a,b", "1"', " 1", "2, 1"])
def test_one_of_a_list_is_enough(alice: Caller, uid: str, several: str) -> None:
    assert alice.patch(f"memories/{uid}", {"importance": 5}, **{"If-Match": several}).status_code == 200
    assert_problem(alice.delete(f"memories/{uid}", **{"If-Match": '"1", "x"'}), 412)


def test_a_memory_that_is_gone_is_404_and_not_412(alice: Caller, uid: str) -> None:
    version = tag(alice, uid)
    alice.delete(f"memories/{uid}")
    assert_problem(alice.patch(f"memories/{uid}", {"importance": 5}, **{"If-Match": version}), 404)


def test_a_wrong_body_is_400_before_anything_is_compared(alice: Caller, uid: str) -> None:
    assert_problem(alice.patch(f"memories/{uid}", {"importance": 9}, **{"If-Match": '"7"'}), 400, "importance")

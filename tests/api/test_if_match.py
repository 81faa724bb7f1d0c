"""`ETag` and `If-Match`: nobody's edit is lost."""

import pytest

from tests.api.checks import assert_problem
from tests.conftest import Caller


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
    one = alice.get(f"memories/{uid}")
    assert listed["version"] == hit["version"] == one.json()["version"] == 2
    assert one["ETag"] == '"2"'
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
    told = assert_problem(alice.patch(f"memories/{uid}", {"importance": 1}, **{"If-Match": named}), 412)
    assert told["detail"] == "It is at version 2, and not at the one that was named: read it again."


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

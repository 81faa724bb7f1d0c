"""Recall: what a question finds, why, what it leaves out, and what an agent would be told."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from django.test import Client

from memories.dashboard.views.recall import explain
from memories.models import Injection, Memory, RecallCount
from memories.retrieve.hits import Hit
from memsite.tenancy.models import App, AppPolicy
from tests.conftest import Caller
from tests.dashboard.pages import HTMX, elements, links, text_of
from tests.dashboard.test_memories import HOSTILE, stored
from tests.tables import each_row
from tests.talking import after

PAGE = "/recall"


@pytest.fixture
def library(alice: Caller, bob: Caller) -> None:
    stored(alice, "Caddy starts after WireGuard", category="dependency", subject="caddy")
    stored(alice, "Backups of postgres run at night", category="timing", subject="postgres")
    stored(bob, "WireGuard needs a resolver at boot", category="dependency", subject="wireguard")


def find(answer: Any, name: str = "hits") -> list[str]:
    assert answer.status_code == 200
    return [item.memory.content for item in answer.context[name]]


def test_without_a_question_it_says_what_to_do(vera: Client, alice: Caller) -> None:
    assert "Ask something" in text_of(vera.get(PAGE))


@pytest.mark.usefixtures("library")
def test_every_part_of_every_score_is_shown_and_adds_up(vera: Client) -> None:
    answer = vera.get(PAGE, {"q": "When does caddy start?"})
    first = answer.context["hits"][0]
    assert first.memory.content == "Caddy starts after WireGuard"
    assert sum(part.value for part in first.parts) == pytest.approx(first.hit.formula_score)
    assert set(first.retrievers) == {"by meaning", "by words"}
    assert f"/memories/{first.memory.uid}" in links(answer)
    assert len(elements(answer, "svg", **{"class": "scale"})) == sum(
        len(hit.parts) for name in ("hits", "next", "left_out") for hit in answer.context[name]
    )
    assert "add up to the score of the formula" in text_of(answer)


@pytest.mark.usefixtures("library")
def test_what_is_there_because_it_contradicts_a_hit_says_so(vera: Client, alice: Caller) -> None:
    other = alice.remember("Zebras are striped", confidence=0.9, dedupe=False)["id"]
    caddy = Memory.objects.get(subject="caddy").uid
    assert alice.post(f"memories/{other}/links", {"to": str(caddy), "kind": "contradicts"}).status_code == 201
    first, second = vera.get(PAGE, {"q": "caddy"}).context["hits"][:2]
    assert (first.memory.content, first.retrievers) == ("Zebras are striped", ["contradicts the next one"])
    assert [(part.name, part.group) for part in first.parts] == [("surer", "at odds")]
    assert second.memory.uid == caddy


def test_what_tells_of_another_than_who_asks_says_so(vera: Client, alice: Caller) -> None:
    alice.remember("User's brother lives in Oslo", dedupe=False)
    (hit,) = vera.get(PAGE, {"q": "where do I live?"}).context["hits"]
    assert [(part.group, part.is_against) for part in hit.parts if part.name == "of another"] == [("subject", True)]


@pytest.mark.usefixtures("library")
def test_what_is_left_out_is_shown_below_the_floor(vera: Client) -> None:
    answer = vera.get(PAGE, {"q": "caddy"})
    assert "Backups of postgres run at night" in find(answer, "left_out")
    assert not set(find(answer)) & set(find(answer, "left_out"))
    nothing = vera.get(PAGE, {"q": "zebras"})
    assert find(nothing) == []
    assert len(find(nothing, "left_out")) == 3
    assert "Not even these come near enough" in text_of(nothing)


@pytest.mark.usefixtures("library")
def test_the_block_is_what_an_agent_would_be_told(vera: Client, alice: Caller) -> None:
    displayed = vera.get(PAGE, {"q": "When does caddy start?"}).context["preview"]
    answer = alice.post("context", {"query": "When does caddy start?"}).json()
    assert [str(memory.uid) for memory in displayed.memories] == [memory["id"] for memory in answer["memories"]]
    assert displayed.tokens == answer["tokens"]


def without_nonce(text: str) -> str:
    return re.sub(r'nonce="\w+"', "", text)


@pytest.fixture
def private(alice: Caller, bob: Caller) -> None:
    stored(alice, "Caddy starts after WireGuard", visibility="agent")
    stored(bob, "Caddy is Bob's to restart", visibility="agent")
    stored(bob, "Ann wants caddy left alone", user_id="ann")
    stored(bob, "Never restart caddy by night", kind="lesson")


@pytest.mark.usefixtures("private")
@each_row("user", ["", "ann"])
def test_without_a_question_it_shows_what_the_next_session_of_the_agent_begins_with(
    vera: Client, alice: Caller, user: str
) -> None:
    answer = vera.get(PAGE, {"block_for": "alice", "user": user})
    assert not Injection.objects.exists(), "it leaves no trace"
    begun = alice.start_session(**({"user_id": user} if user else {}))
    assert without_nonce(answer.context["preview"].text) == without_nonce(begun["context"]["text"])
    assert "when a session begins" in text_of(answer)
    assert "Caddy starts after WireGuard" in text_of(answer)
    Injection.objects.all().delete()


@pytest.mark.usefixtures("private")
@each_row("name", ["alice", "bob"])
def test_the_block_is_exactly_the_chosen_agents(vera: Client, alice: Caller, bob: Caller, name: str) -> None:
    answer = vera.get(PAGE, {"q": "who restarts caddy?", "block_for": name})
    given = {"alice": alice, "bob": bob}[name].post("context", {"query": "who restarts caddy?"}).json()
    assert without_nonce(answer.context["preview"].text) == without_nonce(given["text"])
    assert f"What {name} would get" in text_of(answer)


@pytest.mark.usefixtures("library")
@each_row("filters, is_said", [({}, False), ({"user": "ann"}, False), ({"category": "sea"}, True)])
def test_where_the_hits_are_narrowed_it_says_that_the_block_is_not(
    vera: Client, filters: dict[str, str], is_said: bool
) -> None:
    text = text_of(vera.get(PAGE, {"q": "When does caddy start?", **filters}))
    assert ("does not narrow this" in text) == is_said


@each_row(
    "users_apart, query, is_said",
    [(False, {}, False), (True, {}, True), (True, {"user": "ann"}, False)],
    rolled_back=True,
)
def test_where_users_are_kept_apart_it_says_that_the_block_is_not(
    vera: Client, alice: Caller, users_apart: bool, query: dict[str, str], is_said: bool
) -> None:
    AppPolicy.objects.filter(app=alice.app).update(users_apart=users_apart)
    stored(alice, "whales are Ann's", user_id="ann")
    answer = vera.get(PAGE, {"q": "whales", **query})
    assert find(answer) == ["whales are Ann's"]
    assert ("names no end user" in text_of(answer)) == is_said


@pytest.mark.usefixtures("library")
def test_looking_leaves_no_trace(vera: Client) -> None:
    vera.get(PAGE, {"q": "When does caddy start?"})
    assert not RecallCount.objects.exists()
    assert not Injection.objects.exists()
    assert set(Memory.objects.values_list("access_count", "accessed_at")) == {(0, None)}


@pytest.mark.usefixtures("library")
@each_row(
    "filters, count",
    [
        ({"category": "timing"}, 0),
        ({"agent": "bob"}, 1),
        ({"subject": "caddy"}, 1),
        ({"source": "marker"}, 0),
        ({"session": "x"}, 0),
        ({"user": "u1"}, 2),
        ({"mode": "fulltext"}, 2),
        ({"mode": "graph"}, 2),
        ({"mode": "vector"}, 2),
        ({"mode": "nonsense"}, 2),
        ({"as_of": "2001-01-01T00:00"}, 0),
    ],
)
def test_filters_and_modes_narrow_it(vera: Client, filters: dict[str, str], count: int) -> None:
    assert len(find(vera.get(PAGE, {"q": "WireGuard", **filters}))) == count


@pytest.mark.usefixtures("library")
@each_row(
    "moment, zone",
    product(
        ["0001-01-01T00:00", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "9999-12-31T23:59"],
        ["Europe/Berlin", "America/Los_Angeles"],
    ),
    rolled_back=True,
)
def test_a_time_at_the_ends_of_the_calendar_is_refused(vera: Client, alice: Caller, moment: str, zone: str) -> None:
    AppPolicy.objects.filter(app=alice.app).update(time_zone=zone)
    for headers in ({}, HTMX):
        answer = vera.get(PAGE, {"q": "WireGuard", "as_of": moment}, headers=headers)
        assert "As of: A year from 1000 to 9000." in text_of(answer)
        assert "hits" not in answer.context


@each_row("moment, contents", [("2025-05-09T00:00", ["Whales sing"]), ("2024-05-09T00:00", [])])
def test_a_time_can_be_asked_about(vera: Client, alice: Caller, moment: str, contents: list[str]) -> None:
    if not Memory.objects.exists():
        stored(alice, "Whales sing", valid_from="2025-05-01", valid_until="2025-06-01")
    answer = vera.get(PAGE, {"q": "whales", "valid_at": moment})
    assert find(answer) == contents
    assert ("nothing known of that time" in text_of(answer)) is not bool(contents)


def test_one_session_can_be_asked(vera: Client, alice: Caller) -> None:
    session = alice.start_session()["id"]
    stored(alice, "Caddy starts after WireGuard", session_id=session)
    stored(alice, "Caddy starts slowly")
    assert find(vera.get(PAGE, {"q": "caddy", "session": session})) == ["Caddy starts after WireGuard"]


def test_where_nothing_is_shown_no_parts_are_spoken_of(vera: Client, alice: Caller) -> None:
    text = text_of(vera.get(PAGE, {"q": "When does caddy start?"}))
    assert "Nothing fits, so nothing is found" in text
    assert "Parts" not in text


def test_factors_are_shown_as_factors(vera: Client, alice: Caller) -> None:
    AppPolicy.objects.update(ranking="product")
    stored(alice, "Caddy starts after WireGuard")
    with after(days=2):
        stored(alice, "Unlike anything")
    answer = vera.get(PAGE, {"q": "When does caddy start after WireGuard?"})
    (hit,) = answer.context["hits"]
    assert {part.text[0] for part in hit.parts} == {"×"}
    assert "multiply to the score of the formula" in text_of(answer)
    assert find(answer, "left_out") == ["Unlike anything"]


@each_row("combined, parts", [("sum", {"meaning": -2.0, "age": 0.5}), ("product", {"age": 0.0})])
def test_bars_begin_in_the_middle_and_stay_within(combined: str, parts: dict[str, float]) -> None:
    (item,) = explain([Hit(App(), Memory(), 0.0, parts.copy)], combined)
    for part in item.parts:
        assert 0 <= part.left <= 50
        assert part.left + part.width <= 100
    assert item.parts[0].is_against


def test_a_fragment_is_the_answer_alone_and_hostile_questions_are_text(vera: Client, alice: Caller) -> None:
    stored(alice, HOSTILE)
    answer = vera.get(PAGE, {"q": HOSTILE}, headers=HTMX)
    assert elements(answer, "div", id="found")
    assert not elements(answer, "h1")
    assert "<script>alert" not in answer.content.decode()
    assert not elements(answer, "img")


def test_other_apps_are_not_asked(otto: Client, alice: Caller, charlie: Caller) -> None:
    stored(alice, "Caddy starts after WireGuard")
    answer = otto.get(PAGE, {"q": "caddy"})
    assert (find(answer), find(answer, "left_out")) == ([], [])

"""The second clock: what held at the time that a question names, or that the caller gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.models import Memory
from memories.retrieve.validity import lateness, read_asked_time, valid_text
from memories.services import MemoryAgent
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.memories.retrieve.asking import search, set_policy, store
from tests.tables import each_row

TODAY = datetime(2026, 6, 15, 12, tzinfo=UTC)
OLD, NEW = "The whale watch costs 19 euros", "The whale watch costs 29 euros"
ASKED = "What did the whale watch cost in February?"


def dated(caller: Caller, content: str, since: str, **fields: Any) -> dict[str, Any]:
    return caller.remember(content, subject="whale watch", valid_from=since, **fields)


@pytest.fixture
def known(alice: Caller) -> Iterator[Caller]:
    """Two prices, one after the other, in the middle of June."""
    with time_machine.travel(TODAY, tick=False) as clock:
        for day, content in ((datetime(2025, 9, 2, tzinfo=UTC), OLD), (datetime(2026, 3, 16, tzinfo=UTC), NEW)):
            clock.move_to(day)
            dated(alice, content, "2025-09-01" if content == OLD else "2026-03-14")
        clock.move_to(TODAY)
        yield alice


def ask(caller: Caller, query: str = ASKED, **body: Any) -> dict[str, Any]:
    answer = caller.post("memories/search", {"query": query, **body})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def find(caller: Caller, query: str = "whale watch", **body: Any) -> list[str]:
    return [hit["content"] for hit in ask(caller, query, **body)["results"]]


def test_a_question_that_names_a_time_finds_first_what_held_then(known: Caller) -> None:
    (first, *_) = ask(known)["results"]
    assert (first["content"], first["status"]) == (OLD, "superseded")
    assert first["validity"] == "valid 2025-09-01 to 2026-03-14"


def test_a_question_that_names_no_time_does_not_find_what_has_ended(known: Caller) -> None:
    answer = ask(known, "What does the whale watch cost?")
    assert [hit["content"] for hit in answer["results"]] == [NEW]
    assert answer["asked_time"] is None


def test_the_answer_says_which_time_it_understood(known: Caller) -> None:
    answer = {"start": "2026-02-01T00:00:00Z", "end": "2026-03-01T00:00:00Z", "known": True}
    assert ask(known)["asked_time"] == answer


def test_the_answer_says_that_nothing_is_known_of_a_time(known: Caller) -> None:
    assert ask(known, "What did the whale watch cost in 2019?")["asked_time"]["known"] is False


def test_a_block_says_that_nothing_is_known_of_a_time(known: Caller) -> None:
    text = known.post("context", {"query": "What did the whale watch cost in 2019?"}).json()["text"]
    assert "Nothing is known of that time (2019-01-01 to 2020-01-01)." in text


def test_a_line_of_a_block_says_when_it_held(known: Caller) -> None:
    assert "; valid 2025-09-01 to 2026-03-14)" in known.post("context", {"query": ASKED}).json()["text"]


@each_row(
    "times, contents",
    [
        ({"valid_at": "2026-02-01"}, [OLD]),
        ({"valid_at": "2026-03-14"}, [NEW]),
        ({"valid_at": "2026-03-13T23:59:59Z"}, [OLD]),
        ({"valid_at": "2020-01-01"}, []),
        ({"valid_from": "2026-03-01", "valid_until": "2026-04-01"}, [NEW, OLD]),
        ({"valid_until": "2026-01-01"}, [OLD]),
        ({"valid_from": "2026-05-01"}, [NEW]),
        ({"valid_at": "2026-02-01", "mode": "vector"}, [OLD]),
        ({"valid_at": "2026-02-01", "mode": "tiered"}, [OLD]),
        # On 1 February nobody knew of the new price.
        ({"as_of": "2026-02-01T00:00:00Z", "valid_at": "2026-05-01"}, [OLD]),
        ({"as_of": "2026-04-01T00:00:00Z", "valid_at": "2026-02-01"}, [OLD]),
        ({"as_of": "2026-04-01T00:00:00Z", "valid_at": "2026-05-01"}, [NEW]),
        ({"since": "2026-01-01"}, [NEW]),
        ({"until": "2026-01-01", "valid_at": "2026-02-01"}, [OLD]),
        ({"until": "2025-01-01"}, []),
    ],
)
def test_a_time_that_is_given_narrows_what_is_found(known: Caller, times: dict[str, str], contents: list[str]) -> None:
    assert sorted(find(known, **times)) == sorted(contents)


def test_nothing_that_held_at_the_time_given_is_told(known: Caller) -> None:
    assert ask(known, "whale watch", valid_at="2020-01-01")["asked_time"]["known"] is False


def test_a_question_about_the_past_as_it_was_known_then(known: Caller) -> None:
    assert find(known, ASKED, as_of="2026-04-01T00:00:00Z")[0] == OLD


def test_a_time_without_a_zone_is_by_the_apps_clock(alice: Caller) -> None:
    set_policy(alice, time_zone="Asia/Tokyo")
    memory = dated(alice, OLD, "2025-09-01")
    assert memory["valid_from"] == "2025-08-31T15:00:00Z"
    assert find(alice, valid_at="2025-09-01") == [OLD]
    assert find(alice, valid_at="2025-08-31T23:59:59") == []


@each_row(
    "body, field",
    [
        ({"valid_at": "soon"}, "valid_at"),
        ({"valid_at": "2026-01-01", "valid_from": "2026-01-01"}, "valid_at"),
        ({"valid_from": "2026-02-01", "valid_until": "2026-02-01"}, "valid_until"),
        ({"since": "2026-02-01", "until": "2026-01-01"}, "until"),
        ({"valid_at": "0001-01-01"}, "valid_at"),
    ],
)
def test_a_time_that_cannot_be_is_refused(alice: Caller, body: dict[str, str], field: str) -> None:
    for path, question in (("memories/search", {"query": "whales"}), ("context", {})):
        assert_problem(alice.post(path, {**question, **body}), 400, field)


@each_row(
    "query, contents",
    [
        ({"valid_at": "2026-02-01"}, [OLD]),
        ({"valid_from": "2026-03-01", "valid_until": "2026-04-01"}, [NEW, OLD]),
        ({"valid_at": "2026-02-01", "status": "active"}, []),
    ],
)
def test_lists_take_the_same_times(known: Caller, query: dict[str, str], contents: list[str]) -> None:
    assert [row["content"] for row in known.get("memories", **query).json()["results"]] == contents


def test_a_list_refuses_a_time_that_is_none(alice: Caller) -> None:
    assert_problem(alice.get("memories", valid_at="soon"), 400, "valid_at")


def test_a_greeting_takes_a_time(known: Caller) -> None:
    answer = known.post("context", {"valid_at": "2026-02-01", "format": "json"}).json()
    assert [memory["content"] for memory in answer["memories"]] == [OLD]


def test_what_was_merged_into_another_held_at_no_time_of_its_own(known: Caller) -> None:
    other = store(known, "The whale watch costs 29 euros a head", subject="whale watch")
    retained = Memory.objects.get(content=NEW)
    with MemoryAgent(known.app, None, "operator:olga").changing(retained) as (write, winner):
        write.merge(winner, [other])
    assert find(known, valid_at="2026-05-01") == [NEW]


@each_row("ranking", ["standard", "confidence", "recent", "product", "dual"], rolled_back=True)
def test_in_every_ranking_what_held_comes_first_and_the_parts_make_the_score(known: Caller, ranking: str) -> None:
    set_policy(known, ranking=ranking)
    result = search(known, ASKED)
    assert result.hits[0].memory.content == OLD
    for hit in result.hits:
        parts = [*hit.parts.values()]
        assert hit.formula_score == pytest.approx(np.prod(parts) if result.combined == "product" else sum(parts))


def test_what_ended_is_found_without_a_further_query(known: Caller) -> None:
    queries = []
    for query in ("What did the whale watch cost?", "What did the whale watch cost in 2025?"):
        ask(known, query)
        with CaptureQueriesContext(connection) as counted:
            ask(known, query)
        queries.append(len(counted))
    assert queries[1] <= queries[0]


# --- what questions ask about


@each_row(
    "text, spans",
    [
        ("Where did Zoe live in February?", [("2026-02-01", "2026-03-01")]),
        ("What did it cost in 2024?", [("2024-01-01", "2025-01-01")]),
        ("Who led it last spring?", [("2026-03-01", "2026-06-01")]),
        ("Where did Zoe live before March 2026?", [("2026-01-30", "2026-03-01")]),
        ("Who is on leave in August 2026?", [("2026-08-01", "2026-09-01")]),
        ("Where does Zoe live?", None),
        ("What is due today?", None),
        ("What has changed since March?", None),
        ("What happened recently?", None),
    ],
)
def test_a_question_names_a_time(text: str, spans: list[tuple[str, str]] | None) -> None:
    time = read_asked_time(text, TODAY)
    answer = time and [tuple(f"{datetime.fromtimestamp(index, UTC):%Y-%m-%d}" for index in span) for span in time.spans]
    assert answer == spans


@each_row(
    "text, event, past",
    [
        ("Where did Zoe live before the move?", ("before", "the move"), ""),
        ("Who led it while Priya was away?", ("while", "Priya was away"), ""),
        ("Who led it when Priya was away?", ("when", "Priya was away"), ""),
        ("Which car did Lena use to drive?", None, "used to"),
        ("Where was the office in the old days?", None, "used to"),
        ("Who was the previous chief?", None, "previous"),
        ("What did it cost at first?", None, "first"),
    ],
)
def test_a_question_names_an_event_or_the_past(text: str, event: tuple[str, str] | None, past: str) -> None:
    time = read_asked_time(text, TODAY)
    assert time is not None
    assert (time.event, time.past) == (event, past)


@each_row(
    "text",
    [
        "When was the move?",
        "Which tool is used to deploy?",
        "What is the whale watch?",
        "What do I do when the deploy fails?",
        "What must be checked before the deploy?",
    ],
)
def test_a_question_of_no_other_time_is_one_of_now(text: str) -> None:
    assert read_asked_time(text, TODAY) is None


@each_row(
    "start, end, text",
    [
        ((2025, 9, 1), (2026, 3, 14), "valid 2025-09-01 to 2026-03-14"),
        ((2025, 9, 1), None, "valid from 2025-09-01"),
        (None, (2026, 3, 14), "valid until 2026-03-14"),
        (None, None, ""),
        ((2026, 3, 14, 9), (2026, 3, 14, 17, 30), "valid 2026-03-14 09:00 to 2026-03-14 17:30"),
    ],
)
def test_an_interval_is_written_as_people_do(start: Any, end: Any, text: str) -> None:
    first, last = (datetime(*parts, tzinfo=UTC) if parts else None for parts in (start, end))
    assert valid_text(first, last, UTC) == text


def test_of_what_nobody_ended_the_later_counts_more() -> None:
    result = lateness(np.array([-np.inf, 100.0, 200.0, 300.0]), np.array([True, True, True, False]))
    assert result.tolist() == [0, 0, 1, 0]


@each_row(
    "query, content",
    [("What did the whale watch cost before the storm?", OLD), ("What did the whale watch cost after the storm?", NEW)],
)
def test_an_event_is_dated_by_the_memory_of_it(known: Caller, query: str, content: str) -> None:
    known.remember("The storm hit the harbour", subject="harbour", valid_from="2026-03-14")
    assert ask(known, query)["results"][0]["content"] == content

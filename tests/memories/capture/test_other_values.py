"""What is said of another value, in the same words, is not what was said before: it is kept beside it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from memories.agent import current_embedder
from memories.capture.pipeline import remember
from memories.store import Candidate
from memories.store.revisions import learnt_in
from tests.conftest import Caller
from tests.talking import contents, hear, row_of, tell
from tests.upkeep import do, upkeep_learn_due

MONDAYS = "The team meets in Oslo on Mondays."


@pytest.mark.parametrize("place", ["Basel", "Galway", "Tromsø", "Zabbix", "Ulm"])
def test_a_name_that_is_taken_for_the_subject_tells_of_another_value(alice: Caller, place: str) -> None:
    alice.remember(MONDAYS, category="work")
    hear(alice, MONDAYS.replace("Oslo", place))
    said = contents(alice.app)
    assert len(said) == 2
    assert any(place in one for one in said)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("The backup runs on atlas every night", "Every night the backup runs on boreas"),
        ("My sister bakes bread on Sundays", "My brother bakes bread on Sundays"),
        ("User is allergic to nuts", "User is allergic to nuts and eggs"),
        ("User has a sister", "User has a sister called Mira"),
    ],
)
def test_nothing_of_it_is_lost(alice: Caller, known: str, said: str) -> None:
    alice.remember(known)
    assert alice.remember(said)["outcome"] in ("created", "contradicted")
    assert {known, said} <= set(contents(alice.app))


def test_what_says_more_is_linked_to_what_it_says_more_about(alice: Caller) -> None:
    first = alice.remember("User works as a nurse")
    second = alice.remember("User works as a nurse at Charité")
    (link,) = alice.get(f"memories/{second['id']}/links").json()["results"]
    assert (link["kind"], link["to_id"]) == ("elaborates", first["id"])
    assert alice.remember("User works as a nurse")["outcome"] == "reinforced"


def test_what_is_said_more_fully_where_it_was_learnt_is_taken_over(alice: Caller) -> None:
    session = hear(alice, "I work as a nurse.")
    tell(alice, session, "I work as a nurse at Charité.")
    upkeep_learn_due()
    assert contents(alice.app) == ["User works as a nurse at Charité"]
    hear(alice, "I work as a nurse at Charité in Berlin.")
    assert len(contents(alice.app)) == 2


NURSE, FULLER = "User works as a nurse", "User works as a nurse at Charité"


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ({}, [FULLER]),
        ({"valid_until": datetime(2199, 5, 1, tzinfo=UTC)}, [NURSE, FULLER]),
        ({"origin": "assistant"}, [NURSE, FULLER]),
        ({"source": "digest"}, [NURSE, FULLER]),
    ],
)
def test_it_is_taken_over_only_from_the_same_for_the_same_time(
    alice: Caller, changed: dict[str, Any], kept: list[str]
) -> None:
    session = row_of(alice.app, alice.start_session())
    first = Candidate(content=NURSE, source="fact", origin="user", session=session)
    for candidate in (first, replace(first, content=FULLER, **changed)):
        remember(alice.app, [candidate], current_embedder(), learnt_in(session), timezone.now())
    assert contents(alice.app) == kept


def test_nor_from_another_session_that_has_confirmed_it(alice: Caller) -> None:
    """It would go with that one."""
    hear(alice, "I work as a nurse.")
    second = hear(alice, "I work as a nurse.")
    tell(alice, second, "I work as a nurse at Charité.")
    upkeep_learn_due()
    alice.delete(f"sessions/{second['id']}")
    assert contents(alice.app) == [NURSE]


def test_what_says_less_goes_into_what_says_more_by_night(alice: Caller) -> None:
    for said in ("User works as a nurse", "User works as a nurse at Charité"):
        assert alice.remember(said)["outcome"] == "created"
    assert do("nightly")["merged"] == 1
    assert contents(alice.app) == ["User works as a nurse at Charité"]

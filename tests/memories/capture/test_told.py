"""What an agent makes of what it was told is no surer than that, whichever way it comes."""

from __future__ import annotations

from typing import Any

import pytest

from memories.capture.echo import bound_by
from memories.models import Memory
from memsite.tenancy.models import AppPolicy
from tests.conftest import Caller
from tests.tables import each_row
from tests.talking import turn

SOURCE = "We deploy on Tuesdays, never on Fridays"


@pytest.fixture
def told(alice: Caller) -> dict[str, Any]:
    """A session that was told the source, of which nobody is very sure."""
    alice.remember(SOURCE, confidence=0.7)
    session = alice.start_session()
    assert SOURCE in session["context"]["text"]
    return session


@each_row("content, most", [
    ("On Tuesdays.", 0.7),
    ("We deploy on Tuesdays, never on Fridays, because the auditors of the bank demanded it", 0.7),
    ("The office cat is called Miso", 0.9),
], rolled_back=True)  # fmt: skip
def test_what_is_stored_of_what_a_session_was_told_is_no_surer(
    alice: Caller, told: dict[str, Any], content: str, most: float
) -> None:
    stored = alice.remember(content, confidence=0.9, session_id=told["id"])
    assert stored["confidence"] == most


def test_a_marker_that_shortens_it_is_an_echo_and_one_that_widens_it_is_no_surer(
    alice: Caller, told: dict[str, Any]
) -> None:
    AppPolicy.objects.filter(app=alice.app).update(start_confidence=0.9)
    text = f"[MEMORY:timing] On Tuesdays.\n[MEMORY:timing] {SOURCE}, because the auditors of the bank demanded it"
    assert turn(alice, told, 1, "When do we deploy?", text).json()["captured"]["echoed"] == 1
    assert set(Memory.objects.values_list("confidence", flat=True)) == {0.7}


def test_another_session_may_be_surer(alice: Caller, told: dict[str, Any]) -> None:
    assert alice.remember("On Tuesdays.", confidence=0.9)["confidence"] == 0.9


@each_row("statement, bound", [("It takes 90s to start", 0.9), ("It takes 60s to start", 0.5), ("60s", 0.5)])
def test_another_figure_is_news(statement: str, bound: float) -> None:
    assert bound_by(statement, 0.9, [("It takes 60s to start", 0.5)]) == bound

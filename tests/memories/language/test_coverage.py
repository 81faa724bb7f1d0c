"""Questions that ask over many memories are told from others, with what they are about."""

from __future__ import annotations

import pytest

from memories.language.coverage import read_overview
from tests.growth import assert_linear, repeated
from tests.tables import each_row_of


@each_row_of("overviews")
def test_a_question_over_many_memories_is_told(question: str, way: str | None, topic: str | None) -> None:
    found = read_overview(question)
    assert (found.way if found else None, found.topic if found and topic else None) == (way, topic)


@pytest.mark.parametrize(("question", "said"), [("In which order did I mention them?", True), ("A timeline", False)])
def test_what_the_asker_said_is_told_from_what_happened(question: str, said: bool) -> None:
    found = read_overview(question)
    assert found is not None
    assert found.by_asker is said


@pytest.mark.parametrize("unit", ["in order ", "how many ", "list ", "give ", "summary of "])
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    assert_linear(read_overview, repeated(unit), 20_000)

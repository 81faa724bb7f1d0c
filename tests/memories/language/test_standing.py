"""Standing statements are found in what a user says, with the matter they are about."""

from __future__ import annotations

import pytest

from memories.language.standing import embedded_matter, is_request, standing_parts
from tests.growth import assert_linear, repeated
from tests.tables import each_row_of


@each_row_of("standing")
def test_a_standing_statement_names_its_matter(text: str, matter: str) -> None:
    found = next(standing_parts(text, None), None)
    assert (found.matter.strip(" .") if found else "") == matter


@each_row_of("standing")
def test_a_request_is_told_from_a_question_about_what_was(question: str, is_one: bool) -> None:
    assert is_request(question) == is_one


def test_the_matter_is_embedded_beside_a_text_that_says_more() -> None:
    tail = "Always name the port when I ask about boats."
    assert embedded_matter(f"{'The weather was fine. ' * 40}{tail}", None) == "boats"


def test_a_short_preference_is_embedded_as_it_is() -> None:
    assert embedded_matter("I prefer tea", None) == ""


@pytest.mark.parametrize("unit", ["always ", "i prefer ", "gib a ", ". ", "```", "a.", " - "])
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    assert_linear(lambda text: [*standing_parts(text, None)], repeated(unit), 20_000)

"""What somebody began to do as a habit, does again or has stopped is kept; what is begun for now is not."""

from __future__ import annotations

from datetime import UTC, datetime

from memories.providers.llm.provider import Chunk, Setting
from memories.providers.llm.rules.evidence import weigh_personal
from memories.providers.llm.rules.facts import extract
from memories.providers.llm.rules.gate import gate
from memories.providers.llm.rules.habits import begin_with_who
from memories.text.messages import Message
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of

NOW = datetime(2026, 5, 4, 15, 30, tzinfo=UTC)
"""A Monday."""


def chunk(said: str) -> Chunk:
    return Chunk((Message("user", said),), NOW)


def contents(said: str) -> list[str]:
    return [fact.content for fact in extract(chunk(said), Setting())]


@each_row_of("rules_habits")
def test_what_became_a_habit_is_kept(said: str, kept: str) -> None:
    assert contents(said) == [kept]
    assert gate(chunk(said)).keep


@each_row_of("rules_habits")
def test_what_is_begun_for_now_is_none(said: str) -> None:
    assert contents(said) == []


@each_row_of("rules_habits")
def test_what_somebody_does_from_now_on_is_kept_by_itself(said: str, kept: list[str]) -> None:
    assert contents(said) == kept
    assert gate(chunk(said)).keep


@each_row_of("rules_habits")
def test_what_somebody_thinks_or_how_they_are_these_days_is_none(said: str) -> None:
    assert contents(said) == []


@each_row(
    ("said", "kept"),
    [
        ("From now on, answer in German", "From now on, answer in German"),
        ("From now on, I want you to answer in German", "Answer in German"),
        ("from now on call me Bea", "From now on call User Bea"),
    ],
)
def test_what_the_agent_shall_do_from_now_on_stays_an_instruction(said: str, kept: str) -> None:
    assert contents(said) == [kept]


@each_row(
    ("said", "kept"),
    [
        (
            "Actually, I work at Zaha Hadid now, not at Foster.",
            "User works at Zaha Hadid now, not at Foster",
        ),
        ("no, I'm at Siemens now", "User is at Siemens now"),
        ("no, I'm at Siemens now, not Bosch", "User is at Siemens now, not Bosch"),
        ("wait, I live in Lund now", "User lives in Lund now"),
        ("correction: my sister's name is Ana, not Anna", "User's sister's name is Ana, not Anna"),
        ("No, my birthday is on 5 May, not 4 May.", "User's birthday is on 5 May, not 4 May"),
    ],
)
def test_who_sets_right_where_they_are_now_is_heard(said: str, kept: str) -> None:
    assert contents(said) == [kept]


@each_row(
    "piece",
    [
        "i've started eating ",
        "i'm drinking coffee ",
        "i just just ",
        "i've taken up ",
        "from now on, i ",
        "i do a b now ",
    ],
)
def test_a_habit_takes_as_long_to_weigh_as_the_text_is_long(piece: str) -> None:
    assert_linear(lambda text: (weigh_personal(text), begin_with_who(text)), repeated(piece), 20_000)

"""What somebody began to do as a habit, does again or has stopped is kept; what is begun for now is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.providers.llm.provider import Chunk, Setting
from memories.providers.llm.rules.evidence import weigh_personal
from memories.providers.llm.rules.facts import extract
from memories.providers.llm.rules.gate import gate
from memories.providers.llm.rules.habits import begin_with_who
from memories.text.messages import Message
from tests.growth import assert_linear, repeated

NOW = datetime(2026, 5, 4, 15, 30, tzinfo=UTC)
"""A Monday."""


def chunk(said: str) -> Chunk:
    return Chunk((Message("user", said),), NOW)


def contents(said: str) -> list[str]:
    return [fact.content for fact in extract(chunk(said), Setting())]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "I've started drinking coffee, one cup in the morning.",
            "User has started drinking coffee, one cup in the morning",
        ),
        ("I started eating meat again", "User started eating meat again"),
        ("I've begun smoking", "User has begun smoking"),
        ("I've taken up running", "User has taken up running"),
        ("I've taken up the guitar", "User has taken up the guitar"),
        ("I'm drinking coffee again", "User is drinking coffee again"),
        ("I'm eating meat again.", "User is eating meat again"),
        ("I'm smoking again", "User is smoking again"),
        ("I've stopped being vegan", "User has stopped being vegan"),
        ("I have quit smoking.", "User has quit smoking"),
        ("I've started taking iron pills", "User has started taking iron pills"),
        ("I started taking vitamin D.", "User started taking vitamin D"),
        ("I started taking the bus to work", "User started taking the bus to work"),
        ("I've started going to the gym", "User has started going to the gym"),
        ("I've started cycling to work", "User has started cycling to work"),
        ("I've started seeing a therapist", "User has started seeing a therapist"),
        ("I've started wearing glasses", "User has started wearing glasses"),
        ("I've just started running again", "User has just started running again"),
        ("I've started to drink coffee", "User has started to drink coffee"),
        ("I've started a new diet", "User has started a new diet"),
        ("Last week I started eating meat again", "In the week of 27 April 2026 User started eating meat again"),
        ("I started surfing five years ago", "User started surfing around 2021"),
        ("I've recently started taking a history course", "User has recently started taking a history course"),
        ("I just started piano lessons", "User just started piano lessons"),
        ("I've gone back to eating meat.", "User has gone back to eating meat"),
        ("I've started eating more vegetables", "User has started eating more vegetables"),
    ],
)
def test_what_became_a_habit_is_kept(said: str, kept: str) -> None:
    assert contents(said) == [kept]
    assert gate(chunk(said)).keep


@pytest.mark.parametrize(
    "said",
    [
        "I've started the server",
        "I've started the download",
        "I've started reading your answer",
        "I've started drinking my coffee, let's go",
        "I'm drinking coffee right now",
        "I'm drinking wine again tonight",
        "I'm eating lunch again",
        "I'm eating pizza again lol",
        "I've started eating popcorn while watching",
        "I started eating when the phone rang",
        "I've started running the tests",
        "I've started running it",
        "I started running and slipped",
        "I started dancing",
        "I've started working for hours",
        "This picture was taken after I started walking again",
        "I've started refactoring the classes",
        "I've started smoking ribs at 8 this morning",
        "I've started taking this seriously",
        "I started taking notes",
        "I've started going through your list",
        "I've started seeing errors",
        "I've started painting the fence",
        "I've started to work on the report",
        "I'm trying again",
        "I've taken up too much of your time",
        "I've taken up residence",
        "If I started drinking coffee, would I sleep worse?",
    ],
)
def test_what_is_begun_for_now_is_none(said: str) -> None:
    assert contents(said) == []


STOPPED = "User stopped working nights"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I stopped working nights; I do day shifts from now on.", [STOPPED, "User does day shifts from now on"]),
        ("I stopped working nights, I do day shifts now.", [STOPPED, "User does day shifts now"]),
        ("I stopped eating meat; I eat fish now.", ["User stopped eating meat", "User eats fish now"]),
        ("I do day shifts from now on.", ["User does day shifts from now on"]),
        ("from now on I work from home on Fridays", ["From now on User works from home on Fridays"]),
        ("From now on, I work from home on Fridays.", ["User works from home on Fridays from now on"]),
        ("From now on I'm working from home", ["User is working from home from now on"]),
        ("From now on I'll take the train", ["User will take the train from now on"]),
        ("From now on I'm vegan", ["User is vegan from now on"]),
        ("These days I cycle to work.", ["User cycles to work these days"]),
        ("Nowadays, I mostly paint.", ["User mostly paints nowadays"]),
        (
            "These days I take the bus because my car broke down",
            ["User takes the bus these days because their car broke down"],
        ),
        ("I take the bus now.", ["User takes the bus now"]),
        ("I sold my car, so I take the bus now", ["User sold their car", "User takes the bus now"]),
        ("I sleep in the guest room now", ["User sleeps in the guest room now"]),
        ("I get up at six now", ["User gets up at six now"]),
    ],
)
def test_what_somebody_does_from_now_on_is_kept_by_itself(said: str, kept: list[str]) -> None:
    assert contents(said) == kept
    assert gate(chunk(said)).keep


@pytest.mark.parametrize(
    "said",
    [
        "I see it a lot these days",
        "I'm so busy these days",
        "I think about her a lot these days",
        "Nowadays, I feel like we don't see a lot of white",
        "These days I cycle to work?",
        "From now on I'm going to be nicer",
        "From now on I do what you say",
        "From now on, I'll be careful",
        "I take it now",
        "I go to bed now",
        "I have to go now",
    ],
)
def test_what_somebody_thinks_or_how_they_are_these_days_is_none(said: str) -> None:
    assert contents(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("From now on, answer in German", "From now on, answer in German"),
        ("From now on, I want you to answer in German", "Answer in German"),
        ("from now on call me Bea", "From now on call User Bea"),
    ],
)
def test_what_the_agent_shall_do_from_now_on_stays_an_instruction(said: str, kept: str) -> None:
    assert contents(said) == [kept]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
    assert_linear(lambda text: (weigh_personal(text), begin_with_who(text)), repeated(piece), 100_000)

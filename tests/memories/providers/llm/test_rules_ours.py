"""Whose "our" is: what belongs to a home is the user's, whatever else is talked about."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.providers.llm.provider import Chunk, Setting
from memories.providers.llm.rules.facts import extract
from memories.providers.llm.rules.ours import weigh_ours
from memories.text.messages import Message

NOW = datetime(2026, 10, 14, 9, tzinfo=UTC)
AT_WORK = (
    "our deploy pipeline is on Jenkins, my team wants to move",
    "I had a meeting with my manager about the server budget for the API cluster",
)
AT_HOME = ("my wife and I have two kids and a cat", "the landlord raised the rent for the flat")


def said_after(before: tuple[str, ...], said: str) -> list[str]:
    messages = tuple(Message("user", one) for one in before)
    return [fact.content for fact in extract(Chunk((Message("user", said),), NOW, messages), Setting())]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("our kitchen has a gas stove", "User's kitchen has a gas stove"),
        ("our landlord wants 1,450 euros", "User's landlord wants 1,450 euros"),
        ("our dishwasher is a Bosch", "User's dishwasher is a Bosch"),
        ("our washing machine is a Miele", "User's washing machine is a Miele"),
        ("our boiler was replaced in May", "User's boiler was replaced in May 2026"),
        ("our daughter's teacher is Mrs Kern", "User's daughter's teacher is Mrs Kern"),
        ("our vet is Dr Amari", "User's vet is Dr Amari"),
        ("we live in Leipzig", "User lives in Leipzig"),
        ("our database is Postgres 16", "The team's database is Postgres 16"),
        ("our house style is Oxford commas", "The team's house style is Oxford commas"),
        ("our kitchen display app crashes on start", "The team's kitchen display app crashes on start"),
    ],
)
def test_what_is_of_a_home_is_the_users_where_work_is_talked_about(said: str, kept: str) -> None:
    assert said_after(AT_WORK, said) == [kept]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("our standup is at 9:45", "The team's standup is at 9:45"),
        ("our CTO is Marta", "The team's CTO is Marta"),
        ("our rent collection service is written in Go", "The team's rent collection service is written in Go"),
        ("our cat is called Miso", "User's cat is called Miso"),
        ("our NAS runs TrueNAS 24", "User's NAS runs TrueNAS 24"),
    ],
)
def test_what_is_of_work_is_the_teams_where_home_is_talked_about(said: str, kept: str) -> None:
    assert said_after(AT_HOME, said) == [kept]


@pytest.mark.parametrize("said", ["", "our", "our 's", "our of", "it is our", "we", "our - our"])
def test_what_says_nothing_is_answered(said: str) -> None:
    assert weigh_ours(said) == 0

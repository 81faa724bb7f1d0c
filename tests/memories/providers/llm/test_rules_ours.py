"""Whose "our" is: what belongs to a home is the user's, whatever else is talked about."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.providers.llm.provider import Chunk, Setting
from memories.providers.llm.rules.facts import extract
from memories.providers.llm.rules.households import without_reason
from memories.providers.llm.rules.ours import weigh_ours
from memories.text.messages import Message
from tests.growth import assert_linear, repeated

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
        ("we moved in only last month", "User moved in only in September 2026"),
        ("we both work at Siemens", "User works at Siemens"),
        ("we also have a cabin in Norway", "User also has a cabin in Norway"),
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


def test_who_hopes_for_a_job_speaks_of_no_team() -> None:
    before = ("I have an interview at Zalando on Wednesday",)
    assert said_after(before, "we have time after 8") == ["User has time after 8"]


@pytest.mark.parametrize("said", ["", "our", "our 's", "our of", "it is our", "we", "our - our"])
def test_what_says_nothing_is_answered(said: str) -> None:
    assert weigh_ours(said) == 0


MOVED = "User moved to Malmö"


@pytest.mark.parametrize("before", [(), AT_WORK])
@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "We moved to Malmö last week, because Erik got a new job there.",
            f"{MOVED} in the week of 5 October 2026, because Erik got a new job there",
        ),
        (
            "We moved to Malmö because my company opened an office there.",
            f"{MOVED} because their company opened an office there",
        ),
        ("We moved from Lund to Malmö because Erik got a job.", "User moved from Lund to Malmö because Erik got a job"),
        (
            "We've moved to Växjö because Lena got a position there.",
            "User has moved to Växjö because Lena got a position there",
        ),
        (
            "We moved here in 2019 because of my husband's job.",
            "User moved here in 2019 because of their husband's job",
        ),
        (
            "We moved into a bigger house because of my job.",
            "User moved into a bigger house because of their job",
        ),
        (
            "We're renting a flat in Bonn because my contract ends in May.",
            "User is renting a flat in Bonn because their contract ends in May 2027",
        ),
        ("We bought a house near the office.", "User bought a house near the office"),
        ("We adopted a dog, as I work from home now.", "User adopted a dog, as they work from home now"),
        (
            "We're going on holiday in July because my company closes then.",
            "User is going on holiday in July 2027 because their company closes then",
        ),
        (
            "We went to Portugal in May before my new job started.",
            "User went to Portugal in May 2026 before their new job started",
        ),
    ],
)
def test_what_a_household_does_is_the_users_whyever_it_does_so(before: tuple[str, ...], said: str, kept: str) -> None:
    assert said_after(before, said) == [kept]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "We left Berlin because Erik got a new job.",
            "User left Berlin because Erik got a new job",
        ),
        (
            "We had to move to Malmö because Erik got a new job there",
            "User had to move to Malmö because Erik got a new job there",
        ),
        ("We just moved to Seattle for Sam's new job", "User just moved to Seattle for Sam's new job"),
        ("We moved to Malmö as Erik's team is there.", "User moved to Malmö as Erik's team is there"),
        ("We're moving again because of my job", "User is moving again because of their job"),
        (
            "We've bought a place in Spain because I can work remotely",
            "User has bought a place in Spain because they can work remotely",
        ),
        (
            "We bought a second car because Erik's job is in Lund.",
            "User bought a second car because Erik's job is in Lund",
        ),
    ],
)
def test_what_ones_own_job_leads_to_is_no_teams_doing(said: str, kept: str) -> None:
    assert said_after((), said) == [kept]


def test_a_job_that_a_server_runs_is_a_teams() -> None:
    said = "We moved the backup job to Mondays because the nightly job was slow"
    assert said_after((), said) == ["The team moved the backup job to Mondays because the nightly job was slow"]


def test_somebodys_job_in_the_next_sentence_makes_no_team() -> None:
    assert said_after((), "We moved to Malmö. Erik got a new job there.")[:1] == [MOVED]
    assert said_after((), "Erik got a new job, so we moved to Malmö.")[-1:] == [MOVED]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "We moved to a new office because the team grew.",
            "The team moved to a new office because the team grew",
        ),
        (
            "We moved the deploy to Fridays because of my boss",
            "The team moved the deploy to Fridays because of User's boss",
        ),
        ("We moved to PostgreSQL because MySQL was slow", "The team moved to PostgreSQL because MySQL was slow"),
        ("We moved to AWS because my company pays for it", "The team moved to AWS because User's company pays for it"),
        (
            "We moved to Berlin because our customers are there.",
            "The team moved to Berlin because their customers are there",
        ),
        ("We moved to Berlin with the whole team.", "The team moved to Berlin with the whole team"),
        ("We moved to the Berlin office last year.", "The team moved to the Berlin office in 2025"),
        (
            "We moved to Frankfurt with the servers because of latency.",
            "The team moved to Frankfurt with the servers because of latency",
        ),
        ("We moved to Paris time for all cron jobs.", "The team moved to Paris time for all cron jobs"),
        ("We sold a house to a client.", "The team sold a house to a client"),
    ],
)
def test_what_a_team_moves_stays_the_teams(said: str, kept: str) -> None:
    assert said_after((), said) == [kept]


def test_a_team_that_talks_of_its_servers_moves_with_them() -> None:
    said = "Our servers were in Ireland. We moved to Frankfurt last year."
    assert said_after((), said)[-1] == "The team moved to Frankfurt in 2025"


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("We moved to Malmö last week, because Erik got a new job there.", "general"),
        ("We bought a house near the office.", "general"),
        ("We adopted a dog, as I work from home now.", "relationships"),
        ("I moved to Malmö because I got a new job there.", "general"),
        ("Last week we moved to Malmö, because Erik got a new job there.", "general"),
        ("We left Berlin because Erik got a new job.", "general"),
        ("I moved to Malmö for a new job at Siemens.", "work"),
        ("I work from home because my job allows it.", "work"),
    ],
)
def test_why_a_household_does_something_files_it_nowhere(said: str, category: str) -> None:
    found = extract(Chunk((Message("user", said),), NOW, ()), Setting())
    assert [fact.category for fact in found] == [category]


@pytest.mark.parametrize("piece", ["we moved to ", "we just ", "we bought a new ", "because I ", "User and their "])
def test_who_we_are_takes_as_long_to_know_as_the_text_is_long(piece: str) -> None:
    assert_linear(lambda text: (weigh_ours(text), without_reason(text)), repeated(piece), 100_000)

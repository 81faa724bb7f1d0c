"""Whose "our" is: what belongs to a home is the user's, whatever else is talked about."""

from __future__ import annotations

from datetime import UTC, datetime

from memories.providers.llm.provider import Chunk, Setting
from memories.providers.llm.rules.facts import extract
from memories.providers.llm.rules.households import without_reason
from memories.providers.llm.rules.ours import weigh_ours
from memories.text.messages import Message
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of

NOW = datetime(2026, 10, 14, 9, tzinfo=UTC)
AT_WORK = (
    "our deploy pipeline is on Jenkins, my team wants to move",
    "I had a meeting with my manager about the server budget for the API cluster",
)
AT_HOME = ("my wife and I have two kids and a cat", "the landlord raised the rent for the flat")


def said_after(before: tuple[str, ...], said: str) -> list[str]:
    messages = tuple(Message("user", one) for one in before)
    return [fact.content for fact in extract(Chunk((Message("user", said),), NOW, messages), Setting())]


@each_row_of("rules_ours")
def test_what_is_of_a_home_is_the_users_where_work_is_talked_about(said: str, kept: str) -> None:
    assert said_after(AT_WORK, said) == [kept]


@each_row(
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


@each_row("said", ["", "our", "our 's", "our of", "it is our", "we", "our - our"])
def test_what_says_nothing_is_answered(said: str) -> None:
    assert weigh_ours(said) == 0


MOVED = "User moved to Malmö"


@each_row("before", [(), AT_WORK])
@each_row_of("rules_ours")
def test_what_a_household_does_is_the_users_whyever_it_does_so(before: tuple[str, ...], said: str, kept: str) -> None:
    assert said_after(before, said) == [kept]


@each_row(
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


@each_row_of("rules_ours")
def test_what_a_team_moves_stays_the_teams(said: str, kept: str) -> None:
    assert said_after((), said) == [kept]


def test_a_team_that_talks_of_its_servers_moves_with_them() -> None:
    said = "Our servers were in Ireland. We moved to Frankfurt last year."
    assert said_after((), said)[-1] == "The team moved to Frankfurt in 2025"


@each_row_of("rules_ours")
def test_why_a_household_does_something_files_it_nowhere(said: str, category: str) -> None:
    found = extract(Chunk((Message("user", said),), NOW, ()), Setting())
    assert [fact.category for fact in found] == [category]


@each_row("piece", ["we moved to ", "we just ", "we bought a new ", "because I ", "User and their "])
def test_who_we_are_takes_as_long_to_know_as_the_text_is_long(piece: str) -> None:
    assert_linear(lambda text: (weigh_ours(text), without_reason(text)), repeated(piece), 20_000)

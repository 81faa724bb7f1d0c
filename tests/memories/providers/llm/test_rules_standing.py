"""What nobody could understand by itself is no fact: bare counts, verbs without an object, "there" without a place."""

from __future__ import annotations

from datetime import UTC, datetime

from memories.providers.llm.provider import Chunk, Setting
from memories.providers.llm.rules import RulesProvider
from memories.providers.llm.rules.leads import strip_leads
from memories.providers.llm.rules.mentions import read_mentions
from memories.providers.llm.rules.standing import name_then, name_there, stands_alone
from memories.text.messages import ASSISTANT, USER, Message
from tests.tables import each_row, each_row_of

NOW = datetime(2026, 10, 12, 9, tzinfo=UTC)


def contents(*turns: str) -> list[str]:
    """Facts of a talk; what begins with "A: " is the assistant's."""
    messages = tuple(
        Message(ASSISTANT if turn.startswith("A: ") else USER, turn.removeprefix("A: "), NOW) for turn in turns
    )
    return [fact.content for fact in RulesProvider().extract(Chunk(messages, NOW), Setting())]


@each_row("said", ["I'm at work", "I'm at home with a cold", "I was at lunch with Tom"])
def test_where_somebody_just_is_is_no_fact(said: str) -> None:
    assert contents(said) == []


def test_at_whose_somebody_works_is_one() -> None:
    assert contents("I'm at Siemens") == ["User is at Siemens"]


@each_row_of("rules_standing")
def test_what_lacks_its_matter_does_not_stand_alone(text: str) -> None:
    assert not stands_alone(text)


@each_row_of("rules_standing")
def test_what_has_matter_stands_alone(text: str) -> None:
    assert stands_alone(text)


@each_row(
    ("clause", "previous", "named"),
    [
        ("never put appointments there", "We ship on the first Monday", "never put appointments on the first Monday"),
        ("we go there every summer", "We have a cabin in Norway", "we go to Norway every summer"),
        ("it runs there", "The box hangs near the door", "it runs near the door"),
        ("there is a spare", "The key is in the drawer", "there is a spare"),
        ("I met Ann in Oslo and stayed there", "We live in Graz", "I met Ann in Oslo and stayed there"),
        ("we keep logs there", "Alerts start at 90 %", "we keep logs there"),
        ("Emil starts there", "My son needs a lunch", "Emil starts there"),
    ],
)
def test_there_is_what_the_clause_before_ends_with(clause: str, previous: str, named: str) -> None:
    assert name_there(clause, previous) == named


@each_row(
    ("clause", "previous", "named"),
    [
        ("Priya stands in until then", "I move on the 1st of December", "Priya stands in until the 1st of December"),
        ("I pick up the kids then", "no calls on Wednesday afternoons", "I pick up the kids on Wednesday afternoons"),
        ("it must be done by then", "we ship on Friday", "it must be done by Friday"),
        ("we stay home then", "it rains in Graz", "we stay home then"),
        ("if it rains then we stay", "we meet on Friday", "if it rains then we stay"),
    ],
)
def test_then_is_the_day_that_the_clause_before_ends_with(clause: str, previous: str, named: str) -> None:
    assert name_then(clause, previous) == named


def test_until_then_is_no_day_where_none_was_named() -> None:
    assert contents("We move to the new storage soon. Don't touch the retention until then.") == []
    assert "Priya covers User's shift until 1 December 2026" in contents(
        "I start at the bank on the 1st of December. Priya covers my shift until then."
    )


def test_who_was_not_named_does_nothing() -> None:
    tutored = "I'm learning Portuguese with a tutor, Ines, Thursdays at 18:30 on Zoom."
    assert len(contents(f"{tutored} She told me in September that B1 is realistic by summer")) == 1
    assert contents("Our cleaner Rosa can't have bleach, it gives her headaches.") == [
        "User's cleaner Rosa can't have bleach"
    ]


def test_that_one_begins_a_clause() -> None:
    said = contents("Deploys go through ArgoCD except for the billing service, that one is still on Jenkins.")
    assert "The billing service is still on Jenkins" in said


def test_an_instruction_says_where() -> None:
    said = "We ship the invoice service on the first Monday of every month, so never put appointments there."
    assert "Never put appointments on the first Monday of every month" in contents(said)
    assert contents("Never put appointments there.") == []


def test_fragments_of_talk_are_no_facts() -> None:
    talk = ("A: Three runs a week to begin with?", "Three is good. Mornings only, never after work.")
    assert contents("I signed up for the half marathon in April.", *talk) == [
        "User signed up for the half marathon in April 2027"
    ]
    assert contents("Can we move the choir to Tuesday?", "A: Moved to Tuesdays at 19:00.") == []
    assert contents("I don't eat pork. My husband does though.") == ["User does not eat pork"]


def test_a_guess_or_a_farewell_is_no_more_of_the_clause_before() -> None:
    said = "My wife hates surprises. Maybe a weekend in Vienna. Good night!"
    assert contents(said) == ["User's wife hates surprises"]


@each_row(
    ("said", "bare"),
    [
        ("Before we start: keep your answers short", "keep your answers short"),
        ("quick one before I forget: my landlord is Pavel", "my landlord is Pavel"),
        ("after 9, 8 is ok", "after 9, 8 is ok"),
        ("we ship on Mondays, ok", "we ship on Mondays"),
    ],
)
def test_only_what_wraps_a_statement_is_taken_off(said: str, bare: str) -> None:
    assert strip_leads(said).text == bare


@each_row(
    ("talk", "kept"),
    [
        # Who asks which one names nothing.
        (
            ("The ingress needs annotations.", "A: Which ones?", "ingress.kubernetes.io/proxy-body-size, at 50m."),
            "ingress.kubernetes.io/proxy-body-size, at 50m",
        ),
        (
            ("It is set to 30 in staging.", "A: What is?", "The connection pool size."),
            "",
        ),
        # What a joke asks, it asks nobody.
        (("Tell me a joke.", "A: Why did the owl win? It was outstanding.", "Haha, three out of ten."), ""),
        (
            ("My passport expires in May, so I need to renew it before the trip to Japan.",),
            "User needs to renew their passport before the trip to Japan",
        ),
        (("The blue folder has the tax papers, the red one is insurance.", "A: Noted."), "The red folder is insurance"),
        (
            ("I'm color blind, so charts in red and green don't work for me.",),
            "User is color blind, so charts in red and green don't work for User",
        ),
        (("I became head of billing last month.",), "User became head of billing in September 2026"),
        (("prod-db-2 is the replica, never write to it.",), "prod-db-2 is the replica, never write to it"),
    ],
)  # fmt: skip
def test_what_is_kept_says_what_was_meant(talk: tuple[str, ...], kept: str) -> None:
    found = contents(*talk)
    assert kept in found if kept else not [one for one in found if one.startswith(("The owl", "The is"))]


def test_a_courtesy_is_nothing_that_could_be_meant() -> None:
    assert "Sorry" not in [mention.text for mention in read_mentions("Sorry, oat milk")]

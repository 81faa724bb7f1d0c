"""What is only ordered: what a text is to say, and what is made once, are no facts."""

from __future__ import annotations

from datetime import UTC, datetime

from memories.providers.llm.provider import Chunk, Setting
from memories.providers.llm.rules.facts import extract
from memories.text.messages import Message
from tests.tables import each_row, each_row_of

NOW = datetime(2026, 10, 14, 9, tzinfo=UTC)
"""A Wednesday."""


def contents(*turns: str) -> list[str]:
    """Turns that begin with "A: " are the assistant's."""
    messages = tuple(
        Message("assistant" if turn.startswith("A: ") else "user", turn.removeprefix("A: ")) for turn in turns
    )
    return [fact.content for fact in extract(Chunk(messages, NOW), Setting())]


@each_row_of("rules_ordered")
def test_what_a_text_is_to_say_is_no_fact(said: str) -> None:
    assert contents(said) == []


@each_row(
    ("said", "kept"),
    [
        ("That we need the VAT return by the 10th, and that we switched to quarterly filing in July.", []),
        ("We need the VAT return by the 10th. And that we switched banks in July.", []),
        ("that the rent is too high. Keep it formal, Sofia hates first names.", ["Sofia hates first names"]),
    ],
)
@each_row("asked", ["Sure. What should it say?", "What would you like me to write?"])
def test_nor_is_the_answer_to_what_it_should_say(asked: str, said: str, kept: list[str]) -> None:
    assert contents("can you draft a mail to our accountant?", f"A: {asked}", said) == kept


@each_row(
    ("said", "kept"),
    [
        ("make a note that my wife is vegan", ["User's wife is vegan"]),
        ("I wrote a mail to the school that Emma is sick", ["User wrote a mail to the school that Emma is sick"]),
        ("always write commit messages that explain why", ["Always write commit messages that explain why"]),
        ("Tell Anna that I can't come on Friday", ["User cannot come on Friday 16 October 2026"]),
        ("remind me that the rent is due on the 1st", ["The rent is due on 1 November 2026"]),
        ("make sure the backup job runs every night", ["Make sure the backup job runs every night"]),
        ("create the branch from develop every time", ["Create the branch from develop every time"]),
    ],
)
def test_what_is_noted_told_or_ordered_for_good_is_kept(said: str, kept: list[str]) -> None:
    assert contents(said) == kept


@each_row_of("rules_ordered")
def test_an_errand_is_no_fact(said: str) -> None:
    assert contents(said) == []


def test_who_was_named_in_an_order_may_be_meant_by_what_follows() -> None:
    assert contents("My wife is vegan", "A: ok", "Reply to Anna that I accept. She is my new boss.")[-1] == (
        "Anna is User's new boss"
    )

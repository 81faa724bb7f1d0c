"""Whose sentence it is, what stays as it is written, and what is kept that no rule knows a form of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memories.providers.judgement_model import CATEGORIES, KINDS, Reading
from memories.providers.llm.provider import Chunk, Fact, Setting
from memories.providers.llm.rules import RulesProvider
from memories.providers.llm.rules.person import to_third_person
from memories.providers.llm.rules.prose import read_sentences
from memories.text.messages import ASSISTANT, USER, Message
from tests.tables import each_row

NOW = datetime(2026, 11, 16, 10, tzinfo=UTC)
WORTHLESS = Reading(0.02, dict.fromkeys(CATEGORIES, 1 / len(CATEGORIES)), dict.fromkeys(KINDS, 1 / len(KINDS)))


class Reader:
    """Stands for the network: `worth` by sentence, all others are worth nothing."""

    def __init__(self, worth: dict[str, Reading]) -> None:
        self.worth = worth
        self.asked: list[tuple[str, str]] = []

    def read(self, sentences: Sequence[tuple[str, str]]) -> list[Reading]:
        self.asked += sentences
        return [self.worth.get(sentence, WORTHLESS) for _, sentence in sentences]


def found(monkeypatch: pytest.MonkeyPatch, worth: dict[str, Reading], *messages: Message) -> list[Fact]:
    monkeypatch.setattr("memories.providers.llm.rules.worth.load_judgement_model", lambda: Reader(worth))
    return RulesProvider(judge="learned").extract(Chunk(messages, NOW), Setting())


def kept(worth: float = 0.9, category: str = "general", kind: str = "fact") -> Reading:
    return Reading(worth, WORTHLESS.categories | {category: 0.9}, WORTHLESS.kinds | {kind: 0.9})


def test_a_sentence_that_no_rule_knows_is_kept_where_the_network_finds_it_worth_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worth = {"Dentist appointment, Friday 3pm": kept(category="health", kind="plan")}
    said = Message(USER, "Dentist appointment, Friday 3pm. Hm, let me think.")
    assert [fact.category for fact in found(monkeypatch, worth, said)] == ["health"]


def test_what_the_network_finds_worthless_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, {}, Message(USER, "I live in Bergen.")) == []
    (fact,) = found(monkeypatch, {"I live in Turin": kept(0.5)}, Message(USER, "I live in Turin."))
    assert fact.content == "User lives in Turin"


def test_a_language_that_the_network_cannot_read_is_left_to_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    by_rules = RulesProvider().extract(Chunk((Message(USER, "Ich bin allergisch gegen Nüsse."),), NOW), Setting())
    assert [fact.content for fact in by_rules] == ["Ich bin allergisch gegen Nüsse"]
    assert found(monkeypatch, {}, Message(USER, "Ich bin allergisch gegen Nüsse.")) == by_rules


def test_of_what_was_said_before_only_the_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader({"yes, peanuts": kept()})
    monkeypatch.setattr("memories.providers.llm.rules.worth.load_judgement_model", lambda: reader)
    asked = Message(ASSISTANT, "word " * 20_000 + ". Any allergies?")
    RulesProvider(judge="learned").extract(Chunk((asked, Message(USER, "yes, peanuts")), NOW), Setting())
    assert [len(before) <= 200 and before.endswith("Any allergies?") for before, _ in reader.asked] == [True]


def test_a_short_answer_is_kept_with_its_question(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Message(ASSISTANT, "Noted. Do you have any allergies?")
    (fact,) = found(monkeypatch, {"yes, peanuts": kept(category="health")}, asked, Message(USER, "yes, peanuts"))
    assert fact.content == 'Asked "Do you have any allergies?", User said: yes, peanuts'


@each_row(
    ("asked", "answer", "kept"),
    [
        ("Sorry about that! Could you tell me your order number?", "It's 55-1207", "User's order number is 55-1207"),
        ("May I have the serial number?", "SN-99812", "The serial number is SN-99812"),
        ("Thank you. Is it the Barista Pro 500?", "yes, in red", "It is the Barista Pro 500, in red"),
    ],
)
def test_what_an_answer_says_with_its_question_is_weighed(asked: str, answer: str, kept: str) -> None:
    chunk = Chunk((Message(ASSISTANT, asked), Message(USER, answer)), NOW)
    assert [fact.content for fact in RulesProvider(judge="learned").extract(chunk, Setting())] == [kept]


def test_what_was_said_before_counts_only_where_it_asks() -> None:
    said = Message(USER, "if the power goes out the UPS lasts about 20 minutes")
    chunk = Chunk((Message(ASSISTANT, "Okay. Caddy renewed it eleven days ago."), said), NOW)
    (fact,) = RulesProvider(judge="learned").extract(chunk, Setting())
    assert fact.content == "If the power goes out the UPS lasts about 20 minutes"


def test_what_points_back_is_kept_with_what_it_points_to(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Message(USER, "You declared the iLO dead. It needs four minutes after a reset.")
    (fact,) = found(monkeypatch, {"It needs four minutes after a reset": kept(kind="lesson")}, said)
    assert "iLO" in fact.content
    assert fact.kind == "lesson"


@each_row(
    "text",
    [
        "Remember that I take my coffee black.",
        "Save to memory: the gate code is 4471.",
        "Merk dir, dass ich links schreibe.",
    ],
)
def test_what_is_ordered_to_be_remembered_is_kept_whatever_it_is_worth(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        facts = found(patch, {}, Message(USER, text))
    assert len(facts) == 1
    assert not facts[0].content.lower().startswith(("remember", "save", "merk"))


def test_questions_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader({})
    monkeypatch.setattr("memories.providers.llm.rules.worth.load_judgement_model", lambda: reader)
    long = Message(USER, "Is it done? I live in Oslo. " + "word " * 50)
    RulesProvider(judge="learned").extract(Chunk((long,), NOW), Setting())
    assert ("", "Is it done?") not in reader.asked
    assert "I live in Oslo" in [sentence for _, sentence in reader.asked]


@each_row(
    ("said", "told"),
    [
        ("I moved to the US last year", "User moved to the US last year"),
        ("I work in the US", "User works in the US"),
        ("My repository is git@github.com:me/x.git", "User's repository is git@github.com:me/x.git"),
        ("My address is my.name@example.org", "User's address is my.name@example.org"),
        ("My favourite film is My Neighbor Totoro", "User's favourite film is My Neighbor Totoro"),
    ],
)
def test_names_that_are_spelt_as_pronouns_stay(said: str, told: str) -> None:
    assert to_third_person(said, "User", "the team") == told


@each_row(
    ("text", "told"),
    [
        ("I'm allergic to\nnuts and penicillin.", ["I'm allergic to nuts and penicillin"]),
        ("i live in oslo\ni like tea", ["i live in oslo", "i like tea"]),
        ("My code: ```x = 1``` I always use black.", ["My code", "I always use black"]),
        ("Here is my code:\n```\nx = 1\n```\nI always use black.", ["Here is my code", "I always use black"]),
        ("Here is the log:\n12:00 error\nsome text", ["Here is the log"]),
    ],
)
def test_a_line_break_is_no_end_and_code_none_either(text: str, told: list[str]) -> None:
    assert [sentence.text for sentence in read_sentences(text)] == told


@each_row(
    ("text", "told"),
    [
        (
            "Bob: I am allergic to peanuts\nAlice: I am not allergic to anything",
            [("Bob", "Bob is allergic to peanuts"), ("Alice", "Alice is not allergic to anything")],
        ),
        ("Update: I moved to Linz", [("", "User moved to Linz")]),
    ],
)
def test_a_line_that_begins_with_a_name_is_that_persons(text: str, told: list[tuple[str, str]]) -> None:
    facts = RulesProvider().extract(Chunk((Message(USER, text),), NOW), Setting())
    assert [(fact.subject, fact.content) for fact in facts] == told


def test_a_category_is_one_of_those_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "memories.providers.llm.rules.worth.load_judgement_model",
        lambda: Reader({"I live in Ghent": replace(kept(), categories={"hobbies": 0.9})}),
    )
    said = Chunk((Message(USER, "I live in Ghent."),), NOW)
    (free,) = RulesProvider(judge="learned").extract(said, Setting())
    (bound,) = RulesProvider(judge="learned").extract(replace(said), Setting(categories=("work", "general")))
    assert (free.category, bound.category in ("work", "general")) == ("hobbies", True)

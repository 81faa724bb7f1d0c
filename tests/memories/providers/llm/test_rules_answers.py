"""A question and its short answer as one statement, in the words of who answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.providers.llm.rules.answers import join_answer
from memories.providers.llm.rules.asked import read_question
from memories.providers.llm.rules.offers import is_empty, is_offer


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("When is the next board meeting?", "On the 29th at two", "the next board meeting is on the 29th at two"),
        ("When's the party?", "the 18th", "the party is on the 18th"),
        ("What time do you get up?", "6:30", "I get up at 6:30"),
        ("When did you move to Cork?", "2019", "I moved to Cork in 2019"),
        ("Where do the backups go?", "Backblaze", "the backups go to Backblaze"),
        ("Where does the deploy get the key from?", "From Vault", "the deploy gets the key from Vault"),
        ("How often do the gauges report?", "every 6 min", "the gauges report every 6 min"),
        ("The gauges report how often?", "every 6 min", "the gauges report every 6 min"),
        ("How do you get to work?", "by bike", "I get to work by bike"),
        ("Why do you use podman?", "the license", "I use podman because of the license"),
    ],
)
def test_answers_of_time_place_and_manner(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        (
            "How big is the team?",
            "Nine people, three of them engineers",
            "the team is nine people, three of them engineers",
        ),
        ("How old are the twins?", "six", "the twins are six years old"),
        ("How many kids do you have?", "two", "I have two kids"),
        ("How many people are on the team?", "9", "9 people are on the team"),
        ("How long does the build take now?", "6 minutes", "the build takes 6 minutes"),
        ("What do you drive today?", "a 2014 Corolla", "I drive a 2014 Corolla"),
        ("What's your budget?", "2k max", "my budget is 2k max"),
        ("Which quota should a new namespace get?", "4 cores", "The quota a new namespace should get is 4 cores"),
        ("What breed is Rex?", "greyhound", "Rex's breed is greyhound"),
        ("Which car is it, so I can note it?", "the Octavia", "The car is the Octavia"),
        ("Which conference?", "PyCon in Florence, end of May", "The conference is PyCon in Florence, end of May"),
        ("Which currency should the numbers be in?", "euros", "The currency the numbers should be in is euros"),
        ("What should I call you?", "Gideon is fine", "assistant should call me Gideon"),
        ("And what do you need from me?", "Mostly mails", "I need mostly mails from assistant"),
    ],
)
def test_answers_of_amount_and_choice(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Who owns billing?", "Fatima", "Fatima owns billing"),
        ("Who's on the board?", "Rui and Mrs Castro", "Rui and Mrs Castro are on the board"),
        ("Who has that role?", "the 40 people on the waitlist", "the 40 people on the waitlist has that role"),
        ("Which team owns it?", "payments", "The team that owns it is payments"),
        ("What drives it, do you know?", "Late payouts", "Late payouts drive it"),
    ],
)
def test_answers_that_are_the_subject(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Are you left-handed?", "no", "I am not left-handed"),
        ("Do you drive a van?", "yes", "I drive a van"),
        ("Is Sam your son?", "yeah, the eldest", "Sam is my son, the eldest"),
        ("Should new jobs be written for Tekton already?", "Yes", "new jobs should be written for Tekton"),
        ("Is the API public?", "no, internal only", "the API is not public, internal only"),
        ("Do you prefer tea or coffee?", "coffee", "I prefer coffee"),
        ("Should the page save on change or with a button?", "with a button", "the page should save with a button"),
        ("Are you the vet there, or at the desk?", "practice manager", "I am practice manager"),
        ("Is there a spare?", "two, in the locker", "there is a spare: two, in the locker"),
        ("Piotr is your husband, then?", "well, partner", "Piotr is my partner"),
    ],
)
def test_answers_to_yes_or_no(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What's your name?", "my cat walked over the keys"),
        ("Why is the import slow?", "it reads the whole table every time"),
        ("For how many people, and is there anything you don't eat?", "four of us"),
        ("Did they play the hits?", "all of them"),
        ("Is there anything left?", "two"),
        ("Electric or petrol?", ""),
    ],
)
def test_where_the_grammar_is_not_certain_there_is_no_statement(question: str, answer: str) -> None:
    assert join_answer(question, answer) == ""


@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("how long does CI take now", "6 minutes 40 seconds", "CI takes 6 minutes 40 seconds"),
        ("where does our deploy run?", "on box-3", "our deploy runs on box-3"),
        ("what's the capital of France?", "Paris", ""),
        ("how long do eggs take?", "8 minutes", ""),
    ],
)
def test_of_what_a_user_asks_only_what_is_theirs_makes_a_statement(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer, by_user=True) == statement


@pytest.mark.parametrize("question", ["Shall I book it?", "Anything else?", "What happened?", "What should I do next?"])
def test_some_questions_only_ask_what_to_do(question: str) -> None:
    assert is_offer(question)


@pytest.mark.parametrize("question", ["What should I call you?", "How many kids do you have?", "Is Sam your son?"])
def test_others_ask_for_something_to_keep(question: str) -> None:
    assert not is_offer(question)


def test_an_empty_answer_says_nothing_alone() -> None:
    assert is_empty("yes please")
    assert not is_empty("at night")


def test_the_parts_of_a_question_are_in_the_words_of_who_answers() -> None:
    asked = read_question("Which of your servers do you back up at night?")
    assert asked is None or "your" not in f"{asked.noun} {asked.subject} {asked.rest}"
    asked = read_question("Which editor do you use at home?")
    assert asked
    assert (asked.wh, asked.noun, asked.subject, asked.verb, asked.rest) == ("which", "editor", "I", "use", "at home")


WORDS = [
    "what",
    "who",
    "is",
    "do",
    "you",
    "your",
    "the",
    "team",
    "use",
    "when",
    "how",
    "many",
    "kids",
    ",",
    "or",
    "n't",
]


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            [
                "what",
                "who",
                "is",
                "are",
                "do",
                "you",
                "your",
                "the",
                "my",
                "team",
                "use",
                "when",
                "how",
                "many",
                "kids",
                ",",
                "or",
                "and",
                "n't",
                "5",
                "?",
            ]
        )
    ),
    st.text(max_size=60),
)
def test_any_question_and_answer_can_be_joined(question: list[str], answer: str) -> None:
    assert isinstance(join_answer(" ".join(question), answer), str)
    assert isinstance(join_answer(answer, " ".join(question), by_user=True), str)

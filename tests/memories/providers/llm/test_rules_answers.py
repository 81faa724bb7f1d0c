"""A question and its short answer as one statement, in the words of who answers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memories.providers.llm.rules.answers import join_answer
from memories.providers.llm.rules.asked import read_question
from memories.providers.llm.rules.offers import is_empty, is_offer
from tests.tables import each_row, each_row_of


@each_row_of("rules_answers")
def test_answers_of_time_place_and_manner(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@each_row_of("rules_answers")
def test_answers_of_amount_and_choice(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@each_row(
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


@each_row_of("rules_answers")
def test_answers_to_yes_or_no(question: str, answer: str, statement: str) -> None:
    assert join_answer(question, answer).lower() == statement.lower()


@each_row(
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


@each_row(
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


@each_row("question", ["Shall I book it?", "Anything else?", "What happened?", "What should I do next?"])
def test_some_questions_only_ask_what_to_do(question: str) -> None:
    assert is_offer(question)


@each_row("question", ["What should I call you?", "How many kids do you have?", "Is Sam your son?"])
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

"""What is read out of a question: words, subjects, days, and what is embedded."""

from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pytest

from memories.index.app_index import IndexView
from memories.index.columns import Codes, Subjects, empty_columns, grow
from memories.retrieve.question import Question, is_alike, read_question
from memories.retrieve.scoped_view import ScopedView

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def reading_of(subjects: list[str], days: list[date] | None = None) -> ScopedView:
    """One memory per subject named, each in a session of its own."""
    codes = Subjects()
    count = len(subjects)
    columns = empty_columns(64).each(lambda column: grow(column, count))
    columns.pk[:] = range(1, count + 1)
    columns.session[:], columns.session_number[:] = -columns.pk, range(count)
    columns.alive[:] = columns.active[:] = True
    columns.subject[:] = [codes.code(subject) for subject in subjects]
    columns.day[:] = [day.toordinal() for day in days or [date(2023, 5, 1)] * count]
    return ScopedView(IndexView(columns, Codes(), codes), np.ones(count, bool), np.ones(count, bool))


def ask(text: str, scoped: ScopedView | None = None) -> Question:
    return read_question(text, scoped or reading_of([]), NOW)


CHAT = reading_of(["Caroline"] * 30 + ["Melanie"] * 30)


def test_grammar_and_the_usual_wording_of_questions_are_no_words() -> None:
    assert ask("What kind of things does the backup server do?").words == ["backup", "server"]


def test_a_name_that_half_of_all_memories_have_is_not_looked_up_but_known() -> None:
    question = ask("When did Caroline go to the museum?", CHAT)
    assert question.words == ["go", "museum"]
    assert question.every_word == ["caroline", "go", "museum"]
    assert question.bare == "When did go to the museum?"
    assert question.subjects == [CHAT.view.subjects.numbers["Caroline"]]


def test_a_subject_of_few_memories_stays_a_word() -> None:
    question = ask("When is jellyfin ready?", reading_of(["jellyfin", "caddy"]))
    assert (question.words, question.bare) == (["jellyfin", "ready"], "When is jellyfin ready?")
    assert question.subjects == [1]


def test_a_name_alone_is_embedded_as_it_is() -> None:
    assert ask("Caroline?", CHAT).bare == "Caroline?"


def test_a_misspelt_name_is_known() -> None:
    assert ask("Where does Carolin live?", CHAT).subjects == ask("Where does Caroline live?", CHAT).subjects


@pytest.mark.parametrize(("text", "other"), [("anna", "anne"), ("caroline", "melanie"), ("marlin", "berlin")])
def test_other_names_are_not(text: str, other: str) -> None:
    assert not is_alike(text, other)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("What happened on 7 May 2023?", date(2023, 5, 7), date(2023, 5, 7)),
        ("What happened on May 7th, 2023?", date(2023, 5, 7), date(2023, 5, 7)),
        ("What happened on 2023-05-07?", date(2023, 5, 7), date(2023, 5, 7)),
        ("What happened in June 2023?", date(2023, 6, 1), date(2023, 6, 30)),
        ("What happened in February 2024?", date(2024, 2, 1), date(2024, 2, 29)),
        ("What happened yesterday?", date(2026, 5, 19), date(2026, 5, 19)),
        ("What happened last week?", date(2026, 5, 11), date(2026, 5, 17)),
    ],
)
def test_days_that_are_named_become_spans(text: str, start: date, end: date) -> None:
    assert ask(text).days == [(start.toordinal(), end.toordinal())]


def test_a_month_without_a_year_is_that_of_any_year_there_is() -> None:
    scoped = reading_of(["a", "b"], [date(2022, 3, 1), date(2023, 3, 1)])
    starts = [date.fromordinal(start) for start, _ in ask("What happened in June?", scoped).days]
    assert starts == [date(2022, 6, 1), date(2023, 6, 1)]


FIRST, LAST = date(2025, 3, 9), date(2026, 5, 18)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Which rollbacks were before April 2026?", FIRST, date(2026, 3, 31)),
        ("Which rollbacks were until April 2026?", FIRST, date(2026, 4, 30)),
        ("What have I bought since October?", date(2025, 10, 1), LAST),
        ("what have I bought after 3 march 2026", date(2026, 3, 4), LAST),
        ("What was new since January and before March 2026?", date(2026, 1, 1), date(2026, 2, 28)),
        ("What was there before 2025?", date(2024, 12, 31), date(2024, 12, 31)),
    ],
)
def test_before_and_since_mean_the_days_on_that_side(text: str, start: date, end: date) -> None:
    """As far as there are memories."""
    scoped = reading_of(["a", "b"], [FIRST, LAST])
    assert ask(text, scoped).days == [(start.toordinal(), end.toordinal())]


def test_since_a_month_that_is_behind_all_memories_means_that_of_any_year_there_is() -> None:
    scoped = reading_of(["a", "b"], [date(2023, 1, 5), date(2023, 12, 1)])
    assert ask("What happened since October?", scoped).days == [
        (date(2023, 10, 1).toordinal(), date(2023, 10, 31).toordinal())
    ]


@pytest.mark.parametrize(
    ("text", "are_looked_at"), [("What did I buy?", False), ("What did I buy yesterday?", False), ("since May?", True)]
)
def test_the_days_of_all_memories_are_looked_at_only_where_it_matters(text: str, are_looked_at: bool) -> None:
    scoped = reading_of(["a", "b"])
    ask(text, scoped)
    assert ("days" in vars(scoped)) == are_looked_at


@pytest.mark.parametrize("text", ["May I go?", "Marching on", "the second one", "99.99.2023"])
def test_what_is_no_day_gives_none(text: str) -> None:
    assert ask(text).days == []


def test_the_kind_of_answer_is_seen() -> None:
    assert ask("When did it start?").wants_time
    assert ask("Who started it?").wants_name
    assert not ask("Did it start?").wants_time

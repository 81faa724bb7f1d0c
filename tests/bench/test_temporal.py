"""The labelled questions that name a time, and how their answers are counted."""

import json

from bench import temporal

ROWS = [json.loads(line) for line in temporal.SETS.read_text(encoding="utf-8").splitlines()]
QUESTIONS = [row for row in ROWS if "question" in row]


def test_each_of_a_hundred_questions_names_statements_that_there_are():
    ids = {row["id"] for row in ROWS if "id" in row}
    assert len(QUESTIONS) == 100
    assert sum(row.get("held_out", False) for row in QUESTIONS) == 30
    assert {right for row in QUESTIONS for right in row["right"]} <= ids


def test_a_question_of_an_unknown_time_is_answered_by_saying_so():
    unknown, known = {"right": []}, {"right": ["a"]}
    assert [temporal.is_right(unknown, answer, 1) for answer in ((["b"], False), (["b"], True), ([], True))] == [
        True,
        False,
        True,
    ]
    assert [temporal.is_right(known, (["b", "a"], True), most) for most in (1, 3)] == [False, True]


def test_figures_stand_beside_the_baselines():
    row = {"way": "year", "question": "?", "right": ["a"]}
    body = temporal.report("today.", {"development": [row]}, {way: [(["a"], True)] for way in temporal.WAYS})
    assert "| year | 1 | 1 · 1 | 1 · 1 | 1 · 1 |" in body

import json
from contextlib import suppress

import pytest

from memories.providers.llm.schema import MAX_CHARACTERS, Unfit, fitted, read_answer
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of

FACT = {
    "type": "object",
    "properties": {
        "content": {"type": "string", "maxLength": 10},
        "importance": {"type": "integer", "minimum": 1, "maximum": 5},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "kind": {"type": "string", "enum": ["fact", "decision"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "until": {"type": ["string", "null"]},
    },
    "required": ["content"],
    "additionalProperties": False,
}
SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": FACT}}, "required": ["facts"]}


def check(**fact):
    return fitted({"facts": [{"content": "tea", **fact}]}, SCHEMA)["facts"][0]


def test_what_fits_comes_back():
    fact = {"importance": 5, "score": 0.5, "kind": "decision", "tags": ["a", "b"], "until": None}
    assert check(**fact) == {"content": "tea", **fact}


def test_what_was_not_asked_for_is_dropped():
    assert check(extra=1) == {"content": "tea"}


def test_where_it_is_not_excluded_it_is_kept():
    assert fitted({"a": 1, "b": {"c": ["\ud800"]}}, {"type": "object"}) == {"a": 1, "b": {"c": ["\ufffd"]}}


def test_a_whole_float_is_an_integer():
    found = check(importance=3.0)["importance"]
    assert (found, type(found)) == (3, int)


@each_row(
    ("fact", "problem"),
    [
        ({"content": 7}, "facts[0].content is not of the type string"),
        ({"content": "far too long"}, "facts[0].content is longer than 10 characters"),
        ({"importance": "3"}, "facts[0].importance is not of the type integer"),
        ({"importance": 3.5}, "facts[0].importance is not of the type integer"),
        ({"importance": True}, "facts[0].importance is not of the type integer"),
        ({"importance": 0}, "facts[0].importance is less than 1"),
        ({"importance": 6}, "facts[0].importance is more than 5"),
        ({"score": float("inf")}, "facts[0].score is not of the type number"),
        ({"score": float("nan")}, "facts[0].score is not of the type number"),
        ({"score": 10**400}, "facts[0].score is not of the type number"),
        ({"kind": "secret"}, "facts[0].kind is none of fact, decision"),
        ({"tags": ["a", "b", "c"]}, "facts[0].tags has more than 2 items"),
        ({"tags": ["a", None]}, "facts[0].tags[1] is not of the type string"),
        ({"until": 3}, "facts[0].until is not of the type string or null"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(fact, problem):
    with pytest.raises(Unfit) as caught:
        check(**fact)
    assert str(caught.value) == problem


@each_row(
    ("answer", "problem"),
    [
        ({}, "facts is missing"),
        ({"facts": {}}, "facts is not of the type array"),
        ({"facts": [{}]}, "facts[0].content is missing"),
        ([], "the answer is not of the type object"),
    ],
)
def test_the_frame_is_checked_too(answer, problem):
    with pytest.raises(Unfit) as caught:
        fitted(answer, SCHEMA)
    assert str(caught.value) == problem


def test_a_schema_that_would_not_be_checked_in_full_is_no_schema():
    with pytest.raises(ValueError, match="pattern"):
        fitted("a", {"type": "string", "pattern": "^b"})


ANY = {"type": "object"}


@each_row_of("answers")
def test_the_first_object_is_found_in_what_surrounds_it(text):
    assert read_answer(text, ANY) == {"a": 1}


@each_row(
    ("text", "expected"),
    [
        ('{"a": "}{"}', "}{"),
        (r'{"a": "say \"}\" twice"}', 'say "}" twice'),
        ('{"a": ", }"}', ", }"),
        ('{"a": [1, 2, ],}', [1, 2]),
        ('{"a": "two\nlines"}', "two\nlines"),
        ('{"a": "after </think> all"}', "after </think> all"),
        ('{"a": "\\ud83d\\ude00"}', "😀"),
        ('{"a": "\\ud83d"}', "\ufffd"),
        ('{"a": "مرحبا 你好"}', "مرحبا 你好"),
    ],
)
def test_what_a_string_holds_is_left_as_it_is(text, expected):
    assert read_answer(text, {"type": "object", "properties": {"a": {}}}) == {"a": expected}


@each_row(
    "text",
    [
        "",
        "I cannot do that.",
        "[1, 2]",
        '{"facts": [{"content": "a"}, {"content": "b',
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1e999}',
        '{"a": ' + "9" * 5_000 + "}",
        "{'a': 1}",
        '{"a": 1',
        "{" * 100_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
        '{"a":' * 600 + "1" + "}" * 600,
        '"' * 100_000,
        "\x00",
        '{"a": 1}' + " " * MAX_CHARACTERS,
    ],
)
def test_what_holds_no_object_is_refused(text):
    with pytest.raises(Unfit):
        read_answer(text, ANY)


@each_row(
    ("before", "unit", "after"),
    [
        ("", "{", ""),
        ("", "{}", ""),
        ("", '"{', ""),
        ('{"', '\\"', ""),
        ("{", ",", "}"),
        ("{", ", ", "}"),
        ("", '{"a": 1}, ', ""),
        ("", "</think>", ""),
        ("", "\ud800", ""),
    ],
)
def test_hostile_lengths_are_read_in_linear_time(before, unit, after):
    def read(text):
        with suppress(Unfit):
            read_answer(text, ANY)

    assert_linear(read, lambda size: before + repeated(unit)(size) + after, 200_000)


def test_an_object_that_the_protocol_has_read_is_only_checked():
    schema = {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    assert read_answer({"a": 1, "b": 2}, schema) == {"a": 1}


def test_a_thousand_facts_are_read_in_linear_time():
    facts = [{"content": f"The user's fact {number} is {{known}}.", "importance": 3} for number in range(1_000)]
    item = {
        "type": "object",
        "properties": {"content": {"type": "string"}, "importance": {"type": "integer", "minimum": 1, "maximum": 5}},
        "required": ["content"],
    }
    schema = {"type": "object", "properties": {"facts": {"type": "array", "items": item}}, "required": ["facts"]}

    def told(count):
        return f"```json\n{json.dumps({'facts': facts[:count]}, indent=1)}\n```"

    assert read_answer(told(1_000), schema) == {"facts": facts}
    assert_linear(lambda text: read_answer(text, schema), told, 1_000)

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
        "importance": {"type": "integer", "minimum": 1, "maximum": 5, "default": 3},
        "score": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5},
        "kind": {"type": "string", "enum": ["fact", "decision"], "default": "fact"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "default": []},
        "until": {"type": ["string", "null"], "default": ""},
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
    assert "extra" not in check(extra=1)


def test_where_it_is_not_excluded_it_is_kept():
    assert fitted({"a": 1, "b": {"c": ["\ud800"]}}, {"type": "object"}) == {"a": 1, "b": {"c": ["\ufffd"]}}


def test_a_whole_float_is_an_integer():
    result = check(importance=3.0)["importance"]
    assert (result, type(result)) == (3, int)


@each_row(
    ("given", "read"),
    [
        ({"importance": "3"}, {"importance": 3}),
        ({"importance": "level 4"}, {"importance": 4}),
        ({"importance": 3.5}, {"importance": 4}),
        ({"importance": [2]}, {"importance": 2}),
        ({"importance": "high"}, {"importance": 4}),
        ({"importance": 0}, {"importance": 1}),
        ({"importance": 10**400}, {"importance": 3}),
        ({"importance": True}, {"importance": 3}),
        ({"score": "90%"}, {"score": 0.9}),
        ({"score": "4/5"}, {"score": 0.8}),
        ({"score": float("inf")}, {"score": 0.5}),
        ({"score": float("nan")}, {"score": 0.5}),
        ({"kind": "DECISION "}, {"kind": "decision"}),
        ({"kind": "secret"}, {"kind": "fact"}),
        ({"tags": "a, b"}, {"tags": ["a", "b"]}),
        ({"tags": ["a", "b", "c"]}, {"tags": ["a", "b"]}),
        ({"tags": None}, {"tags": []}),
        ({"Tags": ["a", None]}, {"tags": ["a"]}),
        ({"until": None}, {"until": None}),
    ],
)
def test_what_is_odd_is_put_right(given, read):
    result = check(**given)
    assert {name: result[name] for name in read} == read


@each_row(
    ("answer", "problem"),
    [
        ({}, "facts is missing"),
        ({"facts": 3}, "facts is not of the type array"),
        ({"facts": [{}]}, "facts[0].content is missing"),
        ({"facts": [{"content": {}}]}, "facts[0].content is not of the type string"),
        ({"facts": [{"content": 7}]}, "facts[0].content is not of the type string"),
        ({"facts": [{"content": "far too long"}]}, "facts[0].content is longer than 10 characters"),
        ([], "the answer is not of the type object"),
    ],
)
def test_what_cannot_be_put_right_is_named_by_its_place(answer, problem):
    with pytest.raises(Unfit) as caught:
        fitted(answer, SCHEMA)
    assert str(caught.value) == problem


def test_an_item_that_is_of_no_use_costs_no_other():
    assert fitted({"facts": [{}, {"content": "tea"}]}, SCHEMA)["facts"][0]["content"] == "tea"


def test_a_schema_that_would_not_be_checked_in_full_is_no_schema():
    with pytest.raises(ValueError, match="pattern"):
        fitted("a", {"type": "string", "pattern": "^b"})


ANY = {"type": "object"}


@each_row_of("answers")
def test_the_last_object_is_found_in_what_surrounds_it(text):
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
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1e999}',
        '{"a": ' + "9" * 5_000 + "}",
        '<thinking>{"a": 1}',
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


TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


@each_row("answer", ['{"text": "tea"}', '{"summary": "tea"}', '{"answer": {"Content": "tea"}}', '{"text": ["tea"]}'])
def test_the_one_text_that_is_asked_for_may_have_another_name(answer):
    assert read_answer(answer, TEXT)["text"] == "tea"


@each_row("answer", ['{"error": "I cannot"}', '{"summary": "tea", "note": "x"}', '{"text": null}', "tea"])
def test_what_is_no_text_is_none(answer):
    with pytest.raises(Unfit):
        read_answer(answer, TEXT)


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

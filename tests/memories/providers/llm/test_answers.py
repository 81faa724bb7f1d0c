import json
from contextlib import suppress

import pytest

from memories.providers.llm.answers import MAX_CHARACTERS, read_answer
from memories.providers.llm.schema import Unfit
from tests.growth import assert_linear, repeated
from tests.tables import each_row, each_row_of

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

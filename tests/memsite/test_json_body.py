"""Bodies are read strictly, and only those are looked at closely that may have what none may have."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rest_framework import negotiation
from rest_framework.exceptions import ParseError

from memsite.http import json_body
from memsite.http.json_body import MAX_DEPTH, parse_json
from tests.conftest import Caller


def nested(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb'{"query": "wha\u0000les"}', "NUL"),
        (rb'{"wha\u0000les": 1}', "NUL"),
        (rb'[["\\\u0000"]]', "NUL"),
        (b"[1e400]", "JSON|too large"),
        (b'{"a": -1.5E+0400}', "JSON|too large"),
        (b"9" * (json_body.MAX_DIGITS + 1), "JSON|too large"),
        (nested(MAX_DEPTH + 1), "deeper"),
        (b'{"a": 1, "a": 1}', '"a" twice'),
        (b'[{"x": {"a": 1, "b": 2, "a": 3}}]', '"a" twice'),
        (rb'{"a": "\\", "\u0061": "\""}', '"a" twice'),
        (b'{"": 1, "": 12345678901234567890123}', '"" twice'),
        (b'{"%b": 1, "%b": 2}' % (b"n" * 1000, b"n" * 1000), "n{60}…"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1) + b" ", None),
        (b"[" * (MAX_DEPTH + 1) + b"0" + b"]" * (MAX_DEPTH + 1), "deeper"),
    ],
)
def test_what_no_body_may_have_is_refused(body: bytes, text: str | None) -> None:
    if text is None:  # the innermost list has nothing in it that would lie deeper
        assert parse_json(body) == json.loads(body)
        return
    with pytest.raises(ParseError, match=text):
        parse_json(body)


ORDINARY: list[Any] = [
    {"query": "what do whales eat, and when?", "limit": 10},
    {"memories": [{"content": f"whale {number}", "tags": ["sea"]} for number in range(20)]},
    {"numbers": [0, -1, 1.5, 1e99, 2**53], "none": None, "text": "null\n{[“"},
]


@pytest.mark.parametrize("document", ORDINARY)
def test_an_ordinary_body_is_read_without_a_look_at_each_value(document: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_body, "walk", lambda _: pytest.fail("Each value was looked at."))
    assert parse_json(json.dumps(document).encode()) == document


@pytest.mark.parametrize(
    "document",
    [
        {"a": 2**70},
        nested(MAX_DEPTH).decode(),
        {"text": r"\u0000 is how one writes NUL"},
        {"n": 1e300},
        [{}] * 100,
        {"a": {"a": '"\\'}, "b": ['\\"', "\\\\", '\\\\"'], '"': '""', "\u00e9\\": "\n"},
    ],
)
def test_what_only_looks_odd_is_read_as_it_is(document: Any) -> None:
    body = document if isinstance(document, str) else json.dumps(document)
    assert parse_json(body.encode()) == json.loads(body)


def test_a_plain_search_asks_for_no_comparison_of_media_types(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(negotiation, "media_type_matches", lambda *_: pytest.fail("Media types were compared."))
    assert alice.post("memories/search", {"query": "whales"}).status_code == 200


@pytest.mark.parametrize(
    ("media_type", "status"),
    [("application/json; charset=utf-8", 200), ("text/plain", 415), ("application/jsonx", 415)],
)
def test_other_media_types_are_compared_as_ever(alice: Caller, media_type: str, status: int) -> None:
    body = json.dumps({"query": "whales"})
    answer = alice.client.generic("POST", "/api/v1/memories/search", body, content_type=media_type)
    assert answer.status_code == status

"""JSON in and out. In: strict and bounded, so that no body, however odd, is more than a 4xx."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import orjson
from django.http import HttpRequest
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from memsite.config.conf import get_conf
from memsite.http.exceptions import TooLarge
from memsite.http.middleware import length_of

# Deeper than any honest document, shallower than what json and the database can take.
MAX_DEPTH = 64
TOO_LARGE_A_NUMBER = "The body contains a number too large to represent."
MAX_DIGITS = 1000
LONG_NUMBER = re.compile(rb"\d{19}")
# Without any of it, a text has no NUL and no number is infinite: the values need not be looked at one by one.
SUSPICIOUS = re.compile(rb"\\u0000|\d[eE]\+?\d{3}|\d{19}")
MAX_NAME_CHARACTERS = 60
MAX_OBJECT_CHARACTERS = 16_384
"""Of what somebody says of a memory or a session in their own way, as JSON: it is handed out with each of them."""


class RepeatedName(ParseError):
    """An object has the same name twice: of two readers one takes the first value, the other the last."""

    def __init__(self, name: str) -> None:
        label = name if len(name) <= MAX_NAME_CHARACTERS else f"{name[:MAX_NAME_CHARACTERS]}…"
        quoted = json.dumps(label, ensure_ascii=False).encode(errors="backslashreplace").decode()
        super().__init__(f"The body has the name {quoted} twice in one object.")


class StrictJSONParser(BaseParser):
    """RFC 8259 only: no name twice, no NaN, no lone surrogates, no NUL characters, at most 64 levels deep."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        body = read_bounded(stream, get_conf().max_body_bytes)
        return parse_json(body)


def read_bounded(stream: Any, limit: int) -> bytes:
    """Return the whole body, or TooLarge once it is known to be over `limit` bytes: if possible, before reading."""
    is_too_large = isinstance(stream, HttpRequest) and length_of(stream) > limit
    body: bytes = b"" if is_too_large else stream.read(limit + 1)
    if is_too_large or len(body) > limit:
        raise TooLarge(f"The body is larger than {limit:,} bytes.")
    return body


def parse_json(body: bytes) -> Any:
    """Return the parsed document; ParseError says what is wrong and quotes nothing of the body but a repeated name."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ParseError(f"The body is not valid JSON: {error}") from error
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH or SUSPICIOUS.search(body):
        # ParseError if it has what no body may have. Looks at each value of it.
        for depth, value in walk(document):
            if depth > MAX_DEPTH:
                raise ParseError(f"The body is nested deeper than {MAX_DEPTH} levels.")
            if isinstance(value, str) and "\0" in value:
                raise ParseError("The body contains a NUL character.")
            if isinstance(value, float) and value in (float("inf"), float("-inf")):
                raise ParseError(TOO_LARGE_A_NUMBER)
    if count_quotes(body) != count_quotes(orjson.dumps(document)):
        parse_loosely(body)  # It raises RepeatedName.
    # Integers beyond 64 bits orjson rounds without a word: then the slower parser, which does not.
    return json.loads(body, parse_int=bounded_integer) if LONG_NUMBER.search(body) else document


def count_quotes(text: bytes) -> int:
    """Return the quotes around names and texts. A document that has lost a name to its like has fewer than its text."""
    if b"\\" in text:
        text = text.replace(rb"\\", b"").replace(rb"\"", b"")
    return text.count(b'"')


def parse_loosely(text: str | bytes, **numbers: Any) -> Any:
    """Return a line that another program wrote, with whatever characters and depth; `numbers` as of `json`.

    RepeatedName, ValueError for what is no JSON, RecursionError.
    """
    return json.loads(text, object_pairs_hook=object_of, **numbers)


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object. RepeatedName if two have the same name."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise RepeatedName(next(name for name in times if times[name] > 1))
    return fields


def bounded_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ParseError(TOO_LARGE_A_NUMBER)
    return int(digits)


def fits_64_bits(document: Any) -> bool:
    """Return whether every integer in it can be stored and answered exactly."""
    with suppress(TypeError):
        orjson.dumps(document)  # It takes no others, and is faster than a walk.
        return True
    return all(-(2**63) <= value < 2**64 for _, value in walk(document) if isinstance(value, int))


def json_length(document: Any) -> int:
    """Return how many characters it has as JSON, without white space."""
    return len(json.dumps(document, ensure_ascii=False, separators=(",", ":")))


def walk(document: Any) -> Iterator[tuple[int, Any]]:
    """Yield every value and key with its depth, without recursion."""
    waiting: list[tuple[int, Any]] = [(0, document)]
    while waiting:
        depth, value = waiting.pop()
        yield depth, value
        if depth > MAX_DEPTH:
            continue
        if isinstance(value, dict):
            waiting.extend((depth + 1, inner) for inner in value.values())
            waiting.extend((depth + 1, key) for key in value)
        elif isinstance(value, list):
            waiting.extend((depth + 1, inner) for inner in value)


class UsualFirst(DefaultContentNegotiation):
    """Whoever takes anything, or what a view answers first, gets that: the rest of the art is for who asks for more.

    So with the parser of who sends what a view takes first.
    """

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> Any:
        first = next(iter(parsers), None)
        if first and request.content_type == first.media_type:
            return first
        return super().select_parser(request, parsers)

    def select_renderer(
        self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        first = next(iter(renderers))
        usual = request.META.get("HTTP_ACCEPT", "*/*") in ("*/*", first.media_type)
        if usual and not format_suffix and not request.META.get("QUERY_STRING"):
            return first, first.media_type
        chosen: tuple[Any, str] = super().select_renderer(request, renderers, format_suffix)
        return chosen


class FastJSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return b"" if data is None else dump_json(data)


def dump_json(data: Any, *, in_order: bool = False) -> bytes:
    """Return JSON bytes; times as ISO 8601 UTC with Z. Names may be put in order: equal data make equal bytes."""
    option = orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
    return orjson.dumps(data, option=option | (orjson.OPT_SORT_KEYS if in_order else 0), default=plain)


def plain(value: Any) -> Any:
    """Convert what orjson does not know: DRF's lazy strings and its dict and list subclasses."""
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    return str(value)

"""Reads the JSON object out of what a model says, and around it: fences, prose, thoughts, a comma too many."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .schema import Unfit, fitted

MAX_CHARACTERS = 2_000_000

# The closing quote may be missing: then the string runs to the end. Nothing is read twice, nor kept for a second try.
_STRING = r'"[^"\\]*+(?:(?=\\.)\\.[^"\\]*+)*+"?'
_TOKEN = re.compile(_STRING + r"|[{}]", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_THOUGHTS_END = "</think>"


def read_answer(content: str | Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The first object in `content`, or `content` itself, checked. Raises Unfit."""
    found = first_object(content) if isinstance(content, str) else content
    try:
        answer: dict[str, Any] = fitted(found, schema)
    except RecursionError:
        raise Unfit("the answer is nested too deeply") from None
    return answer


def first_object(text: str) -> dict[str, Any]:
    """Raises Unfit when there is none, and beyond MAX_CHARACTERS."""
    if len(text) > MAX_CHARACTERS:
        raise Unfit("the answer is too long")
    _, _, after_thoughts = text.partition(_THOUGHTS_END)
    for part in (after_thoughts, text):
        for candidate in balanced(part):
            if (found := parse(candidate)) is not None:
                return found
    raise Unfit("the answer holds no complete JSON object")


def balanced(text: str) -> Iterator[str]:
    """What stands between matching braces, outermost only; braces within strings do not count."""
    start = text.find("{")
    while start != -1 and (end := end_of_object(text, start)):
        yield text[start:end]
        start = text.find("{", end)


def end_of_object(text: str, start: int) -> int:
    """Just behind the brace that matches the one at `start`, or 0."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return 0


def parse(text: str) -> dict[str, Any] | None:
    """Forgives line breaks within strings, and NaN, which no schema lets through."""
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            found = json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else None
    return None

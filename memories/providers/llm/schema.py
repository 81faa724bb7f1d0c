"""JSON answers of models: found in what a model says, and checked against the schema that was asked for."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from memories.language.scripts import without_surrogates
from memories.providers.llm.provider import LLMUnusable

KEYWORDS = {
    *("type", "properties", "required", "enum", "items", "additionalProperties", "description"),
    *("minimum", "maximum", "maxLength", "maxItems"),
}
WHOLE = "the answer"


class Unfit(LLMUnusable):
    """What is wrong with an answer, in words for the model that gave it. Never holds the answer's own words."""


def is_number(value: object) -> bool:
    """Neither a boolean nor anything a float cannot hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def is_integer(value: object) -> bool:
    """3.0 is one for JSON Schema."""
    return is_number(value) and value == int(value)  # type: ignore[call-overload]


TYPES: Mapping[str, Callable[[object], bool]] = MappingProxyType(
    {
        "object": lambda value: isinstance(value, dict),
        "array": lambda value: isinstance(value, list),
        "string": lambda value: isinstance(value, str),
        "boolean": lambda value: isinstance(value, bool),
        "null": lambda value: value is None,
        "number": is_number,
        "integer": is_integer,
    }
)


def fitted(value: Any, schema: Mapping[str, Any], at: str = WHOLE) -> Any:
    """`value` without what the schema excludes, integers as int, text that can be encoded.

    Raises Unfit, and ValueError for a schema with other keywords than ours: nothing may pass unchecked.
    """
    if unknown := schema.keys() - KEYWORDS:
        raise ValueError(f"schemas have no {', '.join(sorted(unknown))} here")
    names = schema.get("type", [])
    types = [names] if isinstance(names, str) else names
    if types and not any(TYPES[name](value) for name in types):
        raise Unfit(f"{at} is not of the type {' or '.join(types)}")
    if "enum" in schema and value not in schema["enum"]:
        raise Unfit(f"{at} is none of {', '.join(map(str, schema['enum']))}")
    if isinstance(value, dict):
        return fitted_object(value, schema, at)
    if isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            raise Unfit(f"{at} has more than {schema['maxItems']} items")
        items = schema.get("items", {})
        return [fitted(item, items, f"{at}[{place}]") for place, item in enumerate(value)]
    if isinstance(value, str):
        if len(value) > schema.get("maxLength", len(value)):
            raise Unfit(f"{at} is longer than {schema['maxLength']} characters")
        return without_surrogates(value)
    if isinstance(value, bool) or value is None:
        return value
    return fitted_number(value, schema, at, whole="integer" in types)


def fitted_object(value: dict[str, Any], schema: Mapping[str, Any], at: str) -> dict[str, Any]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise Unfit(f"{below(at, name)} is missing")
    found = {name: fitted(value[name], part, below(at, name)) for name, part in properties.items() if name in value}
    if schema.get("additionalProperties") is False:
        return found
    return found | {name: fitted(part, {}, at) for name, part in value.items() if name not in properties}


def fitted_number(value: float, schema: Mapping[str, Any], at: str, whole: bool) -> float:
    if not is_number(value):
        raise Unfit(f"{at} is a number beyond all bounds")
    if value < schema.get("minimum", value):
        raise Unfit(f"{at} is less than {schema['minimum']}")
    if value > schema.get("maximum", value):
        raise Unfit(f"{at} is more than {schema['maximum']}")
    return int(value) if whole and value == int(value) else value


def below(at: str, name: str) -> str:
    return name if at == WHOLE else f"{at}.{name}"


MAX_CHARACTERS = 2_000_000

# The closing quote may be missing: then the string runs to the end. Nothing is read twice, nor kept for a second try.
_STRING = r'"[^"\\]*+(?:(?=\\.)\\.[^"\\]*+)*+"?'
_TOKEN = re.compile(_STRING + r"|[{}]", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_THOUGHTS_END = "</think>"


def read_answer(content: str | Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first object in `content`, or `content` itself, checked. Raises Unfit."""
    found = first_object(content) if isinstance(content, str) else content
    try:
        answer: dict[str, Any] = fitted(found, schema)
    except RecursionError:
        raise Unfit("the answer is nested too deeply") from None
    return answer


def first_object(text: str) -> dict[str, Any]:
    """Raise Unfit when there is none, and beyond MAX_CHARACTERS."""
    if len(text) > MAX_CHARACTERS:
        raise Unfit("the answer is too long")
    _, _, after_thoughts = text.partition(_THOUGHTS_END)
    for part in (after_thoughts, text):
        for candidate in balanced(part):
            if (found := parse(candidate)) is not None:
                return found
    raise Unfit("the answer holds no complete JSON object")


def balanced(text: str) -> Iterator[str]:
    """Yield what stands between matching braces, outermost only; braces within strings do not count."""
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

"""Does an answer have the shape that was asked for? The part of JSON Schema that our questions need."""

import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from memories.providers.surrogates import without_surrogates

from .provider import LLMUnusable

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
        return fitted_array(value, schema, at)
    if isinstance(value, str):
        return fitted_text(value, schema, at)
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


def fitted_array(value: list[Any], schema: Mapping[str, Any], at: str) -> list[Any]:
    if len(value) > schema.get("maxItems", len(value)):
        raise Unfit(f"{at} has more than {schema['maxItems']} items")
    items = schema.get("items", {})
    return [fitted(item, items, f"{at}[{place}]") for place, item in enumerate(value)]


def fitted_text(value: str, schema: Mapping[str, Any], at: str) -> str:
    if len(value) > schema.get("maxLength", len(value)):
        raise Unfit(f"{at} is longer than {schema['maxLength']} characters")
    return without_surrogates(value)


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

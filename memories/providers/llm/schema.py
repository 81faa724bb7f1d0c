"""Answers of models read against the schema that was asked for: what is odd is put right, what is unusable dropped.

A schema is an object at the top. A property with a `default` may be missing or odd; one without has to make sense, or
what it belongs to is dropped: an item of a list alone, and the rest of the list stays.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from memories.language.scripts import without_surrogates
from memories.providers.llm.json_reader import TooDeep, find_values
from memories.providers.llm.provider import LLMUnusable

KEYWORDS = {
    *("type", "properties", "required", "enum", "items", "additionalProperties", "description", "default"),
    *("minimum", "maximum", "maxLength", "maxItems"),
}
NOT_FOR_THE_WIRE = frozenset({"maxLength", "maxItems", "default", "minimum", "maximum"})
"""Servers that make a grammar of a schema refuse long limits; strict ones know no defaults."""
WHOLE = "the answer"
MAX_CHARACTERS = 2_000_000
MOST_WRAPPERS = 4
LEVELS = {
    "none": 0.0, "trivial": 0.0, "lowest": 0.0, "minor": 0.25, "low": 0.25, "medium": 0.5, "moderate": 0.5,
    "normal": 0.5, "useful": 0.5, "average": 0.5, "high": 0.75, "important": 0.75, "major": 0.75, "highest": 1.0,
    "critical": 1.0, "essential": 1.0, "certain": 1.0,
}  # fmt: skip
"""Words for numbers, as a share of the way from the least to the most."""
TRUE, FALSE = frozenset({"true", "yes", "y", "1", "keep"}), frozenset({"false", "no", "n", "0", "drop"})
NAMES_OF_A_TEXT = frozenset(
    ("text", "summary", "digest", "insight", "statement", "content", "markdown", "query", "searchquery", "question")
)
"""What models call the one text that they are asked for."""
_FIGURE = re.compile(r"[+-]?\d+(?:\.\d+)?")
_OF_SO_MANY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:/|out of|of)\s*(\d+)\s*")
_NO_LETTER = re.compile(r"[^a-z0-9]+")


class Unfit(LLMUnusable):
    """What is wrong with an answer, in words for the model that gave it. Never holds the answer's own words."""


def for_the_wire(schema: Any) -> Any:
    """Return the schema in the form that every vendor takes."""
    if isinstance(schema, Mapping):
        return {name: for_the_wire(value) for name, value in schema.items() if name not in NOT_FOR_THE_WIRE}
    return schema


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Return whether every object in it names all of its properties as required, and no others."""
    properties = schema.get("properties", {})
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
        return all(map(is_strict, properties.values()))
    return is_strict(schema["items"]) if isinstance(schema.get("items"), Mapping) else "type" in schema


def read_answer(content: str | Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the last object in `content` that fits, or `content` itself. Raises Unfit."""
    try:
        return _last_that_fits(content, schema)
    except (RecursionError, TooDeep):
        raise Unfit("the answer is nested too deeply") from None


def _last_that_fits(content: str | Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(content, str) and len(content) > MAX_CHARACTERS:
        raise Unfit("the answer is too long")
    values = find_values(content) if isinstance(content, str) else [content]
    problem = Unfit("the answer holds no complete JSON object")
    for value in reversed(values):
        framed = framed_as(schema, value)
        if framed is None:
            problem = Unfit(f"{WHOLE} is not the object that was asked for") if value == values[-1] else problem
            continue
        try:
            answer: dict[str, Any] = fitted(framed, schema)
        except Unfit as unfit:
            problem = unfit
            continue
        # Items one by one, without a list around them, are one answer.
        loose = [item for item in values if is_item(schema, item)]
        return fitted({list_name(schema): loose}, schema) if is_item(schema, value) and len(loose) > 1 else answer
    raise problem


def framed_as(schema: Mapping[str, Any], value: Any, depth: int = 0) -> dict[str, Any] | None:
    """Return the object that is meant: itself, what is wrapped in it, or a list or item that stands for it."""
    if depth > MOST_WRAPPERS:
        return None
    if isinstance(value, str):
        inner = find_values(value) if value.lstrip()[:1] in ("{", "[") else []
        return framed_as(schema, inner[0], depth + 1) if inner else None
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        names = {_bare(name) for name in value}
        if not properties or any(_bare(name) in names for name in essential(schema)):
            return value
        if is_item(schema, value):
            return {list_name(schema): [value]}
        named = [part for name, part in value.items() if _bare(name) in NAMES_OF_A_TEXT and isinstance(part, str)]
        if list(properties) == essential(schema) and len(properties) == len(named) == len(value) == 1:
            return {next(iter(properties)): named[0]}
    name = list_name(schema)
    if isinstance(value, list) and name and (not value or any(is_item(schema, item) for item in value)):
        return {name: value}
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    framed = (framed_as(schema, part, depth + 1) for part in inside if isinstance(part, dict | list | str))
    return next((item for item in framed if item is not None), None)


def essential(schema: Mapping[str, Any]) -> list[str]:
    return [name for name, part in schema.get("properties", {}).items() if "default" not in part]


def list_name(schema: Mapping[str, Any]) -> str:
    """Return the name of the one list of objects that an answer is made of; "" for other answers."""
    properties = schema.get("properties", {})
    name: str = next(iter(properties), "")
    part: Mapping[str, Any] = properties.get(name, {})
    is_list = part.get("type") == "array" and part.get("items", {}).get("type") == "object"
    return name if is_list and len(properties) == 1 else ""


def is_item(schema: Mapping[str, Any], value: Any) -> bool:
    name = list_name(schema)
    if not name or not isinstance(value, dict):
        return False
    needed = [_bare(item) for item in essential(schema["properties"][name]["items"])]
    return bool(needed) and set(needed) <= {_bare(item) for item in value}


def _bare(name: object) -> str:
    """Return a name in which validFrom, valid-from and "valid from" are one."""
    return _NO_LETTER.sub("", str(name).casefold())


def fitted(value: Any, schema: Mapping[str, Any], path: str = WHOLE) -> Any:
    """Return `value` as the schema has it: numbers from words, lists from texts, defaults for what is missing.

    Raises Unfit, and ValueError for a schema with other keywords than ours: nothing may pass unchecked.
    """
    if unknown := schema.keys() - KEYWORDS:
        raise ValueError(f"schemas have no {', '.join(sorted(unknown))} here")
    names = schema.get("type", [])
    types = [names] if isinstance(names, str) else names
    if not types:
        return _cleaned(value, path)
    try:
        if value is None and "null" in types:
            return None
        if "enum" in schema:
            return _one_of(schema["enum"], value, path)
        problem = Unfit(f"{path} is not of the type {' or '.join(types)}")
        for name in types:
            if (result := READERS[name](value, schema, path)) is not None:
                return result
        raise problem
    except Unfit:
        if "default" in schema:
            return schema["default"]
        raise


def _cleaned(value: Any, path: str) -> Any:
    if isinstance(value, dict):
        return {without_surrogates(name): _cleaned(part, path) for name, part in value.items()}
    if isinstance(value, list):
        return [_cleaned(part, path) for part in value]
    if isinstance(value, str):
        return without_surrogates(value)
    if is_finite(value) or isinstance(value, bool) or value is None:
        return value
    raise Unfit(f"{path} has a number beyond all bounds")


def is_finite(value: object) -> bool:
    """Neither a boolean nor anything a float cannot hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _one_of(choices: list[Any], value: Any, path: str) -> Any:
    wanted = _bare(value)
    result = next((choice for choice in choices if _bare(choice) == wanted), None)
    if result is None:
        raise Unfit(f"{path} is none of {', '.join(map(str, choices))}")
    return result


def _text(value: Any, schema: Mapping[str, Any], path: str) -> str | None:
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        value = ", ".join(value)
    if is_finite(value) and "default" in schema:
        value = str(value)
    if not isinstance(value, str):
        return None
    if len(value) > schema.get("maxLength", len(value)):
        raise Unfit(f"{path} is longer than {schema['maxLength']} characters")
    return without_surrogates(value)


def _truth(value: Any, schema: Mapping[str, Any], path: str) -> bool | None:
    if isinstance(value, bool):
        return value
    text = str(value).strip().casefold()
    return True if text in TRUE else False if text in FALSE else None


def _number(value: Any, schema: Mapping[str, Any], path: str, *, is_whole: bool) -> float | None:
    least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    result: Any = _from_words(value, least, most) if isinstance(value, str) else value
    if isinstance(result, list) and len(result) == 1:
        (result,) = result
    if not is_finite(result):
        return None
    inside: float = min(max(result, least), most)
    return math.floor(inside + 0.5) if is_whole and not isinstance(inside, int) else inside


def _from_words(text: str, least: float, most: float) -> float | None:
    """Read "high", "4/5", "90 %", "message 3"."""
    is_bound = math.isfinite(least) and math.isfinite(most)
    level = LEVELS.get(text.strip().casefold())
    if level is not None:
        return least + level * (most - least) if is_bound else None
    if (share := _OF_SO_MANY.fullmatch(text)) and is_bound and float(share[2]):
        return most * float(share[1]) / float(share[2])
    figure = _FIGURE.search(text[:100])
    if figure is None:
        return None
    number = float(figure[0]) if "." in figure[0] else int(figure[0])
    return number / 100 if "%" in text and most == 1 else number


def _list(value: Any, schema: Mapping[str, Any], path: str) -> list[Any] | None:
    items = schema.get("items", {})
    given = _listed(value, items)
    if given is None:
        return None
    valid, problems = [], []
    for place, item in enumerate(given):
        try:
            valid.append(fitted(item, items, f"{path}[{place}]"))
        except Unfit as unfit:
            problems.append(unfit)
    if problems and not valid and items.get("type") == "object":
        raise problems[0]
    return valid[: schema.get("maxItems", len(valid))]


def _listed(value: Any, items: Mapping[str, Any]) -> list[Any] | None:
    """Return a list, or what stands for one: nothing, an item, items by number, words with commas, JSON in a text."""
    if value is None:
        return []
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        inner = find_values(value) if value.lstrip()[:1] in ("[", "{") else []
        if inner:
            return _listed(inner[0], items)
        return [part.strip() for part in re.split(r"[,;\n]", value)] if items.get("type") == "string" else None
    if isinstance(value, dict) and items.get("type") == "object":
        if {_bare(name) for name in value} & set(map(_bare, essential(items))):
            return [value]
        lists = [part for part in value.values() if isinstance(part, list)]
        if len(lists) == 1:
            return lists[0]
        return list(value.values()) if all(isinstance(part, dict) for part in value.values()) else None
    return None


def _object(value: Any, schema: Mapping[str, Any], path: str) -> dict[str, Any] | None:
    needed = essential(schema)
    if isinstance(value, str) and value.strip():
        inner = find_values(value) if value.lstrip()[:1] == "{" else []
        # A text where an item is asked for is what the item says.
        value = inner[0] if inner else {needed[0]: value} if len(needed) == 1 else value
    if not isinstance(value, dict):
        return None
    properties: Mapping[str, Any] = schema.get("properties", {})
    by_name = {_bare(name): part for name, part in value.items()} | value
    members: dict[str, Any] = {}
    for name, part in properties.items():
        given = next((by_name[item] for item in (name, _bare(name)) if item in by_name), None)
        if given is not None or name in value:
            members[name] = fitted(given, part, below(path, name))
        elif "default" in part:
            members[name] = part["default"]
        elif name in schema.get("required", ()):
            raise Unfit(f"{below(path, name)} is missing")
    if schema.get("additionalProperties") is False:
        return members
    return members | {name: _cleaned(part, path) for name, part in value.items() if name not in properties}


def below(path: str, name: str) -> str:
    return name if path == WHOLE else f"{path}.{name}"


Reading = Callable[[Any, Mapping[str, Any], str], Any]
READERS: Mapping[str, Reading] = MappingProxyType(
    {
        "object": _object,
        "array": _list,
        "string": _text,
        "boolean": _truth,
        "null": lambda value, schema, path: None,
        "number": partial(_number, is_whole=False),
        "integer": partial(_number, is_whole=True),
    }
)

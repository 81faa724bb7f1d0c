"""Answers of models read against the schema that was asked for: what is odd is put right, what is unusable dropped.

A schema is an object at the top. A property with a `default` may be missing or odd; one without has to make sense, or
what it belongs to is dropped: an item of a list alone, and the rest of the list stays.

JSON is found in the text around it, with the usual slips, and as far as it is complete. Not json-repair (tried:
0.64.6): it completes a text that was cut, so that half a sentence would be kept as a whole one, reads braces in prose
as the answer, and takes quadratic time (132 s for 8,000 times `["a" `).
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from memories.language.scripts import without_surrogates
from memories.providers.llm.provider import LLMUnusable

MAX_DEPTH = 60
_BEGIN = re.compile(r"[{\[]")
_BLANK = re.compile(r"(?:\s|,|//[^\n]*|/\*[^*]*\*/|\.\.\.|…)*+")
"""Also commas, comments and dots for "and so on"."""
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_WORDS = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "undefined": None,
    "NaN": float("nan"), "Infinity": float("inf"),
}  # fmt: skip
_QUOTES = {'"': '"', "'": "'", "“": "”"}
_PIECE = {end: re.compile(rf"[^{end}\\]*+(?:\\.[^{end}\\]*+)*+", re.DOTALL) for end in _QUOTES.values()}
_BEHIND_STRING = re.compile(
    r"[^\S\n]*+(?:\n\s*+[\"'“]|\s*+(?:[:}\]]|//|/\*|\Z|,\s*+(?:[\"'“{}\[\]\d,/.-]|\w{1,40}+\s*+:|(?:true|false|null|None|True|False)\b|\Z)))"
)
_BEHIND_ITEM = re.compile(r"}(?=\s*+[,\]{])")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
VALID_ESCAPES = '"\\/bfnrt'
_UNESCAPED = re.compile(r'(\\.)|"', re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)

_THOUGHTS = re.compile(
    r"<(?P<tag>(?:seed:)?think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis)>.*?(?:</(?P=tag)>|\Z)"
    r"|\[THINK\].*?(?:\[/THINK\]|\Z)|<\|START_THINKING\|>.*?(?:<\|END_THINKING\|>|\Z)|◁think▷.*?(?:◁/think▷|\Z)"
    r"|<\|channel\|>analysis.*?(?:<\|end\|>|(?=<\|channel\|>)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_THOUGHTS_END = re.compile(
    r"</(?:seed:)?think(?:ing)?>|\[/THINK\]|◁/think▷|\A\s*analysis.*assistant\s*final", re.DOTALL
)
"""Where the beginning stands in the prompt, or was taken for a special token and removed."""

_NOTHING_BUT_THOUGHTS = re.compile(r"<([\w:]+)>\s*+(.*)</\1>", re.DOTALL)


class Broken(Exception):
    """What stands at `place` continues no JSON."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


class TooDeep(Exception):
    """It is nested so deeply that no answer of ours can be meant."""


def find_values(text: str) -> list[Any]:
    """Return every outermost object and array in their order, without what the model thought. Raises TooDeep.

    Linear in the length of the text.
    """
    whole = text.strip()
    if whole[:1] in ("{", "[", '"'):
        try:
            return [_DECODER.decode(whole)]
        except ValueError:
            pass
        except RecursionError:
            raise TooDeep from None
    spoken = without_thoughts(whole)
    return list(_values(spoken))


def without_thoughts(text: str) -> str:
    """Return what stands outside of thoughts; the thoughts themselves where they are nothing but JSON."""
    rest = _THOUGHTS.sub(" ", text)
    ends = list(_THOUGHTS_END.finditer(rest))
    if ends:
        rest = rest[ends[-1].end() :]
    if rest.strip():
        return rest
    inside = _NOTHING_BUT_THOUGHTS.fullmatch(text)
    return inside[2] if inside and inside[2][:1] in ("{", "[") else ""


def _values(text: str) -> Iterator[Any]:
    reader = Reader(text)
    while begin := _BEGIN.search(text, reader.place):
        reader.place = begin.start()
        try:
            value = reader.value()
            if value or not reader.is_cut:
                yield value
        except Broken as broken:
            reader.place = max(broken.place, begin.end())


class Reader:
    """Read one value from `place` on, and forgive mistakes.

    These are quotes of other kinds or within a string, names without quotes, commas too many or missing, comments,
    words of Python and JavaScript.

    Of what ends too early, or goes wrong within an item, whole members and whole items are kept.
    """

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.is_cut = False
        self.may_go_on = True
        """Whether some item may still end behind `place`: what is looked for in vain once is not there later either."""

    def value(self, depth: int = 0) -> Any:
        """Raise Broken, and TooDeep."""
        if depth > MAX_DEPTH:
            raise TooDeep
        mark = self.text[self.place : self.place + 1]
        if mark == "{":
            return self.object(depth)
        if mark == "[":
            return self.array(depth)
        if mark in _QUOTES and mark:
            return self.string(_QUOTES[mark])
        return self.scalar()

    def blank(self) -> str:
        """Pass over what says nothing and return the next character; "" and `is_cut` at the end."""
        match = _BLANK.match(self.text, self.place)
        self.place = match.end() if match else self.place
        self.is_cut = self.is_cut or self.place >= len(self.text)
        return self.text[self.place : self.place + 1]

    def object(self, depth: int) -> dict[str, Any]:
        results: dict[str, Any] = {}
        self.place += 1
        try:
            while (mark := self.blank()) and mark != "}":
                name, value, is_whole = self.member(mark, depth)
                if is_whole:
                    results[name] = value
                if self.is_cut:
                    return results
        except Broken as broken:
            if depth or not results:
                raise
            self.place = broken.place
            return results
        self.place += 1
        return results

    def member(self, mark: str, depth: int) -> tuple[str, Any, bool]:
        """Return name and value, and whether the value is good for anything: of what is cut, what has a whole item."""
        name = self.name(mark)
        if (colon := self.blank()) != ":":
            if colon:
                raise Broken(self.place)
            return name, None, False
        self.place += 1
        if not (mark := self.blank()):
            return name, None, False
        value = self.value(depth + 1)
        return name, value, not self.is_cut or (mark in "{[" and bool(value))

    def name(self, mark: str) -> str:
        if mark in _QUOTES:
            return self.string(_QUOTES[mark])
        if not (bare := _NAME.match(self.text, self.place)):
            raise Broken(self.place)
        self.place = bare.end()
        return bare[0]

    def array(self, depth: int) -> list[Any]:
        results: list[Any] = []
        self.place += 1
        while (mark := self.blank()) and mark != "]":
            try:
                item = self.value(depth + 1)
            except Broken as broken:
                # The item is lost; the next one begins behind it.
                behind = self.end_of_item(broken.place) if mark == "{" else None
                if behind is None:
                    if not results:
                        raise
                    self.place, self.is_cut = len(self.text), True
                    return results
                self.place = behind
                continue
            if self.is_cut:
                return results
            results.append(item)
        self.place += 1
        return results

    def end_of_item(self, place: int) -> int | None:
        behind = _BEHIND_ITEM.search(self.text, place) if self.may_go_on else None
        self.may_go_on = behind is not None
        return behind.end() if behind else None

    def string(self, end: str) -> str:
        """Read a string, which a quote ends where something may follow that is not of it."""
        begin = self.place + 1
        piece = _PIECE[end].match(self.text, begin)
        while piece and piece.end() < len(self.text) and self.text[piece.end()] == end:
            if _BEHIND_STRING.match(self.text, piece.end() + 1):
                self.place = piece.end() + 1
                return plain(self.text[begin : piece.end()], self.place)
            piece = _PIECE[end].match(self.text, piece.end() + 1)
        self.place, self.is_cut = len(self.text), True
        return ""

    def scalar(self) -> Any:
        if number := _NUMBER.match(self.text, self.place):
            self.place = number.end()
            self.is_cut = self.is_cut or self.place >= len(self.text)
            digits = number[0].replace("_", "")
            try:
                return int(digits) if digits.lstrip("+-").isdigit() else float(digits)
            except ValueError:
                raise Broken(self.place) from None
        word = _NAME.match(self.text, self.place)
        if word and word[0] in _WORDS:
            self.place = word.end()
            return _WORDS[word[0]]
        if word and word.end() == len(self.text):
            self.place, self.is_cut = word.end(), True
            return None
        raise Broken(max(self.place, word.end() if word else 0))


def plain(body: str, place: int) -> str:
    """Return what the inside of a string stands for."""
    quoted = _UNESCAPED.sub(lambda result: result[1] or '\\"', body)
    literal = _ESCAPE.sub(lambda result: result[0] if result[1][:1] in VALID_ESCAPES else unescaped(result[1]), quoted)
    for attempt in (quoted, literal):
        try:
            decoded: str = _DECODER.decode(f'"{attempt}"')
        except ValueError:
            continue
        return decoded
    raise Broken(place)


def unescaped(mark: str) -> str:
    """Return a mark that needs no backslash without it, and any other with the backslash itself."""
    if len(mark) > 1:
        return f"\\{mark}"
    return mark if mark in "'_“”" else f"\\\\{mark}"


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

"""Hold what a stream-json stream says, one frozen record per thing said, and read typed fields of its lines."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from memsite.http.json_body import RepeatedName, parse_loosely

MAX_DEPTH = 100
"""Levels of nesting kept in free-form values: those who store them walk them recursively."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_ESCAPED_UNSTORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class _AtLine:
    line_number: int
    """Counted from 1, empty lines included."""


@dataclass(frozen=True, slots=True)
class SessionInit(_AtLine):
    session_id: str | None
    model: str | None
    cwd: str | None
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AssistantText(_AtLine):
    """One text block. `message_id` repeats across the lines of one turn."""

    text: str
    message_id: str | None
    uuid: str | None
    parent_tool_use_id: str | None
    partial: bool = False
    """True when the complete line never came and the text was put together from deltas."""


@dataclass(frozen=True, slots=True)
class ToolUse(_AtLine):
    id: str
    name: str
    input: Mapping[str, object]
    parent_tool_use_id: str | None


@dataclass(frozen=True, slots=True)
class ToolResult(_AtLine):
    tool_use_id: str
    content_text: str
    """Text blocks joined by newlines; images and other blocks are left out."""
    is_error: bool
    parent_tool_use_id: str | None


@dataclass(frozen=True, slots=True)
class UserText(_AtLine):
    text: str
    uuid: str | None
    parent_tool_use_id: str | None
    is_synthetic: bool = False
    """True when the client wrote it and no person did."""


@dataclass(frozen=True, slots=True)
class Result(_AtLine):
    subtype: str
    is_error: bool
    text: str | None
    """Only a successful run has one."""
    num_turns: int | None
    duration_ms: int | None
    total_cost_usd: float | None
    usage: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Skipped(_AtLine):
    """A line that is well-formed and says nothing we use."""

    type: str
    """`type`, or `system/subtype`; at most 64 characters."""


@dataclass(frozen=True, slots=True)
class BadLine(_AtLine):
    reason: str
    """Short, and never a quotation: what the line held may be private."""


Item: TypeAlias = SessionInit | AssistantText | ToolUse | ToolResult | UserText | Result | Skipped | BadLine


class MalformedLineError(Exception):
    """The line is not what its type promises. The message is the reason, in words of our own."""


def parse_object(raw: bytes) -> dict[str, object]:
    """Return the JSON object of one line, every string in it storable: no NUL and no lone surrogate.

    Raises MalformedLineError for anything but a JSON object, RecursionError for absurd nesting.
    """
    text = raw.decode("utf-8", "replace").replace("\x00", "\ufffd").removeprefix("\ufeff")
    try:
        value = parse_loosely(text, parse_constant=_refuse_constant, parse_float=_finite_float)
    except RepeatedName:
        raise MalformedLineError("a name twice in one object") from None
    except ValueError:  # also an integer of more digits than Python converts
        raise MalformedLineError("not JSON") from None
    if not isinstance(value, dict):
        raise MalformedLineError("not a JSON object")
    if _ESCAPED_UNSTORABLE.search(text):
        value = {_storable(key): _scrub(item) for key, item in value.items()}
    return value


def _refuse_constant(name: str) -> object:
    raise MalformedLineError("NaN or Infinity")


def _finite_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise MalformedLineError("number out of range")
    return number


def _storable(text: str) -> str:
    return _UNSTORABLE.sub("\ufffd", text)


def _scrub(value: object) -> object:
    if isinstance(value, str):
        return _storable(value)
    if isinstance(value, list):
        return [_scrub(item) for item in value]
    if isinstance(value, dict):
        return {_storable(key): _scrub(item) for key, item in value.items()}
    return value


def optional_str(event: Mapping[str, object], key: str) -> str | None:
    value = event.get(key)
    if value is None or isinstance(value, str):
        return value
    raise MalformedLineError(f"{key} is not a string")


def required_str(event: Mapping[str, object], key: str) -> str:
    value = optional_str(event, key)
    if value is None:
        raise MalformedLineError(f"{key} is missing")
    return value


def flag(event: Mapping[str, object], key: str) -> bool:
    value = event.get(key)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise MalformedLineError(f"{key} is not a boolean")


def optional_number(event: Mapping[str, object], key: str) -> float | None:
    """Return a number that fits a 64-bit column."""
    value = event.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MalformedLineError(f"{key} is not a number")
    if int(value) not in _INT64:
        raise MalformedLineError(f"{key} is out of range")
    return value


def optional_int(event: Mapping[str, object], key: str) -> int | None:
    value = optional_number(event, key)
    return None if value is None else int(value)


def required_int(event: Mapping[str, object], key: str) -> int:
    value = optional_int(event, key)
    if value is None:
        raise MalformedLineError(f"{key} is missing")
    return value


def as_object(value: object, name: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise MalformedLineError(f"{name} is not an object")
    return value


def as_list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise MalformedLineError(f"{name} is not a list")
    return value


def optional_free_form(event: Mapping[str, object], key: str) -> dict[str, object]:
    """Return an object of any content, {} when missing, that can be walked without a deep stack."""
    value = event.get(key)
    if value is None:
        return {}
    if _is_deeper_than(value, MAX_DEPTH):
        raise MalformedLineError(f"{key} is nested too deeply")
    return as_object(value, key)


def _is_deeper_than(value: object, levels: int) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return False
    return levels == 0 or any(_is_deeper_than(item, levels - 1) for item in value)

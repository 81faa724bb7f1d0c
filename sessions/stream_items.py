"""What a stream-json stream says, one frozen record per thing said.

`parent_tool_use_id` is None for the main agent and names the Task call of a sub-agent otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


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

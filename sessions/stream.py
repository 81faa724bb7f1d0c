"""Reader of `claude -p --output-format stream-json --verbose`: bytes in, what was said out.

A line is read whole or reported whole as a BadLine; no input raises and no bad line costs another one.
"""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator

from sessions.stream_fields import (
    MalformedLineError,
    as_list,
    as_object,
    flag,
    optional_free_form,
    optional_int,
    optional_number,
    optional_str,
    parse_object,
    required_str,
)
from sessions.stream_items import (
    AssistantText,
    BadLine,
    Item,
    Result,
    SessionInit,
    Skipped,
    ToolResult,
    ToolUse,
    UserText,
)
from sessions.stream_lines import Line, LineSplitter
from sessions.stream_partials import PartialTexts

__all__ = [
    "MAX_LINE_BYTES",
    "AssistantText",
    "BadLine",
    "Item",
    "Result",
    "SessionInit",
    "Skipped",
    "StreamReader",
    "ToolResult",
    "ToolUse",
    "UserText",
]

MAX_LINE_BYTES = 8 * 1024 * 1024

_TOOL_CALLS = ("tool_use", "server_tool_use")
_MAX_TYPE_CHARS = 64

Event = dict[str, object]


class StreamReader:
    """Fed chunks of any size as they arrive; holds one unfinished line and the unfinished message texts.

    A line over `max_line_bytes` is reported once and skipped to its newline. Invalid UTF-8, NUL and lone
    surrogates become U+FFFD.
    """

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._lines = LineSplitter(max_line_bytes)
        self._partials = PartialTexts()

    @property
    def line_count(self) -> int:
        """Lines read so far, empty and bad ones included."""
        return self._lines.line_count

    def feed(self, data: bytes) -> Iterator[Item]:
        """The items of the lines that `data` completes. Read at once, even if the iterator is not used up."""
        return iter(self._read_lines(self._lines.feed(data)))

    def close(self) -> Iterator[Item]:
        """The last line, if no newline ended it, and the texts whose complete line never came."""
        items = self._read_lines(self._lines.close())
        return iter([*items, *self._partials.flush()])

    def _read_lines(self, lines: Iterable[Line]) -> list[Item]:
        return [item for line in lines for item in self._read_line(line)]

    def _read_line(self, line: Line) -> list[Item]:
        if line.raw is None:
            return [BadLine(line.number, "line too long")]
        if not line.raw.removeprefix(BOM_UTF8).strip():
            return []
        try:
            return self._read_event(line.number, parse_object(line.raw))
        except MalformedLineError as problem:
            return [BadLine(line.number, str(problem))]
        except RecursionError:
            return [BadLine(line.number, "nested too deeply")]

    def _read_event(self, number: int, event: Event) -> list[Item]:
        match required_str(event, "type"):
            case "assistant":
                return self._read_assistant(number, event)
            case "user":
                return _read_user(number, event)
            case "stream_event":
                parent = optional_str(event, "parent_tool_use_id")
                return [*self._partials.add_event(number, parent, as_object(event.get("event"), "event"))]
            case "result":
                # Nothing said before the end may come after it.
                result = _read_result(number, event)
                return [*self._partials.flush(), result]
            case "system":
                return [_read_system(number, event)]
            case other:
                return [Skipped(number, other[:_MAX_TYPE_CHARS])]

    def _read_assistant(self, number: int, event: Event) -> list[Item]:
        message = as_object(event.get("message"), "message")
        message_id = optional_str(message, "id")
        parent = optional_str(event, "parent_tool_use_id")
        uuid = optional_str(event, "uuid")
        items: list[Item] = []
        texts: list[str] = []
        for kind, block in _blocks(message.get("content")):
            if kind == "text":
                texts.append(required_str(block, "text"))
                items.append(AssistantText(number, texts[-1], message_id, uuid, parent))
            elif kind in _TOOL_CALLS:
                items.append(_read_tool_use(number, parent, block))
        return [*self._partials.settle(parent, message_id, texts), *items]


def _blocks(content: object) -> list[tuple[str, Event]]:
    """Every block with its type."""
    blocks = [as_object(block, "block") for block in as_list(content, "content")]
    return [(required_str(block, "type"), block) for block in blocks]


def _read_tool_use(number: int, parent: str | None, block: Event) -> ToolUse:
    return ToolUse(
        number,
        required_str(block, "id"),
        required_str(block, "name"),
        optional_free_form(block, "input"),
        parent,
    )


def _read_user(number: int, event: Event) -> list[Item]:
    message = as_object(event.get("message"), "message")
    parent = optional_str(event, "parent_tool_use_id")
    uuid = optional_str(event, "uuid")
    is_synthetic = flag(event, "isSynthetic")
    content = message.get("content")
    if isinstance(content, str):
        return [UserText(number, content, uuid, parent, is_synthetic)]
    items: list[Item] = []
    for kind, block in _blocks(content):
        if kind == "text":
            items.append(UserText(number, required_str(block, "text"), uuid, parent, is_synthetic))
        elif kind == "tool_result":
            items.append(_read_tool_result(number, parent, block))
    return items


def _read_tool_result(number: int, parent: str | None, block: Event) -> ToolResult:
    content = block.get("content")
    if content is None or isinstance(content, str):
        text = content or ""
    else:
        text = "\n".join(required_str(part, "text") for kind, part in _blocks(content) if kind == "text")
    return ToolResult(number, required_str(block, "tool_use_id"), text, flag(block, "is_error"), parent)


def _read_result(number: int, event: Event) -> Result:
    return Result(
        number,
        required_str(event, "subtype"),
        flag(event, "is_error"),
        optional_str(event, "result"),
        optional_int(event, "num_turns"),
        optional_int(event, "duration_ms"),
        optional_number(event, "total_cost_usd"),
        optional_free_form(event, "usage"),
    )


def _read_system(number: int, event: Event) -> SessionInit | Skipped:
    subtype = required_str(event, "subtype")
    if subtype != "init":
        return Skipped(number, f"system/{subtype}"[:_MAX_TYPE_CHARS])
    tools = as_list(event.get("tools") or [], "tools")
    if not all(isinstance(tool, str) for tool in tools):
        raise MalformedLineError("tools are not strings")
    return SessionInit(
        number,
        optional_str(event, "session_id"),
        optional_str(event, "model"),
        optional_str(event, "cwd"),
        tuple(str(tool) for tool in tools),
    )

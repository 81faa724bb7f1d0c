"""Reader of `claude -p --output-format stream-json --verbose`: bytes in, what was said out.

A line is read whole or reported whole as a BadLine; no input raises and no bad line costs another one.
"""

from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import NamedTuple

from sessions.stream_events import (
    AssistantText,
    BadLine,
    Item,
    MalformedLineError,
    Result,
    SessionInit,
    Skipped,
    ToolResult,
    ToolUse,
    UserText,
    as_list,
    as_object,
    flag,
    optional_free_form,
    optional_int,
    optional_number,
    optional_str,
    parse_object,
    required_int,
    required_str,
)

MAX_BUFFERED_CHARS = 1024 * 1024
"""Over all lanes. What one model answers is well below; text beyond it waits for its complete line only."""
MAX_LANES = 64
MAX_BLOCKS = 1024
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


class Line(NamedTuple):
    number: int
    raw: bytes | None
    """Without its newline; None for a line that was too long to keep."""


class LineSplitter:
    """Holds at most one unfinished line of `max_line_bytes`."""

    def __init__(self, max_line_bytes: int) -> None:
        self._max_line_bytes = max_line_bytes
        self._held = bytearray()
        self._too_long = False
        self.line_count = 0

    def feed(self, data: bytes) -> Iterator[Line]:
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._hold(data[start:end])
            yield self._take()
            start = end + 1
        self._hold(data[start:])

    def close(self) -> Iterator[Line]:
        """Yield the last line, when no newline ended it."""
        if self._held or self._too_long:
            yield self._take()

    def _hold(self, piece: bytes) -> None:
        if self._too_long or len(self._held) + len(piece) > self._max_line_bytes:
            self._too_long = True
            self._held.clear()
        else:
            self._held += piece

    def _take(self) -> Line:
        self.line_count += 1
        line = Line(self.line_count, None if self._too_long else bytes(self._held))
        self._held.clear()
        self._too_long = False
        return line


@dataclass(slots=True)
class _Block:
    line_number: int
    text: StringIO = field(default_factory=StringIO)
    covered: bool = False
    """A complete line has said this block: whatever else streams in is dropped."""


@dataclass(slots=True)
class _Lane:
    """The message now streaming from one agent; a sub-agent's lane is its parent_tool_use_id."""

    message_id: str | None
    blocks: dict[int, _Block] = field(default_factory=dict)
    ahead: int = 0
    """Complete texts that came before their deltas."""

    def block_said_by(self, text: str) -> _Block | None:
        """Return the waiting block that `text` completes.

        Blocks carry no index on complete lines, so their text decides; where a lost delta spoilt that, it is
        the oldest.
        """
        waiting = [block for block in self.blocks.values() if not block.covered]
        for block in waiting:
            if text.strip().startswith(block.text.getvalue().strip()):
                return block
        return waiting[0] if waiting else None


class PartialTexts:
    def __init__(self) -> None:
        self._lanes: dict[str | None, _Lane] = {}
        self._buffered_chars = 0

    def add_event(self, line_number: int, parent: str | None, event: dict[str, object]) -> list[AssistantText]:
        """Buffer one raw API event. Returns the texts given up on because another message started."""
        kind = required_str(event, "type")
        if kind == "message_start":
            message_id = required_str(as_object(event.get("message"), "message"), "id")
            streaming = self._lanes.get(parent)
            if streaming is not None and streaming.message_id == message_id:  # its complete line came first
                return []
            return self._replace_lane(parent, message_id)
        if kind not in ("content_block_start", "content_block_delta"):
            return []
        index = required_int(event, "index")
        key, text_type = ("content_block", "text") if kind == "content_block_start" else ("delta", "text_delta")
        part = as_object(event.get(key), key)
        if required_str(part, "type") != text_type:
            return []
        piece = optional_str(part, "text")
        if piece is None and kind == "content_block_delta":
            raise MalformedLineError("text is missing")
        piece = piece or ""
        given_up = self._turn_to(parent, None)
        lane = self._lanes[parent]
        if index not in lane.blocks:
            if len(lane.blocks) >= MAX_BLOCKS:
                return given_up
            lane.blocks[index] = _Block(line_number, covered=lane.ahead > 0)
            lane.ahead = max(0, lane.ahead - 1)
        block = lane.blocks[index]
        if not block.covered and self._buffered_chars + len(piece) <= MAX_BUFFERED_CHARS:
            block.text.write(piece)
            self._buffered_chars += len(piece)
        return given_up

    def settle(self, parent: str | None, message_id: str | None, texts: Sequence[str]) -> list[AssistantText]:
        """Drop what these complete texts say. Returns the texts of an earlier message now given up on."""
        given_up = self._turn_to(parent, message_id)
        lane = self._lanes[parent]
        for text in texts:
            block = lane.block_said_by(text)
            if block is None:
                lane.ahead += 1
            else:
                self._cover(block)
        return given_up

    def flush(self) -> list[AssistantText]:
        """Return everything still waiting, when nothing more can complete it."""
        return [text for parent in list(self._lanes) for text in self._close_lane(parent)]

    def _turn_to(self, parent: str | None, message_id: str | None) -> list[AssistantText]:
        """Make the lane of `parent` be about that message (None: whichever is streaming)."""
        lane = self._lanes.get(parent)
        if lane is not None and (message_id is None or lane.message_id in (None, message_id)):
            lane.message_id = lane.message_id or message_id
            return []
        return self._replace_lane(parent, message_id)

    def _replace_lane(self, parent: str | None, message_id: str | None) -> list[AssistantText]:
        given_up = self._close_lane(parent)
        if len(self._lanes) >= MAX_LANES:
            given_up += self._close_lane(next(iter(self._lanes)))
        self._lanes[parent] = _Lane(message_id)
        return given_up

    def _close_lane(self, parent: str | None) -> list[AssistantText]:
        lane = self._lanes.pop(parent, None)
        if lane is None:
            return []
        texts: list[AssistantText] = []
        for _, block in sorted(lane.blocks.items()):
            if text := block.text.getvalue():
                texts.append(AssistantText(block.line_number, text, lane.message_id, None, parent, partial=True))
            self._cover(block)
        return texts

    def _cover(self, block: _Block) -> None:
        self._buffered_chars -= len(block.text.getvalue())
        block.text = StringIO()
        block.covered = True


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
        """Return lines read so far, empty and bad ones included."""
        return self._lines.line_count

    def feed(self, data: bytes) -> Iterator[Item]:
        """Return the items of the lines that `data` completes. Read at once, even if the iterator is not used up."""
        return iter([item for line in self._lines.feed(data) for item in self._read_line(line)])

    def close(self) -> Iterator[Item]:
        """Return the last line, if no newline ended it, and the texts whose complete line never came."""
        items = [item for line in self._lines.close() for item in self._read_line(line)]
        return iter([*items, *self._partials.flush()])

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
            case "stream_event":
                parent = optional_str(event, "parent_tool_use_id")
                return [*self._partials.add_event(number, parent, as_object(event.get("event"), "event"))]
            case "result":
                # Nothing said before the end may come after it.
                result = Result(
                    number,
                    required_str(event, "subtype"),
                    flag(event, "is_error"),
                    optional_str(event, "result"),
                    optional_int(event, "num_turns"),
                    optional_int(event, "duration_ms"),
                    optional_number(event, "total_cost_usd"),
                    optional_free_form(event, "usage"),
                )
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
                arguments = optional_free_form(block, "input")
                items.append(ToolUse(number, required_str(block, "id"), required_str(block, "name"), arguments, parent))
        return [*self._partials.settle(parent, message_id, texts), *items]


def _blocks(content: object) -> list[tuple[str, Event]]:
    """Return every block with its type."""
    blocks = [as_object(block, "block") for block in as_list(content, "content")]
    return [(required_str(block, "type"), block) for block in blocks]


def _read_tool_result(number: int, parent: str | None, block: Event) -> ToolResult:
    content = block.get("content")
    if content is None or isinstance(content, str):
        text = content or ""
    else:
        text = "\n".join(required_str(part, "text") for kind, part in _blocks(content) if kind == "text")
    return ToolResult(number, required_str(block, "tool_use_id"), text, flag(block, "is_error"), parent)


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

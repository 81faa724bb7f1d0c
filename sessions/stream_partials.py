"""Text that arrived as deltas (`--include-partial-messages`) and may never arrive complete.

Claude Code sends every block twice: as deltas, then as an `assistant` line of the same message id, which
comes before or after `message_stop`. The line is the one that counts; the deltas speak when it is missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import StringIO

from sessions.stream_fields import MalformedLineError, as_object, optional_str, required_int, required_str
from sessions.stream_items import AssistantText

MAX_BUFFERED_CHARS = 1024 * 1024
"""Over all lanes. What one model answers is well below; text beyond it waits for its complete line only."""

MAX_LANES = 64
MAX_BLOCKS = 1024


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

    def is_about(self, message_id: str | None) -> bool:
        return message_id is None or self.message_id in (None, message_id)

    def open_block(self, index: int, line_number: int) -> _Block | None:
        """The block at `index`, made if need be; None when the message has too many."""
        if index not in self.blocks:
            if len(self.blocks) >= MAX_BLOCKS:
                return None
            self.blocks[index] = _Block(line_number, covered=self.ahead > 0)
            self.ahead = max(0, self.ahead - 1)
        return self.blocks[index]

    def block_said_by(self, text: str) -> _Block | None:
        """The waiting block that `text` completes.

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
            message = as_object(event.get("message"), "message")
            return self._start(parent, required_str(message, "id"))
        if kind not in ("content_block_start", "content_block_delta"):
            return []
        index = required_int(event, "index")
        piece = _text_of(event, kind)
        if piece is None:
            return []
        given_up = self._turn_to(parent, None)
        self._append(self._lanes[parent].open_block(index, line_number), piece)
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
        """Everything still waiting, when nothing more can complete it."""
        return [text for parent in list(self._lanes) for text in self._close_lane(parent)]

    def _start(self, parent: str | None, message_id: str) -> list[AssistantText]:
        lane = self._lanes.get(parent)
        if lane is not None and lane.message_id == message_id:  # its complete line came first
            return []
        return self._replace_lane(parent, message_id)

    def _turn_to(self, parent: str | None, message_id: str | None) -> list[AssistantText]:
        """Make the lane of `parent` be about that message (None: whichever is streaming)."""
        lane = self._lanes.get(parent)
        if lane is not None and lane.is_about(message_id):
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

    def _append(self, block: _Block | None, piece: str) -> None:
        if block is None or block.covered or self._buffered_chars + len(piece) > MAX_BUFFERED_CHARS:
            return
        block.text.write(piece)
        self._buffered_chars += len(piece)

    def _cover(self, block: _Block) -> None:
        self._buffered_chars -= len(block.text.getvalue())
        block.text = StringIO()
        block.covered = True


def _text_of(event: dict[str, object], kind: str) -> str | None:
    """The text of a start or delta; None when it belongs to thinking, a tool call or something newer."""
    key, text_type = ("content_block", "text") if kind == "content_block_start" else ("delta", "text_delta")
    part = as_object(event.get(key), key)
    if required_str(part, "type") != text_type:
        return None
    text = optional_str(part, "text")
    if text is None and kind == "content_block_delta":
        raise MalformedLineError("text is missing")
    return text or ""

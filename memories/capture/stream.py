"""A live stream-json recording of an agent → turns, resources, events and memories, as its lines come in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from memories.capture.spoken import Captured
from memories.text.secrets import redact
from sessions.checkpoints import DifferentCheckpoint, next_turn_number, number_after, store_turn
from sessions.models import AgentSession, Role, Turn
from sessions.recording import Said, source_key
from sessions.stream import StreamReader
from sessions.stream_events import AssistantText, BadLine, Item, Result, SessionInit, ToolResult, ToolUse, UserText

MAX_ERRORS = 1000


@dataclass(slots=True)
class Exchange:
    """A turn in the making: from the user's words to the result line. It has a number once something is said in it."""

    number: int = 0
    user: list[str] = field(default_factory=list)
    assistant: list[str] = field(default_factory=list)
    tools: dict[str, dict[str, Any]] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    is_new: bool = False

    def checkpoint(self) -> dict[str, Any]:
        return {
            "user_input": "\n\n".join(self.user),
            "tool_calls": list(self.tools.values()),
            "llm_output": "\n\n".join(self.assistant),
            "internal_state": self.state,
        }


@dataclass(slots=True)
class Report:
    """What was read. `errors` holds the first 1,000 bad lines, `error_count` all of them."""

    lines: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    turns: list[int] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    error_count: int = 0

    def add(self, captured: Captured) -> None:
        for name, count in captured.counts().items():
            self.counts[name] = self.counts.get(name, 0) + count

    def as_dict(self) -> dict[str, Any]:
        return {
            "lines": self.lines,
            **self.counts,
            "turns": self.turns,
            "errors": self.errors,
            "error_count": self.error_count,
        }


Capture = Callable[[list[Said]], Captured]
OnTurn = Callable[[Turn], object]


class StreamCapture:
    """Fed with chunks of any size. What a chunk completes is stored before the next one is read.

    By the stream's `name` its lines are known, when it is sent again, that have no id of their own.
    """

    def __init__(
        self, session: AgentSession, capture: Capture, on_turn: OnTurn, max_line_bytes: int, name: str | None = None
    ) -> None:
        self.name = name
        self.session, self.capture, self.on_turn = session, capture, on_turn
        self.reader = StreamReader(max_line_bytes)
        self.exchange = Exchange()
        self.report = Report(counts=Captured().counts())

    def run(self, chunks: Iterable[bytes]) -> Report:
        """Reads to the end. A broken-off stream loses nothing that came before the break. Raises NoTurnLeft."""
        try:
            for chunk in chunks:
                self.take(self.reader.feed(chunk))
        finally:
            self.take(self.reader.close())
            self.finish_exchange()
            self.report.lines = self.reader.line_count
        return self.report

    def take(self, items: Iterator[Item]) -> None:
        """Stores the items turn by turn: a result line ends one."""
        said: list[Said] = []
        for item in items:
            said += self.hear(item)
            if isinstance(item, Result):
                self.store(said)
                self.finish_exchange()
                said = []
        self.store(said)

    def hear(self, item: Item) -> list[Said]:
        """Collects what belongs to the turn; answers the text to be kept. Sub-agents are not the agent."""
        # Alone, as it is kept alone: beside others it may read otherwise.
        if isinstance(item, AssistantText | UserText) and self.session.app.policy.redact_raw:
            item = replace(item, text=redact(item.text).text)
        if isinstance(item, BadLine):
            self.note_error(item)
        elif isinstance(item, SessionInit):
            self.exchange.state |= {
                "claude_session_id": item.session_id,
                "model": item.model,
                "cwd": item.cwd,
            }
        elif isinstance(item, Result):
            self.exchange.state |= result_state(item)
        elif getattr(item, "parent_tool_use_id", None) is None:
            return self.hear_main(item)
        return []

    def hear_main(self, item: Item) -> list[Said]:
        if isinstance(item, ToolUse):
            self.exchange.tools[item.id] = {"id": item.id, "name": item.name, "input": dict(item.input)}
        elif isinstance(item, ToolResult):
            call = self.exchange.tools.setdefault(item.tool_use_id, {"id": item.tool_use_id})
            call |= {"result": item.content_text, "is_error": item.is_error}
        elif isinstance(item, AssistantText):
            self.exchange.assistant.append(item.text)
            return [self.said(Role.ASSISTANT, item, item.message_id, item.uuid)]
        elif isinstance(item, UserText) and not item.is_synthetic:
            self.exchange.user.append(item.text)
            return [self.said(Role.USER, item, item.uuid)]
        return []

    def said(self, role: str, item: AssistantText | UserText, *ids: str | None) -> Said:
        self.exchange.number = self.exchange.number or next_turn_number(self.session)
        by_place = self.name and f"{self.name}:{item.line_number}"
        return Said(role, item.text, source_key(*ids, by_place, text=item.text), turn_number=self.exchange.number)

    def store(self, said: list[Said]) -> None:
        if not said:
            return
        captured = self.capture(said)
        self.exchange.is_new |= bool(captured.resources)
        self.report.add(captured)

    def finish_exchange(self) -> None:
        """Keeps the turn, unless all of it was sent before."""
        if self.exchange.is_new:
            self.keep_turn(timezone.now())
        self.exchange = Exchange()

    def keep_turn(self, now: datetime) -> None:
        """Under the next free number, if someone else stored a turn meanwhile."""
        number = self.exchange.number
        while True:
            try:
                turn, _ = store_turn(self.session, number, self.exchange.checkpoint(), now)
            except DifferentCheckpoint:
                number = number_after(number)
            else:
                self.report.turns.append(number)
                self.on_turn(turn)
                return

    def note_error(self, bad: BadLine) -> None:
        self.report.error_count += 1
        if len(self.report.errors) < MAX_ERRORS:
            self.report.errors.append({"line": bad.line_number, "reason": bad.reason})


def result_state(item: Result) -> dict[str, Any]:
    return {
        "result": item.subtype,
        "is_error": item.is_error,
        "num_turns": item.num_turns,
        "total_cost_usd": item.total_cost_usd,
        "usage": dict(item.usage),
    }

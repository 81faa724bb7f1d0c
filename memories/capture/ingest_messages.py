"""Store what an agent and its user said: messages or a live recording → resources, events, memories from markers.

Markers (`[MEMORY:category] text`, `[MEMORY:category:service] text`) count in assistant text of the main agent only, and
not inside fenced code or between backticks: an agent that explains the format is not remembering.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from django.utils import timezone

from memories.capture.candidates import embed_candidates
from memories.capture.extraction_queue import queue_facts
from memories.capture.pipeline import reconsidered, store
from memories.capture.quarantine import (
    ECHO,
    Outcome,
    OutcomeKind,
    Refusal,
    Shown,
    bound_by,
    is_echo,
    is_shorter,
    plain_fields,
    quarantine,
    refuse,
)
from memories.capture.related_memories import RelatedMemories, find_related
from memories.language.extract.labels import read_category
from memories.language.messages import strip_fenced
from memories.language.secrets import clean, is_visible, redact
from memories.ledger.energy import note_energy
from memories.models import Injection, Source
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import Provider
from memories.store import Candidate, Writer
from memsite.tenancy.policy import OPERATIONAL_CATEGORIES
from sessions.checkpoints import DifferentCheckpoint, next_turn_number, number_after, store_turn
from sessions.markers import SERVICE, marker_lines, trim_debris
from sessions.models import AgentSession, Resource, Role, Turn
from sessions.recording import Said, in_public, note_activity, record_events, record_said, source_key
from sessions.stream import StreamReader
from sessions.stream_events import AssistantText, BadLine, Item, Result, SessionInit, ToolResult, ToolUse, UserText

MAX_MARKERS = 200
"""Per text. An agent learns a handful of things in one answer; more than this is a loop."""
_HEADER_RE = re.compile(r"\[MEMORY:([^:\[\]]*)(?::([^\[\]]*))?\](.*)")
_SERVICE_RE = re.compile(SERVICE)
_PLACEHOLDER_RE = re.compile(r"<[^<>]*>|\.{3}|…")
_MAX_CATEGORY_CHARS = 40
_MAX_SERVICE_CHARS = 200
_BROADEST = ("general", "behavior")
_JUDGED_CHARS = 500
"""So much of a text decides which category is the nearest."""
MAX_ERRORS = 1000
OnTurn = Callable[[Turn], object]


@dataclass(slots=True)
class ParsedMessage:
    """One text with what its markers say, before anything is stored."""

    message: Said
    candidates: list[Candidate] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    all_related: list[RelatedMemories] = field(default_factory=list)


@dataclass(slots=True)
class Captured:
    """What became of several texts; `queued` of them wait for their facts to be found."""

    resources: list[Resource] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    events: int = 0
    queued: int = 0

    def count(self, *kinds: OutcomeKind) -> int:
        return sum(outcome.kind in kinds for outcome in self.outcomes)

    def counts(self) -> dict[str, int]:
        """Return counts by outcome; `contradicted` counts the memories that lost confidence."""
        return {
            "created": self.count(OutcomeKind.CREATED, OutcomeKind.CONTRADICTED),
            "reinforced": self.count(OutcomeKind.REINFORCED),
            "contradicted": sum(len(outcome.against) for outcome in self.outcomes),
            "echoed": self.count(OutcomeKind.ECHOED),
            "rejected": self.count(OutcomeKind.REJECTED),
            "events": self.events,
        }


def ingest_messages(
    session: AgentSession,
    messages: Sequence[Said],
    embedder: Embedder,
    actor: str,
    now: datetime,
    on_stored: Callable[[Captured], None] | None = None,
    provider: Provider | None = None,
    *,
    is_live: bool = True,
) -> Captured:
    """Read and embed first, then store everything in one transaction; text sent before changes nothing.

    In a full app rules make room for what the markers say; the provider, if it is a model, may choose otherwise behind
    it. Where `is_live`, the texts are a sign of life. Raises SessionGone and SaidOtherwise.
    """
    injected = Injection.objects.for_app(session.app).into(session)
    lines = injected.lines()
    sources = injected.statements() if lines and any("[MEMORY" in item.text for item in messages) else []
    messages = [in_public(item, redacts=session.app.policy.redact_raw) for item in messages]
    parsed = [parse_markers(session, item, lines, sources) for item in messages]
    embed_candidates([candidate for message in parsed for candidate in message.candidates], embedder)
    for message in parsed:
        message.all_related = find_related(session.app, message.candidates, embedder)
    captured = Captured()
    with reconsidered(session.app, actor, now, provider) as write:
        if is_live:
            note_activity(session, now)
        resources = record_said(session, messages, now)
        for message, resource in zip(parsed, resources, strict=True):
            if resource:
                keep(write, captured, message, resource, embedder)
        if captured.outcomes:
            note_energy(write.app, "write", now, len(captured.outcomes))
        if write.policy.capture_facts:
            captured.queued = queue_facts(session, captured.resources, now)
        if on_stored:
            on_stored(captured)
    return captured


def keep(write: Writer, captured: Captured, parsed: ParsedMessage, resource: Resource, embedder: Embedder) -> None:
    captured.resources.append(resource)
    if resource.role == Role.ASSISTANT and resource.session:
        captured.events += record_events(resource.session, resource, write.now)
    for refusal in parsed.refusals:
        captured.outcomes.append(refuse(write, refusal, resource))
    for candidate, related in zip(parsed.candidates, parsed.all_related, strict=True):
        candidate.resource = resource
        captured.outcomes.append(store(write, candidate, related, embedder))


def parse_markers(
    session: AgentSession, message: Said, lines: Sequence[str], sources: Sequence[Shown] = ()
) -> ParsedMessage:
    """Return the candidates in an assistant's text, as far as the app captures markers."""
    parsed = ParsedMessage(message)
    policy = session.app.policy
    if message.role != Role.ASSISTANT or not policy.capture_markers:
        return parsed
    scan = find_memories(strip_fenced(message.text), policy.marker_categories)
    parsed.refusals += [refusal_of(session, marker, message) for marker in scan.refused]
    if scan.unread_count:
        parsed.refusals.append(Refusal("", f"{scan.unread_count} markers more than a text may have"))
    for marker in scan.memories:
        if is_echo(marker.text, lines) or any(is_shorter(marker.text, content) for content, _ in sources):
            parsed.refusals.append(Refusal(marker.category, ECHO, marker.text))
        elif len(marker.text) > policy.max_characters:
            reason = f"longer than {policy.max_characters} characters"
            parsed.refusals.append(Refusal(marker.category, reason, clean(marker.text)))
        else:
            candidate = candidate_of(session, marker, message)
            candidate.confidence = bound_by(marker.text, policy.start_confidence, sources)
            refusal = quarantine(candidate, policy)
            if refusal:
                parsed.refusals.append(refusal)
            else:
                parsed.candidates.append(candidate)
    return parsed


def refusal_of(session: AgentSession, marker: RefusedMarker, message: Said) -> Refusal:
    """Return a refusal with the memory that an operator may store after all, under the nearest category."""
    meant = MemoryMarker(marker.nearest or marker.category, marker.subject, marker.text)
    candidate = candidate_of(session, meant, message)
    fields = plain_fields(candidate) if candidate.content else {}
    return Refusal(marker.category, marker.reason, candidate.content, candidate=fields)


def candidate_of(session: AgentSession, marker: MemoryMarker, message: Said) -> Candidate:
    return Candidate(
        content=marker.text,
        category=marker.category,
        subject=marker.subject,
        tier=session.tier,
        user_id=session.user_id,
        source=Source.MARKER,
        agent=session.agent,
        session=session,
        turn_number=message.turn_number,
    )


@dataclass(frozen=True, slots=True)
class MemoryMarker:
    category: str
    subject: str | None
    """The service; None for a general memory."""
    text: str


@dataclass(frozen=True, slots=True)
class RefusedMarker:
    category: str
    """As written, cut to 40 characters; "" when the marker has none."""
    reason: str
    text: str = ""
    subject: str | None = None
    nearest: str = ""
    """The allowed category that it most likely means; "" when nothing points to one."""


@dataclass(frozen=True, slots=True)
class MarkerScan:
    memories: list[MemoryMarker]
    refused: list[RefusedMarker]
    unread_count: int = 0
    """Markers after the first MAX_MARKERS, which nobody looked at."""


def find_memories(text: str, categories: Collection[str] = OPERATIONAL_CATEGORIES) -> MarkerScan:
    """Return the memory markers of `text` in order, as far as its app allows their `categories`.

    A marker's text ends with its line or where the next marker, memory or event, begins.
    """
    memories: list[MemoryMarker] = []
    refused: list[RefusedMarker] = []
    unread_count = 0
    for head, emphasis in marker_lines(text):
        if not head.startswith("[MEMORY"):
            continue
        if len(memories) + len(refused) == MAX_MARKERS:
            unread_count += 1
            continue
        marker = _read_marker(head, emphasis, categories)
        if isinstance(marker, MemoryMarker):
            memories.append(marker)
        else:
            refused.append(marker)
    return MarkerScan(memories, refused, unread_count)


def _read_marker(head: str, emphasis: str, categories: Collection[str]) -> MemoryMarker | RefusedMarker:
    """Return the marker of a line. The case of a category and the blanks around it and its service do not matter."""
    header = _HEADER_RE.match(head)
    if header is None:
        return RefusedMarker("", "malformed marker", trim_debris(head.removeprefix("[MEMORY")[1:], emphasis))
    written, service, rest = header.groups()
    category, statement = written.strip().lower(), trim_debris(rest, emphasis)
    subject = None if service is None else service.strip()[:_MAX_SERVICE_CHARS] or None
    excerpt = written.strip()[:_MAX_CATEGORY_CHARS]
    if not category:
        return _refuse(excerpt, "no category", statement, subject, categories)
    if category not in categories:
        return _refuse(excerpt, "unknown category", statement, subject, categories)
    if service is not None and not _SERVICE_RE.fullmatch(service.strip()):
        return RefusedMarker(category, "service is not a name", statement, subject, category)
    if not is_visible(statement):
        return RefusedMarker(category, "no text")
    if _PLACEHOLDER_RE.fullmatch(statement):
        return RefusedMarker(category, "placeholder instead of text", statement, subject, category)
    return MemoryMarker(category, service and service.strip(), statement)


def _refuse(
    category: str, reason: str, statement: str, subject: str | None, categories: Collection[str]
) -> RefusedMarker:
    """Refuse a marker for its category, and name the nearest one that the app allows.

    It is the one that is spelled alike, or else the one to which the words point, or else the broadest; "" for none.
    """
    if alike := get_close_matches(category.lower(), categories, n=1):
        nearest = alike[0]
    else:
        meant = read_category(f"{category} {statement[:_JUDGED_CHARS]}", "", tuple(categories)) if categories else ""
        nearest = next((name for name in (meant, *_BROADEST) if name in categories), "")
    return RefusedMarker(category, f"{reason}; nearest: {nearest}" if nearest else reason, statement, subject, nearest)


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

    def as_dict(self) -> dict[str, Any]:
        return {
            "lines": self.lines,
            **self.counts,
            "turns": self.turns,
            "errors": self.errors,
            "error_count": self.error_count,
        }


Capture = Callable[[list[Said]], Captured]


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
        """Read to the end. A broken-off stream loses nothing that came before the break. Raises NoTurnLeft."""
        try:
            for chunk in chunks:
                self.take(self.reader.feed(chunk))
        finally:
            self.take(self.reader.close())
            self.finish_exchange()
            self.report.lines = self.reader.line_count
        return self.report

    def take(self, items: Iterator[Item]) -> None:
        """Store the items turn by turn: a result line ends one."""
        messages: list[Said] = []
        for item in items:
            messages += self.hear(item)
            if isinstance(item, Result):
                self.store(messages)
                self.finish_exchange()
                messages = []
        self.store(messages)

    def hear(self, item: Item) -> list[Said]:
        """Collect what belongs to the turn; return the text to be kept. Sub-agents are not the agent."""
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
            self.exchange.state |= {
                "result": item.subtype,
                "is_error": item.is_error,
                "num_turns": item.num_turns,
                "total_cost_usd": item.total_cost_usd,
                "usage": dict(item.usage),
            }
        elif getattr(item, "parent_tool_use_id", None) is None:
            if isinstance(item, ToolUse):
                self.exchange.tools[item.id] = {"id": item.id, "name": item.name, "input": dict(item.input)}
            elif isinstance(item, ToolResult):
                call = self.exchange.tools.setdefault(item.tool_use_id, {"id": item.tool_use_id})
                call |= {"result": item.content_text, "is_error": item.is_error}
            elif isinstance(item, AssistantText):
                self.exchange.assistant.append(item.text)
                return [self.message_of(Role.ASSISTANT, item, item.message_id, item.uuid)]
            elif isinstance(item, UserText) and not item.is_synthetic:
                self.exchange.user.append(item.text)
                return [self.message_of(Role.USER, item, item.uuid)]
            return []
        return []

    def message_of(self, role: str, item: AssistantText | UserText, *ids: str | None) -> Said:
        self.exchange.number = self.exchange.number or next_turn_number(self.session)
        by_place = self.name and f"{self.name}:{item.line_number}"
        return Said(role, item.text, source_key(*ids, by_place, text=item.text), turn_number=self.exchange.number)

    def store(self, messages: list[Said]) -> None:
        if not messages:
            return
        captured = self.capture(messages)
        self.exchange.is_new |= bool(captured.resources)
        for name, count in captured.counts().items():
            self.report.counts[name] = self.report.counts.get(name, 0) + count

    def finish_exchange(self) -> None:
        """Keep the turn, unless all of it was sent before.

        It gets the next free number if someone else stored a turn meanwhile.
        """
        if self.exchange.is_new:
            number, now = self.exchange.number, timezone.now()
            while True:
                try:
                    turn, _ = store_turn(self.session, number, self.exchange.checkpoint(), now)
                except DifferentCheckpoint:
                    number = number_after(number)
                else:
                    self.report.turns.append(number)
                    self.on_turn(turn)
                    break
        self.exchange = Exchange()

    def note_error(self, bad: BadLine) -> None:
        self.report.error_count += 1
        if len(self.report.errors) < MAX_ERRORS:
            self.report.errors.append({"line": bad.line_number, "reason": bad.reason})

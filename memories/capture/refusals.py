"""What does not become a memory, and why: kept where an operator can look at it and overrule it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import structlog

from memories.capture.outcome import Outcome, OutcomeKind
from memories.models import WAITING, Decision, Memory, Rejection, RejectionKind
from memories.store import Candidate, Writer
from sessions.models import Resource

log = structlog.get_logger("memories.capture")
ECHO = "repeats what was injected into this session"


@dataclass(slots=True)
class Refusal:
    """`candidate` holds the fields of the memory that it would have become, or those that would change of `edits`."""

    category: str
    reason: str
    content: str = ""
    kind: str = RejectionKind.MARKER
    scores: dict[str, float] = field(default_factory=dict)
    candidate: dict[str, Any] = field(default_factory=dict)
    edits: Memory | None = None


PLAIN = (
    "content", "kind", "category", "subject", "tags", "importance", "strength", "sentiment", "confidence", "made_by",
    "entities", "source", "origin", "pinned", "tier", "user_id", "visibility", "external_id", "metadata", "valid_from",
    "valid_until",
)  # fmt: skip


def plain_fields(candidate: Candidate) -> dict[str, Any]:
    """What it would have become, as JSON."""
    values = {name: getattr(candidate, name) for name in PLAIN}
    return {**values, **{name: at.isoformat() for name in ("valid_from", "valid_until") if (at := values[name])}}


def refuse(
    write: Writer, refusal: Refusal, resource: Resource | None = None, candidate: Candidate | None = None
) -> Outcome:
    """An echo is only counted; everything else is kept, with where it comes from. What waits for a person, waits once.

    `candidate` stands for what comes from no text.
    """
    if refusal.reason == ECHO:
        return Outcome(OutcomeKind.ECHOED, reason=ECHO)
    # A marker's category is one of a few words, or a slip of the agent's; a fact's may be what the user spoke of.
    named = {"category": refusal.category} if refusal.kind == RejectionKind.MARKER else {}
    log.warning("refused", kind=refusal.kind, **named)
    row = waiting_already(write, refusal) or Rejection.objects.create(
        app=write.app,
        kind=refusal.kind,
        **place_of(resource, candidate),
        edits=refusal.edits,
        category=refusal.category,
        content=refusal.content,
        reason=refusal.reason,
        scores=refusal.scores or None,
        candidate=refusal.candidate or None,
        created_at=write.now,
    )
    return Outcome(OutcomeKind.REJECTED, reason=refusal.reason, rejection=row)


def place_of(resource: Resource | None, candidate: Candidate | None) -> dict[str, Any]:
    """Who said it, and where."""
    if resource:
        session = resource.session
        agent = session.agent if session else None
        return {"session": session, "agent": agent, "resource": resource, "turn_number": resource.turn_number}
    if candidate:
        names = ("session", "agent", "resource", "turn_number")
        return {name: getattr(candidate, name) for name in names}
    return {}


def waiting_already(write: Writer, refusal: Refusal) -> Rejection | None:
    if refusal.kind not in WAITING:
        return None
    rows = Rejection.objects.for_app(write.app).filter(kind=refusal.kind, decision=Decision.OPEN, edits=refusal.edits)
    return next((row for row in rows.filter(content=refusal.content) if row.candidate == refusal.candidate), None)

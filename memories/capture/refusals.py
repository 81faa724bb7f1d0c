"""What does not become a memory, and why: kept where an operator can look at it and overrule it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import structlog

from memories.capture.outcome import Outcome, OutcomeKind
from memories.models import Rejection, RejectionKind
from memories.store import Candidate, Writer
from sessions.models import Resource

log = structlog.get_logger("memories.capture")
ECHO = "repeats what was injected into this session"


@dataclass(slots=True)
class Refusal:
    """`candidate` holds the fields of the memory that it would have become."""

    category: str
    reason: str
    content: str = ""
    kind: str = RejectionKind.MARKER
    scores: dict[str, float] = field(default_factory=dict)
    candidate: dict[str, Any] = field(default_factory=dict)


def plain_fields(candidate: Candidate) -> dict[str, Any]:
    """What it would have become, as JSON."""
    names = ("content", "kind", "category", "subject", "tags", "importance", "strength", "sentiment", "confidence")
    more = ("made_by", "entities")
    return {name: getattr(candidate, name) for name in (*names, *more)}


def refuse(write: Writer, refusal: Refusal, resource: Resource) -> Outcome:
    """An echo is only counted; everything else is kept."""
    if refusal.reason == ECHO:
        return Outcome(OutcomeKind.ECHOED, reason=ECHO)
    # A marker's category is one of a few words, or a slip of the agent's; a fact's may be what the user spoke of.
    named = {"category": refusal.category} if refusal.kind == RejectionKind.MARKER else {}
    log.warning("refused", kind=refusal.kind, **named)
    Rejection.objects.create(
        app=write.app,
        kind=refusal.kind,
        session=resource.session,
        resource=resource,
        turn_number=resource.turn_number,
        category=refusal.category,
        content=refusal.content,
        reason=refusal.reason,
        scores=refusal.scores or None,
        candidate=refusal.candidate or None,
        created_at=write.now,
    )
    return Outcome(OutcomeKind.REJECTED, reason=refusal.reason)

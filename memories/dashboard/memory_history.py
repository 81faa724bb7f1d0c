"""The history of one memory: who said it, what became of it, where it was recalled, what it is linked to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models.functions import Substr

from memories.dashboard.plots import Plot, Series
from memories.language.similarity import find_said
from memories.models import Injection, Link, LinkKind, Memory, Revision, Status
from memories.services.memories import UNSAYABLE
from memories.store.revisions import LEARNING, confidence_at, decays_from, parse, snapshot
from memories.store.writer import NOTED
from memsite.tenancy.models import App
from sessions.models import AgentSession, Resource

CUT = "…"
MOST_REVISIONS, MOST_TOLD, MOST_LINKS = 1_000, 30, 100
REACH, BESIDE = 700, 600
"""Characters that are shown around what was said, and of what was said before and after."""
WEEK = timedelta(days=7)
MOST_WEEKS = 52
# Numbers behind the confidence that is shown, and what only computers read.
NOT_SHOWN = {"confidence_base", "anchored_at", "confirmed_at", "entities"}
LINKED: dict[tuple[str, bool], str] = {
    (LinkKind.RELATED, True): "is related to",
    (LinkKind.RELATED, False): "is related to",
    (LinkKind.SUPERSEDES, True): "stands for",
    (LinkKind.SUPERSEDES, False): "is superseded by",
    (LinkKind.CONTRADICTS, True): "contradicts",
    (LinkKind.CONTRADICTS, False): "is contradicted by",
    (LinkKind.ELABORATES, True): "elaborates",
    (LinkKind.ELABORATES, False): "is elaborated by",
    (LinkKind.DERIVED, True): "was written from",
    (LinkKind.DERIVED, False): "helped to write",
}
"""What a link says, read from its beginning (True) or from its end."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text. `memory` is the one it states, None where it states none of those looked for."""

    text: str
    memory: Memory | None = None


def quoted(text: str, memories: Sequence[Memory], reach: int | None = None) -> list[Piece]:
    """Return the text in pieces; with a `reach`, only so many characters before the first mark and after the last."""
    spans = sorted((span, memory.pk, memory) for memory in memories if (span := find_said(text, memory.text)))
    pieces, here = list[Piece](), 0
    for (start, end), _, memory in spans:
        # One sentence may say two things: the first one has it.
        if start >= here:
            pieces += [Piece(text[here:start]), Piece(text[start:end], memory)]
            here = end
    pieces.append(Piece(text[here:]))
    first, last = pieces[0].text, pieces[-1].text
    if reach and len(pieces) > 1 and len(first) > reach:
        pieces[0] = Piece(CUT + first[-reach:])
    if reach and len(last) > reach:
        pieces[-1] = Piece(last[:reach] + CUT)
    return [piece for piece in pieces if piece.text]


@dataclass(frozen=True, slots=True)
class Said:
    """A text of the turn. `is_source`: the memory was found in this one."""

    resource: Resource
    pieces: Sequence[Piece]
    is_source: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A revision for readers. `session` is where it was learnt; `noted`: time or use caused it, no decision."""

    revision: Revision
    fields: Sequence[tuple[str, Any, Any]]
    actor: str
    session: AgentSession | None
    noted: bool


@dataclass(frozen=True, slots=True)
class Linked:
    """A link seen from the memory: `says` is its relation to the other. `can_go`: it may be removed."""

    link: Link
    says: str
    other: Memory
    can_go: bool


def said_around(app: App, memory: Memory) -> list[Said]:
    """Return the text it was found in, with the text before and the text after.

    Three queries; none for a memory without a source text.
    """
    if memory.resource is None:
        return []
    source = Said(memory.resource, quoted(memory.resource.raw_content, [memory], REACH), is_source=True)
    beside = Resource.objects.for_app(app).filter(session=memory.resource.session_id, session__isnull=False)
    beside = beside.annotate(start=Substr("raw_content", 1, BESIDE + 1)).defer("raw_content")
    before = list(beside.filter(pk__lt=memory.resource.pk).order_by("-pk")[:1])
    after = list(beside.filter(pk__gt=memory.resource.pk).order_by("pk")[:1])
    return [*map(glimpse, before), source, *map(glimpse, after)]


def glimpse(resource: Any) -> Said:
    text = resource.start if len(resource.start) <= BESIDE else resource.start[:BESIDE] + CUT
    return Said(resource, [Piece(text)], is_source=False)


def changes_of(app: App, memory: Memory) -> list[Change]:
    """Return its changes, the latest first, at most 1,000. Two queries."""
    rows = list(Revision.objects.for_app(app).filter(memory=memory).order_by("-number")[:MOST_REVISIONS])
    uids = {uid for row in rows if (uid := learnt_at(row.actor))}
    sessions = (
        {row.uid: row for row in AgentSession.objects.for_app(app).filter(uid__in=uids).select_related("agent")}
        if uids
        else {}
    )
    changes = []
    for row in rows:
        uid = learnt_at(row.actor)
        fields = [
            ("service" if name == "subject" else name, readable(row.before.get(name)), readable(value))
            for name, value in (row.after.items() if row.before else ())
            if name not in NOT_SHOWN
        ]
        actor, session = ("learning", sessions.get(uid)) if uid else (row.actor, None)
        changes.append(Change(row, fields, actor, session, row.action in NOTED))
    return changes


def readable(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if value and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return "–" if value in (None, "", [], {}) else value


def learnt_at(actor: str) -> UUID | None:
    """Return the session from which a worker learnt when it made a change."""
    name, _, uid = actor.rpartition(":")
    return UUID(uid) if name == LEARNING else None


def timeline(app: App, memory: Memory, changes: Sequence[Change], now: datetime) -> Plot:
    """Return its confidence at every change, each week of decay between them, and now."""
    moments: dict[datetime, float] = {}
    # What the oldest changes said, where there are more than are read.
    state = snapshot(memory)
    oldest_first = changes[::-1]
    ends = [*(change.revision.created_at for change in oldest_first[1:]), now]
    for change, end in zip(oldest_first, ends, strict=True):
        state |= change.revision.after
        past = Memory(**{name: parse(name, value) for name, value in state.items() if name != "content"})
        start = change.revision.created_at
        moments[start] = past.confidence
        decays = max(start, min(decays_from(past), end) + timedelta(days=app.policy.stale_after_days))
        for week in range(1, MOST_WEEKS + 1):
            moment = decays + week * WEEK
            if moment >= end:
                break
            moments[moment] = confidence_at(past, moment, app.policy)
        moments[max(end, start)] = confidence_at(past, end, app.policy)
    moments = dict(sorted(moments.items()))
    series = [
        Series("confidence", list(moments.values()), "steps"),
        Series("inactive below", [app.policy.inactive_below] * len(moments), "dashed"),
    ]
    return Plot("timeline", "Confidence over time", "When", list(moments), series, unit="level")


def links_of(app: App, memory: Memory) -> list[Linked]:
    """Return its links. One query."""
    rows = Link.objects.for_app(app).filter(from_memory=memory) | Link.objects.for_app(app).filter(to_memory=memory)
    rows = rows.select_related("from_memory__cold_text", "to_memory__cold_text").order_by("-id")[:MOST_LINKS]
    links = []
    for link in rows:
        is_out = link.from_memory_id == memory.pk
        other = link.to_memory if is_out else link.from_memory
        links.append(Linked(link, LINKED[link.kind, is_out], other, link.kind in UNSAYABLE))
    return links


def is_at_odds(memory: Memory, links: Sequence[Linked], now: datetime) -> bool:
    """Return whether it contradicts a memory that agents are shown, too."""
    others = [linked.other for linked in links if linked.link.kind == LinkKind.CONTRADICTS]
    return holds(memory, now) and any(holds(other, now) for other in others)


def holds(memory: Memory, now: datetime) -> bool:
    begun = memory.valid_from is None or memory.valid_from <= now
    return memory.status == Status.ACTIVE and begun and (memory.valid_until is None or memory.valid_until > now)


def injections_of(app: App, memory: Memory) -> list[Injection]:
    """Return the last times that it was shown to an agent. One query."""
    rows = Injection.objects.for_app(app).filter(memory=memory).select_related("session__agent")
    return list(rows.order_by("-pk")[:MOST_TOLD])

"""Stores what was said: resources once, and the events that the agent reported."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memories.text.clean import clean
from memories.text.fence import strip_fenced
from memories.text.secrets import strip_private
from sessions.markers import find_events
from sessions.models import AgentSession, Event, Resource


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of text to keep. `source_key` None: it cannot be recognised when it is sent again."""

    role: str
    text: str
    source_key: str | None = None
    content_at: datetime | None = None
    turn_number: int | None = None


def source_key(*names: str | None, text: str) -> str | None:
    """A key for a text from the first name it has; None if it has none."""
    name = next(filter(None, names), None)
    return f"{name[:120]}:{hashlib.sha256(text.encode()).hexdigest()[:24]}" if name else None


def record_said(session: AgentSession, said: Sequence[Said], now: datetime) -> list[Resource | None]:
    """A resource for each text that is new, None for what is blank or was stored before. Call it in a transaction.

    The texts are what may be kept: see `in_public`.
    """
    keys = {item.source_key for item in said if item.source_key}
    resources = Resource.objects.for_app(session.app).filter(session=session)
    known = set(resources.filter(source_key__in=keys).values_list("source_key", flat=True)) if keys else set()
    rows: list[Resource | None] = []
    for item in said:
        is_new = bool(item.text.strip()) and item.source_key not in known
        rows.append(resource_of(session, item, now) if is_new else None)
        known |= {item.source_key} - {None}
    Resource.objects.bulk_create(row for row in rows if row)
    return rows


def in_public(said: Said) -> Said:
    """Without what was said between `<private>` tags: that is never stored."""
    return replace(said, text=strip_private(said.text)) if "<" in said.text else said


def resource_of(session: AgentSession, said: Said, now: datetime) -> Resource:
    return Resource(
        app_id=session.app_id,
        session=session,
        turn_number=said.turn_number,
        role=said.role,
        raw_content=said.text,
        content_at=said.content_at or now,
        source_key=said.source_key,
        created_at=now,
    )


def record_events(session: AgentSession, resource: Resource, now: datetime) -> int:
    """Stores the `[EVENT:…]` markers of an assistant's text; answers how many."""
    events = [
        Event(
            app_id=session.app_id,
            session=session,
            turn_number=resource.turn_number,
            level=marker.level,
            service=marker.service,
            message=clean(marker.message),
            created_at=now,
        )
        for marker in find_events(strip_fenced(resource.raw_content))
    ]
    Event.objects.bulk_create(events)
    return len(events)

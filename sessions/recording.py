"""Store what was said (resources once, and the events an agent reported), and note that a session is alive."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Case, F, Q, Value, When

from memories.language.messages import strip_fenced
from memories.language.secrets import clean, is_visible, redact, strip_private, without_secrets
from memsite.db.expressions import hex_bounds
from memsite.timestamps import own_offset
from sessions.markers import find_events
from sessions.models import SPEAKER_LENGTH, AgentSession, Event, Resource, SessionStatus, role_named

MOST_IN_NAME, HASH_DIGITS = 120, 24
CRASHED = "crashed"
"""The reason of an end that nobody asked for: no sign of life for too long."""


class SaidOtherwise(Exception):
    """Something else is stored under the name that a text's sender has given it."""


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of text to keep. `source_key` None: it cannot be recognised when it is sent again.

    `content_at` is by the clock where it was said, as far as that is known. `speaker` is the name of who says it, where
    that is not the session's user or agent. `is_only`: no other text of the session may have the name that its key was
    made of.
    """

    role: str
    text: str
    source_key: str | None = None
    content_at: datetime | None = None
    turn_number: int | None = None
    is_only: bool = False
    speaker: str = ""


def source_key(*names: str | None, text: str) -> str | None:
    """Return a key for a text from the first name it has; None if it has none."""
    name = next(filter(None, names), None)
    if name and len(name) > MOST_IN_NAME:
        # Its beginning, and what tells it from others that begin so.
        digits = hashlib.sha256(name.encode()).hexdigest()[:HASH_DIGITS]
        name = f"{name[: MOST_IN_NAME - HASH_DIGITS]}{digits}"
    return keyed(name, text) if name else None


def keyed(name: str, text: str) -> str:
    return f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:HASH_DIGITS]}"


def name_in(key: str | None) -> str:
    return (key or "")[: -HASH_DIGITS - 1]


def record_said(session: AgentSession, messages: Sequence[Said], now: datetime) -> list[Resource | None]:
    """Return a resource for each new text, None for what is blank or known. Call it in a transaction.

    The texts are what may be kept: see `in_public`. Raises SaidOtherwise, and nothing is to be kept.
    """
    stored = stored_of(session, messages)
    known = {key for key, _ in stored}
    by_name: dict[str, set[tuple[str | None, str]]] = {}
    for key, role in stored:
        by_name.setdefault(name_in(key), set()).add((key, role))
    rows: list[Resource | None] = []
    for item in messages:
        own = (item.source_key, item.role)
        if item.is_only and own not in by_name.setdefault(name_in(item.source_key), {own}):
            raise SaidOtherwise(f"{name_in(item.source_key)!r} is stored already, with other content or another role.")
        is_new = is_visible(item.text) and item.source_key not in known
        rows.append(resource_of(session, item, now) if is_new else None)
        known |= {item.source_key} - {None}
    Resource.objects.bulk_create(row for row in rows if row)
    return rows


def stored_of(session: AgentSession, messages: Sequence[Said]) -> list[tuple[str | None, str]]:
    """Return key and role of those that are stored, and of what else is under a name that is one's only.

    One query, none where nothing has a key.
    """
    keys = {item.source_key for item in messages if item.source_key}
    condition = Q(session=session, source_key__in=keys)
    for name in {name_in(item.source_key) for item in messages if item.is_only}:
        # With the session in each of them, SQLite asks its index for each.
        condition |= Q(session=session, source_key__range=hex_bounds(f"{name}:", HASH_DIGITS))
    rows = Resource.objects.for_app(session.app).filter(condition).order_by()
    return list(rows.values_list("source_key", "role")) if keys else []


def names_stored(session: AgentSession, messages: Sequence[Said]) -> set[str]:
    """Return under which of the names of these messages' keys there is a text. One query."""
    condition = Q()
    for message in messages:
        name = f"{name_in(message.source_key)}:"
        condition |= Q(session=session, source_key__range=hex_bounds(name, HASH_DIGITS))
    rows = Resource.objects.for_app(session.app).filter(condition).order_by()
    return {name_in(key) for key in rows.values_list("source_key", flat=True)}


def stored_before(session: AgentSession, messages: Sequence[Said], new: Sequence[Resource]) -> list[UUID]:
    """Return the ids of those that were stored before the new ones. One query, if there are any."""
    public = (in_public(item, redacts=session.app.policy.redact_raw) for item in messages)
    keys = {item.source_key for item in public} - {None} - {resource.source_key for resource in new}
    rows = Resource.objects.for_app(session.app).filter(session=session, source_key__in=keys).order_by("pk")
    return list(rows.values_list("uid", flat=True)) if keys else []


def in_public(message: Said, *, redacts: bool) -> Said:
    """Drop what was said between `<private>` tags, and secrets where the app `redacts`.

    Nothing is made of those: two texts that differ in a secret only are one, or else whoever knows the rest could guess
    it by the key of the text.
    """
    if not redacts:
        return replace(message, text=strip_private(message.text)) if "<" in message.text else message
    public = without_secrets(message.text)
    if public == message.text:
        return message
    masked, key = redact(message.text).text, message.source_key
    is_named = key and masked != message.text
    return replace(message, text=public, source_key=keyed(name_in(key), masked) if is_named else key)


def resource_of(session: AgentSession, message: Said, now: datetime) -> Resource:
    speaker = " ".join(clean(message.speaker).split())[:SPEAKER_LENGTH].strip()
    is_own = speaker.casefold() == (session.user_id or "").casefold()
    return Resource(
        app_id=session.app_id,
        session=session,
        turn_number=message.turn_number,
        role=message.role,
        raw_content=message.text,
        content_at=message.content_at or now,
        utc_offset=own_offset(message.content_at),
        # "" where it is the session's own end user, or names a role and nobody.
        speaker="" if is_own or role_named(speaker) or not is_visible(speaker) else speaker,
        source_key=message.source_key,
        created_at=now,
    )


def record_events(session: AgentSession, resource: Resource, now: datetime) -> int:
    """Store the `[EVENT:…]` markers of an assistant's text; answers how many."""
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


class SessionGone(ObjectDoesNotExist):
    """The session was purged in the meantime: nothing of what it sends is kept."""


def note_activity(session: AgentSession, now: datetime) -> None:
    """Note that the session lives; it is awake again, if it was taken for crashed. One statement.

    Call it first in the transaction that stores what the session sent. Raises SessionGone.
    """
    crashed = Q(status=SessionStatus.ENDED, end_reason=CRASHED)
    is_known = (
        AgentSession.objects.for_app(session.app)
        .filter(pk=session.pk)
        .update(
            heartbeat_at=now,
            status=Case(When(crashed, then=Value(SessionStatus.ACTIVE)), default=F("status")),
            ended_at=Case(When(crashed, then=None), default=F("ended_at")),
            end_reason=Case(When(crashed, then=Value("")), default=F("end_reason")),
        )
    )
    if not is_known:
        raise SessionGone


def end_silent(session: AgentSession, since: datetime, now: datetime) -> bool:
    """End the session as crashed, unless it has ended or shown a sign of life `since` then; whether it did."""
    rows = AgentSession.objects.for_app(session.app).active().silent(since).filter(pk=session.pk)
    return bool(rows.update(status=SessionStatus.ENDED, ended_at=now, end_reason=CRASHED))

"""Signs of life: they keep a session awake, and wake up one that was taken for crashed."""

from __future__ import annotations

from datetime import datetime

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Case, F, Q, Value, When

from sessions.models import AgentSession, SessionStatus

CRASHED = "crashed"
"""The reason of an end that nobody asked for: no sign of life for too long."""


class SessionGone(ObjectDoesNotExist):
    """The session was purged in the meantime: nothing of what it sends is kept."""


def note_life(session: AgentSession, now: datetime) -> None:
    """Notes that the session lives; it is awake again, if it was taken for crashed. One statement.

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
    """Ends the session as crashed, unless it has ended or shown a sign of life `since` then; whether it did."""
    rows = AgentSession.objects.for_app(session.app).active().silent(since).filter(pk=session.pk)
    return bool(rows.update(status=SessionStatus.ENDED, ended_at=now, end_reason=CRASHED))

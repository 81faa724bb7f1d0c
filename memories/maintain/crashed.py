"""Sessions that fell silent are ended as their agents would have ended them: nothing that was said is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from traceback import format_tb

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef

from memories.maintain.run import Run
from memories.models import Injection
from memsite.config.conf import get_conf
from memsite.tenancy.models import App
from sessions.models import AgentSession, Event, Level
from sessions.recording import end_silent

log = structlog.get_logger("memories.maintain")
BATCH = 100
Handle = Callable[[AgentSession], object]


def flush_crashed(app: App, now: datetime, run: Run, catch_up: Handle, wind_up: Handle) -> None:
    """Ends each session without a sign of life for `MEMSITE_CRASHED_AFTER_MINUTES`, one to a transaction.

    `catch_up` reads what was stored and not read before the crash: outside of the transaction, for it may be slow.
    `wind_up` is the rest of what an end brings with it. Counts `sessions`, and `unread` where catching up failed.
    """
    since = silent_since(now)
    for session in silent_sessions(app, since, after=run.cursor.get("session", 0)):
        caught_up = attempt(catch_up, session)
        with transaction.atomic():
            if not end_silent(session, since, now):
                continue
            wind_up(session)
            tell(session, now)
            run.done({"sessions": 1, "unread": int(not caught_up)}, session=session.pk)


def silent_since(now: datetime) -> datetime:
    """Who gave no sign of life since then is taken for crashed."""
    return now - timedelta(minutes=get_conf().crashed_after_minutes)


def silent_sessions(app: App, since: datetime, after: int) -> Iterator[AgentSession]:
    shown = Injection.objects.for_app(app).filter(session=OuterRef("pk"), created_at__gte=since)
    rows = AgentSession.objects.for_app(app).active().silent(since).exclude(Exists(shown)).order_by("pk")
    while batch := list(rows.filter(pk__gt=after).select_related("agent")[:BATCH]):
        for session in batch:
            session.app = app
            yield session
        after = batch[-1].pk


def attempt(catch_up: Handle, session: AgentSession) -> bool:
    """One session that makes trouble keeps no other from its end."""
    try:
        catch_up(session)
    except Exception as error:
        # Where, and not what: an error may quote what was said.
        kind = type(error).__name__
        log.error("not_caught_up", session=str(session.uid), error=kind, at=format_tb(error.__traceback__))
        return False
    return True


def tell(session: AgentSession, now: datetime) -> None:
    """In the feed of events."""
    minutes = get_conf().crashed_after_minutes
    message = f"No sign of life for {minutes} minutes: the session is taken for crashed and has been ended."
    Event.objects.create(app=session.app, session=session, level=Level.WARNING, message=message, created_at=now)

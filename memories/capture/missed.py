"""Nightly: texts that should be learnt from and are not queued for it are."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from django.db import transaction

from memories.capture.work import SPOKEN, queue_facts
from memsite.tenancy.models import App
from memsite.tenancy.scoping import ScopedQuerySet
from sessions.models import Resource

if TYPE_CHECKING:
    from memories.maintain.run import Run

BATCH = 200
LOOK_BACK = timedelta(hours=6)
"""What was committed only after the run before had looked."""
FIRST_TIME = timedelta(days=1)


def enqueue_unprocessed(app: App, now: datetime, run: Run) -> None:
    """Queues what was said in the run's time and nobody queued, if the app learns facts. Counts `queued`.

    Texts are queued as they come. What is missed was left out by a crash, or came in some other way. What was said
    before that, when the app may not have learnt facts, stays as it is.
    """
    queued_to: int = run.cursor.get("queued_to", 0)
    while texts := list(unprocessed(app, run).filter(pk__gt=queued_to)[:BATCH]):
        queued_to = texts[-1].pk
        with transaction.atomic():
            run.done({"queued": enqueue(app, texts, now)}, queued_to=queued_to)


def unprocessed(app: App, run: Run) -> ScopedQuerySet[Resource]:
    """Spoken texts of sessions without a row of work, the oldest first; none if the app does not learn."""
    since = (run.since or run.until - FIRST_TIME) - LOOK_BACK
    rows = Resource.objects.for_app(app).filter(role__in=SPOKEN, extraction=None, created_at__gte=since)
    if not app.policy.capture_facts:
        return rows.none()
    return rows.exclude(session=None).filter(created_at__lte=run.until).order_by("pk")


def enqueue(app: App, texts: list[Resource], now: datetime) -> int:
    """Under the app's lock: a worker or another run may have queued one meanwhile."""
    App.objects.select_for_update().get(pk=app.pk)
    pks = [text.pk for text in texts]
    rows = Resource.objects.for_app(app).filter(pk__in=pks, extraction=None).select_related("session__app")
    in_sessions = groupby(rows.order_by("session", "pk"), key=lambda text: text.session)
    return sum(queue_facts(session, found, now) for session, found in in_sessions if session)

"""The first page: what is known, what has happened, what waits."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone

from memories.dashboard import figures
from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.pages.sessions import lines_of
from memories.dashboard.show import fingerprint, is_seen, show, unchanged
from memories.models import LIVE
from sessions.models import AgentSession, Event

RECENT = 8


@page()
def overview(request: DeskRequest) -> HttpResponse:
    desk, app, now = request.desk, request.desk.app, timezone.now()
    agent = desk.agent()
    events = list(Event.objects.for_app(app).select_related("session").order_by("-uid")[:RECENT])
    sessions = list(AgentSession.objects.for_app(app).select_related("agent").order_by("-uid")[:RECENT])
    held, waiting = agent.held_back(), figures.waiting(app)
    alive = [(session.uid, session.status, session.heartbeat_at) for session in sessions]
    seen = fingerprint((app.change_number, [event.uid for event in events], alive, held, waiting))
    if is_seen(request, seen):
        return unchanged()
    statuses, days = figures.by_status(app), figures.growth(app, now, desk.zone)
    categories = figures.by_category(app)
    context = {
        "statuses": statuses,
        "live": sum(statuses[status] for status in LIVE),
        "categories": categories,
        "largest": max((number for _, number in categories), default=0),
        "days": days,
        "new_this_week": sum(day.number for day in days[-7:]),
        "lines": lines_of(app, sessions),
        "events": events,
        "held": held,
        "cooldowns": agent.running_cooldowns(),
        "waiting": waiting,
        "seen": seen,
    }
    return show(request, "overview/page", context, part="overview/parts")

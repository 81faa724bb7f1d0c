"""The first page: what is known, what has happened, what waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from django.http import HttpResponse
from django.utils import timezone

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.pages.sessions import lines_of
from memories.dashboard.plots import Plot, Series
from memories.dashboard.show import fingerprint, is_seen, show, unchanged
from memories.learn.feedback import used_rates
from memories.ledger.days import last_days
from memories.maintain import figures
from memories.maintain.health import tenths
from memories.models import LIVE, Memory
from memsite.tenancy.models import App
from sessions.models import AgentSession, Event

RECENT = 6


@page()
def overview(request: DeskRequest) -> HttpResponse:
    desk, app, now = request.desk, request.desk.app, timezone.now()
    agent = desk.agent()
    events = list(Event.objects.for_app(app).select_related("session").order_by("-uid")[:RECENT])
    sessions = list(AgentSession.objects.for_app(app).select_related("agent").order_by("-uid")[:RECENT])
    held, waiting = agent.held_back(), figures.waiting(app)
    days = last_days(app, now).days
    answered = figures.answered_by(app, days)
    alive = [(session.uid, session.status, session.heartbeat_at) for session in sessions]
    seen = fingerprint((app.change_number, [event.uid for event in events], alive, held, waiting, days, answered))
    if is_seen(request, seen):
        return unchanged()
    statuses, made = figures.by_status(app), figures.growth(app, days)
    categories = figures.by_category(app)
    context = {
        "statuses": statuses,
        "live": sum(statuses[status] for status in LIVE),
        "categories": categories,
        "largest": max((number for _, number in categories), default=0),
        "new_this_week": sum(made[-7:]),
        "growth": Plot("growth", "New memories a day", "Day", days, [Series("new", made)]),
        "confidences": plot_confidence(app),
        "plots": [plot_answers(days, answered), plot_use(app, days)],
        "lines": lines_of(app, sessions),
        "events": events,
        "held": held,
        "cooldowns": agent.running_cooldowns(),
        "waiting": waiting,
        "seen": seen,
    }
    return show(request, "overview/page", context, part="overview/parts")


def plot_confidence(app: App) -> Plot:
    """Active memories only: how sure the app is of what it tells."""
    counts = tenths(Memory.objects.for_app(app).active())
    spans = [f"{number / len(counts):.1f}" for number in range(len(counts))]
    return Plot("confidences", "How sure active memories are", "From", spans, [Series("memories", counts)])


def plot_answers(days: Sequence[date], answered: Mapping[str, Sequence[int]]) -> Plot:
    """Shares of each day's searches; a day without any is a gap."""
    totals = [sum(counts) for counts in zip(*answered.values(), strict=True)]
    series = [Series(figures.ANSWERS[tier], shares(answered[tier], totals)) for tier in figures.BY]
    return Plot("answers", "What answers searches, day by day", "Day", days, series, unit="share", stacked=True)


def plot_use(app: App, days: Sequence[date]) -> Plot:
    by_day = {one.day: one for one in used_rates(app, days[0])}
    used = [by_day[day].used if day in by_day else 0 for day in days]
    ignored = [by_day[day].ignored if day in by_day else 0 for day in days]
    totals = [sum(counts) for counts in zip(used, ignored, strict=True)]
    series = [Series("used", shares(used, totals)), Series("not used", shares(ignored, totals))]
    return Plot("use", "What agents were shown: did they use it?", "Day", days, series, unit="share", stacked=True)


def shares(counts: Sequence[int], totals: Sequence[int]) -> list[float | None]:
    """None where there is nothing to have a share of."""
    return [count / total if total else None for count, total in zip(counts, totals, strict=True)]

"""Reports: the first page, costs, and the health report."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.core.validators import MinValueValidator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from memories.dashboard.access import Dashboard, DashboardRequest, page
from memories.dashboard.lists import Filters
from memories.dashboard.plots import Plot, Series
from memories.dashboard.responses import fingerprint, is_seen, render_page, unchanged
from memories.dashboard.views.sessions import lines_of
from memories.learn.feedback import used_rates
from memories.ledger import lean_models
from memories.ledger.days import DAYS, MOST_DAYS, Span, day_of, last_days
from memories.ledger.spend import By, by_app, by_day, daily, energy, spent_today, sum_up, totals
from memories.maintain import figures
from memories.maintain.figures import answers
from memories.maintain.health import TENTHS, health_of, tenths
from memories.models import LIVE, HealthReport, Memory
from memories.providers.llm.client import make_chat
from memories.providers.llm.provider import LLMMisconfigured
from memories.services.model_check import PARSED, check_model
from memsite.config.conf import get_conf
from memsite.tenancy.access import Right, apps_of
from memsite.tenancy.models import App
from memsite.timestamps import EARLIEST
from sessions.models import AgentSession, Event

RECENT = 6
COLUMNS: dict[str, tuple[By, tuple[str, ...]]] = {
    "day": ("day", ("day",)),
    "operation": ("operation", ("operation",)),
    "model": ("model", ("provider", "model")),
    "day-operation": ("day and operation", ("day", "operation")),
}
FIGURES = ("calls", "failed", "input_tokens", "output_tokens", "cost", "unpriced")
# What a spreadsheet would take for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
REPORTS_OFFERED = 36
CHECK_SECONDS = 60.0


@page()
def overview(request: DashboardRequest) -> HttpResponse:
    dashboard, app, now = request.dashboard, request.dashboard.app, timezone.now()
    agent = dashboard.agent()
    events = list(Event.objects.for_app(app).select_related("session__agent").order_by("-uid")[:RECENT])
    sessions = list(AgentSession.objects.for_app(app).select_related("agent").order_by("-uid")[:RECENT])
    deferred, waiting = agent.held_back(), figures.waiting(app)
    days = last_days(app, now).days
    answered = figures.answered_by(app, days)
    alive = [(session.uid, session.status, session.heartbeat_at) for session in sessions]
    seen = fingerprint((app.change_number, [event.uid for event in events], alive, deferred, waiting, days, answered))
    if is_seen(request, seen):
        return unchanged()
    statuses, made = figures.by_status(app), figures.growth(app, days)
    categories = figures.by_category(app)
    counts = tenths(Memory.objects.for_app(app).active())
    spans = [f"{number / len(counts):.1f}" for number in range(len(counts))]
    totals = [sum(counts) for counts in zip(*answered.values(), strict=True)]
    series = [Series(figures.ANSWERS[tier], shares(answered[tier], totals)) for tier in figures.BY]
    context = {
        "statuses": statuses,
        "live": sum(statuses[status] for status in LIVE),
        "categories": categories,
        "largest": max((number for _, number in categories), default=0),
        "new_this_week": sum(made[-7:]),
        "use": use_of(dashboard, days, now),
        "growth": Plot("growth", "New memories a day", "Day", days, [Series("new", made)]),
        "confidences": Plot("confidences", "How sure active memories are", "From", spans, [Series("memories", counts)]),
        "plots": [
            Plot("answers", "What answers searches, day by day", "Day", days, series, unit="share", stacked=True),
            plot_use(app, days),
        ],
        "lines": lines_of(app, sessions),
        "events": events,
        "held": deferred,
        "cooldowns": agent.running_cooldowns(),
        "waiting": waiting,
        "seen": seen,
    }
    return render_page(request, "overview/page", context, part="overview/parts")


def use_of(dashboard: Dashboard, days: Sequence[date], now: datetime) -> dict[str, Any]:
    """Return what the app does in an hour, a day and on all of these days. Five queries at most."""
    app = dashboard.app
    begun, injected = figures.conversations(app, days[0])
    apps, used = figures.used_apps(apps_of(dashboard.user)) if dashboard.named else (0, 0)
    return {
        "last_hour": figures.created_between(app, [now - figures.HOUR, now])[0],
        "compactions": figures.compactions(app, days[-1:])[0],
        "energy": sum(row["units"] for row in energy(app, Span(days[-1], days[-1]))),
        "begun": begun,
        "shown": injected / begun if begun else None,
        "apps": apps,
        "used": used / apps if apps else None,
    }


def plot_use(app: App, days: Sequence[date]) -> Plot:
    by_day = {rate.day: rate for rate in used_rates(app, days[0])}
    used = [by_day[day].used if day in by_day else 0 for day in days]
    ignored = [by_day[day].ignored if day in by_day else 0 for day in days]
    totals = [sum(counts) for counts in zip(used, ignored, strict=True)]
    series = [Series("used", shares(used, totals)), Series("not used", shares(ignored, totals))]
    return Plot("use", "What agents were shown: did they use it?", "Day", days, series, unit="share", stacked=True)


def shares(counts: Sequence[int], totals: Sequence[int]) -> list[float | None]:
    """Return the share; None where there is nothing to have a share of."""
    return [count / total if total else None for count, total in zip(counts, totals, strict=True)]


def day_field(label: str, **options: Any) -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, required=False, widget=widget, **options)


class CostFilters(Filters):
    since = day_field("From")
    # There are days before it.
    until = day_field("To", validators=[MinValueValidator(EARLIEST.date())])

    def span(self, dashboard: Dashboard) -> Span:
        """Return the last days, unless others are asked for; a year at most."""
        today = day_of(dashboard.app, timezone.now())
        given = self.given()
        until = given.get("until", today)
        since = given.get("since", min(until, today) - timedelta(days=DAYS - 1))
        since, until = min(since, until, today), min(max(since, until), today)
        return Span(max(since, until - timedelta(days=MOST_DAYS - 1)), until)


@page()
def costs(request: DashboardRequest) -> HttpResponse:
    dashboard, app = request.dashboard, request.dashboard.app
    span = CostFilters(request.GET).span(dashboard)
    days = by_day(app, span)
    total = sum_up(days)
    searches = answers(app, span)
    # Of dollars; of tokens where no price is known.
    of, title = ("cost", "Dollars a day, by operation") if total.cost else ("tokens", "Tokens a day, by operation")
    series = [Series(name, values) for name, values in daily(dashboard.app, span, of).items()]
    context = {
        "filters": CostFilters(initial={"since": span.since, "until": span.until}),
        "span": span,
        "total": total,
        "days": [day for day in days if day.calls],
        "operations": totals(app, span.since, "operation", span.until),
        "models": totals(app, span.since, "model", span.until),
        "lean": lean_models(app, timezone.now()),
        "plot": Plot("costs", title, "Day", span.days, series, unit="dollars" if total.cost else "count", stacked=True),
        "today": spent_today(app, timezone.now()),
        "energy": energy(app, span),
        "searches": searches,
        "searched": sum(row.searches for row in searches),
        "found": sum(row.share for row in searches if row.tier != "none") if searches else None,
        "apps": by_app(apps_of(dashboard.user), span) if dashboard.named else [],
        "llm": get_conf().llm,
    }
    return render_page(request, "costs/page", context)


@page(read=None, write=Right.GOVERN)
def check(request: DashboardRequest) -> HttpResponse:
    """Ask the language model every question once, which takes a minute at most."""
    try:
        chat = make_chat(get_conf().llm_settings)
    except LLMMisconfigured as error:
        return render_page(request, "costs/check", {"problem": f"MEMSITE_LLM cannot work: {error}."})
    lines = list(check_model(chat, CHECK_SECONDS)) if chat else []
    failed = sum(line.outcome != PARSED for line in lines)
    return render_page(request, "costs/check", {"lines": lines, "failed": failed})


@page()
def download(request: DashboardRequest) -> HttpResponse:
    """Send costs `?by=day`, `operation`, `model` or `day-operation`, as CSV."""
    dashboard = request.dashboard
    by = request.GET.get("by", "day")
    group, names = COLUMNS.get(by, COLUMNS["day"])
    span = CostFilters(request.GET).span(dashboard)
    answer = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"costs-{dashboard.app.app_id}-{span.since}-{span.until}-by-{'-'.join(names)}.csv"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(answer)
    writer.writerow([*names, *FIGURES])
    for row in totals(dashboard.app, span.since, group, span.until):
        writer.writerow([*map(without_formula, row.key), *(getattr(row, name) for name in FIGURES)])
    return answer


def without_formula(value: Any) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text


@page()
def health(request: DashboardRequest) -> HttpResponse:
    """Show the report of now; `?period=` names that of a month."""
    app, period = request.dashboard.app, request.GET.get("period", "")
    rows = HealthReport.objects.for_app(app)
    report = get_object_or_404(rows, period=period).content if period else health_of(app, timezone.now())
    past = list(rows.values_list("period", flat=True)[:REPORTS_OFFERED])
    counts = report["memories"]
    tenths = [
        (f"{tenth / TENTHS:g} to {(tenth + 1) / TENTHS:g}", number) for tenth, number in enumerate(report["confidence"])
    ]
    return render_page(
        request,
        "upkeep/health",
        {
            "report": report,
            "period": period,
            "past": past,
            "last_learnt": parse_datetime(report["failures"]["last_extracted_at"] or ""),
            "live": sum(counts.get(status, 0) for status in LIVE),
            "tenths": tenths[::-1],
            "most_in_a_tenth": max(report["confidence"], default=0),
            "most_confirmed": max(report["confirmed"].values(), default=0),
            "most_in_a_category": max(report["categories"].values(), default=0),
            "most_in_a_month": max(report["growth"].values(), default=0),
        },
    )

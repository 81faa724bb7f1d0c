"""Jobs and their runs, alerts, texts and what was learnt from each, and cooldowns."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Substr
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone

from memories.dashboard.access import Dashboard, DashboardRequest, page
from memories.dashboard.lists import Choice, Filters, keyset_page
from memories.dashboard.menu import alerts_shown
from memories.dashboard.responses import (
    AT_MOST,
    change_report,
    done,
    fingerprint,
    go,
    is_seen,
    render_page,
    saved,
    ticked,
    unchanged,
)
from memories.jobs import JOBS, jobs_of
from memories.models import Extraction, ExtractionStatus, What
from memories.notifications.alerts import acknowledge
from memories.services import Changed
from memsite.jobs.claims import ask_to_stop, retry
from memsite.jobs.engine import WORK, fire_now
from memsite.jobs.models import JobRun, RunStatus
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.access import Right
from sessions.models import Cooldown

RUNS_SHOWN = 25
SAID_CHARACTERS = 240


class RunFilters(Filters):
    job = Choice("Job", [(name, name) for name, job in JOBS.items() if not job.of_site])
    status = Choice("Status", [(status, status) for status in RunStatus.values])


@page()
def jobs(request: DashboardRequest) -> HttpResponse:
    """Show the jobs, those of the whole site to superusers. Jobs and runs refresh themselves apart."""
    dashboard, now = request.dashboard, timezone.now()
    filters = RunFilters(request.GET)
    slice = keyset_page(JobRun.objects.for_app(dashboard.app).filter(**filters.given()), request.GET, RUNS_SHOWN)
    of_app, of_site = jobs_of(dashboard.app, now), jobs_of(None, now) if dashboard.user.is_superuser else []
    listed = [(row.job.name, row.enabled, str(row.schedule), state_of(row.last_run)) for row in [*of_app, *of_site]]
    jobs_seen = fingerprint(listed)
    runs_seen = fingerprint([*map(state_of, slice.rows)])
    part, seen = ("run_list", runs_seen) if request.htmx.target == "run-list" else ("job_lists", jobs_seen)
    if is_seen(request, seen):
        return unchanged()
    context = {
        "filters": filters,
        "slice": slice,
        "of_app": of_app,
        "of_site": of_site,
        "jobs_seen": jobs_seen,
        "runs_seen": runs_seen,
    }
    return render_page(request, "upkeep/jobs", context, part=f"upkeep/{part}")


def state_of(run: JobRun | None) -> Any:
    return run and (run.uid, run.status, run.stop_asked, run.counts, run.attempts, run.seconds)


@page(read=None, write=Right.GOVERN)
def run(request: DashboardRequest, name: str) -> HttpResponse:
    """Set going the run of the last period that is due: once per period."""
    dashboard, job = request.dashboard, JOBS.get(name)
    if job is None or (job.of_site and not dashboard.user.is_superuser):
        raise Http404
    fired, is_new = fire_now(job, None if job.of_site else dashboard.app, timezone.now(), dashboard.actor)
    if is_new:
        return done(request, "upkeep", f"{name} was started.")
    return done(
        request, "upkeep", f"{name} has run for {fired.period} already: it runs once for each period.", "warning"
    )


@page(read=None, write=Right.GOVERN)
def try_again(request: DashboardRequest, uid: UUID) -> HttpResponse:
    if not retry(run_of(request.dashboard, uid), timezone.now()):
        return done(request, "upkeep", "This run is done or under way; nothing to retry.", "warning")
    enqueue(WORK)
    return done(request, "upkeep", "It is tried again.")


@page(read=None, write=Right.GOVERN)
def stop(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Stop after the batch under way; what is done stays done."""
    if not ask_to_stop(run_of(request.dashboard, uid), timezone.now()):
        return done(request, "upkeep", "It has ended already.", "warning")
    return done(request, "upkeep", "It stops after its current batch. A retry goes on from there.")


def run_of(dashboard: Dashboard, uid: UUID) -> JobRun:
    of_site = Q(app=None) if dashboard.user.is_superuser else Q()
    return get_object_or_404(JobRun.objects, Q(app=dashboard.app) | of_site, uid=uid)


class AlertFilters(Filters):
    status = Choice("Status", [("open", "now"), ("over", "over")])


@page()
def alerts(request: DashboardRequest) -> HttpResponse:
    dashboard, filters = request.dashboard, AlertFilters(request.GET)
    rows = alerts_shown(dashboard)
    if status := filters.given().get("status"):
        rows = rows.filter(ended_at__isnull=status == "open")
    slice = keyset_page(rows, request.GET)
    seen = fingerprint([(row.uid, row.ended_at, row.acknowledged_at, row.mail_error) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    context = {"filters": filters, "slice": slice, "seen": seen}
    return render_page(request, "upkeep/alerts", context, part="upkeep/alert_list")


@page(read=None, write=Right.CURATE)
def acknowledge_alert(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Take it out of the count. It ends by itself."""
    alert = get_object_or_404(alerts_shown(request.dashboard), uid=uid)
    acknowledge(alert, request.dashboard.actor, timezone.now())
    return done(request, "upkeep-alerts", "Acknowledged. The alert ends by itself once its cause is gone.")


class TextFilters(Filters):
    status = Choice("Status", [(status, status) for status in ExtractionStatus.values])
    what = Choice("What", [(What.FACTS, "facts of a text"), (What.DIGEST, "digest of a session")])


@page()
def texts(request: DashboardRequest) -> HttpResponse:
    dashboard, filters = request.dashboard, TextFilters(request.GET)
    rows = (
        Extraction.objects.for_app(dashboard.app).filter(**filters.given()).select_related("session__agent", "resource")
    )
    rows = rows.annotate(said=Substr("resource__raw_content", 1, SAID_CHARACTERS)).defer("resource__raw_content")
    slice = keyset_page(rows, request.GET)
    seen = fingerprint([(row.uid, row.status, row.attempts, row.next_at, row.reason) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    given_up = Extraction.objects.for_app(dashboard.app).filter(status=ExtractionStatus.DEAD).count()
    context = {"filters": filters, "slice": slice, "given_up": given_up, "seen": seen}
    return render_page(request, "upkeep/texts", context, part="upkeep/text_list")


@page(read=None, write=Right.CURATE)
def retry_texts(request: DashboardRequest) -> HttpResponse:
    """Return those that are ticked as `text`, or, with `given_up`, all that were given up."""
    agent, extractions = request.dashboard.agent(), Extraction.objects.for_app(request.dashboard.app)
    if "given_up" in request.POST:
        rows = list(extractions.filter(status=ExtractionStatus.DEAD)[:AT_MOST])
    else:
        rows = list(extractions.filter(uid__in=ticked(request, "text")))
    tried = sum(agent.retry(row) for row in rows)
    changed = Changed(tried, left=+Counter({"done, or being worked on": len(rows) - tried}))
    return done(request, "upkeep-texts", *change_report(changed, "tried again", "text", "texts"))


@page()
def cooldowns(request: DashboardRequest) -> HttpResponse:
    agent = request.dashboard.agent()
    waiting, reported = agent.held_back(), agent.running_cooldowns()
    seen = fingerprint((waiting, [(row.uid, row.until) for row in reported]))
    if is_seen(request, seen):
        return unchanged()
    return render_page(
        request, "cooldowns/page", {"held": waiting, "reported": reported, "seen": seen}, part="cooldowns/list"
    )


@page(read=None, write=Right.CURATE)
def lift(request: DashboardRequest, uid: UUID) -> HttpResponse:
    cooldown = get_object_or_404(Cooldown.objects.for_app(request.dashboard.app), uid=uid)
    request.dashboard.agent().lift_cooldown(cooldown)
    text = f"{cooldown} may be done again."
    return saved(text) if request.htmx else go(request, request.dashboard.address("cooldowns"), text)

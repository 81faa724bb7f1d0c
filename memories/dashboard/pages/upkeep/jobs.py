"""Jobs: when each is due, what came of it, and doing it now."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import Http404, HttpResponse
from django.utils import timezone

from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.filters import Choice, Filters
from memories.dashboard.show import done, fingerprint, is_seen, show, unchanged
from memories.dashboard.slices import take
from memories.jobs import JOBS
from memories.jobs.catalogue import Listed, jobs_of
from memsite.jobs.claims import ask_to_stop, retry
from memsite.jobs.engine import WORK, fire_now
from memsite.jobs.models import JobRun, JobRunQuerySet, RunStatus
from memsite.jobs.task_queue import ring
from memsite.tenancy.access import Right

RUNS_SHOWN = 25


class RunFilters(Filters):
    job = Choice("Job", [(name, name) for name, job in JOBS.items() if not job.of_site])
    status = Choice("Status", [(status, status) for status in RunStatus.values])


@page()
def jobs(request: DeskRequest) -> HttpResponse:
    """The whole site's jobs are shown to superusers. Jobs and runs refresh themselves apart."""
    desk, now = request.desk, timezone.now()
    filters = RunFilters(request.GET)
    slice = take(JobRun.objects.for_app(desk.app).filter(**filters.asked()), request.GET, RUNS_SHOWN)
    of_app, of_site = jobs_of(desk.app, now), jobs_of(None, now) if desk.user.is_superuser else []
    jobs_seen = fingerprint([*map(listed_state, [*of_app, *of_site])])
    runs_seen = fingerprint([*map(state_of, slice.rows)])
    part, seen = ("run_list", runs_seen) if request.htmx.target == "run-list" else ("job_lists", jobs_seen)
    if is_seen(request, seen):
        return unchanged()
    context = {
        "filters": filters, "slice": slice, "of_app": of_app, "of_site": of_site, "jobs_seen": jobs_seen,
        "runs_seen": runs_seen,
    }  # fmt: skip
    return show(request, "upkeep/jobs", context, part=f"upkeep/{part}")


def state_of(run: JobRun | None) -> Any:
    return run and (run.uid, run.status, run.stop_asked, run.counts, run.attempts, run.seconds)


def listed_state(listed: Listed) -> Any:
    return listed.job.name, listed.enabled, str(listed.schedule), state_of(listed.last_run)


@page(read=None, write=Right.GOVERN)
def run(request: DeskRequest, name: str) -> HttpResponse:
    """Sets going the run of the last period that is due: once per period."""
    desk, job = request.desk, JOBS.get(name)
    if job is None or (job.of_site and not desk.user.is_superuser):
        raise Http404
    fired, is_new = fire_now(job, None if job.of_site else desk.app, timezone.now(), desk.actor)
    if is_new:
        return done(request, "upkeep", f"{name} is set going.")
    return done(
        request, "upkeep", f"{name} has run for {fired.period} already: it runs once for each period.", "warning"
    )


@page(read=None, write=Right.GOVERN)
def try_again(request: DeskRequest, uid: UUID) -> HttpResponse:
    if not retry(run_of(request.desk, uid), timezone.now()):
        return done(request, "upkeep", "It is done or under way: there is nothing to try again.", "warning")
    ring(WORK)
    return done(request, "upkeep", "It is tried again.")


@page(read=None, write=Right.GOVERN)
def stop(request: DeskRequest, uid: UUID) -> HttpResponse:
    """After the batch under way; what is done stays done."""
    if not ask_to_stop(run_of(request.desk, uid), timezone.now()):
        return done(request, "upkeep", "It has ended already.", "warning")
    return done(request, "upkeep", "It stops after the batch under way. Trying again goes on from there.")


def run_of(desk: Desk, uid: UUID) -> JobRun:
    found = runs_within_reach(desk).filter(uid=uid).first()
    if found is None:
        raise Http404
    return found


def runs_within_reach(desk: Desk) -> JobRunQuerySet:
    of_site = Q(app=None) if desk.user.is_superuser else Q()
    return JobRun.objects.filter(Q(app=desk.app) | of_site)

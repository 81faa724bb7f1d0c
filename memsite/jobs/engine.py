"""Fires what is due, and works it off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from time import perf_counter, sleep
from typing import Any

import structlog
from django.db.models import Exists, OuterRef, Q, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from memsite.config.conf import get_conf
from memsite.db.expressions import Literal
from memsite.db.transactions import in_batches, insist
from memsite.jobs import claims
from memsite.jobs.job import Job
from memsite.jobs.models import OPEN, JobRun, JobRunQuerySet, RunStatus
from memsite.jobs.task_queue import enqueue
from memsite.ops.metrics import count_run
from memsite.ops.tracing import span
from memsite.tenancy.models import App, AppStatus
from memsite.tenancy.row_level_security import confined, site_wide

log = structlog.get_logger("memsite.jobs")
WORK = "memories.tasks.upkeep_work"
KEPT, KEPT_OF_LITTLE = timedelta(days=90), timedelta(days=7)
COUNTED = r": [0.]*[1-9]"
"""In the counts of a run: that it did something."""
AT_ONCE = 500
"""So many runs are written, or deleted, together: those of thousands of apps keep no writer out for long."""
PAUSE_SECONDS = 0.05
"""Who waits for SQLite's lock asks for it anew after 100 ms at most."""
LOOKED_AT = 50
"""So many of what waits longest, for one that nobody else has taken meanwhile."""

Jobs = Mapping[str, Job[Any]]


def fire_due(jobs: Jobs, now: datetime, by: str) -> list[JobRun]:
    """Fire everything that is due on the site; answers what is new. A few queries per job and hundreds of apps."""
    rows = App.objects.select_related("policy").only("status", "created_at", "policy__time_zone")
    apps = {app.pk: app for app in rows}
    active = [app for app in apps.values() if app.status == AppStatus.ACTIVE]
    fired = []
    defaults = {name: job.schedule for name, job in jobs.items()}
    claims.note_defaults(defaults)
    for name, schedule in claims.schedules(defaults).items():
        job = jobs[name]
        waiting = job.waiting(now)
        if job.of_site:
            if waiting is None or list(waiting):
                fired.append(claims.fire(name, None, schedule, now, by))
            continue
        wanted = active if waiting is None else [apps[pk] for pk in waiting if pk in apps]
        fired += [run for some in in_batches(wanted, AT_ONCE) for run in claims.fire_all(name, some, schedule, now, by)]
    return [run for run in fired if run]


def fire_for(jobs: Jobs, app: App, now: datetime, by: str) -> list[str]:
    """Fire what is overdue for one app, and rings for a worker; answers the names. For heartbeats: few queries."""
    schedules = claims.schedules({name: job.schedule for name, job in jobs.items() if not job.of_site})
    wanted = {name: when for name, when in schedules.items() if jobs[name].is_wanted(app, now)}
    due = {name: when.latest(now, claims.zone_of(app)).until for name, when in wanted.items()}
    since = min(due.values(), default=now)
    runs = JobRun.objects.for_app(app).filter(job__in=due, until__range=(since, now + claims.SET_BACK))
    latest = dict(runs.order_by("until").values_list("job", "until"))
    overdue = [name for name, until in due.items() if latest.get(name, app.created_at) < until]
    fired = [name for name in overdue if claims.fire(name, app, wanted[name], now, by)]
    if fired:
        enqueue(WORK)
    return fired


def fire_now(job: Job[Any], app: App | None, now: datetime, by: str) -> tuple[JobRun, bool]:
    """Fire the last due period by hand, also of a job that is off; return the run and whether it is new."""
    schedule = claims.schedule_of(job.name, job.schedule)
    fired = claims.fire(job.name, app, schedule, now, by, by_hand=True)
    enqueue(WORK)
    latest = fired or JobRun.objects.of(job.name, app).order_by("-until").first()
    assert latest is not None, "somebody fired it, or we did"
    return latest, fired is not None


def fire_all_now(job: Job[Any], apps: Sequence[App], now: datetime, by: str) -> list[JobRun]:
    """Return the same for many apps: the runs that are new."""
    schedule = claims.schedule_of(job.name, job.schedule)
    fired = [claims.fire_all(job.name, some, schedule, now, by, by_hand=True) for some in in_batches(apps, AT_ONCE)]
    enqueue(WORK)
    return [run for runs in fired for run in runs]


def next_claim(jobs: Jobs, now: datetime) -> tuple[Job[Any], App | None, claims.Claim] | None:
    """Claim something to do: short work before long work, the longest waiting first."""
    heavy = [name for name, job in jobs.items() if job.is_heavy]
    light = [name for name in jobs if name not in heavy]
    claimable = JobRun.objects.claimable(now).order_by("next_at", "pk")
    # Thousands of long ones may wait, and are passed by.
    if claimed := first_claim(jobs, claimable.filter(job__in=light), now):
        return claimed
    under_way = JobRun.objects.named(heavy).filter(status=Literal(RunStatus.RUNNING), lease_until__gt=now)
    is_crowded = under_way.count() >= get_conf().upkeep_at_once
    return None if is_crowded else first_claim(jobs, claimable.named(heavy), now)


def first_claim(jobs: Jobs, rows: JobRunQuerySet, now: datetime) -> tuple[Job[Any], App | None, claims.Claim] | None:
    for job, pk in rows.values_list("job", "app_id")[:LOOKED_AT]:
        app = App.objects.select_related("policy").get(pk=pk) if pk else None
        if claimed := claims.claim(job, app, now):
            return jobs[job], app, claimed
    return None


def work_off(jobs: Jobs, hands_for: Callable[[App], Any], stop_after: timedelta) -> int:
    """Work off what is claimable, one run after the other, for so long at most; return how many were touched."""
    begun, touched = timezone.now(), 0
    while timezone.now() - begun < stop_after:
        claim_ = next_claim(jobs, timezone.now())
        if claim_ is None:
            return touched
        job, app, claimed = claim_
        run(job, hands_for(app) if app else None, claimed)
        touched += 1
    enqueue(WORK)
    return touched


def run(job: Job[Any], service: Any, claimed: claims.Claim) -> None:
    """Work one claimed run off, to its end or to where it must wait. Its errors are noted on the row."""
    begun = perf_counter()
    with span("job", job=job.name) as note:
        outcome = carry_out(job, service, claimed)
        note({"outcome": outcome})
    count_run(job.name, outcome, perf_counter() - begun)


def named_app(claimed: claims.Claim) -> str | None:
    """Return the app for the log: None where the run is of the whole site."""
    return claimed.row.app.app_id if claimed.row.app else None


def carry_out(job: Job[Any], service: Any, claimed: claims.Claim) -> str:
    """Return what became of it: done, paused, stopped, failed, or lost to another worker."""
    noted = log.bind(job=job.name, app=named_app(claimed), period=claimed.row.period)
    try:
        app = claimed.row.app_id
        with claimed.timed(), confined(app) if app else site_wide():
            job.work(service, claimed)
    except claims.ClaimLost:
        noted.warning("run_lost")
        return "lost"
    except Exception as error:
        now = timezone.now()
        try:
            if isinstance(error, claims.TimeUp):
                claims.pause(claimed, now)
                return "paused"
            if isinstance(error, claims.Stopped):
                claims.stop(claimed, now)
                return "stopped"
            log.error("run_failed", job=claimed.row.job, app=named_app(claimed), exc_info=error)
            insist(partial(claims.fail, claimed, error, now))
        except claims.ClaimLost:
            log.warning("run_lost", job=claimed.row.job, app=named_app(claimed))
            return "lost"
        return "failed"
    try:
        claims.finish(claimed, timezone.now())
    except claims.ClaimLost:
        noted.warning("run_lost")
        return "lost"
    noted.info("run_done", **{f"count_{name}": count for name, count in claimed.counts.items()})
    return "done"


def drop_old_runs(now: datetime) -> Iterator[int]:
    """Delete runs that ended long ago; answers how many, a batch at a time: between two of them others can write."""
    last = 0
    while pks := list(old_runs(now).filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        yield JobRun.objects.filter(pk__in=pks).delete()[0]
        last = pks[-1]
        sleep(PAUSE_SECONDS)


def old_runs(now: datetime) -> JobRunQuerySet:
    """Return old runs, sooner of what had nothing to do or runs every few minutes.

    Of an app's job the last stays: the next is for the time since then.
    """
    ended = JobRun.objects.exclude(status__in=(*OPEN, RunStatus.DEAD, RunStatus.STOPPED))
    # The key of what runs every few minutes has a time of day.
    of_little = Q(period__contains="T") | ~Q(told__regex=COUNTED)
    old = Q(until__lt=now - KEPT) | Q(until__lt=now - KEPT_OF_LITTLE) & of_little
    later = JobRun.objects.filter(job=OuterRef("job"), app=OuterRef("app"), until__gt=OuterRef("until"))
    was_not_last = Q(app=None) | Exists(later.filter(started_at__isnull=False))
    return ended.alias(told=Cast("counts", TextField())).filter(old, was_not_last)

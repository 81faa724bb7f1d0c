"""What an operator is shown of the jobs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memories.jobs.catalogue import JOBS
from memsite.jobs.claims import zone_of
from memsite.jobs.job import Job
from memsite.jobs.models import JobRun, JobSchedule
from memsite.jobs.schedule import Schedule
from memsite.tenancy.models import App


@dataclass(frozen=True, slots=True)
class Listed:
    """A job as it stands for one app; `last_run` is the one due last, whatever became of it."""

    job: Job[Any]
    schedule: Schedule
    enabled: bool
    next_at: datetime | None
    last_run: JobRun | None


def jobs_of(app: App | None, now: datetime) -> list[Listed]:
    """The jobs of an app, or (None) of the whole site, in the order of the catalogue. One query, and one per job."""
    rows = {row.job: row for row in JobSchedule.objects.all()}
    return [listed(job, rows.get(job.name), app, now) for job in JOBS.values() if job.of_site == (app is None)]


def listed(job: Job[Any], row: JobSchedule | None, app: App | None, now: datetime) -> Listed:
    schedule = row.schedule if row else job.schedule
    enabled = row.enabled if row else True
    next_at = schedule.upcoming(now, zone_of(app)).until if enabled else None
    last_run = JobRun.objects.of(job.name, app).select_related("app").order_by("-until").first()
    return Listed(job, schedule, enabled, next_at, last_run)

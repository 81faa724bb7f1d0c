"""`manage.py run_job`: does a job now, here, and says what came of it."""

import argparse
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memories.jobs import JOBS
from memories.management import plain_errors
from memories.tasks import upkeeper
from memsite.jobs.claims import claim, fire, schedule_of
from memsite.jobs.engine import fire_due, run, work_off
from memsite.jobs.job import Job
from memsite.jobs.models import JobRun, RunStatus
from memsite.tenancy.models import App, AppStatus

BY = "operator:command"
NO_END = timedelta(days=365)


class Command(BaseCommand):
    help = "Run a job for the last period that is due: once per app and period, whoever else starts it."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        known = ", ".join(JOBS)
        parser.add_argument("job", nargs="?", help=f"one of {known}")
        parser.add_argument("--app", help="only for this app, by its app_id; without it, for every active one")
        parser.add_argument("--due", action="store_true", help="everything that is due, for a machine without beat")

    def handle(self, *args: Any, job: str | None, app: str | None, due: bool, **options: Any) -> None:
        with plain_errors():
            if due:
                if job is not None or app is not None:
                    raise CommandError("--due is everything that is due: it goes without a job and without --app.")
                fired = fire_due(JOBS, timezone.now(), BY)
                touched = work_off(JOBS, upkeeper, NO_END)
                self.stdout.write(f"{len(fired)} started, {touched} worked on.")
                return
            if job not in JOBS:
                raise CommandError(f"Which job? One of {', '.join(JOBS)}; or --due.")
            runs = [self.do(JOBS[job], chosen) for chosen in apps_for(JOBS[job], app)]
        failed = [run for run in runs if run.status in (RunStatus.FAILED, RunStatus.DEAD)]
        if failed:
            raise CommandError(f"{len(failed)} of {len(runs)} failed.")

    def do(self, job: Job[Any], app: App | None) -> JobRun:
        """Work on until it has ended, slice by slice."""
        now = timezone.now()
        fire(job.name, app, schedule_of(job.name, job.schedule), now, BY, by_hand=True)
        while claimed := claim(job.name, app, timezone.now()):
            run(job, upkeeper(app) if app else None, claimed)
        latest = JobRun.objects.of(job.name, app).order_by("-until").first()
        assert latest is not None, "it was fired, now or before"
        did = [f"{count} {name}" for name, count in latest.counts.items()]
        if not did and latest.status == RunStatus.DONE:
            did = ["nothing to do"]
        is_old = latest.status == RunStatus.DONE and latest.finished_at and latest.finished_at < now
        label = str(RunStatus(latest.status).label).lower()
        state = f"{label}, before" if is_old else label
        reason = f" ({latest.reason})" if latest.reason else ""
        what = ", ".join([*did, f"{latest.seconds:.1f} s"])
        self.stdout.write(f"{app or 'site'}: {latest.job} {latest.period} {state}{reason}: {what}")
        return latest


def apps_for(job: Job[Any], app_id: str | None) -> list[App] | list[None]:
    if job.of_site:
        if app_id is not None:
            raise CommandError(f"{job.name} is for the whole site: it goes without --app.")
        return [None]
    apps = App.objects.filter(status=AppStatus.ACTIVE).select_related("policy")
    chosen = list(apps if app_id is None else apps.filter(app_id=app_id))
    if app_id is not None and not chosen:
        raise CommandError(f"There is no app {app_id}, or it is uninstalled.")
    return chosen

"""Run as a program: workers that are processes, killed at any moment, on a database in a file.

Prints what the database says in the end, as JSON. Arguments: the data directory, and how many kills.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time as clock
from collections.abc import Callable
from datetime import timedelta

import django

django.setup()

from django.core.management import call_command  # noqa: E402  # Django first
from django.db import connections, transaction  # noqa: E402
from django.db.models import F  # noqa: E402
from django.utils import timezone  # noqa: E402

from memsite.jobs import claims, engine  # noqa: E402
from memsite.jobs.job import Job, Run  # noqa: E402
from memsite.jobs.models import JobRun, RunStatus  # noqa: E402
from memsite.jobs.schedule import Every  # noqa: E402
from memsite.tenancy.models import App, AppPolicy  # noqa: E402

# There is always something left to do while workers are killed; `main` sets the end.
batches = 1_000_000_000
ENOUGH = 40
# A lease that ends before the next worker looks, so that each finds what the killed one left.
claims.LEASE = timedelta(milliseconds=1)
claims.MOST_ATTEMPTS = 10_000


class Adding(Job[App]):
    """Adds one to a number of the app per batch: neither lost nor added twice, or the sum is wrong."""

    name, title, schedule = "adding", "adds", Every(1440)

    def work(self, service: App, run: Run) -> None:
        for number in range(run.cursor.get("next", 0), batches):
            with transaction.atomic():
                App.objects.filter(pk=service.pk).update(change_number=F("change_number") + 1)
                run.done({"added": 1}, next=number + 1)


JOBS = {"adding": Adding()}


def child(work: Callable[[], object]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def done_so_far() -> int:
    run = JobRun.objects.first()
    connections.close_all()  # before the next fork
    return run.cursor.get("next", 0) if run else 0


def fire_and_work() -> None:
    engine.fire_due(JOBS, timezone.now(), "beat")
    engine.work_off(JOBS, lambda app: app, timedelta(minutes=1))


def main(kills: int) -> dict[str, object]:
    call_command("migrate", verbosity=0)
    app = App.objects.create(app_id="acme", name="", created_at=timezone.now() - timedelta(days=5))
    AppPolicy.objects.create(app=app)
    connections.close_all()
    killed, chance = 0, random.Random(7)
    # Until enough were killed, and enough of them in the middle of something.
    while killed < kills or done_so_far() < ENOUGH:
        pids = [child(fire_and_work) for _ in range(4)]
        clock.sleep(chance.uniform(0.1, 0.35))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            killed += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    global batches  # the processes below are forked from this one
    batches = done_so_far() + 50
    claims.LEASE = timedelta(minutes=5)
    connections.close_all()
    pids = [child(fire_and_work) for _ in range(20)]
    ended = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    runs = JobRun.objects.all()
    return {
        "killed": killed,
        "ended": ended,
        "runs": runs.count(),
        "done": runs.filter(status=RunStatus.DONE).count(),
        "counted": sum(run.counts["added"] for run in runs),
        "batches": batches,
        "added": App.objects.values_list("change_number", flat=True).get(),
    }


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))  # noqa: T201  # it is a program

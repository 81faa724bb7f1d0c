"""What is done for the whole site."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time

from django.db import transaction
from django.utils import timezone

from memories.maintain.backup import backup
from memories.maintain.housekeeping import (
    drop_broken_off_imports,
    drop_expired_answers,
    drop_old_deliveries,
    end_idle_clients,
)
from memories.store.sweep import sweep
from memsite.jobs.engine import drop_old_runs
from memsite.jobs.job import Job, Run
from memsite.jobs.schedule import Calendar, Every
from memsite.ops.backup import drop_leftovers
from memsite.tenancy.purge_residue import residue

SITE = 0


class Sweep(Job[None]):
    name, title, schedule = "sweep", "sweeps out of the files what deleted rows leave there", Every(1)
    of_site = True

    def waiting(self, now: datetime) -> Iterable[int]:
        return [SITE] if residue() else []

    def work(self, hands: None, run: Run) -> None:
        if sweep(timezone.now()):
            with transaction.atomic():
                run.done({"swept": 1})


class Backups(Job[None]):
    name, title, schedule = "backup", "copies the whole database into a file", Calendar(time(3))
    of_site = True

    def work(self, hands: None, run: Run) -> None:
        backup(timezone.now(), run)


class Housekeeping(Job[None]):
    name, title, schedule = "housekeeping", "drops what is kept for a while only", Calendar(time(4))
    of_site = True

    def work(self, hands: None, run: Run) -> None:
        now = timezone.now()
        run.done({"answers_dropped": drop_expired_answers(now)})
        run.done({"imports_dropped": drop_broken_off_imports(now)})
        run.done({"deliveries_dropped": drop_old_deliveries(now)})
        run.done({"clients_dropped": end_idle_clients(now)})
        for count in drop_old_runs(now):
            run.done({"runs_dropped": count})
        run.done({"copies_dropped": drop_leftovers()})

"""What is done for the whole site."""

from __future__ import annotations

from datetime import time

from django.utils import timezone

from memories.maintain.housekeeping import drop_expired_answers
from memsite.jobs.engine import drop_old_runs
from memsite.jobs.job import Job, Run
from memsite.jobs.schedule import Calendar


class Housekeeping(Job[None]):
    name, title, schedule = "housekeeping", "drops what is kept for a while only", Calendar(time(4))
    of_site = True

    def work(self, hands: None, run: Run) -> None:
        now = timezone.now()
        run.done({"answers_dropped": drop_expired_answers(now)})
        run.done({"runs_dropped": drop_old_runs(now)})

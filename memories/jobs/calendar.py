"""What is done on an app's own calendar."""

from __future__ import annotations

from datetime import time

from django.utils import timezone

from memories.jobs.base import MemoryJob, Upkeeper
from memories.learn.triggers import roll_over
from memories.maintain.decay import decay_app
from memsite.jobs.job import Run
from memsite.jobs.schedule import Calendar


class Triggers(MemoryJob):
    name, title, schedule = "triggers", "moves recurring triggers on, and puts away what is over", Calendar(time(0))

    def work(self, hands: Upkeeper, run: Run) -> None:
        run.done(roll_over(hands.app, timezone.now()))


class Decay(MemoryJob):
    name, title, schedule = "decay", "lowers the confidence of what was not confirmed for long", Calendar(time(1, 30))

    def work(self, hands: Upkeeper, run: Run) -> None:
        decay_app(hands.app, timezone.now(), run)

"""What is done on an app's own calendar."""

from __future__ import annotations

from datetime import time

from django.utils import timezone

from memories.capture.missed import enqueue_unprocessed
from memories.index.app_embedder import current_embedder
from memories.jobs.base import MemoryJob, Upkeeper
from memories.learn.triggers import roll_over
from memories.maintain.cold import freeze_unused
from memories.maintain.decay import decay_app
from memories.maintain.derived import mend
from memories.maintain.expire import archive_expired
from memories.maintain.health import note_health
from memories.maintain.insights import gather_insights
from memories.maintain.merge import merge_duplicates
from memories.maintain.promote import promote_todays
from memories.maintain.rebuild import rebuild_summaries
from memories.maintain.reembed import reembed
from memories.maintain.reindex import reindex
from memsite.jobs.job import Run
from memsite.jobs.schedule import SUNDAY, Calendar


class Triggers(MemoryJob):
    name, title, schedule = "triggers", "moves recurring triggers on, and puts away what is over", Calendar(time(0))

    def work(self, hands: Upkeeper, run: Run) -> None:
        run.done(roll_over(hands.app, timezone.now()))


class Nightly(MemoryJob):
    name, title, schedule = (
        "nightly",
        "mends what is damaged, learns what was missed, merges duplicates, promotes what is new",
        Calendar(time(2)),
    )

    def work(self, hands: Upkeeper, run: Run) -> None:
        now = timezone.now()
        mend(hands.app, run)
        enqueue_unprocessed(hands.app, now, run)
        merge_duplicates(hands.app, now, run, hands.provider(), hands.embedder)
        promote_todays(hands.app, now, run)


class Weekly(MemoryJob):
    name, title = "weekly", "writes summaries from scratch, archives what nobody asked for, gathers insights"
    schedule = Calendar(time(1), weekday=SUNDAY)

    def work(self, hands: Upkeeper, run: Run) -> None:
        now = timezone.now()
        rebuild_summaries(hands.app, now, run, hands.provider(), hands.embedder)
        archive_expired(hands.app, now, run)
        gather_insights(hands.app, now, run, hands.provider(), hands.embedder)


class Monthly(MemoryJob):
    name, title = "monthly", "puts away what nobody asks for, tidies the indexes, writes the health report"
    schedule = Calendar(time(3), day=1)

    def work(self, hands: Upkeeper, run: Run) -> None:
        now = timezone.now()
        freeze_unused(hands.app, now, run)
        reembed(hands.app, now, run, current_embedder())
        reindex(hands.app, now, run)
        note_health(hands.app, now, run)


class Decay(MemoryJob):
    name, title, schedule = "decay", "lowers the confidence of what was not confirmed for long", Calendar(time(1, 30))

    def work(self, hands: Upkeeper, run: Run) -> None:
        decay_app(hands.app, timezone.now(), run)

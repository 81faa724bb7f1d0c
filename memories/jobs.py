"""All jobs by name: what they do, when they are due, and how they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, Protocol

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memories.capture.extraction import Lesson
from memories.capture.extraction_queue import enqueue_unprocessed, release, sessions_due
from memories.index.app_embedder import current_embedder
from memories.learn.triggers import roll_over
from memories.maintain.aging import archive_expired, decay_app, freeze_unused, promote_todays
from memories.maintain.derived import mend
from memories.maintain.embedding import apps_to_reembed, apps_with_backlog, embed_backlog, reembed
from memories.maintain.health import note_health
from memories.maintain.housekeeping import (
    apps_to_purge,
    backup,
    drop_broken_off_imports,
    drop_expired_answers,
    drop_old_deliveries,
    purge,
    reindex,
    silent_since,
)
from memories.maintain.insights import gather_insights
from memories.maintain.merge import merge_duplicates
from memories.maintain.pgvector import apps_to_move, move
from memories.maintain.stale_summaries import apps_with_stale_summaries, rebuild_summaries
from memories.models import AlertRule, Delivery, Document, Extraction, Import, Rollback, SummaryDue, Webhook
from memories.notifications.alerts import drop_old_alerts, look_at_rules, send_mails
from memories.providers.embeddings import Embedder, EmbedderError
from memories.providers.llm.provider import Provider
from memories.store.vacuum import sweep
from memsite.jobs.claims import zone_of
from memsite.jobs.engine import drop_old_runs
from memsite.jobs.job import Job, Run
from memsite.jobs.models import JobRun, JobSchedule
from memsite.jobs.schedule import SUNDAY, Calendar, Every, Schedule
from memsite.oauth.models import OAuthGrant
from memsite.ops.backup import drop_leftovers
from memsite.tenancy.models import App
from memsite.tenancy.purge_residue import residue
from sessions.models import AgentSession, SessionQuerySet

ASK_AGAIN = timedelta(minutes=5)
SITE = 0
__all__ = ["JOBS", "MemoryJob", "Service"]


class Service(Protocol):
    """What a job works with: one app, and what reads and writes for it. `MemoryAgent` is one."""

    app: App
    actor: str
    embedder: Embedder

    def provider(self) -> Provider: ...

    def learn_session(self, session_pk: int) -> Iterator[Lesson]: ...

    def read_documents(self, run: Run) -> int: ...

    def rewrite_summaries(self) -> int: ...

    def shrink(self) -> int: ...

    def tell(self, run: Run) -> None: ...

    def carry_on_imports(self, run: Run) -> None: ...

    def carry_on_rollbacks(self, run: Run) -> None: ...

    def flush_crashed(self, now: datetime, run: Run) -> None: ...


class MemoryJob(Job[Service]):
    """A job that is done for each app."""


class Triggers(MemoryJob):
    name, title, schedule = "triggers", "moves recurring triggers on, closes those that are over", Calendar(time(0))

    def work(self, service: Service, run: Run) -> None:
        run.done(roll_over(service.app, timezone.now()))


class Nightly(MemoryJob):
    name, title, schedule = (
        "nightly",
        "repairs damaged data, learns from missed texts, merges duplicates, promotes new memories",
        Calendar(time(2)),
    )

    def work(self, service: Service, run: Run) -> None:
        now = timezone.now()
        mend(service.app, run)
        enqueue_unprocessed(service.app, now, run)
        merge_duplicates(service.app, now, run, service.provider(), service.embedder)
        promote_todays(service.app, now, run)


class Weekly(MemoryJob):
    name, title = "weekly", "writes summaries from scratch, archives unused memories, gathers insights"
    schedule = Calendar(time(1), weekday=SUNDAY)

    def work(self, service: Service, run: Run) -> None:
        now = timezone.now()
        rebuild_summaries(service.app, now, run, service.provider(), service.embedder)
        archive_expired(service.app, now, run)
        gather_insights(service.app, now, run, service.provider(), service.embedder)


class Monthly(MemoryJob):
    name, title = "monthly", "moves unused memories to the cold archive, tidies the indexes, writes the health report"
    schedule = Calendar(time(3), day=1)

    def work(self, service: Service, run: Run) -> None:
        now = timezone.now()
        freeze_unused(service.app, now, run)
        reembed(service.app, now, run, current_embedder())
        reindex(service.app, now, run)
        note_health(service.app, now, run)


class Decay(MemoryJob):
    name, title, schedule = "decay", "lowers the confidence of what was not confirmed for long", Calendar(time(1, 30))

    def work(self, service: Service, run: Run) -> None:
        decay_app(service.app, timezone.now(), run)


class ExtractionSweep(MemoryJob):
    name, title, schedule = "extraction", "learns from texts that were not read yet", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        release(now)
        return Extraction.objects.due(now).order_by().values_list("app_id", flat=True).distinct()

    def work(self, service: Service, run: Run) -> None:
        for session in sessions_due(service.app, timezone.now()):
            for lesson in service.learn_session(session):
                run.done({"stored": lesson.stored})


class Documents(MemoryJob):
    name, title, schedule = "documents", "reads files that were uploaded", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        return Document.objects.due(now).order_by().values_list("app_id", flat=True).distinct()

    def work(self, service: Service, run: Run) -> None:
        service.read_documents(run)


class SummarySweep(MemoryJob):
    name, title, schedule = "summaries", "rewrites summaries whose memories changed or expired", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        marked = SummaryDue.objects.order_by().values_list("app_id", flat=True).distinct()
        return apps_with_stale_summaries(now) | set(marked)

    def work(self, service: Service, run: Run) -> None:
        run.done({"written": service.rewrite_summaries()})


class LimitSweep(MemoryJob):
    name, title, schedule = "limit", "evicts memories where an app's limit was lowered", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        over = App.objects.filter(memory_count__gt=F("policy__memory_limit"))
        return over.values_list("pk", flat=True)

    def work(self, service: Service, run: Run) -> None:
        while made := service.shrink():
            run.done({"made_room": made})


class EmbeddingBacklog(MemoryJob):
    name, title, schedule = "embedding", "gives memories the vector that they lack", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        return apps_with_backlog()

    def work(self, service: Service, run: Run) -> None:
        embed_backlog(service.app, timezone.now(), run, current_embedder())


class Reembedding(MemoryJob):
    name, title, schedule = "reembedding", "gives memories new vectors when the embedder has changed", Every(5)

    asked_at: datetime | None = None

    def waiting(self, now: datetime) -> Iterable[int]:
        """Ask how long its vectors are: who puts another model in the place of one, under its name, tells nobody.

        A service that hangs, which holds all other jobs up for half a minute, not each minute.
        """
        embedder = current_embedder()
        if not embedder.known_dim and (self.asked_at is None or now - self.asked_at >= ASK_AGAIN):
            self.asked_at = now
            with suppress(EmbedderError):
                _ = embedder.dim
        return apps_to_reembed(embedder).values_list("pk", flat=True)

    def work(self, service: Service, run: Run) -> None:
        reembed(service.app, timezone.now(), run, current_embedder())


class LargeApps(MemoryJob):
    name, title, schedule = "pgvector", "puts the vectors of large apps into pgvector", Every(5)

    def waiting(self, now: datetime) -> Iterable[int]:
        return apps_to_move().values_list("pk", flat=True)

    def work(self, service: Service, run: Run) -> None:
        move(service.app, timezone.now(), run)


class Purging(MemoryJob):
    name, title, schedule = "purge", "deletes what purges have hidden", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        """Include apps that are not active."""
        return apps_to_purge().values_list("pk", flat=True)

    def work(self, service: Service, run: Run) -> None:
        purge(service.app, timezone.now(), run)


class Imports(MemoryJob):
    name, title, schedule = "imports", "imports the rest of uploaded files", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        return Import.objects.open().order_by().values_list("app_id", flat=True).distinct()

    def work(self, service: Service, run: Run) -> None:
        service.carry_on_imports(run)


class Rollbacks(MemoryJob):
    name, title, schedule = "rollbacks", "finishes rollbacks of sources", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        return Rollback.objects.open().order_by().values_list("app_id", flat=True).distinct()

    def work(self, service: Service, run: Run) -> None:
        service.carry_on_rollbacks(run)


class Webhooks(MemoryJob):
    name, title, schedule = "webhooks", "sends changes to webhooks, and retries failed deliveries", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        behind = Webhook.objects.behind().order_by().values_list("app_id", flat=True)
        return set(behind) | set(Delivery.objects.due(now).order_by().values_list("app_id", flat=True))

    def work(self, service: Service, run: Run) -> None:
        service.tell(run)


class FlushCrashed(MemoryJob):
    name, title, schedule = "flush", "ends sessions without a sign of life", Every(5)

    def waiting(self, now: datetime) -> Iterable[int]:
        return self.silent(now).order_by().values_list("app_id", flat=True).distinct()

    def is_wanted(self, app: App, now: datetime) -> bool:
        return self.silent(now).for_app(app).exists()

    def silent(self, now: datetime) -> SessionQuerySet:
        return AgentSession.objects.active().silent(silent_since(now))

    def work(self, service: Service, run: Run) -> None:
        service.flush_crashed(timezone.now(), run)


class Sweep(Job[None]):
    name, title, schedule = "sweep", "erases what deleted rows leave in the database's files", Every(1)
    of_site = True

    def waiting(self, now: datetime) -> Iterable[int]:
        return [SITE] if residue() else []

    def work(self, service: None, run: Run) -> None:
        if sweep(timezone.now()):
            with transaction.atomic():
                run.done({"swept": 1})


class Alerts(Job[None]):
    name, title, schedule = "alerts", "alerts operators when a rule is met, and when it is over", Every(1)
    of_site = True

    def waiting(self, now: datetime) -> Iterable[int]:
        return [SITE] if AlertRule.objects.exists() else []

    def work(self, service: None, run: Run) -> None:
        look_at_rules(timezone.now(), run)
        send_mails(run)


class Backups(Job[None]):
    name, title, schedule = "backup", "copies the whole database into a file", Calendar(time(3))
    of_site = True

    def work(self, service: None, run: Run) -> None:
        backup(timezone.now(), run)


class Housekeeping(Job[None]):
    name, title, schedule = "housekeeping", "deletes records whose time of retention is over", Calendar(time(4))
    of_site = True

    def work(self, service: None, run: Run) -> None:
        now = timezone.now()
        run.done({"answers_dropped": drop_expired_answers(now)})
        run.done({"imports_dropped": drop_broken_off_imports(now)})
        run.done({"deliveries_dropped": drop_old_deliveries(now)})
        run.done({"alerts_dropped": drop_old_alerts(now)})
        # What OAuth clients have not renewed for `MEMSITE_OAUTH_IDLE_DAYS`.
        run.done({"clients_dropped": OAuthGrant.objects.idle(now).end()})
        for count in drop_old_runs(now):
            run.done({"runs_dropped": count})
        run.done({"copies_dropped": drop_leftovers()})


EVERY_JOB: tuple[Job[Any], ...] = (
    ExtractionSweep(),
    Documents(),
    EmbeddingBacklog(),
    Reembedding(),
    LargeApps(),
    SummarySweep(),
    LimitSweep(),
    FlushCrashed(),
    Imports(),
    Rollbacks(),
    Webhooks(),
    Purging(),
    Triggers(),
    Decay(),
    Nightly(),
    Weekly(),
    Monthly(),
    Housekeeping(),
    Alerts(),
    Sweep(),
    Backups(),
)


JOBS = {job.name: job for job in EVERY_JOB}


@dataclass(frozen=True, slots=True)
class Listed:
    """A job as it stands for one app; `last_run` is the one due last, whatever became of it."""

    job: Job[Any]
    schedule: Schedule
    enabled: bool
    next_at: datetime | None
    last_run: JobRun | None


def jobs_of(app: App | None, now: datetime) -> list[Listed]:
    """Return the jobs of an app, or (None) of the whole site, in the order of the catalogue.

    One query, and one per job.
    """
    rows = {row.job: row for row in JobSchedule.objects.all()}
    jobs = []
    for job in JOBS.values():
        if job.of_site == (app is None):
            row = rows.get(job.name)
            schedule = row.schedule if row else job.schedule
            enabled = row.enabled if row else True
            next_at = schedule.upcoming(now, zone_of(app)).until if enabled else None
            last_run = JobRun.objects.of(job.name, app).select_related("app").order_by("-until").first()
            jobs.append(Listed(job, schedule, enabled, next_at, last_run))
    return jobs

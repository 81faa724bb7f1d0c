"""What is looked for every minute: work that nobody rang for, or that has to be tried again."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta

from django.db.models import F
from django.utils import timezone

from memories.capture.work import release, sessions_due
from memories.index.app_embedder import current_embedder
from memories.jobs.base import MemoryJob, Upkeeper
from memories.maintain.backlog import apps_with_backlog, embed_backlog
from memories.maintain.crashed import silent_since
from memories.maintain.overtaken import apps_with_stale_summaries
from memories.maintain.pgvector import apps_to_move, move
from memories.maintain.purge import apps_to_purge, purge
from memories.maintain.reembed import apps_to_reembed, reembed
from memories.models import Delivery, Extraction, Import, Rollback, SummaryDue, Webhook
from memories.providers.embeddings import EmbedderError
from memsite.jobs.job import Run
from memsite.jobs.schedule import Every
from memsite.tenancy.models import App
from sessions.models import AgentSession, SessionQuerySet

ASK_AGAIN = timedelta(minutes=5)


class ExtractionSweep(MemoryJob):
    name, title, schedule = "extraction", "learns from what was said and not yet read", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        release(now)
        return Extraction.objects.due(now).order_by().values_list("app_id", flat=True).distinct()

    def work(self, hands: Upkeeper, run: Run) -> None:
        for session in sessions_due(hands.app, timezone.now()):
            for lesson in hands.learn_session(session):
                run.done({"stored": lesson.stored})


class SummarySweep(MemoryJob):
    name, title, schedule = "summaries", "writes summaries anew whose memories changed or ran out", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        marked = SummaryDue.objects.order_by().values_list("app_id", flat=True).distinct()
        return apps_with_stale_summaries(now) | set(marked)

    def work(self, hands: Upkeeper, run: Run) -> None:
        run.done({"written": hands.rewrite_summaries()})


class LimitSweep(MemoryJob):
    name, title, schedule = "limit", "makes room where the limit of memories was lowered", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        over = App.objects.filter(memory_count__gt=F("policy__memory_limit"))
        return over.values_list("pk", flat=True)

    def work(self, hands: Upkeeper, run: Run) -> None:
        while made := hands.shrink():
            run.done({"made_room": made})


class EmbeddingBacklog(MemoryJob):
    name, title, schedule = "embedding", "gives memories the vector that they lack", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        return apps_with_backlog()

    def work(self, hands: Upkeeper, run: Run) -> None:
        embed_backlog(hands.app, timezone.now(), run, current_embedder())


class Reembedding(MemoryJob):
    name, title, schedule = "reembedding", "gives memories new vectors when the embedder has changed", Every(5)

    asked_at: datetime | None = None

    def waiting(self, now: datetime) -> Iterable[int]:
        """Asks how long its vectors are: who puts another model in the place of one, under its name, tells nobody.

        A service that hangs, which holds all other jobs up for half a minute, not each minute.
        """
        embedder = current_embedder()
        if not embedder.known_dim and (self.asked_at is None or now - self.asked_at >= ASK_AGAIN):
            self.asked_at = now
            with suppress(EmbedderError):
                _ = embedder.dim
        return apps_to_reembed(embedder).values_list("pk", flat=True)

    def work(self, hands: Upkeeper, run: Run) -> None:
        reembed(hands.app, timezone.now(), run, current_embedder())


class LargeApps(MemoryJob):
    name, title, schedule = "pgvector", "asks pgvector for the vectors of apps that have grown large", Every(5)

    def waiting(self, now: datetime) -> Iterable[int]:
        return apps_to_move().values_list("pk", flat=True)

    def work(self, hands: Upkeeper, run: Run) -> None:
        move(hands.app, timezone.now(), run)


class Purging(MemoryJob):
    name, title, schedule = "purge", "deletes what purges have hidden", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        """Of apps that are not active, too."""
        return apps_to_purge().values_list("pk", flat=True)

    def work(self, hands: Upkeeper, run: Run) -> None:
        purge(hands.app, timezone.now(), run)


class Imports(MemoryJob):
    name, title, schedule = "imports", "takes in the rest of files that are being imported", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        return Import.objects.open().order_by().values_list("app_id", flat=True).distinct()

    def work(self, hands: Upkeeper, run: Run) -> None:
        hands.carry_on_imports(run)


class Rollbacks(MemoryJob):
    name, title, schedule = "rollbacks", "takes back the rest of what came from a source", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        return Rollback.objects.open().order_by().values_list("app_id", flat=True).distinct()

    def work(self, hands: Upkeeper, run: Run) -> None:
        hands.carry_on_rollbacks(run)


class Webhooks(MemoryJob):
    name, title, schedule = "webhooks", "tells webhooks what has changed, and tries again what did not arrive", Every(1)

    def waiting(self, now: datetime) -> Iterable[int]:
        behind = Webhook.objects.behind().order_by().values_list("app_id", flat=True)
        return set(behind) | set(Delivery.objects.due(now).order_by().values_list("app_id", flat=True))

    def work(self, hands: Upkeeper, run: Run) -> None:
        hands.tell(run)


class FlushCrashed(MemoryJob):
    name, title, schedule = "flush", "ends sessions that fell silent, as their agents would have", Every(5)

    def waiting(self, now: datetime) -> Iterable[int]:
        return self.silent(now).order_by().values_list("app_id", flat=True).distinct()

    def is_wanted(self, app: App, now: datetime) -> bool:
        return self.silent(now).for_app(app).exists()

    def silent(self, now: datetime) -> SessionQuerySet:
        return AgentSession.objects.active().silent(silent_since(now))

    def work(self, hands: Upkeeper, run: Run) -> None:
        hands.flush_crashed(timezone.now(), run)

"""Taking back what came from one source: looked at first, then done, the rest by a worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from memories.agent.base import Caller
from memories.import_export.sources import MEMSITE
from memories.models import Import, ImportStatus, Memory, Rollback, RollbackStatus, RollbackWhat
from memories.store import Writer, writing
from memories.store.rollback import Source, stop, undo_changes, withdraw
from memories.text.clean import clean
from memsite.jobs.engine import WORK
from memsite.jobs.job import Run, Unclaimed
from memsite.jobs.task_queue import ring
from memsite.tenancy.audit import note
from memsite.tenancy.models import Agent
from memsite.tenancy.origin import Origin
from sessions.models import AgentSession, Resource

MOST_AT_ONCE, SAMPLES = 1_000, 10
BY_ID: dict[str, Any] = {
    RollbackWhat.SESSION: AgentSession, RollbackWhat.RESOURCE: Resource, RollbackWhat.IMPORT: Import,
}  # fmt: skip


class NoSuchSource(Exception):
    """There is nothing like it in the app; the text says so, and tells nothing of other apps."""


class CannotTakeBack(Exception):
    """It cannot be told from what was there before, or not yet; the text says why."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a rollback would do."""

    memories: int
    sessions: int
    changes: int
    samples: list[Memory]


class RollingBack(Caller):
    def foresee(self, what: str, name: str, since: datetime | None = None) -> Foreseen:
        """Raises NoSuchSource, CannotTakeBack."""
        source = self.source(Rollback(app=self.app, what=what, source=name, since=since))
        rows = source.memories()
        changes = len(source.changes(0))
        return Foreseen(rows.count(), len(source.sessions), changes, list(rows.order_by("-pk")[:SAMPLES]))

    def roll_back(
        self, what: str, name: str, since: datetime | None = None, reason: str = "", *,
        begun: Callable[[Rollback], None] = lambda row: None,
    ) -> Rollback:  # fmt: skip
        """Not to be called inside a transaction. What is much is finished by the job. Raises as `foresee`.

        `begun` is told of it in the transaction that begins it.
        """
        now = timezone.now()
        row = Rollback(
            app=self.app, what=what, source=name, since=since, reason=clean(reason)[:400], asked_by=self.actor,
            asked_at=now,
        )  # fmt: skip
        source = self.source(row)
        with writing(self.app, self.actor, now) as write:
            row.save(force_insert=True)
            stop(write, source, why(source, row))
            note(self.actor, self.app, "rolled back", str(row.uid), after={"what": what, "source": name})
            begun(row)
        if source.memories().count() <= MOST_AT_ONCE:
            self.carry_on_rollback(row, Unclaimed(until=now))
        else:
            ring(WORK)
        return row

    def carry_on_rollbacks(self, run: Run) -> None:
        """The job: goes on with what others have begun."""
        for row in Rollback.objects.for_app(self.app).open().order_by("pk"):
            self.carry_on_rollback(row, run)

    def carry_on_rollback(self, row: Rollback, run: Run) -> None:
        """Batch by batch, each with the note how far it is: whoever is ended in between, another one goes on."""
        row.app = self.app
        while row.status == RollbackStatus.OPEN:
            with writing(self.app, row.asked_by, timezone.now()) as write:
                counts = next_batch(write, row, Source(self.app, row))
                if counts is None:
                    row.status, row.finished_at = RollbackStatus.DONE, write.now
                row.counts = dict(Counter(row.counts) + (counts or Counter()))
                row.save(update_fields=["counts", "looked_to", "status", "finished_at"])
                run.done(counts or {})

    def source(self, row: Rollback) -> Source:
        if not self.is_there(row.what, row.source):
            raise NoSuchSource(f"There is no such {row.what} in this app.")
        if row.what == RollbackWhat.IMPORT:
            self.check_import(row.source)
        return Source(self.app, row)

    def is_there(self, what: str, name: str) -> bool:
        if what == RollbackWhat.ORIGIN:
            return name in Origin.values
        if what == RollbackWhat.AGENT:
            return Agent.objects.for_app(self.app).filter(name=name).exists()
        if what == RollbackWhat.BRIDGE:
            return AgentSession.objects.for_app(self.app).filter(environment__bridge=name).exists()
        uid = as_uid(name)
        return uid is not None and BY_ID[what].objects.for_app(self.app).filter(uid=uid).exists()

    def check_import(self, uid: str) -> None:
        """Raises CannotTakeBack."""
        row = Import.objects.for_app(self.app).get(uid=uid)
        if row.source == MEMSITE:
            raise CannotTakeBack("An app's own file cannot be told from what was there before it.")
        if row.status == ImportStatus.WAITING:
            raise CannotTakeBack("It is still being taken in.")


def next_batch(write: Writer, row: Rollback, source: Source) -> Counter[str] | None:
    """What was done; None if nothing is left. First the memories, then what the source did to others."""
    reason = why(source, row)
    if gone := withdraw(write, source, reason):
        return gone
    changes = source.changes(row.looked_to)
    if not changes:
        return None
    row.looked_to = changes[-1].pk
    return Counter(undone=undo_changes(write, source, changes, reason))


def why(source: Source, row: Rollback) -> str:
    return source.told + (f": {row.reason}" if row.reason else "")


def as_uid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None

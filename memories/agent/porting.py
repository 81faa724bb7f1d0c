"""Leaving and coming: an app as a file, and files as what an app knows and learns from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import IO

import structlog
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from memories.agent.admitting import Admission, withhold
from memories.agent.facts import ComingFacts, Facts
from memories.agent.knowledge import Knowledge
from memories.agent.purging import SWEEP_TASK
from memories.agent.sessions import Sessions
from memories.capture.candidates import EmbeddingPrefetch
from memories.capture.extraction_queue import queue_digest
from memories.capture.ingest_messages import Captured
from memories.capture.quarantine import screen
from memories.import_export.export import StillPurging, exported, exported_pages
from memories.import_export.files import CONVERSATION, BadFile, is_ours
from memories.import_export.restore import KNOWN, LEFT_OUT, NEW, REDACTED, WITHHELD, noted, restore
from memories.import_export.sources import MEMSITE, SOURCES, Limits, lines_in
from memories.import_export.staging import (
    CannotImport,
    UnderWay,
    check_app,
    holds_nothing,
    known_facts,
    said_in,
    session_for,
    stage,
    survey,
)
from memories.import_export.tables import Line
from memories.models import Import, ImportPart, ImportStatus
from memories.notifications.webhooks import note_changes, skip_changes
from memories.store import LimitReached, writing
from memsite.config.conf import get_conf
from memsite.jobs.engine import WORK
from memsite.jobs.job import Run, Unclaimed
from memsite.jobs.task_queue import ring
from memsite.tenancy.audit import note
from memsite.tenancy.models import Agent
from sessions.models import AgentSession

log = structlog.get_logger("memories.agent")
MOST_AT_ONCE = 2_000
"""Lines: what is taken in within a second or two is there when the caller is told so."""
CANNOT_BE = (IntegrityError, DataError, ValidationError, LimitReached, BadFile)
Counts = dict[str, Counter[str]]

__all__ = ["BadFile", "CannotImport", "Porting", "StillPurging", "UnderWay"]


class TakenIn(Exception):
    """Somebody else has taken the part in meanwhile, or what is left of the import was dropped."""


class Porting(Sessions, Knowledge):
    def export(self, *, user_id: str | None = None, vectors: bool = False) -> IO[bytes]:
        """The app's file, complete and at its beginning, gone when it is closed. Raises StillPurging."""
        self.note_export(user_id)
        return exported(self.app, user_id=user_id, vectors=vectors)

    def export_markdown(self, *, user_id: str | None = None) -> IO[bytes]:
        """A zip file: one page per category, and the lessons. Gone when it is closed."""
        self.note_export(user_id)
        return exported_pages(self.app, user_id)

    def note_export(self, user_id: str | None) -> None:
        note(self.actor, self.app, "app exported", self.app.app_id, after={"of_one_user": user_id is not None})

    def survey_import(self, file: IO[bytes], source: str, *, trust: bool = False) -> dict[str, dict[str, int]]:
        """What the file would bring, by type. Keeps nothing. Raises BadFile."""
        lines = self.admitted(file, source, trust)
        return survey(self.app, lines, lambda facts: screen(facts, self.app.policy).free)

    def admitted(self, file: IO[bytes], source: str, trust: bool) -> Iterator[Line]:
        """The file's lines as they may be taken over. `trust`: an operator vouches for who said them."""
        most = limits()
        is_trusted = source == MEMSITE and (trust or is_ours(file, most.most_bytes, most.most_bytes_of_one))
        admission = Admission(self.app, is_trusted=is_trusted, is_fresh=holds_nothing(self.app))
        return admission.admitted(lines_in(file, SOURCES[source], most))

    def begin_import(
        self, file: IO[bytes], source: str, agent: str = "", user_id: str | None = None, *, trust: bool = False
    ) -> Import:  # fmt: skip
        """Looks at all of the file and keeps it; what is short is taken in at once, the rest by a worker.

        `trust`: the operator vouches for who the file says has said and reviewed something. Raises BadFile and
        CannotImport, and then nothing is kept.
        """
        check_app(self.app)
        named = "" if source == MEMSITE else agent or f"import-{source}"
        row = Import.objects.create(
            app=self.app, source=source, agent=named, user_id=user_id, asked_by=self.actor, created_at=timezone.now()
        )
        stage(row, self.admitted(file, source, trust))
        told = {"source": source, "lines": row.lines, **({"trusted by": self.actor} if trust else {})}
        note(self.actor, self.app, "import begun", str(row.uid), after=told)
        if row.lines <= MOST_AT_ONCE:
            self.carry_on(row, Unclaimed(until=timezone.now()))
        else:
            ring(WORK)
        return row

    def carry_on_imports(self, run: Run) -> None:
        """The job: goes on with what others have begun."""
        for row in Import.objects.for_app(self.app).open().order_by("pk"):
            self.carry_on(row, run)

    def carry_on(self, row: Import, run: Run) -> None:
        """Takes in what is left. What cannot be stored ends it, and says why."""
        row.app = self.app
        try:
            with EmbeddingPrefetch(self.embedder) as ahead:
                coming = ComingFacts(row, ahead)
                while part := ImportPart.objects.for_app(self.app).filter(of=row).order_by("pk").first():
                    self.take_in(row, part, run, coming)
            self.finish_import(row, ImportStatus.DONE)
        except CANNOT_BE as error:
            log.warning("import_failed", source=row.source, error=type(error).__name__)
            told = str(error) if isinstance(error, LimitReached | BadFile) else "a row does not fit into this app"
            self.finish_import(row, ImportStatus.FAILED, told)
        row.refresh_from_db()

    def take_in(self, row: Import, part: ImportPart, run: Run, coming: ComingFacts) -> None:
        lines = part.read()
        with suppress(TakenIn):
            if row.source == MEMSITE:
                self.restore_part(row, part, lines, run)
            elif lines[0]["type"] == CONVERSATION:
                self.hear(row, part, lines, run)
            else:
                self.know(row, part, coming.of(part, lines), run)

    def restore_part(self, row: Import, part: ImportPart, lines: Sequence[Line], run: Run) -> None:
        with writing(self.app, row.asked_by, timezone.now()) as write:
            self.check_part(part)
            note_changes(self.app, write.now)
            free = [line for line in lines if WITHHELD not in line]
            counts = restore(write, free, is_fresh=row.is_fresh) if free else Counter()
            counts += withhold(write, [line for line in lines if WITHHELD in line])
            skip_changes(self.app)
            self.note_taken(row, part, {lines[0]["type"]: counts}, run)

    def check_part(self, part: ImportPart) -> None:
        """In the transaction that stores it: nobody drops it before that ends.

        Who took it in before may have seen it deleted since: raises TakenIn.
        """
        if not ImportPart.objects.for_app(self.app).select_for_update().filter(pk=part.pk).first():
            raise TakenIn

    def note_taken(self, row: Import, part: ImportPart, counts: Counts, run: Run) -> None:
        """In the transaction that takes a part in; after it where what is taken in twice is there once."""
        gone, _ = ImportPart.objects.for_app(self.app).filter(pk=part.pk).delete()
        current = Import.objects.for_app(self.app).select_for_update().filter(pk=row.pk).first()
        if not gone or current is None:
            return
        for name, more in counts.items():
            current.counts[name] = dict(Counter(current.counts.get(name, {})) + more)
        current.done += part.lines
        current.save(update_fields=["counts", "done"])
        run.done({"lines": part.lines})

    def hear(self, row: Import, part: ImportPart, lines: Sequence[Line], run: Run) -> None:
        """Conversations: kept as what was said, and learnt from in the background."""
        agent, _ = Agent.objects.for_app(self.app).get_or_create(name=row.agent, defaults={"app": self.app})
        counts: Counts = {"session": Counter(), "message": Counter()}
        for line in lines:
            with transaction.atomic():
                self.check_part(part)
                session, is_new = session_for(row, agent, line, timezone.now())
            said = said_in(line)
            captured = self.capture_messages(session, said, partial(self.note_heard, part, session), is_live=False)
            new = len(captured.resources)
            counts["session"] += Counter({NEW: int(is_new), REDACTED: int(is_new and REDACTED in line)})
            counts["message"] += Counter({NEW: new, KNOWN: len(said) - new})
        with transaction.atomic():
            self.note_taken(row, part, counts, run)

    def note_heard(self, part: ImportPart, session: AgentSession, captured: Captured) -> None:
        self.check_part(part)
        if captured.resources and self.app.policy.capture_digest:
            queue_digest(session, timezone.now())

    def know(self, row: Import, part: ImportPart, facts: Facts, run: Run) -> None:
        """Facts: stored as they are."""
        # Those of the part before were not known yet when these were made ready.
        known = facts.known | known_facts(self.app, list(facts.lines))
        new = facts.sifted.without(known)
        there = sum(line["id"] in known for line in facts.lines)
        # What a person has to decide about is no memory yet.
        stored = len(new.free)
        told = noted(line for line in facts.lines if line["id"] not in known)
        counts = {"memory": Counter({NEW: stored, KNOWN: there, LEFT_OUT: len(facts.lines) - there - stored}) + told}

        def note_known(*_: object) -> None:
            self.check_part(part)
            self.note_taken(row, part, counts, run)

        self.remember_sifted(new, note_known)

    def finish_import(self, row: Import, status: str, reason: str = "") -> None:
        with transaction.atomic():
            rows = Import.objects.for_app(self.app).filter(pk=row.pk, status=ImportStatus.WAITING)
            if rows.update(status=status, reason=reason[:500], finished_at=timezone.now()):
                ImportPart.objects.for_app(self.app).filter(of=row).delete()
                note(self.actor, self.app, f"import {status}", str(row.uid))
        ring(SWEEP_TASK)


def limits() -> Limits:
    conf = get_conf()
    return Limits(conf.import_megabytes * 1024 * 1024, conf.max_line_bytes)

"""Export of an app as a file, and import: what of a file an app may take over, without secrets or unproven trust."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any

import structlog
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from memories.capture.candidates import FROM_UNSIGNED, EmbeddingPrefetch
from memories.capture.extraction_queue import queue_digest
from memories.capture.ingest_messages import Captured
from memories.capture.quarantine import (
    PLAIN,
    READ_BY_AGENTS,
    Refusal,
    Screened,
    plain_fields,
    reason_to_wait,
    refuse,
    screen,
    suspicion_in,
)
from memories.import_export import BY_NAME, Line, Table
from memories.import_export.export import POLICY, StillPurging, exported, exported_pages
from memories.import_export.files import CONVERSATION, FACT, BadFile, is_ours, moment
from memories.import_export.restore import (
    KNOWN,
    LEFT_OUT,
    NEW,
    REDACTED,
    UNTRUSTED,
    WITHHELD,
    WRITTEN_ANEW,
    key_of,
    known_keys,
    noted,
    restore,
)
from memories.import_export.sources import MEMSITE, SOURCES, Limits, lines_in
from memories.import_export.staging import (
    CannotImport,
    UnderWay,
    candidates_of,
    check_app,
    holds_nothing,
    known_facts,
    said_in,
    session_for,
    stage,
    survey,
)
from memories.language.secrets import each_text, redact, secret_in_name, texts_in, without_secrets
from memories.models import Import, ImportPart, ImportStatus, Source
from memories.notifications.webhooks import note_changes, skip_changes
from memories.services.administration import SWEEP_TASK
from memories.services.memories import MemoryService
from memories.services.sessions import SessionService
from memories.store import Candidate, LimitReached, Writer, writing
from memsite.config.conf import get_conf
from memsite.db import replica
from memsite.jobs.engine import WORK
from memsite.jobs.job import Run, Unclaimed
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.audit import note
from memsite.tenancy.models import Agent, App
from memsite.tenancy.origin import Origin, least_trusted
from memsite.tenancy.policy import TRUST_FIELDS
from sessions.models import AgentSession

DIGITS = 12
NAMES = ("external_id", "user_id", "name", "category", "source_key", "made_by", "service", "model")
"""Columns by which rows are found again: a secret that is one is replaced by what stands for it, the same each time."""
COMPUTED = ("fingerprint", "data")
RAW = {"resource": ("raw_content",), "turn": ("user_input", "tool_calls", "llm_output", "internal_state")}
"""What was said, word for word unless the app's policy says otherwise."""
log = structlog.get_logger("memories.services")
MOST_AT_ONCE = 2_000
"""Lines: what is taken in within a second or two is there when the caller is told so."""
CANNOT_BE = (IntegrityError, DataError, ValidationError, LimitReached, BadFile)
Counts = dict[str, Counter[str]]
__all__ = ["BadFile", "CannotImport", "ImportExportService", "StillPurging", "UnderWay"]


def stand_in(name: str) -> str:
    """Return the name, or a replacement if it holds a secret: the same each time with this server's secret key.

    A request with such a name is refused (`memories.api.fields.NameField`), because a replacement would match nothing
    once the key changes. A file has to agree with itself only, and nobody can correct what was recorded years ago.
    """
    kind = secret_in_name(name)
    if not kind:
        return name
    # The salt never changes: with another one a name that was imported before would get another stand-in.
    digits = salted_hmac("memories.agent.admitting", name, algorithm="sha256").hexdigest()[:DIGITS]
    return f"redacted-{re.sub('[^a-z]+', '-', kind.lower())}-{digits}"


class Admission:
    """The admission of one file into one app. `is_trusted`: its origins and reviews are believed."""

    def __init__(self, app: App, *, is_trusted: bool, is_fresh: bool) -> None:
        self.app, self.is_trusted, self.is_fresh = app, is_trusted, is_fresh
        self.redacts_raw = app.policy.redact_raw

    def admitted(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Yield each line with what may be taken over, and notes of changes: see `memories.import_export.restore`."""
        for line in lines:
            if line["type"] == POLICY:
                yield self.policy(line)
            elif line["type"] in BY_NAME:
                public = self.without_secrets(BY_NAME[line["type"]], line)
                yield public if self.is_trusted else demoted_line(self.app, public)
            else:
                # A fact or a conversation of another system: it is treated like any other message.
                values = {name: cleaned(None, name, value) for name, value in line.items() if name != "messages"}
                public = changed(line, values)
                if line["type"] == CONVERSATION:
                    public["messages"] = [
                        {
                            **message,
                            "id": cleaned(None, "id", message["id"]),
                            "content": redact(message["content"]).text if self.redacts_raw else message["content"],
                        }
                        for message in line["messages"]
                    ]
                yield public

    def policy(self, line: Line) -> Line:
        if not self.is_trusted:
            line = line | {name: getattr(self.app.policy, name) for name in TRUST_FIELDS}
        if self.is_fresh:
            self.redacts_raw = line["redact_raw"]
        names = [stand_in(name) for name in line["marker_categories"]]
        days = {stand_in(name): number for name, number in line["ttl_days"].items()}
        values = {"name": without_secrets(line["name"]), "marker_categories": names, "ttl_days": days}
        return changed(line, values)

    def without_secrets(self, table: Table, line: Line) -> Line:
        raw = () if self.redacts_raw else RAW.get(table.name, ())
        values = {name: value for name, value in line.items() if name not in raw and name not in COMPUTED}
        line = changed(line, {name: cleaned(table, name, value) for name, value in values.items()})
        # By their keys entities are one with those that other texts name: one whose key was a secret is none.
        is_lost = REDACTED in line and table.name in ("entity", "mention")
        return line | {WITHHELD: ["", "its key is a secret"]} if is_lost else line


def cleaned(table: Table | None, name: str, value: Any) -> Any:
    """Return a value of a line without secrets; row names, times and choices hold none."""
    if value is None or name in ("type", "uid", "was") or isinstance(value, int | float):
        return value
    ref = next((ref for ref in table.refs if ref.field == name), None) if table else None
    if name in NAMES or (ref and ref.table == "agent") or (table is None and name == "id"):
        return stand_in(value)
    if ref and ref.table != "entity":
        return value
    if table and name in table.columns:
        column = table.column(name)
        if column.choices or column.get_internal_type() not in ("CharField", "TextField", "JSONField"):
            return value
    return each_text(value, without_secrets)


def changed(line: Line, values: Mapping[str, Any]) -> Line:
    return {**line, **values, REDACTED: True} if any(line[name] != value for name, value in values.items()) else line


def withhold(write: Writer, lines: Sequence[Line]) -> Counter[str]:
    """Leave rows of one type out: a memory becomes a rejection that waits for a person."""
    if not lines:
        return Counter()
    known = known_keys(BY_NAME[lines[0]["type"]], write.app, lines)
    new = [line for line in lines if key_of(BY_NAME[line["type"]], line) not in known]
    for line in new:
        if line["type"] == "memory" and line["source"] != Source.DOCUMENT:
            kind, reason = line[WITHHELD]
            fields = {name: line[name] for name in PLAIN if name not in ("valid_from", "valid_until")}
            fields["entities"] = fields["entities"] or []
            agents, sessions = Agent.objects.for_app(write.app), AgentSession.objects.for_app(write.app)
            candidate = Candidate(
                **fields,
                agent=agents.filter(name=line["agent"]).first() if line["agent"] else None,
                session=sessions.filter(uid=line["session"]).first() if line["session"] else None,
                turn_number=line["turn_number"],
                valid_from=moment(line["valid_from"]),
                valid_until=moment(line["valid_until"]),
            )
            refuse(
                write,
                Refusal(line["category"], reason, candidate.content, kind, {}, plain_fields(candidate)),
                candidate=candidate,
            )
    return +(Counter({KNOWN: len(lines) - len(new), LEFT_OUT: len(new)}) + noted(new))


# --- what is taken over of a file that nobody vouches for


def demoted(state: Mapping[str, Any]) -> Line:
    """Return fields of a memory with the trust of a program."""
    origin = state.get("origin", Origin.AGENT)
    values = {
        "origin": least_trusted((origin if origin in Origin.values else Origin.AGENT, Origin.AGENT)).value,
        "reviewed_by": "",
        "reviewed_at": None,
    }
    return {**state, **{name: value for name, value in values.items() if name in state}}


def demoted_line(app: App, line: Line) -> Line:
    """Return a line with no more trust than a program's word has."""
    kind = line["type"]
    if kind in WRITTEN_ANEW:
        return line | {UNTRUSTED: True}
    if kind == "memory":
        return demoted_memory(app, line)
    if kind == "revision":
        return demoted_revision(line)
    if kind == "document":
        return line | {"origin": least_trusted((line["origin"], Origin.AGENT)).value}
    if kind == "rejection" and isinstance(line["candidate"], dict):
        values = demoted(line["candidate"])
        return line if values == line["candidate"] else line | {"candidate": values, UNTRUSTED: True}
    if kind == "trigger" and (why := suspicion_in([line["message"], line["text"]])):
        return line | {WITHHELD: ["", why]}
    if kind == "session":
        # What is learnt from its texts is not a user's word.
        return line | {"environment": {**line["environment"], FROM_UNSIGNED: True}}
    return line


def demoted_memory(app: App, line: Line) -> Line:
    values = demoted(line)
    if values["source"] == Source.OPERATOR:
        values["source"] = Source.API.value
    if why := reason_to_wait(values, values["origin"], app.policy):
        values[WITHHELD] = list(why)
    return values | ({UNTRUSTED: True} if any(values[name] != line[name] for name in ("origin", "reviewed_at")) else {})


def demoted_revision(line: Line) -> Line:
    """Return a revision that can restore nothing that would not be admitted; its actor is marked as the file's."""
    states = {side: demoted(line[side]) for side in ("before", "after")}
    values = line | states | {"actor": f"file: {line['actor']}"[:200]}
    read = [text for state in states.values() for name in READ_BY_AGENTS for text in texts_in(state.get(name))]
    if suspicion_in(read):
        values[WITHHELD] = ["", "a text that is not for an agent to read"]
    return values | ({UNTRUSTED: True} if any(states[side] != line[side] for side in states) else {})


@dataclass(frozen=True, slots=True)
class Facts:
    """A part of an import. `known` are the ids in the app when it was prepared, `sifted` what was new then.

    Its vectors are there once `embedded` is done.
    """

    lines: Sequence[Line]
    known: set[str]
    sifted: Screened
    embedded: Future[None]


@dataclass(eq=False)
class ComingFacts:
    """The facts of an import in order. Beside the current part only the next is in memory.

    Prepared parts are not stored: a process that continues the import prepares them again.
    """

    row: Import
    ahead: EmbeddingPrefetch
    ready: dict[int, Facts] = field(default_factory=dict)

    def of(self, part: ImportPart, lines: Sequence[Line]) -> Facts:
        """Wait for the vectors; those of the next part are computed from then on."""
        facts = self.ready.pop(part.pk, None) or self.make_ready(lines)
        waiting = ImportPart.objects.for_app(self.row.app).filter(of=self.row, pk__gt=part.pk)
        following = waiting.order_by("pk").first()
        if following and (lines := following.read())[0]["type"] == FACT:
            self.ready = {following.pk: self.make_ready(lines)}
        facts.embedded.result()
        return facts

    def make_ready(self, lines: Sequence[Line]) -> Facts:
        known = known_facts(self.row.app, list(lines))
        sifted = screen(candidates_of(self.row, lines, known), self.row.app.policy)
        return Facts(lines, known, sifted, self.ahead.embed(sifted.free))


class TakenIn(Exception):
    """Another process has stored the part, or the rest of the import was cancelled."""


class ImportExportService(SessionService, MemoryService):
    def export(self, *, user_id: str | None = None, vectors: bool = False) -> IO[bytes]:
        """Return the app's file, complete and at its beginning, deleted when it is closed. Raise StillPurging.

        A replica may read it.
        """
        self.note_export(user_id)
        return replica.read(partial(exported, self.app, user_id=user_id, vectors=vectors))

    def export_markdown(self, *, user_id: str | None = None) -> IO[bytes]:
        """Return a zip file of a page per category, and the lessons. It is deleted when it is closed.

        A replica may read it.
        """
        self.note_export(user_id)
        return replica.read(partial(exported_pages, self.app, user_id))

    def note_export(self, user_id: str | None) -> None:
        note(self.actor, self.app, "app exported", self.app.app_id, after={"of_one_user": user_id is not None})

    def survey_import(self, file: IO[bytes], source: str, *, trust: bool = False) -> dict[str, dict[str, int]]:
        """Return what the file would bring, by type. Store nothing. Raise BadFile."""
        lines = self.admitted(file, source, trust)
        return survey(self.app, lines, lambda facts: screen(facts, self.app.policy).free)

    def admitted(self, file: IO[bytes], source: str, trust: bool) -> Iterator[Line]:
        """Yield the file's lines as they may be taken over. `trust`: an operator vouches for who said them."""
        conf = get_conf()
        most = Limits(conf.import_megabytes * 1024 * 1024, conf.max_line_bytes)
        is_trusted = source == MEMSITE and (trust or is_ours(file, most.most_bytes, most.most_bytes_of_one))
        admission = Admission(self.app, is_trusted=is_trusted, is_fresh=holds_nothing(self.app))
        return admission.admitted(lines_in(file, SOURCES[source], most))

    def begin_import(
        self, file: IO[bytes], source: str, agent: str = "", user_id: str | None = None, *, trust: bool = False
    ) -> Import:
        """Check and keep the file; import a short one at once, the rest in a worker.

        `trust`: the operator vouches for the origins and reviews in the file. Raise BadFile and CannotImport, and
        then nothing is stored.
        """
        check_app(self.app)
        named = "" if source == MEMSITE else agent or f"import-{source}"
        row = Import.objects.create(
            app=self.app, source=source, agent=named, user_id=user_id, asked_by=self.actor, created_at=timezone.now()
        )
        stage(row, self.admitted(file, source, trust))
        details = {"source": source, "lines": row.lines, **({"trusted by": self.actor} if trust else {})}
        note(self.actor, self.app, "import begun", str(row.uid), after=details)
        if row.lines <= MOST_AT_ONCE:
            self.carry_on(row, Unclaimed(until=timezone.now()))
        else:
            enqueue(WORK)
        return row

    def carry_on_imports(self, run: Run) -> None:
        """Continue imports that others have begun (a job)."""
        for row in Import.objects.for_app(self.app).open().order_by("pk"):
            self.carry_on(row, run)

    def carry_on(self, row: Import, run: Run) -> None:
        """Import what is left. An error ends the import, which then says why."""
        row.app = self.app
        try:
            with EmbeddingPrefetch(self.embedder) as ahead:
                coming = ComingFacts(row, ahead)
                while part := ImportPart.objects.for_app(self.app).filter(of=row).order_by("pk").first():
                    self.take_in(row, part, run, coming)
            self.finish_import(row, ImportStatus.DONE)
        except CANNOT_BE as error:
            log.warning("import_failed", source=row.source, error=type(error).__name__)
            reason = str(error) if isinstance(error, LimitReached | BadFile) else "a row does not fit into this app"
            self.finish_import(row, ImportStatus.FAILED, reason)
        row.refresh_from_db()

    def take_in(self, row: Import, part: ImportPart, run: Run, coming: ComingFacts) -> None:
        lines = part.read()
        with suppress(TakenIn):
            if row.source == MEMSITE:
                with writing(self.app, row.asked_by, timezone.now()) as write:
                    self.check_part(part)
                    note_changes(self.app, write.now)
                    free = [line for line in lines if WITHHELD not in line]
                    counts = restore(write, free, is_fresh=row.is_fresh) if free else Counter()
                    counts += withhold(write, [line for line in lines if WITHHELD in line])
                    skip_changes(self.app)
                    self.note_taken(row, part, {lines[0]["type"]: counts}, run)
            elif lines[0]["type"] == CONVERSATION:
                self.hear(row, part, lines, run)
            else:
                self.know(row, part, coming.of(part, lines), run)

    def check_part(self, part: ImportPart) -> None:
        """Lock the import in the transaction that stores a part. Raise TakenIn.

        Whoever stored the part before may have seen it deleted since.
        """
        if not ImportPart.objects.for_app(self.app).select_for_update().filter(pk=part.pk).first():
            raise TakenIn

    def note_taken(self, row: Import, part: ImportPart, counts: Counts, run: Run) -> None:
        """Record a part in the transaction that stores it, or after it where storing twice is harmless."""
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
        """Store conversations as messages; their facts are extracted in the background."""
        agent, _ = Agent.objects.for_app(self.app).get_or_create(name=row.agent, defaults={"app": self.app})
        counts: Counts = {"session": Counter(), "message": Counter()}
        for line in lines:
            with transaction.atomic():
                self.check_part(part)
                session, is_new = session_for(row, agent, line, timezone.now())
            messages = said_in(line)
            captured = self.capture_messages(session, messages, partial(self.note_heard, part, session), is_live=False)
            new = len(captured.resources)
            counts["session"] += Counter({NEW: int(is_new), REDACTED: int(is_new and REDACTED in line)})
            counts["message"] += Counter({NEW: new, KNOWN: len(messages) - new})
        with transaction.atomic():
            self.note_taken(row, part, counts, run)

    def note_heard(self, part: ImportPart, session: AgentSession, captured: Captured) -> None:
        self.check_part(part)
        if captured.resources and self.app.policy.capture_digest:
            queue_digest(session, timezone.now())

    def know(self, row: Import, part: ImportPart, facts: Facts, run: Run) -> None:
        """Store facts as they are."""
        # Those of the part before were not known yet when these were made ready.
        known = facts.known | known_facts(self.app, list(facts.lines))
        new = facts.sifted.without(known)
        there = sum(line["id"] in known for line in facts.lines)
        # What a person has to decide about is no memory yet.
        stored = len(new.free)
        statements = noted(line for line in facts.lines if line["id"] not in known)
        counts = {
            "memory": Counter({NEW: stored, KNOWN: there, LEFT_OUT: len(facts.lines) - there - stored}) + statements
        }

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
        enqueue(SWEEP_TASK)

"""Documents: taken in at once, read by a worker, and found passage by passage beside memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone

from memories.capture.candidates import TEXTS_AT_ONCE, embed_candidates
from memories.capture.quarantine import screen
from memories.language.secrets import clean
from memories.models import Document, DocumentStatus, Memory, Source
from memories.models.document import NAME_CHARACTERS, DocumentQuerySet
from memories.models.memory import MemoryQuerySet
from memories.providers.documents import Content, Limits, Unreadable, read_document
from memories.providers.documents.passages import DocumentPassage, passages_of
from memories.services.administration import SWEEP_TASK
from memories.services.base import Caller
from memories.store import Candidate, writing
from memsite.jobs.job import Run
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.models import App
from memsite.tenancy.origin import Origin
from memsite.tenancy.purge_residue import note_residue

log = structlog.get_logger("memories.services")
TASK = "memories.tasks.upkeep_read_documents"
CATEGORY = "document"
LIMITS = Limits(pages=2_000, characters=2_000_000, seconds=60)
LEASE = timedelta(minutes=10)
MOST_ATTEMPTS = 3
STORED_AT_ONCE = 500
MOST_WITHHELD_NAMED = 3
VOUCH = "An operator who vouches for it may upload it. Kept from agents:"
BROKE_OFF = "Reading it broke off three times: upload it again, or split it."


class DocumentLimit(Exception):
    """The app holds as many documents as it may."""


class OtherUsersDocument(Exception):
    """A document of another end user, or of none, has this external_id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """Hold a file and what its uploader says of it. `external_id` is their own name for it, by which it is replaced."""

    data: bytes
    name: str
    external_id: str | None = None
    user_id: str | None = None
    tags: Sequence[str] = ()
    origin: str = ""

    def fields(self) -> dict[str, Any]:
        """Return the columns that the file determines, with its name as it may be kept."""
        name = " ".join(clean(self.name.replace("\\", "/").rpartition("/")[2]).split())
        if len(name) > NAME_CHARACTERS:
            name = name[: NAME_CHARACTERS - 10] + name[-10:]
        return {
            "name": name or "document",
            "size": len(self.data),
            "fingerprint": sha256(self.data).hexdigest(),
        }


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """Hold what was read of a document, ready to be stored; `withheld` says where an agent should not read it."""

    content: Content
    candidates: Sequence[Candidate] = ()
    withheld: Sequence[str] = ()

    @property
    def why_withheld(self) -> str:
        return f"{VOUCH} {'; '.join(self.withheld[:MOST_WITHHELD_NAMED])}" if self.withheld else ""


class DocumentService(Caller):
    """Take in, replace, list, read and delete documents."""

    def documents(self, *named: str | None) -> DocumentQuerySet:
        """Return the documents that the caller may see, without their files."""
        return Document.objects.for_app(self.app).of_users(self.users(*named)).defer("data")

    def passages_of(self, document: Document) -> MemoryQuerySet:
        """Return a document's passages in order: `turn_number` counts them."""
        rows = Memory.objects.for_app(self.app).filter(source=Source.DOCUMENT, external_id=str(document.uid))
        return rows.visible_to(self.agent).order_by("turn_number")

    def upload_document(self, upload: Upload, document: Document | None = None) -> Document:
        """Keep a file for a worker to read, in the place of the file of `document` or of the same `external_id`.

        What was read of the file before is found until the new one is read. The same file again changes nothing.
        Raise DocumentLimit, or OtherUsersDocument.
        """
        now, fields = timezone.now(), upload.fields()
        with transaction.atomic():
            # One at a time: the limit, and that a name is given once.
            App.objects.select_for_update(no_key=True).get(pk=self.app.pk)
            self.count_due_writes()
            rows = Document.objects.for_app(self.app)
            if document is not None:
                document = rows.get(pk=document.pk)
            elif upload.external_id:
                document = rows.filter(external_id=upload.external_id).first()
                if document and document.user_id != upload.user_id:
                    raise OtherUsersDocument("A document with this external_id has another user_id: name it otherwise.")
            if document is not None:
                self.check_may_change([document.agent_id])
            else:
                limit = self.app.policy.document_limit
                if Document.objects.for_app(self.app).count() >= limit:
                    raise DocumentLimit(
                        f"The app may hold {limit:,} documents: delete some, or raise its document_limit."
                    )
                document = Document(app=self.app, agent=self.agent, external_id=upload.external_id, created_at=now)
                document.user_id, document.origin = upload.user_id, self.origin_of(upload)
            given = {"tags": list(upload.tags) or document.tags, "origin": upload.origin or document.origin}
            # The very file that was uploaded before, and read or to be read.
            is_same = all(getattr(document, name) == value for name, value in (fields | given).items())
            if document.pk is not None and document.status != DocumentStatus.FAILED and is_same:
                return document
            waiting = {"data": upload.data, "status": DocumentStatus.WAITING, "reason": "", "attempts": 0}
            for name, value in (fields | given | waiting | {"lease_until": None, "updated_at": now}).items():
                setattr(document, name, value)
            document.save()
            enqueue(TASK, self.app.pk)
        return document

    def origin_of(self, upload: Upload) -> str:
        """Return whose words it has: somebody else's, unless an operator uploads it and so vouches for it."""
        return upload.origin or (Origin.AGENT if self.agent else Origin.OPERATOR)

    def delete_document(self, document: Document) -> None:
        """Delete a document with its passages, for good."""
        self.check_may_change([document.agent_id])
        with writing(self.app, self.actor, timezone.now()) as write:
            passages = [row.uid for row in self.passages_of(document).only("uid")]
            write.drop_document(document)
            Document.objects.for_app(self.app).filter(pk=document.pk).delete()
            forget_answers(self.app, [document.uid, *passages])
            note_residue(self.app.pk)
        enqueue(SWEEP_TASK)

    # --- in the worker

    def read_documents(self, run: Run) -> int:
        """Read what waits, one after the other; return how many were tried."""
        tried = 0
        while document := self.claim_document(timezone.now()):
            status = self.read_document(document)
            tried += 1
            with transaction.atomic():
                run.done({status: 1})
        return tried

    def claim_document(self, now: datetime) -> Document | None:
        """Return the next document to be read, which nobody else reads for the time of the lease."""
        with transaction.atomic():
            rows = Document.objects.for_app(self.app).due(now)
            document = rows.select_for_update(of=("self",), skip_locked=True).order_by("pk").first()
            if document is None:
                return None
            document.attempts, document.lease_until = document.attempts + 1, now + LEASE
            document.save(update_fields=["attempts", "lease_until"])
        document.app = self.app
        return document

    def read_document(self, document: Document) -> str:
        """Read a claimed document and store its passages; return its status, or "replaced" where it changed since."""
        try:
            if document.attempts > MOST_ATTEMPTS:
                raise Unreadable(BROKE_OFF)
            content = read_document(bytes(document.data or b""), document.name, LIMITS)
            read = self.prepare(document, content)
        except Unreadable as error:
            return self.finish_document(document, DocumentStatus.FAILED, reason=str(error))
        return self.store_passages(document, read)

    def prepare(self, document: Document, content: Content) -> ReadDocument:
        """Return the passages as candidates with vectors, without those that no agent should read."""
        passages = passages_of(content.blocks)
        candidates = [candidate_of(document, passage, number) for number, passage in enumerate(passages, 1)]
        screened = screen([candidate for candidate in candidates if candidate.content], self.app.policy)
        pairs = list(zip(screened.candidates, screened.refusals, strict=True))
        withheld = [f"{place_of(candidate)}: {refusal.reason}" for candidate, refusal in pairs if refusal]
        free = iter(screened.free)
        while batch := list(islice(free, TEXTS_AT_ONCE)):
            if not embed_candidates(batch, self.embedder):
                # They are stored without, and embedded when the embedder is back.
                break
            Document.objects.for_app(self.app).filter(pk=document.pk, fingerprint=document.fingerprint).update(
                lease_until=timezone.now() + LEASE
            )
        return ReadDocument(content, screened.free, withheld)

    def store_passages(self, document: Document, read: ReadDocument) -> str:
        """Store passages in the place of those of the file before, unless another has come since."""
        if not read.candidates:
            reason = read.why_withheld or "Nothing of it may be kept: all of it is private."
            return self.finish_document(
                document, DocumentStatus.FAILED, reason=reason, withheld_count=len(read.withheld)
            )
        with writing(self.app, self.actor, timezone.now()) as write:
            # Hold it so until the transaction ends.
            rows = Document.objects.for_app(self.app).filter(pk=document.pk, fingerprint=document.fingerprint)
            rows = rows.filter(status=DocumentStatus.WAITING).select_for_update().order_by("pk")
            if rows.values_list("pk", flat=True).first() is None:
                return "replaced"
            write.drop_document(document)
            for start in range(0, len(read.candidates), STORED_AT_ONCE):
                write.create_all(read.candidates[start : start + STORED_AT_ONCE], "read from a document")
            return self.finish_document(
                document,
                DocumentStatus.READY,
                reason=read.why_withheld,
                content_type=read.content.content_type,
                pages=read.content.pages,
                passages=len(read.candidates),
                withheld_count=len(read.withheld),
            )

    def finish_document(self, document: Document, status: DocumentStatus, *, reason: str = "", **fields: Any) -> str:
        """Note what became of the file that was read, and drop the file."""
        rows = Document.objects.for_app(self.app).filter(pk=document.pk, fingerprint=document.fingerprint)
        done = {"status": status, "reason": reason[:500], "data": None, "lease_until": None, **fields}
        log.info("document_read", document=str(document.uid), status=status)
        with transaction.atomic():
            note_residue(self.app.pk)
            return status.value if rows.update(**done, updated_at=timezone.now()) else "replaced"


def candidate_of(document: Document, passage: DocumentPassage, number: int) -> Candidate:
    place = {"page": passage.page, "heading": passage.heading}
    return Candidate(
        content=passage.content,
        category=CATEGORY,
        subject=document.name,
        tags=list(document.tags),
        user_id=document.user_id,
        source=Source.DOCUMENT,
        origin=document.origin,
        agent=document.agent,
        external_id=str(document.uid),
        turn_number=number,
        metadata={
            "name": document.name,
            **{name: value for name, value in place.items() if value},
            "edition": document.edition,
        },
    )


def place_of(candidate: Candidate) -> str:
    page = candidate.metadata.get("page")
    return f"page {page}" if page else f"passage {candidate.turn_number}"

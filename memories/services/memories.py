"""Memories: stored, edited, forgotten, and what operators do to many of them at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, partialmethod
from itertools import islice
from typing import Any

import orjson
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from memories.capture.pipeline import Stored, reconsider_evictions, remember, remember_sifted, suggest_reductions
from memories.capture.quarantine import (
    READ_BY_AGENTS,
    Outcome,
    Refusal,
    Screened,
    bound_by,
    reason_to_wait,
    refuse,
    suspicion_in,
)
from memories.language.relate import Relation, relate
from memories.maintain.embedding import embed
from memories.models import Injection, Link, LinkKind, Memory, Rejection, RejectionKind, Status, Trust, Visibility
from memories.models.vector import embed_contents
from memories.providers.embeddings import EmbedderError, Vectors
from memories.retrieve.contradictions import contradictions_of, ends_of, pairs_among
from memories.services.administration import SWEEP_TASK
from memories.services.base import Caller
from memories.store import Candidate, LimitReached, NothingToUndo, Writer, shrink
from memories.store.links import superseding
from memories.store.revisions import parse, snapshot, state_after
from memsite.http.json_body import dump_json
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.audit import note
from memsite.tenancy.models import App
from memsite.tenancy.origin import Origin, least_trusted
from memsite.tenancy.scoping import ScopedQuerySet

SET_BACK = (
    "content",
    "kind",
    "category",
    "subject",
    "tags",
    "importance",
    "confidence",
    "pinned",
    "user_id",
    "visibility",
    "metadata",
    "origin",
    "reviewed_by",
    "reviewed_at",
    "made_by",
    "entities",
    "strength",
    "sentiment",
    "valid_from",
    "valid_until",
)
UNSAYABLE = (LinkKind.RELATED, LinkKind.CONTRADICTS, LinkKind.ELABORATES)
"""What can be taken back by taking the link away."""
BATCH = 500
MERGE_AT_MOST = 50
CHANGED_WITH_ANOTHER = "changed together with another one of them"
Change = Callable[[Writer, Memory], None]


class MemoryGone(ObjectDoesNotExist):
    """The memory was deleted in the meantime."""


class VersionMismatch(Exception):
    """The memory is no longer the version that the caller has read."""


class BothSuperseded(Exception):
    """Two memories would supersede each other, so that neither is found."""


class Withheld(Exception):
    """A person has to decide about the change: `rejection` waits for that."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.reason)
        self.rejection = rejection


def said_after(memory: Memory, changes: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return content and subject, of which the vector is made, after these changes."""
    return changes.get("content", memory.text), changes.get("subject", memory.subject)


def link_text(link: Link) -> str:
    return f"{link.from_memory.uid} {link.kind} {link.to_memory.uid}"


def check_version(app: App, memory: Memory, version: int | None) -> Memory:
    """Return the current row. Raise MemoryGone if it does not exist, VersionMismatch if it is not at `version`."""
    current = Memory.objects.for_app(app).filter(pk=memory.pk).first()
    if current is None:
        raise MemoryGone
    if version is not None and current.version != version:
        raise VersionMismatch
    return current


class NotChanged(Exception):
    """The memory was not changed; the text says why."""


class CannotMerge(Exception):
    """These memories cannot become one; the text says why."""


@dataclass(frozen=True, slots=True)
class MergePlan:
    """What stays, what is superseded by it, and the pks of those that contradict another one of them."""

    stays: Memory
    goes: list[Memory]
    at_odds: set[int]


def archive_one(write: Writer, memory: Memory) -> None:
    refuse_superseded(memory)
    if memory.status == Status.WITHDRAWN:
        raise NotChanged("its source was taken back; restore it first")
    if memory.status in (Status.ARCHIVED, Status.COLD):
        raise NotChanged("archived already")
    write.archive(memory)


def restore_one(write: Writer, memory: Memory) -> None:
    if memory.status == Status.ACTIVE:
        raise NotChanged("active already")
    write.restore(memory)


def refuse_superseded(memory: Memory) -> None:
    if memory.is_superseded:
        raise NotChanged("another memory stands for it; restore it first")


def pin_one(write: Writer, memory: Memory) -> None:
    if memory.pinned:
        raise NotChanged("pinned already")
    write.edit(memory, {"pinned": True})


def unpin_one(write: Writer, memory: Memory) -> None:
    if not memory.pinned:
        raise NotChanged("not pinned")
    write.edit(memory, {"pinned": False})


def review_one(write: Writer, memory: Memory) -> None:
    if memory.trust_level != Trust.UNREVIEWED:
        raise NotChanged(f"{memory.trust_level} already")
    write.review(memory)


def undo_one(write: Writer, memory: Memory) -> None:
    try:
        write.undo(memory)
    except NothingToUndo as error:
        raise NotChanged(str(error)) from error


CHANGES: dict[str, Change] = {
    "archive": archive_one,
    "restore": restore_one,
    "pin": pin_one,
    "unpin": unpin_one,
    "review": review_one,
    "undo": undo_one,
}
"""What operators do to one memory or to many."""


@dataclass(slots=True)
class Changed:
    """How many were changed and how many were not, by reason; `versions` of the changed memories by pk.

    `beside` counts others that were changed with them, as undoing a merge changes what was merged.
    """

    done: int = 0
    left: Counter[str] = field(default_factory=Counter)
    versions: dict[int, int] = field(default_factory=dict)
    beside: int = 0


class MemoryService(Caller):
    """Store, edit, link and forget memories, one or many at once.

    Where many are given, `pks` are memories of this app; others are passed over.
    """

    def remember(
        self, candidates: Sequence[Candidate], *, dedupe: bool = True, on_stored: Stored | None = None
    ) -> list[Outcome]:
        """Store the candidates. Raise SessionGone if the session of one was purged meanwhile.

        What an agent concludes from memories shown in its session gets no more confidence than those have.
        """
        for session in {candidate.session for candidate in candidates if candidate.session and self.agent}:
            statements = Injection.objects.for_app(self.app).into(session).statements()
            for candidate in candidates if statements else ():
                if candidate.session == session:
                    sure = self.app.policy.start_confidence if candidate.confidence is None else candidate.confidence
                    candidate.confidence = bound_by(candidate.content, sure, statements)

        def store(write: Writer, outcomes: list[Outcome]) -> None:
            self.count_due_writes()
            if on_stored:
                on_stored(write, outcomes)

        return remember(
            self.app,
            candidates,
            self.embedder,
            self.actor,
            timezone.now(),
            dedupe=dedupe,
            on_stored=store,
            provider=self.provider(),
            live={candidate.session for candidate in candidates if candidate.session},
        )

    def remember_sifted(self, sifted: Screened, on_stored: Stored | None = None) -> list[Outcome]:
        """Store candidates in bulk as new memories, without comparison: they are sifted and embedded already."""
        return remember_sifted(
            self.app,
            sifted,
            self.embedder,
            self.actor,
            timezone.now(),
            dedupe=False,
            on_stored=on_stored,
            provider=self.provider(),
        )

    def warning_about(self, content: str) -> str:
        """Return what an operator should know of a text of theirs that would be quarantined if an agent had sent it."""
        why = suspicion_in([content])
        return f"Stored as you wrote it, and shown to agents, though it looks dangerous ({why})." if why else ""

    def shrink(self) -> int:
        """Evict memories towards a limit that was lowered; return how many."""
        now = timezone.now()
        return shrink(self.app, self.actor, now, suggested=suggest_reductions(self.app, self.provider(), now))

    def reconsider_evictions(self, change_number: int) -> int:
        """Let the model choose otherwise than the rules did for a write; return how many memories come back."""
        return reconsider_evictions(self.app, self.provider(), change_number, self.actor, timezone.now())

    def edit(
        self,
        memory: Memory,
        changes: Mapping[str, Any],
        *,
        version: int | None = None,
        reason: str = "",
        is_just_added: bool = False,
    ) -> Memory:
        """Return the edited memory.

        Raise VersionMismatch if it is no longer at `version`, Withheld if a person has to decide: then nothing
        is changed yet. Raise PermissionDenied where the caller may only add.

        The new text has the editor's origin: an operator's, or an agent's, who is trusted no more than the one before.
        """
        if not is_just_added:
            self.check_may_change([memory.agent_id])
        if self.agent and (why := self.reason_to_wait(memory, changes)):
            raise Withheld(self.hold_back(memory, changes, *why))
        texts = said_after(memory, changes)
        vector = self.embed(texts) if "content" in changes or "subject" in changes else None
        with self.changing(memory, version) as (write, current):
            # Edited by somebody else meanwhile: what it says now, it gets a vector of later.
            vector = vector if said_after(current, changes) == texts else None
            if changes.get("content", current.text) != current.text and "origin" not in changes:
                changes = {**changes, "origin": self.origin_of_edit(current)}
            write.edit(current, changes, reason, vector, self.embedder.name if vector is not None else "")
        return current

    def reason_to_wait(self, memory: Memory, changes: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return (kind of rejection, reason) if an agent's change of what agents read has to wait."""
        fields = {name: value for name, value in changes.items() if name in READ_BY_AGENTS}
        is_reworded = changes.get("content", memory.text) != memory.text
        origin = str(changes.get("origin", self.origin_of_edit(memory)))
        why = reason_to_wait(fields, origin, self.app.policy) if fields else None
        return why if why and (is_reworded or why[0] == RejectionKind.QUARANTINE) else None

    def hold_back(self, memory: Memory, changes: Mapping[str, Any], kind: str, reason: str) -> Rejection:
        fields = {"origin": self.origin_of_edit(memory), **changes}
        plain = orjson.loads(dump_json(fields))
        content = changes.get("content", memory.text)
        refusal = Refusal(memory.category, reason, content, kind, {}, plain, edits=memory)
        with self.writing() as write:
            candidate = Candidate(content=content, agent=self.agent)
            row = refuse(write, refusal, candidate=candidate).rejection
        assert row is not None, "only echoes leave none"
        return row

    def origin_of_edit(self, memory: Memory) -> Origin:
        return Origin.OPERATOR if self.agent is None else least_trusted((memory.origin, Origin.ASSISTANT))

    def set_back(self, memory: Memory, number: int, *, version: int | None = None) -> Memory:
        """Restore text, metadata and confidence as they were after the revision of this number. The status stays.

        Raise MemoryGone if there is no such revision, VersionMismatch.
        """
        then = state_after(memory, number)
        if then is None:
            raise MemoryGone
        # Of old revisions some fields are not known.
        names, now = then.keys() & set(SET_BACK), snapshot(memory)
        changes = {name: parse(name, then[name]) for name in SET_BACK if name in names and then[name] != now[name]}
        return self.edit(memory, changes, version=version, reason=f"set back to revision {number}")

    def link(
        self, memory: Memory, other: Memory, kind: str, on_linked: Callable[[Link, bool], None] | None = None
    ) -> tuple[Link, bool]:
        """Return the link, and whether it is new. A superseded memory leaves the results.

        Raise BothSuperseded, or PermissionDenied where the caller may not change the other one.

        `on_linked` runs inside the transaction.
        """
        if kind == LinkKind.SUPERSEDES:
            self.check_may_change([other.agent_id])
        with self.changing(memory) as (write, current):
            other = check_version(self.app, other, None)
            if kind == LinkKind.SUPERSEDES and current.is_superseded and other.pk in superseding(current):
                raise BothSuperseded("It is superseded by that one itself: neither would be found any more.")
            link, is_new = write.link(current, other, kind)
            if is_new and kind == LinkKind.SUPERSEDES and not other.is_superseded:
                write.supersede(other, by=current)
            if is_new and self.agent is None:
                note(self.actor, self.app, "memories linked", link_text(link))
            if on_linked:
                on_linked(link, is_new)
        return link, is_new

    def links_of(self, memory: Memory) -> ScopedQuerySet[Link]:
        """Return the links whose two ends the caller may see.

        Its cost depends on these ends, not on the size of the app.
        """
        visible = self.memories_of(memory.user_id)
        ends = Q(from_memory=memory) | Q(to_memory=memory)
        both = (Exists(visible.filter(pk=OuterRef(end))) for end in ("from_memory", "to_memory"))
        return Link.objects.for_app(self.app).filter(ends, *both).select_related("from_memory", "to_memory")

    def unlink(self, link: Link) -> None:
        """Remove a link between two related, contradicting or elaborating memories."""
        assert link.kind in UNSAYABLE
        with self.writing() as write:
            write.unlink(link)
            note(self.actor, self.app, "memories unlinked", link_text(link))

    def forget(self, memories: Sequence[Memory], *, version: int | None = None) -> int:
        """Delete memories for good, all or none. Raise PermissionDenied where the caller may not change one."""
        if not memories:
            return 0
        self.check_may_change(memory.agent_id for memory in memories)
        with self.writing() as write:
            if version is not None:
                check_version(self.app, memories[0], version)
            enqueue(SWEEP_TASK)
            return write.forget(memories)

    @contextmanager
    def changing(self, memory: Memory, version: int | None = None) -> Iterator[tuple[Writer, Memory]]:
        """Yield a writer and the current row, under the app's write lock. Raise VersionMismatch."""
        with self.writing() as write:
            yield write, check_version(self.app, memory, version)

    def embed(self, texts: tuple[str, str | None]) -> Vectors | None:
        """Return a memory's vector, or None while the embedder is unavailable: it is embedded later."""
        try:
            vectors = embed_contents([texts], self.embedder.embed_documents)
        except EmbedderError:
            return None
        return vectors[0] if vectors is not None else None

    def take_back(self, versions: Mapping[int, int]) -> Changed:
        """Undo the last change of each that is still at its version (by pk), and of no other."""

        def change(write: Writer, memory: Memory) -> None:
            if memory.version != versions[memory.pk]:
                raise NotChanged("changed by somebody since")
            undo_one(write, memory)

        return self.change_each(versions, change)

    def change_one(self, memory: Memory, change: Change, version: int) -> None:
        """Apply `change` to one memory.

        Raise NotChanged, LimitReached, VersionMismatch if it is no longer at `version`, MemoryGone.
        """
        with self.changing(memory, version) as (write, current):
            change(write, current)

    def change_each(self, pks: Iterable[int], change: Change) -> Changed:
        """Apply `change` to each under the write lock, a batch in a transaction; a full app changes none."""
        changed, rest, touched = Changed(), iter(pks), set[int]()
        while batch := list(islice(rest, BATCH)):
            left = Counter[str]()
            try:
                done = self.change_batch(batch, change, left, touched)
            except LimitReached as full:
                changed.left[str(full).rstrip(".")] += len(batch)
            else:
                changed.done += len(done)
                changed.versions |= done
                changed.left += left
        changed.beside = len(touched - changed.versions.keys())
        return changed

    archive_each = partialmethod(change_each, change=archive_one)
    restore_each = partialmethod(change_each, change=restore_one)
    pin_each = partialmethod(change_each, change=pin_one)
    unpin_each = partialmethod(change_each, change=unpin_one)
    review_each = partialmethod(change_each, change=review_one)
    undo_each = partialmethod(change_each, change=undo_one)

    def change_batch(self, pks: Sequence[int], change: Change, left: Counter[str], touched: set[int]) -> dict[int, int]:
        """Return the versions of the changed memories. Those in `touched` were changed with others and are left out."""
        done: dict[int, int] = {}
        with self.writing() as write:
            rows = Memory.objects.for_app(self.app).filter(pk__in=pks).order_by("pk")
            # A merge is undone on both sides from the memory that stands for the others: that one is before them.
            for memory in sorted(rows, key=lambda row: row.status == Status.SUPERSEDED):
                try:
                    if memory.pk in touched or memory.pk in write.changed:
                        raise NotChanged(CHANGED_WITH_ANOTHER)
                    change(write, memory)
                    done[memory.pk] = memory.version
                except NotChanged as why:
                    left[str(why)] += 1
            changed = set(write.changed)
        touched |= changed
        return done

    def embed_each(self, pks: Iterable[int]) -> Changed:
        """Give each a new vector. While the embedder is unavailable the old ones stay."""
        changed, rest = Changed(), iter(pks)
        while batch := list(islice(rest, BATCH)):
            rows = list(Memory.objects.for_app(self.app).warm().filter(pk__in=batch))
            changed.left["they lie in the cold archive, which has no vectors"] += len(batch) - len(rows)
            vectors = embed_contents(
                [(row.content, row.subject) for row in rows], partial(embed, embedder=self.embedder)
            )
            if vectors is None:
                changed.left["the embedder does not answer"] += len(rows)
                continue
            with self.writing() as write:
                changed.done += write.embed(rows, vectors, self.embedder.name)
        changed.left = +changed.left
        return changed

    def forget_each(self, pks: Iterable[int]) -> int:
        """Delete each for good; return how many."""
        deleted, rest = 0, iter(pks)
        while batch := list(islice(rest, BATCH)):
            with self.writing() as write:
                deleted += write.forget(Memory.objects.for_app(self.app).filter(pk__in=batch))
                enqueue(SWEEP_TASK)
        return deleted

    def plan_merge(self, pks: Sequence[int]) -> MergePlan:
        """Return what a merge of these memories would leave, and what contradicts it. Two queries; CannotMerge."""
        if len(pks) > MERGE_AT_MOST:
            raise CannotMerge(f"Select at most {MERGE_AT_MOST} memories to merge.")
        current = list(Memory.objects.for_app(self.app).filter(pk__in=pks).select_related("cold_text").order_by("pk"))
        if len(current) < 2:
            raise CannotMerge("Select two or more memories to merge.")
        if any(memory.status == Status.WITHDRAWN for memory in current):
            raise CannotMerge("The source of one was taken back: restore it first.")
        if any(memory.is_superseded for memory in current):
            raise CannotMerge("A superseded memory has been merged already.")
        if len({readers(memory) for memory in current}) > 1:
            raise CannotMerge("Only memories of the same end user and visibility can be merged: change that first.")
        stays = max(current, key=standing)
        goes = [memory for memory in current if memory != stays]
        linked = ends_of(pairs_among(contradictions_of(self.app, pks), {*pks}))
        opposite = {
            memory.pk
            for memory in goes
            if relate(stays.text, memory.text, None, memory.subject or "").relation == Relation.CONTRADICTS
        }
        return MergePlan(stays, goes, linked | opposite)

    def merge(self, pks: Sequence[int]) -> Memory:
        """Merge these memories into the one of the highest standing and return it. Raise CannotMerge."""
        with self.writing() as write:
            plan = self.plan_merge(pks)
            write.merge(plan.stays, plan.goes, "merged by an operator")
        return plan.stays


def readers(memory: Memory) -> tuple[object, ...]:
    """Return who may see it. A merge must neither hide a memory from its readers nor show it to others."""
    return memory.user_id, memory.visibility, memory.visibility == Visibility.AGENT and memory.agent_id


def standing(memory: Memory) -> tuple[bool, float, bool, int]:
    """Return the rank by which a merge chooses the survivor: active, then confident, pinned, oldest."""
    return memory.status == Status.ACTIVE, memory.confidence, memory.pinned, -memory.pk

"""The only writer of memories. Everything happens inside `writing`, and every change leaves a revision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import F

from memories.models import (
    Action,
    Forgotten,
    Link,
    LinkKind,
    Memory,
    Mention,
    Revision,
    Status,
    Summary,
    Vector,
    Visibility,
)
from memories.models.vector import to_bytes
from memories.providers.embeddings import Vectors
from memories.store.candidate import Candidate
from memories.store.confidence import base_for, clamp, confidence_at
from memories.store.mentions import drop_unmentioned, keep_mentions
from memories.store.revisions import parse, revision_of, snapshot
from memsite.tenancy.append_only import purge_permit
from memsite.tenancy.idempotency import forget_answers
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy
from sessions.models import Event, Level

CANDIDATE_FIELDS = (
    "content", "kind", "category", "subject", "tags", "importance", "strength", "sentiment", "pinned", "tier",
    "user_id", "visibility", "source", "agent", "session", "turn_number", "resource", "external_id", "metadata",
    "valid_from", "valid_until",
)  # fmt: skip


class NothingToUndo(Exception):
    """The memory has no change that could be taken back."""


@contextmanager
def writing(app: App, actor: str, now: datetime) -> Iterator[Writer]:
    """One transaction, one at a time per app. Nothing slow (no network, no embedding) belongs inside."""
    with transaction.atomic():
        # Taking the app's row first makes writers of the same app wait for each other on every database.
        App.objects.filter(pk=app.pk).update(change_number=F("change_number") + 1)
        change_number = App.objects.values_list("change_number", flat=True).get(pk=app.pk)
        yield Writer(app, app.policy, actor, now, change_number)


class Writer:
    """Writes of one transaction: `actor` does them at `now`, and they carry the app's `change_number`."""

    def __init__(self, app: App, policy: AppPolicy, actor: str, now: datetime, change_number: int) -> None:
        self.app, self.policy, self.actor, self.now, self.change_number = (
            app,
            policy,
            actor,
            now,
            change_number,
        )

    def create(self, candidate: Candidate, reason: str = "") -> Memory:
        given = candidate.confidence
        confidence = clamp(self.policy.start_confidence if given is None else given)
        memory = Memory(
            app=self.app,
            **{name: getattr(candidate, name) for name in CANDIDATE_FIELDS},
            confidence=confidence,
            confidence_base=confidence,
            anchored_at=self.now,
            created_at=self.now,
            updated_at=self.now,
            confirmed_at=self.now,
            change_number=self.change_number,
        )
        memory.status = self.status_for(memory)
        memory.save(force_insert=True)
        revision_of(memory, Action.CREATED, {}, self.actor, reason, self.now).save(force_insert=True)
        keep_mentions(memory, self.now)
        if candidate.vector is not None:
            self.keep_vector(memory, candidate.vector, candidate.vector_model)
        return memory

    def reinforce(self, memory: Memory, step: float, reason: str) -> None:
        """The same was said again: more confidence, and decay starts anew."""
        before = snapshot(memory)
        self.confirm(memory, confidence_at(memory, self.now, self.policy) + step)
        self.keep(memory, Action.REINFORCED, before, reason)

    def contradict(self, memory: Memory, by: Memory, reason: str) -> None:
        """The contrary was said: less confidence, inactive below the threshold, and a link from the newer one."""
        before = snapshot(memory)
        value = clamp(confidence_at(memory, self.now, self.policy) - self.policy.contradict_step)
        memory.confidence = value
        memory.confidence_base = base_for(memory, value, self.now, self.policy)
        memory.status = self.status_for(memory)
        self.keep(memory, Action.CONTRADICTED, before, reason)
        self.link(by, memory, LinkKind.CONTRADICTS)

    def decay(self, memories: Sequence[Memory]) -> int:
        """Brings stored confidences up to date and answers how many memories fell inactive by it.

        `updated_at` stays: decay is not news. A revision tells of it once a day, and when the status changes;
        in between only the number moves, which anyone can compute again from its base and anchor.
        """
        told = [(memory, before) for memory in memories if (before := self.decay_one(memory))]
        columns = ("confidence", "status", "decay_noted_at", "version", "change_number")
        assignments = ", ".join(f"{column} = %s" for column in columns)
        with connection.cursor() as cursor:
            cursor.executemany(
                f"UPDATE {Memory._meta.db_table} SET {assignments} WHERE id = %s",
                [(*adapt(memory, columns), memory.pk) for memory in memories],
            )
        Revision.objects.bulk_create(
            revision_of(memory, Action.DECAYED, before, self.actor, "not confirmed for long", self.now)
            for memory, before in told
        )
        return sum(memory.status == Status.INACTIVE for memory, _ in told)

    def decay_one(self, memory: Memory) -> dict[str, Any] | None:
        """Sets what decay changes; answers the snapshot before, if a revision is due."""
        before = snapshot(memory)
        memory.confidence = confidence_at(memory, self.now, self.policy)
        memory.status = self.status_for(memory)
        memory.change_number = self.change_number
        noted = memory.decay_noted_at
        if memory.status == before["status"] and noted is not None and noted.date() == self.now.date():
            return None
        memory.decay_noted_at = self.now
        memory.version += 1
        return before

    def edit(self, memory: Memory, changes: Mapping[str, Any], reason: str = "", vector: Vectors | None = None,
             vector_model: str = "") -> None:  # fmt: skip
        """Sets validated fields. A new content or confidence counts as a confirmation by whoever wrote it."""
        before = snapshot(memory)
        current = confidence_at(memory, self.now, self.policy)
        for name, value in changes.items():
            setattr(memory, name, value)
        if "confidence" in changes:
            self.confirm(memory, changes["confidence"])
        elif changes.get("content", before["content"]) != before["content"] or memory.pinned != before["pinned"]:
            self.confirm(memory, current)
        if "status" not in changes:
            memory.status = self.status_for(memory)
        if (memory.content, memory.subject) != (before["content"], before["subject"]):
            memory.vectors.all().delete()
            if vector is not None:
                self.keep_vector(memory, vector, vector_model)
        if snapshot(memory) != before:
            self.keep(memory, edit_action(before["status"], memory.status), before, reason)

    def archive(self, memory: Memory, reason: str = "") -> None:
        self.edit(memory, {"status": Status.ARCHIVED}, reason)

    def restore(self, memory: Memory, reason: str = "") -> None:
        """Back from the archive, or from inactivity: at least as confident as it takes to be active."""
        confidence = max(confidence_at(memory, self.now, self.policy), self.policy.inactive_below)
        self.edit(memory, {"status": Status.ACTIVE, "confidence": confidence}, reason)

    def merge(self, winner: Memory, losers: Iterable[Memory], reason: str = "") -> None:
        """One memory for several: the highest confidence stays, the others are superseded and linked."""
        before = snapshot(winner)
        confidence = confidence_at(winner, self.now, self.policy)
        for loser in losers:
            confidence = max(confidence, confidence_at(loser, self.now, self.policy))
            winner.importance = max(winner.importance, loser.importance)
            winner.tags = [*winner.tags, *(tag for tag in loser.tags if tag not in winner.tags)]
            self.supersede(loser, by=winner, reason=reason)
        self.confirm(winner, confidence)
        winner.status = self.status_for(winner)
        self.keep(winner, Action.MERGED, before, reason)

    def supersede(self, memory: Memory, by: Memory, reason: str = "") -> None:
        """Another memory stands for this one, which leaves the default results."""
        before = snapshot(memory)
        memory.status = Status.SUPERSEDED
        self.keep(memory, Action.SUPERSEDED, before, reason)
        self.link(by, memory, LinkKind.SUPERSEDES)

    def undo(self, memory: Memory) -> None:
        """Takes the last change back, whatever it was; undoing an undo does it again.

        A merge is taken back on both sides: what was superseded by it stands for itself again.
        """
        last = self.last_change(memory)
        if last is None or last.action == Action.CREATED:
            raise NothingToUndo
        if last.action == Action.MERGED:
            for loser in self.superseded_by(memory, at=last.created_at):
                self.undo(loser)
        if last.action == Action.SUPERSEDED:
            memory.links_in.filter(kind=LinkKind.SUPERSEDES, created_at=last.created_at).delete()
        before = snapshot(memory)
        for name, value in last.before.items():
            setattr(memory, name, parse(name, value))
        if (memory.content, memory.subject) != (before["content"], before["subject"]):
            memory.vectors.all().delete()
        self.keep(memory, Action.UNDONE, before, f"{last.action} of {last.created_at:%Y-%m-%d %H:%M} taken back")

    def last_change(self, memory: Memory) -> Revision | None:
        return Revision.objects.for_app(self.app).filter(memory=memory).order_by("-number").first()

    def superseded_by(self, memory: Memory, at: datetime) -> list[Memory]:
        """The memories that `memory` superseded at this moment and that have not changed since."""
        links = memory.links_out.filter(kind=LinkKind.SUPERSEDES, created_at=at).select_related("to_memory")
        losers = [link.to_memory for link in links]
        return [loser for loser in losers if (last := self.last_change(loser)) and last.created_at == at]

    def forget(self, memories: Iterable[Memory]) -> int:
        """Removes memories with everything kept about them. Not to be undone."""
        rows = list(memories)
        forget_answers(self.app, [memory.uid for memory in rows])
        with purge_permit():
            Event.objects.for_app(self.app).filter(memory_uid__in=[memory.uid for memory in rows]).delete()
            named = set(Mention.objects.for_app(self.app).filter(memory__in=rows).values_list("entity_id", flat=True))
            self.drop_summaries(rows)
            Memory.objects.for_app(self.app).filter(pk__in=[memory.pk for memory in rows]).delete()
            drop_unmentioned(self.app, named)
            Forgotten.objects.bulk_create(
                Forgotten(app=self.app, memory_id=memory.pk, change_number=self.change_number) for memory in rows
            )
        return len(rows)

    def drop_summaries(self, memories: Sequence[Memory]) -> None:
        """Every version of a summary that may hold words of these memories."""
        past = Revision.objects.for_app(self.app).filter(memory__in=memories).values_list("after", flat=True)
        states = [*past, *(snapshot(memory) for memory in memories)]
        categories = {state["category"] for state in states if "category" in state}
        users = {state["user_id"] or "" for state in states if "user_id" in state}
        Summary.objects.for_app(self.app).filter(category__in=categories, user_id__in=users).delete()

    def link(self, from_memory: Memory, to_memory: Memory, kind: str) -> tuple[Link, bool]:
        """The link, and whether it is new."""
        return Link.objects.for_app(self.app).get_or_create(
            app=self.app,
            from_memory=from_memory,
            to_memory=to_memory,
            kind=kind,
            defaults={"created_at": self.now},
        )

    def announce(self, memory: Memory) -> None:
        """The new memory's line in the events feed, which every agent of the app may read."""
        if memory.visibility == Visibility.AGENT:
            return
        about = f"{memory.category}:{memory.subject}" if memory.subject else memory.category
        Event.objects.create(
            app=self.app,
            session=memory.session,
            turn_number=memory.turn_number,
            level=Level.INFO,
            service=memory.subject,
            message=f"New memory recorded: [{about}] {memory.content}",
            memory_uid=memory.uid,
            created_at=self.now,
        )

    def confirm(self, memory: Memory, confidence: float) -> None:
        memory.confidence = memory.confidence_base = clamp(confidence)
        memory.anchored_at = memory.confirmed_at = self.now

    def status_for(self, memory: Memory) -> str:
        """Active or inactive by its confidence; what an operator put away stays where it is."""
        if memory.status not in (Status.ACTIVE, Status.INACTIVE):
            return memory.status
        return Status.INACTIVE if memory.confidence < self.policy.inactive_below else Status.ACTIVE

    def keep(self, memory: Memory, action: Action, before: Mapping[str, Any], reason: str) -> None:
        """Saves the row and its revision."""
        memory.version += 1
        memory.change_number = self.change_number
        memory.updated_at = self.now
        memory.save()
        if any(getattr(memory, name) != before[name] for name in ("content", "subject", "tags")):
            keep_mentions(memory, self.now)
        revision_of(memory, action, before, self.actor, reason, self.now).save(force_insert=True)

    def embed(self, memories: Sequence[Memory], vectors: Vectors, model: str) -> int:
        """Keeps the vectors, shape (n, dim), of texts that are still what was embedded; answers how many."""
        rows = Memory.objects.for_app(self.app).filter(pk__in=[memory.pk for memory in memories])
        now = {pk: said for pk, *said in rows.values_list("pk", "content", "subject")}
        kept = 0
        for memory, vector in zip(memories, vectors, strict=True):
            if now.get(memory.pk) == [memory.content, memory.subject]:
                memory.vectors.filter(model=model).delete()
                self.keep_vector(memory, vector, model)
                kept += 1
        rows.update(change_number=self.change_number)
        return kept

    def keep_vector(self, memory: Memory, vector: Vectors, model: str) -> None:
        Vector.objects.create(app=self.app, memory=memory, model=model, dim=vector.shape[0], data=to_bytes(vector))


def edit_action(old_status: str, new_status: str) -> Action:
    if new_status == Status.ARCHIVED != old_status:
        return Action.ARCHIVED
    if new_status == Status.ACTIVE != old_status:
        return Action.RESTORED
    return Action.EDITED


def adapt(memory: Memory, columns: Iterable[str]) -> list[Any]:
    """Column values as the database driver takes them."""
    fields = [Memory._meta.get_field(column) for column in columns]
    return [field.get_db_prep_save(getattr(memory, field.attname), connection) for field in fields]  # type: ignore[union-attr]

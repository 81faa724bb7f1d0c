"""Curation: what operators do to memories they have ticked, many at once. All of it goes through the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from django.utils import timezone

from memories.agent.knowledge import Knowledge
from memories.agent.purging import SWEEP_TASK
from memories.maintain.embedding import embed
from memories.models import Memory, Status, Trust, Visibility
from memories.models.vector import embedded_text
from memories.store import LimitReached, NothingToUndo, Writer, writing
from memsite.jobs.task_queue import ring

BATCH = 500
MERGE_AT_MOST = 50
CHANGED_WITH_ANOTHER = "changed together with another one of them"

Change = Callable[[Writer, Memory], None]


class LeftAlone(Exception):
    """The memory is not changed; the text says why."""


class CannotMerge(Exception):
    """These memories cannot become one; the text says why."""


@dataclass(slots=True)
class Changed:
    """How many were changed, and how many were left as they are, by reason. `versions` of changed memories by pk.

    `beside`: how many others were changed with them, as a merge that is undone changes what was merged.
    """

    done: int = 0
    left: Counter[str] = field(default_factory=Counter)
    versions: dict[int, int] = field(default_factory=dict)
    beside: int = 0


class Curation(Knowledge):
    """`pks` are memories of this app; others are passed over."""

    def archive_each(self, pks: Iterable[int]) -> Changed:
        return self.change_each(pks, archive_one)

    def restore_each(self, pks: Iterable[int]) -> Changed:
        return self.change_each(pks, restore_one)

    def pin_each(self, pks: Iterable[int]) -> Changed:
        return self.change_each(pks, pin_one)

    def unpin_each(self, pks: Iterable[int]) -> Changed:
        return self.change_each(pks, unpin_one)

    def review_each(self, pks: Iterable[int]) -> Changed:
        """A person has looked at each, and lets it stand."""
        return self.change_each(pks, review_one)

    def undo_each(self, pks: Iterable[int]) -> Changed:
        """Takes the last change of each back."""
        return self.change_each(pks, undo_one)

    def take_back(self, versions: Mapping[int, int]) -> Changed:
        """The last change of each that is still at its version, by pk: nobody else's is taken back."""

        def change(write: Writer, memory: Memory) -> None:
            if memory.version != versions[memory.pk]:
                raise LeftAlone("changed by somebody since")
            undo_one(write, memory)

        return self.change_each(versions, change)

    def change_one(self, memory: Memory, change: Change, version: int) -> None:
        """Raises LeftAlone, LimitReached; VersionMismatch if it is no longer at `version`, MemoryGone if it is gone."""
        with self.changing(memory, version) as (write, current):
            change(write, current)

    def change_each(self, pks: Iterable[int], change: Change) -> Changed:
        """Applies `change` to each as it is under the write lock, some to a transaction; a full app changes none."""
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

    def change_batch(
        self, pks: Sequence[int], change: Change, left: Counter[str], touched: set[int]
    ) -> dict[int, int]:  # fmt: skip
        """The versions of what was changed. What a change did to others is `touched`, and is not changed once more."""
        done: dict[int, int] = {}
        with writing(self.app, self.actor, timezone.now()) as write:
            rows = Memory.objects.for_app(self.app).filter(pk__in=pks).order_by("pk")
            # A merge is undone on both sides from the memory that stands for the others: that one is before them.
            for memory in sorted(rows, key=lambda row: row.status == Status.SUPERSEDED):
                try:
                    if memory.pk in touched or memory.pk in write.changed:
                        raise LeftAlone(CHANGED_WITH_ANOTHER)
                    change(write, memory)
                    done[memory.pk] = memory.version
                except LeftAlone as why:
                    left[str(why)] += 1
            changed = set(write.changed)
        touched |= changed
        return done

    def embed_each(self, pks: Iterable[int]) -> Changed:
        """Gives each a new vector of the embedder that serves the app. Where that is away, the old ones stay."""
        changed, rest = Changed(), iter(pks)
        while batch := list(islice(rest, BATCH)):
            rows = list(Memory.objects.for_app(self.app).warm().filter(pk__in=batch))
            changed.left["they lie in the cold archive, which has no vectors"] += len(batch) - len(rows)
            vectors = embed([embedded_text(row.content, row.subject) for row in rows], self.embedder)
            if vectors is None:
                changed.left["the embedder is away"] += len(rows)
                continue
            with writing(self.app, self.actor, timezone.now()) as write:
                changed.done += write.embed(rows, vectors, self.embedder.name)
        changed.left = +changed.left
        return changed

    def forget_each(self, pks: Iterable[int]) -> int:
        """Deletes for good; answers how many."""
        deleted, rest = 0, iter(pks)
        while batch := list(islice(rest, BATCH)):
            with writing(self.app, self.actor, timezone.now()) as write:
                deleted += write.forget(Memory.objects.for_app(self.app).filter(pk__in=batch))
                ring(SWEEP_TASK)
        return deleted

    def merge(self, pks: Sequence[int]) -> Memory:
        """One memory for all of these: the surest lives on and stands for the others. Raises CannotMerge."""
        if len(pks) > MERGE_AT_MOST:
            raise CannotMerge(f"Select at most {MERGE_AT_MOST} memories to merge.")
        with writing(self.app, self.actor, timezone.now()) as write:
            current = list(Memory.objects.for_app(self.app).filter(pk__in=pks))
            check_merge(current)
            winner = max(current, key=standing)
            write.merge(winner, [memory for memory in current if memory != winner], "merged by an operator")
        return winner


def archive_one(write: Writer, memory: Memory) -> None:
    refuse_superseded(memory)
    if memory.status == Status.WITHDRAWN:
        raise LeftAlone("its source was taken back; restore it first")
    if memory.status in (Status.ARCHIVED, Status.COLD):
        raise LeftAlone("archived already")
    write.archive(memory)


def restore_one(write: Writer, memory: Memory) -> None:
    if memory.status == Status.ACTIVE:
        raise LeftAlone("active already")
    write.restore(memory)


def refuse_superseded(memory: Memory) -> None:
    if memory.is_superseded:
        raise LeftAlone("another memory stands for it; restore it first")


def pin_one(write: Writer, memory: Memory) -> None:
    if memory.pinned:
        raise LeftAlone("pinned already")
    write.edit(memory, {"pinned": True})


def unpin_one(write: Writer, memory: Memory) -> None:
    if not memory.pinned:
        raise LeftAlone("not pinned")
    write.edit(memory, {"pinned": False})


def review_one(write: Writer, memory: Memory) -> None:
    if memory.trust_level != Trust.UNREVIEWED:
        raise LeftAlone(f"{memory.trust_level} already")
    write.review(memory)


def undo_one(write: Writer, memory: Memory) -> None:
    try:
        write.undo(memory)
    except NothingToUndo as error:
        raise LeftAlone(str(error)) from error


def check_merge(rows: Sequence[Memory]) -> None:
    if len(rows) < 2:
        raise CannotMerge("Select two or more memories to merge.")
    if any(memory.status == Status.WITHDRAWN for memory in rows):
        raise CannotMerge("The source of one was taken back: restore it first.")
    if any(memory.is_superseded for memory in rows):
        raise CannotMerge("A superseded memory has been merged already.")
    if len({readers(memory) for memory in rows}) > 1:
        raise CannotMerge("Only memories of the same end user and visibility can be merged: change that first.")


def readers(memory: Memory) -> tuple[object, ...]:
    """Who may see it. A merge must neither hide a memory from its readers nor show it to others."""
    return memory.user_id, memory.visibility, memory.visibility == Visibility.AGENT and memory.agent_id


def standing(memory: Memory) -> tuple[bool, float, bool, int]:
    """The greatest is kept: an active one before others, then the most confident, pinned, oldest."""
    return memory.status == Status.ACTIVE, memory.confidence, memory.pinned, -memory.pk

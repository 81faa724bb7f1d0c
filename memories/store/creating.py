"""New memories from candidates: some statements for many, so that what comes in bulk waits for its embedder alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memories.models import LIVE, Action, Memory, Visibility
from memories.store.candidate import Candidate
from memories.store.confidence import clamp
from memories.store.revisions import revision_of
from memories.text.looks import kept_look
from memsite.db.inserts import insert_all
from sessions.models import Event, Level

if TYPE_CHECKING:
    from memories.store.writer import Writer

CANDIDATE_FIELDS = (
    "content", "kind", "category", "subject", "tags", "importance", "strength", "sentiment", "pinned", "tier",
    "user_id", "visibility", "source", "origin", "reviewed_by", "reviewed_at", "made_by", "agent", "session",
    "turn_number", "resource", "external_id", "metadata", "valid_from", "valid_until",
)  # fmt: skip


def create_all(write: Writer, candidates: Sequence[Candidate], reason: str) -> list[Memory]:
    """Stores them in this order, each with its first revision, its vector if it has one, and what it names."""
    memories = [new_memory(write, candidate) for candidate in candidates]
    insert_all(memories)
    insert_all([revision_of(memory, Action.CREATED, {}, write.actor, reason, write.now) for memory in memories])
    write.count += sum(memory.status in LIVE for memory in memories)
    for memory in memories:
        write.changed[memory.pk] = memory
        write.touch_summaries(memory, {})
    write.name(memories)
    pairs = list(zip(memories, candidates, strict=True))
    for model in dict.fromkeys(candidate.vector_model for candidate in candidates if candidate.vector is not None):
        made = [(memory, one.vector) for memory, one in pairs if one.vector is not None and one.vector_model == model]
        write.keep_vectors(made, model)
    return memories


def new_memory(write: Writer, candidate: Candidate) -> Memory:
    """The unsaved row."""
    given = candidate.confidence
    confidence = clamp(write.policy.start_confidence if given is None else given)
    given_fields = {name: value for name in CANDIDATE_FIELDS if (value := getattr(candidate, name)) is not None}
    memory = Memory(
        app=write.app,
        **given_fields,
        entities=candidate.entities or None,
        confidence=confidence,
        confidence_base=confidence,
        anchored_at=write.now,
        created_at=write.now,
        updated_at=write.now,
        confirmed_at=write.now,
        change_number=write.change_number,
    )
    memory.status = write.status_for(memory)
    memory.look = kept_look(memory.content, memory.subject)
    return memory


def announce_all(write: Writer, memories: Sequence[Memory]) -> None:
    """The new memories' lines in the events feed, which every agent of the app may read. One statement for some 90."""
    told = [memory for memory in memories if memory.visibility != Visibility.AGENT]
    insert_all([event_of(memory, write) for memory in told])


def event_of(memory: Memory, write: Writer) -> Event:
    return Event(
        app=write.app,
        session=memory.session,
        turn_number=memory.turn_number,
        level=Level.INFO,
        service=memory.subject,
        message=f"New memory recorded: [{about(memory)}] {memory.content}",
        memory_uid=memory.uid,
        created_at=write.now,
    )


def about(memory: Memory) -> str:
    return f"{memory.category}:{memory.subject}" if memory.subject else memory.category

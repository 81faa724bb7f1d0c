"""Memories that come as they were elsewhere: with their times, versions and confidences, and no revision of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from memories.models import LIVE, ColdText, Memory, Status
from memories.models.memory import pack, subject_of
from memories.store.due import summaries_touched
from memories.store.revisions import snapshot
from memories.text.looks import kept_look

if TYPE_CHECKING:
    from memories.store.writer import Writer


def adopt(write: Writer, memories: Sequence[Memory], cold: Mapping[UUID, str], *, with_summaries: bool) -> None:
    """Stores them in this order. `cold` says of those in the cold archive what they were before. Two statements.

    `with_summaries`: what is written of them comes with them; otherwise it is due to be written.
    """
    for memory in memories:
        if write.policy.capture_summaries and not with_summaries:
            write.summaries_due += summaries_touched({}, snapshot(memory))
        memory.change_number = write.change_number
        memory.subject = subject_of(memory.subject)
        memory.look = kept_look(memory.content, memory.subject)
    texts = {memory.uid: memory.content for memory in memories if memory.status == Status.COLD}
    for memory in memories:
        memory.content = "" if memory.uid in texts else memory.content
    Memory.objects.bulk_create(memories)
    ColdText.objects.bulk_create(
        ColdText(app=write.app, memory=memory, data=pack(texts[memory.uid]), was=cold[memory.uid])
        for memory in memories
        if memory.uid in texts
    )
    write.count += sum(memory.status in LIVE for memory in memories)

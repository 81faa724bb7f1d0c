"""What was written from archived memories, and that it was."""

from __future__ import annotations

from collections.abc import Sequence

from memories.models import Action, Link, LinkKind, Memory
from memories.store.candidate import Candidate
from memories.store.writer import Writer


def gather(write: Writer, candidate: Candidate, sources: Sequence[Memory]) -> Memory:
    """The insight, derived from each of the sources; these stay in the archive, and are marked for good."""
    insight = write.create(candidate, f"written from {len(sources)} archived memories")
    Link.objects.bulk_create(
        Link(app=write.app, from_memory=insight, to_memory=source, kind=LinkKind.DERIVED, created_at=write.now)
        for source in sources
    )
    write.note(sources, Action.GATHERED, f"gathered into {insight.uid}")
    return insight

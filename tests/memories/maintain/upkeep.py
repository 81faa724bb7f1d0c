"""What tests of jobs have in common: an app that knows something, runs that are killed, and what a test compares."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from memories.language.relate import Thresholds
from memories.models import Link, Memory, Revision
from memories.models.vector import embedded_text
from memories.providers.embeddings import HashEmbedder
from memories.providers.llm.rules import RulesProvider
from memories.store import Candidate, writing
from memories.store.revisions import TRACKED, snapshot
from memsite.jobs.job import Unclaimed
from memsite.tenancy.models import App

NIGHT = datetime(2027, 3, 2, 2, tzinfo=UTC)
"""When the run of the first night is due."""
DAY = timedelta(days=1)
EMBEDDER = HashEmbedder(256)
RULES = RulesProvider(Thresholds(EMBEDDER.thresholds.same, EMBEDDER.thresholds.related))


def tell(
    app: App, content: str, when: datetime = NIGHT - timedelta(hours=8), embed: bool = True, **fields: Any
) -> Memory:
    """A memory as it came in at that time, whatever is known already."""
    fields = {"category": "timing", "subject": "gateway", **fields}
    candidate = Candidate(content=content, **fields)
    if embed:
        (candidate.vector,) = EMBEDDER.embed_documents([embedded_text(candidate.content, candidate.subject)])
        candidate.vector_model = EMBEDDER.name
    with writing(app, "agent:alice", when) as write:
        return write.create(candidate)


def fresh(memory: Memory) -> Memory:
    return Memory.objects.get(pk=memory.pk)


def statuses(*memories: Memory) -> list[str]:
    return [fresh(memory).status for memory in memories]


def history(memory: Memory) -> list[str]:
    return list(Revision.objects.filter(memory=memory).order_by("number").values_list("action", flat=True))


def last(memory: Memory) -> Revision:
    return Revision.objects.filter(memory=memory).latest("number")


class Killed(Exception):
    """The worker is gone."""


@dataclass
class Fragile(Unclaimed):
    """A run whose worker is killed now and then: what it was about to commit is lost with it."""

    luck: random.Random = field(default_factory=random.Random)
    share: float = 0.3

    def done(self, counts: Mapping[str, int], **cursor: Any) -> None:
        if self.luck.random() < self.share:
            raise Killed
        super().done(counts, **cursor)


def carry_on(body: Callable[[Fragile], None], run: Fragile) -> int:
    """Begins again with what is left, until it is done; answers how often the worker was killed."""
    for killed in range(1000):
        try:
            body(run)
        except Killed:
            continue
        return killed
    raise AssertionError("never done")


def state_of(app: App) -> dict[str, Any]:
    """Everything that upkeep may change, without the ids of what it makes: numbers are places in the order made.

    What is rolled back takes its numbers with it in PostgreSQL.
    """
    rows = Memory.objects.for_app(app).order_by("pk")
    place = {pk: number for number, pk in enumerate(rows.values_list("pk", flat=True))}
    memories = [
        {**{name: snapshot(row)[name] for name in TRACKED}, "count": row.access_count, "accessed": row.accessed_at}
        | {"version": row.version, "source": row.source, "made_by": row.made_by}
        for row in rows
    ]
    revisions = Revision.objects.for_app(app).order_by("memory", "number")
    links = Link.objects.for_app(app).order_by("from_memory", "to_memory", "kind")
    return {
        "memories": memories,
        "revisions": [
            (
                place[row.memory_id],
                row.number,
                row.action,
                row.before,
                row.after,
                row.actor,
                reason_of(row.reason, app, place),
            )
            for row in revisions
        ],
        "links": [
            (place[item], place[other], kind)
            for item, other, kind in links.values_list("from_memory", "to_memory", "kind")
        ],
    }


def reason_of(reason: str, app: App, place: Mapping[int, int]) -> str:
    """A reason with places for ids."""
    numbers = {str(uid): str(place[pk]) for uid, pk in Memory.objects.for_app(app).values_list("uid", "pk")}
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", lambda match: numbers[match[0]], reason)

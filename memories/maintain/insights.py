"""Weekly: archived memories on one matter are gathered into one insight."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial

import numpy as np
import structlog
from django.db import transaction
from django.db.models import OuterRef, Subquery

from memories.language.secrets import redact
from memories.maintain import aging
from memories.maintain.merge import opaque_key
from memories.maintain.summaries import embed_passages
from memories.models import Action, Kind, Link, LinkKind, Memory, Revision, Source, Status, Strength, Visibility
from memories.models.memory import MemoryQuerySet, as_noted
from memories.models.vector import embed_contents
from memories.providers.embeddings import Embedder, Vectors
from memories.providers.llm.provider import LLMError, Provider
from memories.retrieve.injection_guard import safe_memories
from memories.retrieve.pipeline import index_of
from memories.store import Candidate, LimitReached, writing
from memories.store.transaction import with_app
from memories.store.writer import Writer
from memsite.jobs.job import Run
from memsite.tenancy.models import App
from memsite.tenancy.origin import least_trusted

log = structlog.get_logger("memories.maintain")
ACTOR = "system:insights"
LEAST, MOST = 3, 40
"""Memories of one insight."""
AT_ONCE = 4_000
"""Compared with each other at a time, the oldest first: 80 MB."""
CONFIDENCE = 0.5
"""Nobody has said it: it is inferred."""


def clusters_of(vectors: Vectors, floor: float, least: int, most: int) -> list[list[int]]:
    """Return places of what is `floor` or more near one of them, `least` to `most`, each in one cluster at most.

    The one with the most neighbours is the first middle (of equals, the first), with the nearest of these around it;
    then the same with what is left. Always the same for the same rows. Memory: 5 bytes for each pair.
    """
    cosines = vectors @ vectors.T
    # A text without words has the zero vector, and is near nothing.
    near = (cosines >= floor) & np.any(vectors, axis=1)[:, None]
    neighbours = near.sum(axis=1)
    clusters = []
    while len(near) and neighbours.max() >= least:
        middle = int(np.argmax(neighbours))
        around = np.flatnonzero(near[middle])
        # The middle itself, whatever the last digit of its cosine says.
        closeness = np.where(around == middle, 2.0, cosines[middle, around])
        members = around[np.lexsort((around, -closeness))[:most]]
        clusters.append(sorted(members.tolist()))
        neighbours -= near[:, members].sum(axis=1)
        near[members] = near[:, members] = False
        neighbours[members] = 0
    return clusters


@dataclass
class Progress:
    """How far it is: the group, to which memory of it (None: the last), and what is still to be gathered of these."""

    group: str = ""
    looked_to: int | None = 0
    todo: list[list[int]] = field(default_factory=list)


def gather_insights(app: App, now: datetime, run: Run, provider: Provider, embedder: Embedder) -> None:
    """Gather insights within the archived memories of one user, category and circle of readers.

    Counts `insights`, and the memories `gathered` into them; `waiting` are groups that could not be written of: they
    are tried again with the next run.
    """
    InsightRun(app, now, run, provider, embedder).work_off()


class InsightRun:
    def __init__(self, app: App, now: datetime, run: Run, provider: Provider, embedder: Embedder) -> None:
        self.app, self.now, self.run, self.provider, self.embedder = app, now, run, provider, embedder
        self.place = Progress(**deepcopy(run.cursor.get("gather", {})))

    def work_off(self) -> None:
        reached = self.place.group
        # Primary keys, rising, by a key that tells nothing of who they are about.
        groups = defaultdict(list)
        columns = ("user_id", "category", "visibility", "agent_id")
        for pk, user_id, category, visibility, agent_id in archived(self.app).values_list("pk", *columns).iterator():
            owner = agent_id if visibility == Visibility.AGENT else None
            groups[opaque_key(user_id or None, category, visibility, owner)].append(pk)
        view = index_of(self.app, self.embedder).view()
        for key in sorted(groups.keys() | {reached} - {""}):
            if key < reached:
                continue
            if key > reached:
                self.place = Progress(key)
            self.gather_all()
            while self.place.looked_to is not None:
                pks = groups.get(key, [])
                some = [pk for pk in pks if pk > (self.place.looked_to or 0)][:AT_ONCE]
                rows = view.rows_of(np.array(some, np.int64))
                rows = rows[view.columns.embedded[rows]]
                clusters = clusters_of(view.held.of(rows), self.embedder.thresholds.related, LEAST, MOST)
                self.place.todo = [view.columns.pk[rows[cluster]].tolist() for cluster in clusters]
                self.place.looked_to = some[-1] if len(some) == AT_ONCE else None
                self.gather_all()

    def gather_all(self) -> None:
        while self.place.todo:
            # Gather one insight. The model is asked before the transaction; in it, only what is still as it was
            # told is gathered.
            sources = safe_memories(archived(self.app).filter(pk__in=self.place.todo.pop(0)), self.app.policy)
            candidate = self.write_insight(sources)
            try:
                with transaction.atomic():
                    is_written = candidate is not None and self.store(candidate, sources)
                    counts = {"insights": 1, "gathered": len(sources)} if is_written else {"waiting": 1}
                    self.run.done(counts, gather=asdict(self.place))
            except LimitReached as full:
                log.warning("insight_not_stored", app=self.app.app_id, reason=str(full))

    def store(self, candidate: Candidate, sampled: Sequence[Memory]) -> bool:
        with writing(self.app, ACTOR, self.now) as write:
            sources = list(with_app(write, archived(self.app).filter(pk__in=[memory.pk for memory in sampled])))
            is_as_told = [memory.version for memory in sources] == [memory.version for memory in sampled]
            if is_as_told:
                write.announce(gather(write, candidate, sources))
        return is_as_told

    def write_insight(self, sources: Sequence[Memory]) -> Candidate | None:
        """Return None if too few are left, or if nothing could be written."""
        if len(sources) < LEAST:
            return None
        try:
            written = self.provider.insight([as_noted(memory) for memory in sources], self.app.policy.max_characters)
        except LLMError as error:
            log.warning("insight_not_written", app=self.app.app_id, memories=len(sources), error=str(error))
            return None
        candidate = candidate_of(sources, redact(written.text).text.strip(), written.made_by)
        vectors = embed_contents(
            [(candidate.content, candidate.subject)], partial(embed_passages, embedder=self.embedder)
        )
        if vectors is not None:
            candidate.vector, candidate.vector_model = vectors[0], self.embedder.name
        return candidate if candidate.content else None


def gather(write: Writer, candidate: Candidate, sources: Sequence[Memory]) -> Memory:
    """Store the insight, derived from each of the sources; these stay in the archive, and are marked for good."""
    insight = write.create(candidate, f"written from {len(sources)} archived memories")
    Link.objects.bulk_create(
        Link(app=write.app, from_memory=insight, to_memory=source, kind=LinkKind.DERIVED, created_at=write.now)
        for source in sources
    )
    write.note(sources, Action.GATHERED, f"gathered into {insight.uid}")
    return insight


def archived(app: App) -> MemoryQuerySet:
    """Return what went to the archive by its category's time and may be gathered, the oldest first.

    Never twice, and no insights. Nothing that was contradicted or has run out: it need not be true any more.
    """
    archivings = Revision.objects.for_app(app).filter(memory=OuterRef("pk"), action=Action.ARCHIVED)
    last = Subquery(archivings.order_by("-number").values("actor")[:1])
    rows = Memory.objects.for_app(app).filter(status=Status.ARCHIVED, valid_until=None)
    rows = rows.exclude(source=Source.INSIGHT).exclude(kind=Kind.INSIGHT)
    rows = rows.exclude(revisions__action=Action.GATHERED).exclude(links_in__kind=LinkKind.CONTRADICTS)
    return rows.alias(archived_by=last).filter(archived_by=aging.EXPIRE_ACTOR).order_by("pk")


def candidate_of(sources: Sequence[Memory], text: str, made_by: str) -> Candidate:
    """Return a candidate that is theirs in all that decides who may read it; about what most of them are about."""
    first = sources[0]
    subject, count = Counter(memory.subject for memory in sources).most_common(1)[0]
    tags = Counter(tag for memory in sources for tag in set(memory.tags))
    return Candidate(
        content=text,
        kind=Kind.INSIGHT,
        category=first.category,
        subject=subject if 2 * count > len(sources) else None,
        tags=sorted(tag for tag, number in tags.items() if 2 * number > len(sources)),
        importance=max(memory.importance for memory in sources),
        confidence=CONFIDENCE,
        strength=Strength.INFERRED,
        user_id=first.user_id,
        visibility=first.visibility,
        source=Source.INSIGHT,
        origin=least_trusted(memory.origin for memory in sources),
        made_by=made_by,
        agent=first.agent if first.visibility == Visibility.AGENT else None,
    )

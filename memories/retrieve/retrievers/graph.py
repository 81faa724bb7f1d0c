"""Retrieve by the graph: from the entities a question names to the memories that mention them, and on along links."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from memories.index.similarity import Floats
from memories.language.entities import phrase_keys
from memories.models import Entity, Link, Mention
from memories.retrieve.question import STOP_WORDS
from memories.retrieve.scoped_view import ScopedView
from memsite.tenancy.models import App

HOPS = 2
# Along links from so many memories at most: an entity that thousands mention leads everywhere.
MOST_STARTS = 500
PER_HOP = 0.5


def proximity(app: App, text: str, scoped: ScopedView) -> Floats:
    """Return the mean over the entities named of 0.5 ^ hops from each, 0 where not reached. Shape (scoped.size,).

    What the caller may not see is no way to anything, and an entity that only such memories mention does not count.
    """
    found = np.zeros(scoped.size, np.float32)
    mentions = mentioning(app, named(app, text)).values()
    starts = [pks for pks in map(scoped.visible, mentions) if pks]
    for pks in starts:
        near = np.zeros(scoped.size, np.float32)
        for hops, reached in enumerate(walk(app, pks, scoped)):
            places = scoped.places(np.fromiter(reached, np.int64, len(reached)))
            near[places] = PER_HOP**hops
        found += near
    return found / np.float32(max(1, len(starts)))


def named(app: App, text: str) -> list[int]:
    """Return the entities of the app that are called by a run of the text's words."""
    keys = [key for key in phrase_keys(text) if key not in STOP_WORDS]
    return list(Entity.objects.for_app(app).filter(key__in=keys).values_list("pk", flat=True)) if keys else []


def mentioning(app: App, entities: list[int]) -> dict[int, set[int]]:
    """Return the memories that mention each entity. One query."""
    found: dict[int, set[int]] = {pk: set() for pk in entities}
    rows = Mention.objects.for_app(app).filter(entity_id__in=entities).values_list("entity_id", "memory_id")
    for entity, memory in rows if entities else ():
        found[entity].add(memory)
    return found


def walk(app: App, starts: set[int], scoped: ScopedView) -> Iterable[set[int]]:
    """Yield what is new at each hop: the starts first. One query per hop."""
    seen = edge = starts
    yield starts
    for _ in range(HOPS):
        if not edge or len(edge) > MOST_STARTS:
            return
        links = Link.objects.for_app(app).order_by()
        onward = links.filter(from_memory__in=edge).values_list("to_memory", flat=True)
        edge = scoped.visible(
            set(onward.union(links.filter(to_memory__in=edge).values_list("from_memory", flat=True), all=True)) - seen
        )
        seen = seen | edge
        yield edge

"""Why others were doubted because of a memory: that quotes what it says, and goes with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from memories.models import Action, Link, LinkKind, Memory, Revision
from memories.store.said import replace
from memsite.tenancy.models import App


def forget_reasons(app: App, memories: Sequence[Memory]) -> None:
    """Revisions of others that tell of having been contradicted or superseded by one of these tell no more why.

    Call it with a purge permit, while their links and revisions are there. One query if they did nothing to others.
    """
    links = Link.objects.for_app(app).filter(kind__in=(LinkKind.CONTRADICTS, LinkKind.SUPERSEDES))
    pairs = list(links.filter(from_memory__in=memories).values_list("from_memory", "to_memory"))
    if not pairs:
        return
    stated: dict[int, set[datetime]] = defaultdict(set)
    revisions = Revision.objects.for_app(app)
    for pk, at in revisions.filter(memory__in=[by for by, _ in pairs]).values_list("memory", "created_at"):
        stated[pk].add(at)
    times = {(other, at) for by, other in pairs for at in stated[by]}
    told = revisions.filter(action__in=(Action.CONTRADICTED, Action.SUPERSEDED)).exclude(reason="")
    for row in told.filter(memory__in=[other for _, other in pairs]):
        if (row.memory_id, row.created_at) in times:
            replace(row, {"reason": ""})

"""Why others were doubted because of a memory: that quotes what it says, and goes with it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from django.db.models import Q

from memories.models import Action, Memory, Revision
from memories.store.said import replace
from memsite.tenancy.models import App

MOST_AT_ONCE = 100
REACH = 200
"""What a statement does to others is recorded right behind it; others may write meanwhile."""


def forget_reasons(app: App, memories: Sequence[Memory]) -> None:
    """Revisions of others that tell of having been contradicted or superseded by one of these tell no more why.

    Call it with a purge permit, while their revisions are there: a link of it may have been taken back. Two queries for
    up to a hundred statements, and one for each revision that told.
    """
    revisions = Revision.objects.for_app(app).order_by()
    stated = revisions.filter(memory__in=memories, action__in=(Action.CREATED, Action.REINFORCED))
    told = revisions.filter(action__in=(Action.CONTRADICTED, Action.SUPERSEDED)).exclude(reason="")
    places = list(stated.values_list("pk", "created_at"))
    for start in range(0, len(places), MOST_AT_ONCE):
        behind = (Q(pk__gt=pk, pk__lte=pk + REACH, created_at=at) for pk, at in places[start : start + MOST_AT_ONCE])
        for row in told.filter(reduce(or_, behind)):
            replace(row, {"reason": ""})

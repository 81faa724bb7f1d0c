"""What was known at a moment: which memories were valid then, and what they said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from django.db.models import Q

from memories.models import Memory, Revision, Status
from memories.retrieve.hits import Hit
from memories.retrieve.reading import Then
from memories.store.revisions import parse, states_at
from memsite.tenancy.models import App

FEW = 500
TELLING = ("status", "valid_from", "valid_until")


def known_at(app: App, moment: datetime) -> Then:
    """What changed since, of what was there then, and what of that was active and valid. Two queries; what was
    forgotten since is gone.
    """
    changed = Q(updated_at__gt=moment) | Q(decay_noted_at__gt=moment)
    rows = Memory.objects.for_app(app).filter(changed, created_at__lte=moment).order_by()
    states = {pk: dict(zip(TELLING, state, strict=True)) for pk, *state in rows.values_list("pk", *TELLING)}
    # Those of many are found by looking through the memories once more.
    which = rows if len(states) > FEW else list(states)
    told = Revision.objects.for_app(app).filter(memory__in=which, created_at__lte=moment)
    for pk, after in told.order_by("number").values_list("memory_id", "after"):
        # Of many, one may have changed between the two statements.
        if pk in states:
            states[pk] |= {name: parse(name, after[name]) for name in TELLING if name in after}
    known = [pk for pk, state in states.items() if held(state, moment)]
    return Then(np.array([*states], np.int64), np.array(known, np.int64))


def held(state: dict[str, object], moment: datetime) -> bool:
    start, end = state["valid_from"], state["valid_until"]
    begun = not isinstance(start, datetime) or start <= moment
    return state["status"] == Status.ACTIVE and begun and (not isinstance(end, datetime) or end > moment)


def take_back(app: App, hits: Sequence[Hit], moment: datetime) -> None:
    """Sets each hit's memory to what it was then. One query. One of which no revision is there, as while it is imported
    or deleted, stays as it is.
    """
    states = states_at(app, [hit.row for hit in hits], moment)
    for hit in hits:
        for name, value in states.get(hit.row.pk, {}).items():
            setattr(hit.memory, name, parse(name, value))

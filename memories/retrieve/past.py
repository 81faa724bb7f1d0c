"""What was known at a moment: which memories were valid then, and what they said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q

from memories.models import Memory, Revision, Status
from memories.retrieve.hits import Hit
from memories.store.revisions import parse, states_at
from memsite.tenancy.models import App

TELLING = ("status", "valid_from", "valid_until")


def known_at(app: App, moment: datetime) -> tuple[int, ...]:
    """Pks of the memories that were active and valid then. Two queries; what was forgotten since is gone."""
    rows = Memory.objects.for_app(app).filter(created_at__lte=moment).order_by()
    changed = Q(updated_at__gt=moment) | Q(decay_noted_at__gt=moment)
    states = {pk: dict(zip(TELLING, state, strict=True)) for pk, *state in rows.values_list("pk", *TELLING)}
    told = Revision.objects.for_app(app).filter(memory__in=rows.filter(changed), created_at__lte=moment)
    for pk, after in told.order_by("number").values_list("memory_id", "after"):
        states[pk] |= {name: parse(name, after[name]) for name in TELLING if name in after}
    return tuple(pk for pk, state in states.items() if held(state, moment))


def held(state: dict[str, object], moment: datetime) -> bool:
    start, end = state["valid_from"], state["valid_until"]
    begun = not isinstance(start, datetime) or start <= moment
    return state["status"] == Status.ACTIVE and begun and (not isinstance(end, datetime) or end > moment)


def take_back(app: App, hits: Sequence[Hit], moment: datetime) -> None:
    """Sets each hit's memory to what it was then. One query."""
    states = states_at(app, [hit.memory for hit in hits], moment)
    for hit in hits:
        for name, value in states[hit.memory.pk].items():
            setattr(hit.memory, name, parse(name, value))

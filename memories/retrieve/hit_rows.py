"""The rows of hits. Those read lately are kept, and are shown again while the database says that they are the same.

Whatever changes a memory gives it another `change_number`; what is counted of it does not, and is read each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from django.db import connection
from django.db.models import JSONField, QuerySet

from memories.models import Memory
from memories.retrieve.index import shown as kept
from memsite.prepared import Prepared, Written, padded
from memsite.tenancy.models import App
from sessions.models import AgentSession, Resource

KEPT_CHARACTERS = 4_000
"""Longer ones are read each time."""
NOT_SHOWN = [
    f"{name}__{field.name}"
    for name, model in (("session", AgentSession), ("resource", Resource))
    for field in model._meta.concrete_fields
    if field.name not in ("id", "uid")
]
COUNTED = ("access_count", "accessed_at")
OWNER = Memory._meta.get_field("app")
"""Set as it is, as the row has its number: an assignment looks at both for longer than it takes to make the row."""
OF_MANY = [field.attname for field in Memory._meta.concrete_fields if isinstance(field, JSONField)]


def rows_of(app: App, pks: Sequence[int]) -> dict[int, Memory]:
    """Those of these memories that the app has, by number."""
    if not pks:
        return {}
    query = memories_of.query_for((app, *padded(pks)))
    found = unchanged(app, query, {pk: values for pk in pks if (values := kept.get(pk))})
    if unread := [pk for pk in pks if pk not in found]:
        found |= read(app, query, unread)
    rows = {row.pk: row for row in query.make(found.values())}
    for row in rows.values():
        OWNER.set_cached_value(row, app)
    return rows


def unchanged(app: App, query: Written, known: Mapping[int, list[Any]]) -> dict[int, list[Any]]:
    """Of what is known, what still is so, with the counts of now. One query for a few numbers of each."""
    if not known:
        return {}
    change, *counted = map(query.names.index, ("change_number", *COUNTED))
    of_many = places_of_many(query)
    found = {}
    for pk, number, *counts in changes_of(app, *padded([*known])):
        if known[pk][change] == number:
            found[pk] = apart(known[pk], of_many)
            for place, count in zip(counted, counts, strict=True):
                found[pk][place] = count
    return found


def places_of_many(query: Written) -> list[int]:
    """Where among a row's values lists and objects are."""
    return [*map(query.names.index, OF_MANY)]


def apart(values: Sequence[Any], of_many: Sequence[int]) -> list[Any]:
    """Of its own: a caller may change what a row holds, and of what is kept nothing may change."""
    copied = list(values)
    for place in of_many:
        if value := copied[place]:
            copied[place] = deepcopy(value)
        elif value is not None:
            copied[place] = type(value)()
    return copied


def read(app: App, query: Written, pks: Sequence[int]) -> dict[int, list[Any]]:
    pk, content = query.names.index("id"), query.names.index("content")
    asked: list[Any] = [app, *padded(pks)]
    found = {values[pk]: list(values) for values in memories_of.query_for(asked).ask(asked)}
    if is_committed():
        of_many = places_of_many(query)
        for values in found.values():
            if len(values[content]) <= KEPT_CHARACTERS:
                kept.put(values[pk], apart(values, of_many))
    return found


def is_committed() -> bool:
    """A transaction may have written what it reads, and that may be taken back: another change gets its number then."""
    return not connection.in_atomic_block


@Prepared
def memories_of(app: App, *pks: int) -> QuerySet[Memory]:
    """With the ids of the session and the raw text that they come from."""
    rows = Memory.objects.for_app(app).filter(pk__in=pks).order_by()
    return rows.select_related("session", "resource").defer(*NOT_SHOWN)


@Prepared
def changes_of(app: App, *pks: int) -> QuerySet[Memory, tuple[Any, ...]]:
    rows = Memory.objects.for_app(app).filter(pk__in=pks).order_by()
    return rows.values_list("pk", "change_number", *COUNTED)

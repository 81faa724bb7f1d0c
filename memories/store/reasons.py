"""Why others were doubted because of a memory: that quotes what it says, and goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from django.db.models import OuterRef, Subquery

from memories.models import Action, Memory, Revision
from memories.store.said import replace
from memsite.tenancy.models import App

MOST_AT_ONCE = 500
DONE_TO_OTHERS = (Action.CONTRADICTED, Action.SUPERSEDED)
RevisionPlace = tuple[int | None, datetime]
"""The number of the revision behind a statement, if there is one, and when that was recorded."""


def redact_reasons(app: App, memories: Sequence[Memory]) -> None:
    """Revisions of others that tell of having been contradicted or superseded by one of these tell no more why.

    Call it with a purge permit, while their revisions are there: a link of it may have been taken back. Two queries for
    up to 500 statements that did nothing to others, one more for each that the busiest did, and one for each that told.
    """
    rows = Revision.objects.for_app(app).filter(memory__in=memories).order_by()
    stated = rows.filter(action__in=(Action.CREATED, Action.REINFORCED))
    places = list(stated.values_list(next_of(app), "created_at"))
    for start in range(0, len(places), MOST_AT_ONCE):
        for row in done_behind(app, places[start : start + MOST_AT_ONCE]):
            replace(row, {"reason": ""})


def done_behind(app: App, places: Iterable[RevisionPlace]) -> Iterator[Revision]:
    """What these statements did to others.

    That is recorded right behind each, in one transaction, where nobody else writes to the app: however many revisions
    of other apps come in between.
    """
    rows = Revision.objects.for_app(app).filter(action__in=DONE_TO_OTHERS).order_by().annotate(behind=next_of(app))
    while expected := {pk: at for pk, at in places if pk}:
        found = [row for row in rows.filter(pk__in=expected) if row.created_at == expected[row.pk]]
        yield from found
        places = [(row.behind, row.created_at) for row in found]


def next_of(app: App) -> Subquery:
    """The number of the one that was recorded next; None if there is none."""
    later = Revision.objects.for_app(app).filter(pk__gt=OuterRef("pk")).order_by("pk")
    return Subquery(later.values("pk")[:1])

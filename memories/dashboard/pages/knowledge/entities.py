"""Named things that memories mention: found by name, most mentioned first at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.http import HttpResponse

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.filters import Choice, Filters, Search
from memories.dashboard.show import show
from memories.dashboard.slices import take
from memories.models import Entity, Mention, Status
from memsite.tenancy.models import App

MOST_MENTIONED = 12
KINDS_OFFERED = 50


class EntityFilters(Filters):
    q = Search("Name begins with")
    kind = Choice("Kind", [])

    def __init__(self, app: App, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        kinds = Entity.objects.for_app(app).order_by("kind").values_list("kind", flat=True).distinct()
        self.fields["kind"].choices = [("", "any"), *((kind, kind) for kind in kinds[:KINDS_OFFERED])]  # type: ignore[attr-defined]


@page()
def entities(request: DeskRequest) -> HttpResponse:
    app = request.desk.app
    filters = EntityFilters(app, request.GET)
    asked = filters.asked()
    rows = Entity.objects.for_app(app).filter(Exists(mentions(app).filter(entity=OuterRef("pk"))))
    if "q" in asked:
        rows = rows.filter(name__istartswith=asked["q"])
    if "kind" in asked:
        rows = rows.filter(kind=asked["kind"])
    slice = take(filters.let_through(rows), request.GET)
    counts = numbers(app, slice.rows)
    most = [] if filters.is_narrowing or request.htmx else most_mentioned(app)
    context = {
        "filters": filters, "slice": slice, "most": most, "lines": [(row, counts[row.pk]) for row in slice.rows],
        "largest": max(counts.values(), default=0),
    }  # fmt: skip
    return show(request, "knowledge/entities", context, part="knowledge/entity_list")


def mentions(app: App) -> QuerySet[Mention]:
    """By active memories."""
    return Mention.objects.for_app(app).filter(memory__status=Status.ACTIVE, memory__purged_at=None).order_by()


def numbers(app: App, rows: Sequence[Entity]) -> dict[int, int]:
    """How many active memories mention each. One query."""
    return dict(mentions(app).filter(entity__in=rows).values_list("entity").annotate(Count("pk")))


def most_mentioned(app: App) -> list[tuple[Entity, int]]:
    """Two queries, one of them over all of the app's mentions."""
    counted = mentions(app).values_list("entity").annotate(number=Count("pk")).order_by("-number", "entity")
    found = list(counted[:MOST_MENTIONED])
    rows = Entity.objects.for_app(app).in_bulk([pk for pk, _ in found])
    return [(rows[pk], number) for pk, number in found]

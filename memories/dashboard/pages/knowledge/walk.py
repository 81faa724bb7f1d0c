"""Walking the graph: one memory or entity in the middle, what it is linked to, and what that leads to."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpResponse

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.graph import graph_around, memory_rows
from memories.dashboard.show import show
from memories.models import Entity, Memory


@page()
def entity(request: DeskRequest, uid: UUID) -> HttpResponse:
    return around(request, Entity.objects.for_app(request.desk.app).filter(uid=uid).first())


@page()
def memory(request: DeskRequest, uid: UUID) -> HttpResponse:
    return around(request, memory_rows(request.desk.app).filter(uid=uid).first())


def around(request: DeskRequest, middle: Entity | Memory | None) -> HttpResponse:
    if middle is None:
        raise Http404
    return show(request, "knowledge/walk", {"graph": graph_around(request.desk.app, middle)})

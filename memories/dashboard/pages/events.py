"""The feed: what agents reported, and what the server noted."""

from __future__ import annotations

from django.http import HttpResponse

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.filters import Choice, Filters, Search
from memories.dashboard.show import is_seen, show, unchanged
from memories.dashboard.slices import take
from sessions.models import Event, Level


class EventFilters(Filters):
    message = Search("Message")
    level = Choice("Level", [(level, level) for level in Level.values])
    service = Search("Service")


@page()
def events(request: DeskRequest) -> HttpResponse:
    filters = EventFilters(request.GET)
    rows = Event.objects.for_app(request.desk.app).select_related("session")
    asked = filters.asked()
    if "level" in asked:
        rows = rows.filter(level=asked["level"])
    if "service" in asked:
        rows = rows.filter(service__istartswith=asked["service"])
    if "message" in asked:
        rows = rows.filter(message__icontains=asked["message"])
    slice = take(filters.let_through(rows), request.GET)
    newest = str(slice.rows[0].uid) if slice.rows else "none"
    if is_seen(request, newest):
        return unchanged()
    return show(request, "events/page", {"filters": filters, "slice": slice, "seen": newest}, part="events/list")

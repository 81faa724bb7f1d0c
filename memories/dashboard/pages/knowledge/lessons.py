"""Lessons: what users corrected and agents learnt. Every session starts with them."""

from __future__ import annotations

from django import forms
from django.http import HttpResponse

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.filters import Filters, Search
from memories.dashboard.pages.memories.table import ANY
from memories.dashboard.show import is_seen, show, unchanged
from memories.dashboard.slices import take
from memories.models import Memory, Status

OTHERS = [status for status in Status.values if status != Status.ACTIVE]


class LessonFilters(Filters):
    q = Search("Find")
    status = forms.ChoiceField(
        required=False, choices=[("", "active"), *((status, status) for status in OTHERS), (ANY, "any")]
    )


@page()
def lessons(request: DeskRequest) -> HttpResponse:
    """Active ones, unless somebody asks for others."""
    desk, filters = request.desk, LessonFilters(request.GET)
    seen = str(desk.app.change_number)
    if is_seen(request, seen):
        return unchanged()
    asked = filters.asked()
    rows = Memory.objects.for_app(desk.app).lessons()
    status = asked.get("status", Status.ACTIVE)
    if status != ANY:
        rows = rows.filter(status=status)
    if "q" in asked:
        rows = rows.with_words(asked["q"])
    slice = take(filters.let_through(rows).select_related("session", "agent", "cold_text"), request.GET)
    context = {"filters": filters, "slice": slice, "seen": seen}
    if not request.htmx:
        context["as_read"] = desk.agent().lessons_file(None)
    return show(request, "knowledge/lessons", context, part="memories/list")

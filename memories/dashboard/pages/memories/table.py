"""The table: filters in the address, the latest first, or what means the same as a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpResponse

from memories.agent import MemoryAgent
from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.filters import Choice, Filters, Search, Suggested, agents_of
from memories.dashboard.show import is_seen, show, unchanged
from memories.dashboard.slices import Slice, take
from memories.models import LIVE, Memory, Source, Status, Trust
from memories.models.memory import TRUSTED_ORIGINS, MemoryQuerySet, subject_of
from memories.retrieve.pipeline import SearchRequest
from memsite.tenancy.origin import Origin

SUGGESTIONS = 200
FOUND_AT_MOST = 50
TEXT, MEANING = "text", "meaning"
ANY = "any"
# The fields that a search by meaning knows by the same name.
SEARCHED_BY = ("category", "subject", "agent", "source", "origin")


class MemoryFilters(Filters):
    q = Search("Find")
    by = forms.ChoiceField(label="By", required=False, choices=[(TEXT, "its words"), (MEANING, "its meaning")])
    subject = Suggested("Service")
    category = Suggested("Category")
    status = forms.ChoiceField(
        required=False,
        choices=[("", "active and inactive"), *((status, status) for status in Status.values), (ANY, "any")],
    )
    agent = Choice("Agent", [])
    user = Search("End user")
    source = Choice("Source", [(source, source) for source in Source.values])
    origin = Choice("Said by", Origin.choices)
    trust = Choice("Trust", [(level, level) for level in Trust.values])

    def __init__(self, desk: Desk, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["agent"].choices = agents_of(desk.app)  # type: ignore[attr-defined]

    def asked(self) -> dict[str, Any]:
        """`by` narrows nothing without something to find."""
        asked = super().asked()
        return asked if "q" in asked else {name: value for name, value in asked.items() if name != "by"}

    @property
    def by_meaning(self) -> bool:
        return self.asked().get("by") == MEANING

    @property
    def refused(self) -> str:
        """A search by meaning knows what is active alone."""
        status = self.asked().get("status", ANY)
        if self.by_meaning and status not in (Status.ACTIVE, ANY):
            return f"What is {status} is not found by its meaning. Look for its words."
        return super().refused


@page()
def memories(request: DeskRequest) -> HttpResponse:
    desk = request.desk
    seen = str(desk.app.change_number)
    if is_seen(request, seen):
        return unchanged()
    filters = MemoryFilters(desk, request.GET)
    asked = filters.asked()
    if filters.by_meaning:
        slice = Slice([]) if filters.refused else search(desk.agent(), asked)
    else:
        rows = filters.let_through(narrow(Memory.objects.for_app(desk.app), asked))
        slice = take(rows.select_related("session", "agent", "cold_text"), request.GET)
    context = {"filters": filters, "slice": slice, "seen": seen}
    if not request.htmx:
        suggest(filters, desk)
    return show(request, "memories/page", context, part="memories/list")


def narrow(rows: MemoryQuerySet, asked: Mapping[str, Any]) -> MemoryQuerySet:
    status = asked.get("status")
    if status != ANY:
        rows = rows.filter(status=status) if status else rows.filter(status__in=LIVE)
    if "subject" in asked:
        rows = rows.filter(subject=subject_of(asked["subject"]))
    if "agent" in asked:
        rows = rows.filter(agent__name=asked["agent"])
    if "user" in asked:
        rows = rows.filter(user_id=asked["user"])
    if "q" in asked:
        rows = rows.with_words(asked["q"])
    if "trust" in asked:
        rows = rows.of_trust(asked["trust"])
    return rows.filter(**{name: asked[name] for name in ("category", "source", "origin") if name in asked})


def search(agent: MemoryAgent, asked: Mapping[str, Any]) -> Slice[Memory]:
    """The best hits, best first, in one page. Nothing counts as recalled by it."""
    filters = {name: asked[name] for name in SEARCHED_BY if name in asked}
    if "trust" in asked:
        filters |= trust_filter(asked["trust"])
    if "subject" in filters:
        filters["subject"] = subject_of(filters["subject"])
    if "user" in asked:
        filters["user_id"] = asked["user"]
    found = agent.search(SearchRequest(text=asked["q"], limit=FOUND_AT_MOST, filters=filters, counted=False))
    return Slice([hit.memory for hit in found.hits])


def trust_filter(level: str) -> dict[str, Any]:
    """As a search knows it."""
    if level == Trust.REVIEWED:
        return {"not": {"reviewed_at": None}}
    told = {"origin": [str(origin) for origin in TRUSTED_ORIGINS]}
    return {"and": [{"reviewed_at": None}, told if level == Trust.TRUSTED else {"not": told}]}


def suggest(filters: MemoryFilters, desk: Desk) -> None:
    """Services and categories that there are. Two queries over an index each."""
    rows = Memory.objects.for_app(desk.app).order_by()
    for name in ("subject", "category"):
        values = rows.exclude(**{name: None}).values_list(name, flat=True).distinct().order_by(name)[:SUGGESTIONS]
        filters.fields[name].suggest(values)  # type: ignore[attr-defined]

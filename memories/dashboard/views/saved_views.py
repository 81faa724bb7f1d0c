"""Saved views: filters of the list of memories that somebody has named, for this app and no other person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from django import forms
from django.core.exceptions import BadRequest
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404

from memories.dashboard.access import Dashboard, DashboardRequest, page
from memories.dashboard.responses import Tone, go, toast
from memories.language.secrets import without_secrets
from memories.models import SavedView
from memsite.tenancy.access import Right
from memsite.tenancy.scoping import ScopedQuerySet

MOST_VIEWS, MOST_FIELDS, MOST_CHARACTERS = 50, 30, 500
OF_THE_PAGE = {"app", "after", "before"}
"""What an address has beside its filters."""


class NameForm(forms.Form):
    name = forms.CharField(max_length=80, label="Name")


@dataclass(frozen=True, slots=True)
class Shown:
    """A saved view, where it leads, and whether that is what the page shows."""

    view: SavedView
    href: str
    is_here: bool


def views_of(dashboard: Dashboard, query: Mapping[str, str]) -> list[Shown]:
    """Return this person's views of this app by name. One query."""
    here = filters_in(query)
    return [Shown(view, address_of(dashboard, view.query), view.query == here) for view in own(dashboard)]


def own(dashboard: Dashboard) -> ScopedQuerySet[SavedView]:
    return SavedView.objects.for_app(dashboard.app).filter(user=dashboard.user.pk)


def filters_in(query: Mapping[str, str]) -> dict[str, str]:
    """Return what an address filters and sorts by, without secrets."""
    given = {name: without_secrets(value) for name, value in query.items() if name not in OF_THE_PAGE and value}
    return {
        name: value
        for name, value in list(given.items())[:MOST_FIELDS]
        if max(len(name), len(value)) <= MOST_CHARACTERS and "\0" not in name + value
    }


def address_of(dashboard: Dashboard, query: Mapping[str, str]) -> str:
    here = dashboard.address("memories")
    return f"{here}{'&' if '?' in here else '?'}{urlencode(query)}" if query else here


@page(read=None, write=Right.READ)
def save(request: DashboardRequest) -> HttpResponse:
    """Keep the filter of the page under a name. One of this name is replaced."""
    dashboard, form = request.dashboard, NameForm(request.POST)
    # The address goes on while the page stays: htmx tells the one that is shown.
    address = urlsplit(request.htmx.current_url or "").query if request.htmx else request.POST.get("query", "")
    query = filters_in(QueryDict(address).dict())
    if not form.is_valid():
        return refuse(request, query, "A name has 1 to 80 characters.")
    if not query:
        return refuse(request, query, "Nothing is filtered or sorted here. Filter first, then save the view.")
    name, views = form.cleaned_data["name"], own(dashboard)
    if views.count() >= MOST_VIEWS and not views.filter(name=name).exists():
        return refuse(request, query, f"There are {MOST_VIEWS} views. Delete one first.")
    views.update_or_create(app=dashboard.app, user=dashboard.user, name=name, defaults={"query": query})
    return go(request, address_of(dashboard, query), f"Saved as “{name}”.")


@page(read=None, write=Right.READ)
def change(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Rename or delete one's own view."""
    dashboard, action = request.dashboard, request.POST.get("action", "")
    view = get_object_or_404(own(dashboard), uid=uid)
    if action == "delete":
        view.delete()
        return go(request, dashboard.address("memories"), f"The view “{view.name}” is deleted.")
    if action != "rename":
        raise BadRequest
    form = NameForm(request.POST)
    if not form.is_valid():
        return refuse(request, view.query, "A name has 1 to 80 characters.")
    if own(dashboard).filter(name=form.cleaned_data["name"]).exclude(pk=view.pk).exists():
        return refuse(request, view.query, "Another view has this name.")
    view.name = form.cleaned_data["name"]
    view.save(update_fields=["name"])
    return go(request, address_of(dashboard, view.query), "Renamed.")


def refuse(request: DashboardRequest, query: Mapping[str, str], text: str, tone: Tone = "error") -> HttpResponse:
    if request.htmx:
        return toast(HttpResponse(status=204), text, tone)
    return go(request, address_of(request.dashboard, query), text, tone)

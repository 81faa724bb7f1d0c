"""The review queue, and rollbacks of what came from one source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import get_object_or_404

from memories.dashboard.access import Dashboard, DashboardRequest, page
from memories.dashboard.forms import FIELDS, AddForm
from memories.dashboard.lists import Choice, Filters, Search, keyset_page
from memories.dashboard.responses import (
    change_report,
    counted,
    done,
    fingerprint,
    go,
    is_seen,
    render_page,
    ticked,
    unchanged,
)
from memories.models import Decision, Rejection, RejectionKind, Rollback, RollbackStatus, RollbackWhat
from memories.services import CannotRollBack, Changed, MemoryAgent, NoSuchSource, NotChanged
from memories.store import LimitReached
from memsite.tenancy.access import Right
from memsite.tenancy.models import App
from memsite.tenancy.scoping import ScopedQuerySet
from memsite.timestamps import check_in_reach

KINDS = {
    RejectionKind.FACT: "fact: not worth keeping",
    RejectionKind.CONFLICT: "conflict: at odds with something surer",
    RejectionKind.QUARANTINE: "quarantine: not for an agent to read",
    RejectionKind.APPROVAL: "approval: the word of somebody who is not simply believed",
    RejectionKind.MARKER: "marker: cannot be read",
}
DECISIONS = [("", "open"), (Decision.OVERRULED, "approved"), (Decision.CONFIRMED, "rejected")]
# Each approval embeds a text and looks what is known.
MOST_APPROVED = 100

ACTIONS: dict[str, tuple[str, Callable[[MemoryAgent, Iterable[Rejection]], Changed]]] = {
    "approve": ("approved", MemoryAgent.overrule_each),
    "reject": ("rejected", MemoryAgent.confirm_each),
    "undo": ("open again", MemoryAgent.reopen_each),
}


class ReviewFilters(Filters):
    q = Search("Text")
    kind = Choice("Why", list(KINDS.items()))
    decision = forms.ChoiceField(label="Decision", required=False, choices=DECISIONS)

    @property
    def is_narrowing(self) -> bool:
        return bool(self.given().keys() - {"decision"} or self.refused)


@page()
def review(request: DashboardRequest) -> HttpResponse:
    dashboard, filters = request.dashboard, ReviewFilters(request.GET)
    given = filters.given()
    decision = given.get("decision", Decision.OPEN)
    rows = rejections(dashboard).filter(decision=decision)
    if "kind" in given:
        rows = rows.filter(kind=given["kind"])
    if "q" in given:
        rows = rows.filter(content__icontains=given["q"])
    slice = keyset_page(filters.let_through(rows), request.GET)
    seen = fingerprint([(row.uid, row.decision, row.memory_id) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    context = {"filters": filters, "slice": slice, "is_open": decision == Decision.OPEN, "seen": seen}
    return render_page(request, "upkeep/review", context, part="upkeep/review_list")


def rejections(dashboard: Dashboard) -> ScopedQuerySet[Rejection]:
    return Rejection.objects.for_app(dashboard.app).select_related(
        "session__agent", "agent", "resource", "memory__cold_text", "edits__cold_text"
    )


def rejection_of(dashboard: Dashboard, uid: UUID) -> Rejection:
    return get_object_or_404(rejections(dashboard), uid=uid)


@page(read=None, write=Right.CURATE)
def decide(request: DashboardRequest) -> HttpResponse:
    """Do `action` (approve, reject or undo) for those that are ticked as `rejection`."""
    action, uids = request.POST.get("action", ""), ticked(request, "rejection")
    if action not in ACTIONS or (action == "approve" and len(uids) > MOST_APPROVED):
        raise BadRequest
    done_to_them, change = ACTIONS[action]
    if action == "reject":
        change = partial(MemoryAgent.confirm_each, reason=request.POST.get("reason", "")[:500])
    rows = rejections(request.dashboard).filter(uid__in=uids).order_by("uid")
    return done(
        request, "upkeep-review", *change_report(change(request.dashboard.agent(), rows), done_to_them, "text", "texts")
    )


@page()
def row(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Return the row as it is now: what cancelling an edit shows."""
    rejection = rejection_of(request.dashboard, uid)
    context = {"rejection": rejection, "is_open": rejection.decision == Decision.OPEN}
    return render_page(request, "upkeep/review_row_page", context, part="upkeep/review_row")


@page(read=Right.CURATE, write=Right.CURATE)
def edit(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Approve it in other words."""
    dashboard, rejection = request.dashboard, rejection_of(request.dashboard, uid)
    form = AddForm(dashboard.app, request.POST or None, initial=proposed(dashboard.app, rejection))
    form.auto_id = f"review-{rejection.uid}-%s"
    if request.method == "POST" and form.is_valid():
        try:
            dashboard.agent().overrule(rejection, form.fields_typed())
        except (NotChanged, LimitReached) as why:
            form.add_error(None, str(why))
        else:
            return done(request, "upkeep-review", "Approved as you have put it.")
    context = {"rejection": rejection, "form": form}
    return render_page(request, "upkeep/review_edit_page", context, part="upkeep/review_edit_row")


def proposed(app: App, rejection: Rejection) -> dict[str, Any]:
    """Return what it would become, or the memory that it changes; what was not said is as with any new one."""
    candidate = rejection.candidate or {}
    if memory := rejection.edits:
        was = {name: getattr(memory, name) for name in FIELDS}
        return {**was, "content": memory.text, "confidence": round(memory.confidence, 2), **candidate}
    usual = {"content": rejection.content, "category": rejection.category, "confidence": app.policy.start_confidence}
    return usual | {name: value for name, value in candidate.items() if value is not None}


class RollbackForm(forms.Form):
    """Asked with a GET, so that what would go can be sent to somebody; done with a POST of the same."""

    use_required_attribute = False
    what = forms.ChoiceField(label="What it came from", choices=RollbackWhat.choices)
    source = forms.CharField(label="Which one", max_length=200, widget=forms.TextInput({"autocomplete": "off"}))
    since = forms.DateTimeField(
        label="Only from then on",
        required=False,
        validators=[check_in_reach],
        widget=forms.DateTimeInput({"type": "datetime-local"}),
    )
    reason = forms.CharField(label="Why", required=False, max_length=400, help_text="Kept with every change.")

    def __init__(self, data: Mapping[str, Any] | None) -> None:
        super().__init__(data, auto_id="rollback-%s")

    @property
    def given(self) -> tuple[str, str, datetime | None]:
        fields = self.cleaned_data
        return fields["what"], fields["source"], fields["since"]


@page(write=Right.CURATE)
def rollbacks(request: DashboardRequest) -> HttpResponse:
    dashboard, data = request.dashboard, request.POST or request.GET
    form, foreseen = RollbackForm(data if "source" in data else None), None
    if form.is_valid():
        agent = dashboard.agent()
        try:
            if request.method == "POST":
                row = agent.roll_back(*form.given, form.cleaned_data["reason"])
                return go(request, dashboard.address("upkeep-rollbacks"), rollback_message(row))
            foreseen = agent.foresee(*form.given)
        except (NoSuchSource, CannotRollBack) as error:
            form.add_error("source", str(error))
    slice = keyset_page(Rollback.objects.for_app(dashboard.app), request.GET)
    seen = fingerprint([(row.uid, row.status, row.counts) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    context = {"form": form, "foreseen": foreseen, "slice": slice, "seen": seen}
    return render_page(request, "upkeep/rollbacks", context, part="upkeep/rollback_list")


def rollback_message(row: Rollback) -> str:
    if row.status != RollbackStatus.DONE:
        return "It is being taken back."
    undone = row.counts.get("undone", 0)
    of_others = f", {counted(undone, 'change', 'changes')} of others undone" if undone else ""
    return f"Taken back: {counted(row.counts.get('withdrawn', 0), 'memory', 'memories')} withdrawn{of_others}."

"""The review queue, and rollbacks of what came from one source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from memories.dashboard.access import MOST_APPS, Dashboard, DashboardRequest, apps_named, page
from memories.dashboard.forms import FIELDS, AddForm
from memories.dashboard.lists import Choice, Filters, Search, keyset_page
from memories.dashboard.responses import (
    AT_MOST,
    as_id,
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
from memsite.tenancy.access import Right, apps_of
from memsite.tenancy.models import App, AppStatus, Role
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


class QueueFilters(ReviewFilters):
    """Filters of the queue of all apps; with an app in the address it is that one's."""

    app = Choice("App", [])

    def __init__(self, data: Any, apps: Sequence[App]) -> None:
        super().__init__(data)
        self.fields["app"].choices = [("", "any"), *((app.app_id, app.name) for app in apps)]  # type: ignore[attr-defined]


@page()
def review(request: DashboardRequest) -> HttpResponse:
    return show_queue(request, ReviewFilters(request.GET), [request.dashboard.app], "upkeep")


@page(read=Right.CURATE, of_all=True)
def review_all(request: DashboardRequest) -> HttpResponse:
    """Show what waits in all apps that somebody may curate, the latest first."""
    apps = apps_of(request.user, Right.CURATE).exclude(status=AppStatus.PURGING).select_related("policy")
    offered = list(apps.order_by("app_id")[:MOST_APPS])
    only = request.GET.get("app", "")
    displayed = [app for app in offered if only in ("", app.app_id)]
    return show_queue(request, QueueFilters(request.GET, offered), displayed, "apps")


def show_queue(request: DashboardRequest, filters: ReviewFilters, apps: Sequence[App], folder: str) -> HttpResponse:
    given = filters.given()
    decision = given.get("decision", Decision.OPEN)
    rows = rejections(apps).filter(decision=decision)
    if "kind" in given:
        rows = rows.filter(kind=given["kind"])
    if "q" in given:
        rows = rows.filter(content__icontains=given["q"])
    slice = keyset_page(filters.let_through(rows), request.GET, sorts_keys=len(apps) > 1)
    seen = fingerprint([(row.app_id, row.uid, row.decision, row.memory_id) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    by_pk = {app.pk: app for app in apps}
    context = {
        "filters": filters,
        "slice": slice,
        "rows": [(row, dashboard_of(request, by_pk[row.app_id])) for row in slice.rows],
        "is_open": decision == Decision.OPEN,
        "across": request.dashboard.of_all,
        "seen": seen,
    }
    return render_page(request, f"{folder}/review", context, part="upkeep/review_list")


def dashboard_of(request: DashboardRequest, app: App) -> Dashboard:
    """Return the dashboard of the app of a row, in which the row's links lead."""
    here = request.dashboard
    return Dashboard(here.user, app, Role.EDITOR, named=here.named) if here.of_all else here


def rejections(apps: Sequence[App]) -> ScopedQuerySet[Rejection]:
    rows = Rejection.objects.for_app(apps[0]) if len(apps) == 1 else Rejection.objects.for_apps(apps)
    return rows.select_related("session__agent", "agent", "resource", "memory__cold_text", "edits__cold_text")


def rejection_of(dashboard: Dashboard, uid: UUID) -> Rejection:
    return get_object_or_404(rejections([dashboard.app]), uid=uid)


@page(read=None, write=Right.CURATE)
def decide(request: DashboardRequest) -> HttpResponse:
    """Do `action` (approve, reject or undo) for those that are ticked as `rejection`."""
    uids = ticked(request, "rejection")
    return decide_each(request, {request.dashboard.app: uids}, "upkeep-review")


@page(read=None, write=Right.CURATE, of_all=True)
def decide_all(request: DashboardRequest) -> HttpResponse:
    """Do `action` for those that are ticked as `rejection`, each with its app before its id: "acme/0190…"."""
    given = request.POST.getlist("rejection")
    if len(given) > AT_MOST:
        raise BadRequest
    uids: dict[str, list[UUID]] = defaultdict(list)
    for name, _, uid in (text.partition("/") for text in given):
        uids[name].append(as_id(uid))
    apps = apps_named(request.user, uids, Right.CURATE)
    if any(app.status == AppStatus.PURGING for app in apps):
        raise Http404
    return decide_each(request, {app: uids[app.app_id] for app in apps}, "apps-review")


def decide_each(request: DashboardRequest, uids: Mapping[App, Sequence[UUID]], name: str) -> HttpResponse:
    """Decide in one app after the other, and report all of it on the page `name`."""
    action = request.POST.get("action", "")
    if action not in ACTIONS or (action == "approve" and sum(map(len, uids.values())) > MOST_APPROVED):
        raise BadRequest
    done_to_them, change = ACTIONS[action]
    if action == "reject":
        change = partial(MemoryAgent.confirm_each, reason=request.POST.get("reason", "")[:500])
    changed = Changed()
    for app, some in uids.items():
        rows = rejections([app]).filter(uid__in=some).order_by("uid")
        in_app = change(MemoryAgent(app, None, request.dashboard.actor), rows)
        changed.done += in_app.done
        changed.left.update(in_app.left)
    return done(request, name, *change_report(changed, done_to_them, "text", "texts"))


@page()
def row(request: DashboardRequest, uid: UUID) -> HttpResponse:
    """Return the row as it is now: what cancelling an edit shows."""
    rejection = rejection_of(request.dashboard, uid)
    # Asked from the queue of all apps, it is a row of that.
    across = (request.htmx.current_url_abs_path or "").startswith(reverse("apps-review"))
    context = {"rejection": rejection, "is_open": rejection.decision == Decision.OPEN, "across": across}
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
        return "The rollback has begun."
    undone = row.counts.get("undone", 0)
    of_others = f", {counted(undone, 'change', 'changes')} of others undone" if undone else ""
    return f"Taken back: {counted(row.counts.get('withdrawn', 0), 'memory', 'memories')} withdrawn{of_others}."

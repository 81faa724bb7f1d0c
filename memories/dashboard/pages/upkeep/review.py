"""The review queue: what the write gate refused and what is in quarantine, for somebody to decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse

from memories.agent import Changed, LeftAlone, MemoryAgent
from memories.dashboard.desk import Desk, DeskRequest, page
from memories.dashboard.filters import Choice, Filters, Search
from memories.dashboard.forms import FIELDS, AddForm
from memories.dashboard.picks import ticked
from memories.dashboard.show import done, fingerprint, is_seen, show, tell, unchanged
from memories.dashboard.slices import take
from memories.models import Decision, Rejection, RejectionKind
from memories.store import LimitReached
from memsite.tenancy.access import Right
from memsite.tenancy.models import App
from memsite.tenancy.scoping import ScopedQuerySet

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
        return bool(self.asked().keys() - {"decision"} or self.refused)


@page()
def review(request: DeskRequest) -> HttpResponse:
    desk, filters = request.desk, ReviewFilters(request.GET)
    asked = filters.asked()
    decision = asked.get("decision", Decision.OPEN)
    rows = rejections(desk).filter(decision=decision)
    if "kind" in asked:
        rows = rows.filter(kind=asked["kind"])
    if "q" in asked:
        rows = rows.filter(content__icontains=asked["q"])
    slice = take(filters.let_through(rows), request.GET)
    seen = fingerprint([(row.uid, row.decision, row.memory_id) for row in slice.rows])
    if is_seen(request, seen):
        return unchanged()
    context = {"filters": filters, "slice": slice, "is_open": decision == Decision.OPEN, "seen": seen}
    return show(request, "upkeep/review", context, part="upkeep/review_list")


def rejections(desk: Desk) -> ScopedQuerySet[Rejection]:
    return Rejection.objects.for_app(desk.app).select_related(
        "session__agent", "agent", "resource", "memory__cold_text", "edits__cold_text"
    )


def rejection_of(desk: Desk, uid: UUID) -> Rejection:
    found = rejections(desk).filter(uid=uid).first()
    if found is None:
        raise Http404
    return found


@page(read=None, write=Right.CURATE)
def decide(request: DeskRequest) -> HttpResponse:
    """`action` (approve, reject or undo) for those that are ticked as `rejection`."""
    action, uids = request.POST.get("action", ""), ticked(request, "rejection")
    if action not in ACTIONS or (action == "approve" and len(uids) > MOST_APPROVED):
        raise BadRequest
    done_to_them, change = ACTIONS[action]
    if action == "reject":
        change = partial(MemoryAgent.confirm_each, reason=request.POST.get("reason", "")[:500])
    rows = rejections(request.desk).filter(uid__in=uids).order_by("uid")
    return done(request, "upkeep-review", *tell(change(request.desk.agent(), rows), done_to_them, "text", "texts"))


@page()
def row(request: DeskRequest, uid: UUID) -> HttpResponse:
    """The row as it is now: what cancelling an edit shows."""
    return show_row(request, rejection_of(request.desk, uid))


def show_row(request: DeskRequest, rejection: Rejection) -> HttpResponse:
    context = {"rejection": rejection, "is_open": rejection.decision == Decision.OPEN}
    return show(request, "upkeep/review_row_page", context, part="upkeep/review_row")


@page(read=Right.CURATE, write=Right.CURATE)
def edit(request: DeskRequest, uid: UUID) -> HttpResponse:
    """Approves it in other words."""
    desk, rejection = request.desk, rejection_of(request.desk, uid)
    form = AddForm(desk.app, request.POST or None, initial=proposed(desk.app, rejection))
    form.auto_id = f"review-{rejection.uid}-%s"
    if request.method == "POST" and form.is_valid():
        try:
            desk.agent().overrule(rejection, form.fields_typed())
        except (LeftAlone, LimitReached) as why:
            form.add_error(None, str(why))
        else:
            return done(request, "upkeep-review", "Approved as you have put it.")
    context = {"rejection": rejection, "form": form}
    return show(request, "upkeep/review_edit_page", context, part="upkeep/review_edit_row")


def proposed(app: App, rejection: Rejection) -> dict[str, Any]:
    """What it would become, or the memory that it changes; what was not said is as with any new one."""
    held = rejection.candidate or {}
    if memory := rejection.edits:
        was = {name: getattr(memory, name) for name in FIELDS}
        return {**was, "content": memory.text, "confidence": round(memory.confidence, 2), **held}
    usual = {"content": rejection.content, "category": rejection.category, "confidence": app.policy.start_confidence}
    return usual | {name: value for name, value in held.items() if value is not None}

"""The audit log: who changed what is allowed, and when. Nobody can change or delete a line of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse

from memories.dashboard.desk import DeskRequest, page
from memories.dashboard.filters import Filters, Search, Suggested
from memories.dashboard.policy_form import told
from memories.dashboard.show import show
from memories.dashboard.slices import take
from memsite.tenancy.models import AuditEntry

ACTIONS_OFFERED = 100


class AuditFilters(Filters):
    who = Search("Who")
    action = Suggested("What")


@page(while_purging=True)
def audit(request: DeskRequest) -> HttpResponse:
    filters = AuditFilters(request.GET)
    rows, asked = AuditEntry.objects.for_app(request.desk.app), filters.asked()
    actions = rows.order_by("action").values_list("action", flat=True).distinct()[:ACTIONS_OFFERED]
    filters.fields["action"].suggest(actions)  # type: ignore[attr-defined]
    if "who" in asked:
        rows = rows.filter(actor__icontains=asked["who"])
    if "action" in asked:
        rows = rows.filter(action__istartswith=asked["action"])
    slice = take(filters.let_through(rows), request.GET, by="created_at")
    lines = [(entry, list(changes(entry))) for entry in slice.rows]
    return show(
        request, "settings/audit", {"filters": filters, "slice": slice, "lines": lines}, part="settings/audit_list"
    )


def changes(entry: AuditEntry) -> Iterator[tuple[str, str, str]]:
    """(what, before, after) as far as it differs; empty where there was or is none."""
    for name in {**entry.before, **entry.after}:
        yield name.replace("_", " "), shown(entry.before, name), shown(entry.after, name)


def shown(values: dict[str, Any], name: str) -> str:
    return told(values[name]) if name in values else ""

"""Records about memories (revisions, injections, links, vectors, rejections): read, never changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import groupby
from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from memories.models import Injection, Link, Memory, Rejection, Revision, Vector
from memories.services import Changed, MemoryAgent
from memsite.admin_site import (
    AppFilter,
    ReadOnlyAdmin,
    Table,
    column,
    columns,
    link_to,
    list_url,
    raw,
    shorten,
    show_time,
)
from memsite.tenancy.access import actor_of

HISTORY_SHOWN = 50
LATEST_SHOWN = 5
LINKS_SHOWN = 20
INJECTIONS_SHOWN = 20
VALUE_CHARACTERS = 300
# They follow from the other fields; shown on the revision's own page.
BOOKKEEPING = ("confidence_base", "anchored_at", "confirmed_at")


def history_table(memory: Memory, most: int = HISTORY_SHOWN) -> Table:
    """Return the last changes, newest first. One query."""
    rows = Revision.objects.for_app(memory.app).filter(memory=memory).order_by("-number")[:most]
    return Table(
        f"The last {most} changes",
        ("Number", "Action", "By", "Reason", "What changed", "When"),
        [
            (link_to(row, row.number), row.action, row.actor, row.reason, show_changes(row), show_time(row.created_at))
            for row in rows
        ],
        more_url=list_url("memories_revision", memory__id__exact=memory.pk),
    )


def show_changes(revision: Revision) -> SafeString:
    """Show before → after, field by field; a creation shows only what it says."""
    names = [name for name in revision.after if name not in BOOKKEEPING]
    if not revision.before:
        return show_value(revision.after.get("content", ""))
    return format_html_join(
        "",
        '<span class="memsite-change"><b>{}</b><del>{}</del> → <ins>{}</ins></span>',
        ((name, show_value(revision.before.get(name)), show_value(revision.after[name])) for name in names),
    )


def show_value(value: Any) -> SafeString:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return format_html("{}", shorten(text, VALUE_CHARACTERS))


def links_table(memory: Memory) -> Table:
    """Read in one query."""
    rows = Link.objects.for_app(memory.app).filter(Q(from_memory=memory) | Q(to_memory=memory))
    latest = rows.select_related("from_memory", "to_memory").order_by("-id")[:LINKS_SHOWN]
    return Table(
        f"Links (the last {LINKS_SHOWN})",
        ("From", "Kind", "To", "Since"),
        [
            (
                "this memory" if row.from_memory == memory else link_to(row.from_memory),
                row.kind,
                "this memory" if row.to_memory == memory else link_to(row.to_memory),
                show_time(row.created_at),
            )
            for row in latest
        ],
    )


def injections_table(memory: Memory) -> Table:
    """Read in one query."""
    rows = Injection.objects.for_app(memory.app).filter(memory=memory).select_related("session")
    return Table(
        f"Handed to agents (the last {INJECTIONS_SHOWN} times)",
        ("Session", "Turn", "Block", "Line", "When"),
        [
            (
                link_to(row.session),
                "start" if row.turn_number is None else str(row.turn_number),
                row.block,
                shorten(row.line),
                show_time(row.created_at),
            )
            for row in rows[:INJECTIONS_SHOWN]
        ],
        more_url=list_url("memories_injection", memory__id__exact=memory.pk),
    )


@admin.display(description="memory", ordering="memory")
def memory_link(row: Any) -> str:
    return link_to(row.memory)


@admin.display(description="session", ordering="session")
def session_link(row: Any) -> str:
    return link_to(row.session)


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin[Revision]):
    list_display = ["id", "action", memory_link, "number", "app", "actor", "what_changed", "created_at"]
    list_filter = [("app", AppFilter), "action", ("created_at", admin.DateFieldListFilter)]
    list_select_related = ["app", "memory__cold_text"]
    search_fields = ["actor", "reason"]
    fields = ["app", "memory", "number", "action", "actor", "reason", "created_at", "was", "became"]

    what_changed = column("what changed", lambda row: show_changes(row))
    was = column("before", lambda row: raw(row.before))
    became = column("after", lambda row: raw(row.after))


@admin.register(Injection)
class InjectionAdmin(ReadOnlyAdmin[Injection]):
    list_display = ["id", memory_link, session_link, "turn_number", "block", "app", "created_at"]
    list_filter = [("app", AppFilter), "block", ("created_at", admin.DateFieldListFilter)]
    list_select_related = ["app", "memory__cold_text", "session"]
    search_fields = ["line"]
    fields = ["app", "memory", "session", "turn_number", "block", "line_shown", "created_at"]

    line_shown = column("line", lambda row: raw(row.line))


def decide_each(
    request: HttpRequest,
    queryset: QuerySet[Rejection],
    done: str,
    decide: Callable[[MemoryAgent, list[Rejection]], Changed],
) -> None:
    """Decide app by app; report how many were `done`, and why others were not."""
    rows = queryset.select_related("app__policy", "session__agent", "agent", "resource").order_by("app_id", "pk")
    for app, group in groupby(rows, key=lambda row: row.app):
        changed = decide(MemoryAgent(app, None, actor_of(request.user)), list(group))
        if changed.done:
            messages.success(request, f"{changed.done} {done}.")
        for why, number in changed.left.items():
            messages.warning(request, f"{number} left as they are: {why}.")


@admin.register(Rejection)
class RejectionAdmin(ReadOnlyAdmin[Rejection]):
    dashboard_page, dashboard_args = "upkeep-review", ()
    list_display = columns("kind reason_shown text category decision app created_at")
    list_filter = [("app", AppFilter), "kind", "decision", ("created_at", admin.DateFieldListFilter)]
    search_fields = ["reason", "content", "category"]
    actions = ["approve", "reject"]
    fields = columns(
        "app kind reason category content_shown agent session turn_number resource edits decision decided_by "
        "decided_at decision_reason memory created_at"
    )

    @admin.action(description="Approve: store them after all", permissions=["act"])
    def approve(self, request: HttpRequest, queryset: QuerySet[Rejection]) -> None:
        decide_each(request, queryset, "approved", MemoryAgent.overrule_each)

    @admin.action(description="Reject: leave them out", permissions=["act"])
    def reject(self, request: HttpRequest, queryset: QuerySet[Rejection]) -> None:
        decide_each(request, queryset, "rejected", MemoryAgent.confirm_each)

    reason_shown = column("reason", lambda row: shorten(row.reason), "reason")
    text = column("text", lambda row: shorten(row.content))
    content_shown = column("text", lambda row: raw(row.content))


@admin.register(Link)
class LinkAdmin(ReadOnlyAdmin[Link]):
    list_display = ["id", "from_link", "kind", "to_link", "app", "created_at"]
    list_filter = [("app", AppFilter), "kind"]
    list_select_related = ["app", "from_memory__cold_text", "to_memory__cold_text"]
    search_fields = ["from_memory__content", "to_memory__content"]
    fields = ["app", "from_memory", "kind", "to_memory", "created_at"]

    from_link = column("from", lambda row: link_to(row.from_memory))
    to_link = column("to", lambda row: link_to(row.to_memory))


@admin.register(Vector)
class VectorAdmin(ReadOnlyAdmin[Vector]):
    list_display = ["id", memory_link, "model", "dim", "app"]
    list_filter = [("app", AppFilter), "model"]
    list_select_related = ["app", "memory"]
    search_fields = ["memory__content"]
    fields = ["app", "memory", "model", "dim"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Vector]:
        return super().get_queryset(request).defer("data")

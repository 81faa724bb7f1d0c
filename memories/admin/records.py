"""What is recorded about memories: to be read, never changed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from memories.admin.tables import show_changes
from memories.agent import Changed, MemoryAgent
from memories.models import Injection, Link, Rejection, Revision, Vector
from memsite.admin_site import AppFilter, ReadOnlyAdmin, link_to, raw, shorten
from memsite.tenancy.access import actor_of


class OfMemory:
    """Columns of a row that belongs to one memory."""

    @admin.display(description="memory", ordering="memory")
    def memory_link(self, row: Any) -> str:
        return link_to(row.memory)


@admin.register(Revision)
class RevisionAdmin(OfMemory, ReadOnlyAdmin[Revision]):
    list_display = ["id", "action", "memory_link", "number", "app", "actor", "what_changed", "created_at"]
    list_filter = [("app", AppFilter), "action", ("created_at", admin.DateFieldListFilter)]
    list_select_related = ["app", "memory__cold_text"]
    search_fields = ["actor", "reason"]
    ordering = ["-id"]
    fields = ["app", "memory", "number", "action", "actor", "reason", "created_at", "was", "became"]

    @admin.display(description="what changed")
    def what_changed(self, row: Revision) -> SafeString:
        return show_changes(row)

    @admin.display(description="before")
    def was(self, row: Revision) -> SafeString:
        return raw(row.before)

    @admin.display(description="after")
    def became(self, row: Revision) -> SafeString:
        return raw(row.after)


@admin.register(Injection)
class InjectionAdmin(OfMemory, ReadOnlyAdmin[Injection]):
    list_display = ["id", "memory_link", "session_link", "turn_number", "block", "app", "created_at"]
    list_filter = [("app", AppFilter), "block", ("created_at", admin.DateFieldListFilter)]
    list_select_related = ["app", "memory__cold_text", "session"]
    search_fields = ["line"]
    ordering = ["-id"]
    fields = ["app", "memory", "session", "turn_number", "block", "line_shown", "created_at"]

    @admin.display(description="session", ordering="session")
    def session_link(self, row: Injection) -> str:
        return link_to(row.session)

    @admin.display(description="line")
    def line_shown(self, row: Injection) -> SafeString:
        return raw(row.line)


def decide_each(
    request: HttpRequest, queryset: QuerySet[Rejection], done: str,
    decide: Callable[[MemoryAgent, list[Rejection]], Changed],
) -> None:  # fmt: skip
    """App by app; tells how many were `done`, and why others were not."""
    rows = queryset.select_related("app__policy", "session__agent", "agent", "resource").order_by("app_id", "pk")
    for app, group in groupby(rows, key=lambda row: row.app):
        changed = decide(MemoryAgent(app, None, actor_of(request.user)), list(group))
        if changed.done:
            messages.success(request, f"{changed.done} {done}.")
        for why, number in changed.left.items():
            messages.warning(request, f"{number} left as they are: {why}.")


@admin.register(Rejection)
class RejectionAdmin(ReadOnlyAdmin[Rejection]):
    desk_page, desk_args = "upkeep-review", ()
    list_display = [
        "id", "kind", "reason_shown", "text", "category", "decision", "app", "session_link", "created_at",
    ]  # fmt: skip
    list_filter = [("app", AppFilter), "kind", "decision", ("created_at", admin.DateFieldListFilter)]
    list_select_related = ["app", "session"]
    search_fields = ["reason", "content", "category"]
    ordering = ["-id"]
    actions = ["approve", "reject"]
    fields = [
        "app", "kind", "reason", "category", "content_shown", "agent", "session", "turn_number", "resource", "edits",
        "decision", "decided_by", "decided_at", "decision_reason", "memory", "created_at",
    ]  # fmt: skip

    def has_act_permission(self, request: HttpRequest, obj: Rejection | None = None) -> bool:
        """The rows are records; deciding about them is curating."""
        return self.allows(request, self.right, obj)

    @admin.action(description="Approve: store them after all", permissions=["act"])
    def approve(self, request: HttpRequest, queryset: QuerySet[Rejection]) -> None:
        decide_each(request, queryset, "approved", MemoryAgent.overrule_each)

    @admin.action(description="Reject: leave them out", permissions=["act"])
    def reject(self, request: HttpRequest, queryset: QuerySet[Rejection]) -> None:
        decide_each(request, queryset, "rejected", MemoryAgent.confirm_each)

    @admin.display(description="reason", ordering="reason")
    def reason_shown(self, row: Rejection) -> str:
        return shorten(row.reason)

    @admin.display(description="text")
    def text(self, row: Rejection) -> str:
        return shorten(row.content)

    @admin.display(description="session", ordering="session")
    def session_link(self, row: Rejection) -> str:
        return link_to(row.session)

    @admin.display(description="text")
    def content_shown(self, row: Rejection) -> SafeString:
        return raw(row.content)


@admin.register(Link)
class LinkAdmin(ReadOnlyAdmin[Link]):
    list_display = ["id", "from_link", "kind", "to_link", "app", "created_at"]
    list_filter = [("app", AppFilter), "kind"]
    list_select_related = ["app", "from_memory__cold_text", "to_memory__cold_text"]
    search_fields = ["from_memory__content", "to_memory__content"]
    ordering = ["-id"]
    fields = ["app", "from_memory", "kind", "to_memory", "created_at"]

    @admin.display(description="from")
    def from_link(self, row: Link) -> str:
        return link_to(row.from_memory)

    @admin.display(description="to")
    def to_link(self, row: Link) -> str:
        return link_to(row.to_memory)


@admin.register(Vector)
class VectorAdmin(OfMemory, ReadOnlyAdmin[Vector]):
    list_display = ["id", "memory_link", "model", "dim", "app"]
    list_filter = [("app", AppFilter), "model"]
    list_select_related = ["app", "memory"]
    search_fields = ["memory__content"]
    ordering = ["-id"]
    fields = ["app", "memory", "model", "dim"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Vector]:
        return super().get_queryset(request).defer("data")

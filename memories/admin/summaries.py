"""What is written about categories, and what is to be written anew: to be read, never changed."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from memories.models import Passage, Summary, SummaryDue
from memsite.admin_site import AppFilter, ReadOnlyAdmin, Table, link_to, raw, shorten, show_time

PASSAGES_SHOWN = 200
VERSIONS_SHOWN = 20


@admin.register(Summary)
class SummaryAdmin(ReadOnlyAdmin[Summary]):
    list_display = [
        "id",
        "category",
        "user_id",
        "version",
        "memory_count",
        "made_by",
        "app",
        "created_at",
        "archived_at",
    ]
    list_filter = [
        ("app", AppFilter),
        ("archived_at", admin.EmptyFieldListFilter),
        ("created_at", admin.DateFieldListFilter),
    ]
    list_select_related = ["app"]
    search_fields = ["category", "user_id", "content"]
    ordering = ["-id"]
    fields = [
        "app", "category", "user_id", "version", "memory_count", "made_by", "created_at", "archived_at", "text",
    ]  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Summary]:
        return super().get_queryset(request).defer("content")

    @admin.display(description="text")
    def text(self, row: Summary) -> SafeString:
        return raw(row.content)

    def tables(self, obj: Summary) -> list[Table]:
        return [passages_table(obj), versions_table(obj)]


def passages_table(summary: Summary) -> Table:
    """One query."""
    rows = Passage.objects.for_app(summary.app).filter(summary=summary).select_related("memory").defer("data")
    return Table(
        f"Lines that can be found by meaning (the first {PASSAGES_SHOWN})",
        ("Line", "Stands on", "Embedded by"),
        [(shorten(row.text), link_to(row.memory), row.model or "-") for row in rows[:PASSAGES_SHOWN]],
    )


def versions_table(summary: Summary) -> Table:
    """One query."""
    rows = Summary.objects.for_app(summary.app).filter(category=summary.category, user_id=summary.user_id)
    shown = rows.defer("content").order_by("-version")[:VERSIONS_SHOWN]
    return Table(
        f"Versions (the last {VERSIONS_SHOWN})",
        ("Version", "Made by", "Memories", "Written", "Archived"),
        [
            (link_to(row), row.made_by, row.memory_count, show_time(row.created_at), show_time(row.archived_at))
            for row in shown
        ],
    )


@admin.register(SummaryDue)
class SummaryDueAdmin(ReadOnlyAdmin[SummaryDue]):
    list_display = ["id", "category", "user_id", "changes", "since", "lease_until", "app"]
    list_filter = [("app", AppFilter)]
    list_select_related = ["app"]
    search_fields = ["category", "user_id"]
    ordering = ["since"]
    fields = ["app", "category", "user_id", "changes", "since", "lease_until", "token"]

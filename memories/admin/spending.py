"""What was spent, and what searches came to: to be read, never changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memories.ledger import UNITS
from memories.models import EnergyUse, LedgerEntry, RecallCount
from memsite.admin_site import AppFilter, ReadOnlyAdmin, link_to


class OperationFilter(admin.SimpleListFilter):
    """Offers the operations there are, without reading a million rows for them."""

    title = "operation"
    parameter_name = "operation"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name) for name in UNITS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(operation=self.value()) if self.value() else queryset


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin[LedgerEntry]):
    desk_page, desk_args = "costs", ()
    list_display = [
        "created_at", "operation", "provider", "model", "input_tokens", "output_tokens", "cost_shown", "outcome",
        "session_link", "app",
    ]  # fmt: skip
    list_filter = [("app", AppFilter), OperationFilter, ("day", admin.DateFieldListFilter)]
    list_select_related = ["app", "session"]
    search_fields = ["model", "outcome"]
    ordering = ["-id"]
    fields = [
        "app", "operation", "provider", "model", "session", "turn_number", "input_tokens", "output_tokens",
        "cost_shown", "seconds", "outcome", "day", "created_at",
    ]  # fmt: skip

    @admin.display(description="US dollars", ordering="cost")
    def cost_shown(self, row: LedgerEntry) -> str:
        return "not known" if row.cost is None else f"{row.cost:.6f}"

    @admin.display(description="session", ordering="session")
    def session_link(self, row: LedgerEntry) -> str:
        return link_to(row.session, length=30)


@admin.register(EnergyUse)
class EnergyUseAdmin(ReadOnlyAdmin[EnergyUse]):
    desk_page, desk_args = "costs", ()
    list_display = ["day", "operation", "calls", "units", "reported", "app"]
    list_filter = [("app", AppFilter), OperationFilter, ("day", admin.DateFieldListFilter)]
    list_select_related = ["app"]
    ordering = ["-id"]
    fields = ["app", "day", "operation", "calls", "units", "reported"]


@admin.register(RecallCount)
class RecallCountAdmin(ReadOnlyAdmin[RecallCount]):
    desk_page, desk_args = "costs", ()
    list_display = ["day", "mode", "tier", "searches", "found", "seconds_shown", "app"]
    list_filter = [("app", AppFilter), ("day", admin.DateFieldListFilter)]
    list_select_related = ["app"]
    ordering = ["-id"]
    fields = ["app", "day", "mode", "tier", "searches", "found", "seconds_shown"]

    @admin.display(description="seconds", ordering="seconds")
    def seconds_shown(self, row: RecallCount) -> str:
        return f"{row.seconds:.2f}"

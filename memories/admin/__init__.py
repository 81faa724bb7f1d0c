"""What operators see and do of what is known."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from memories.admin import knowledge, memories, records  # noqa: F401  # they register what they show
from memories.ledger.energy import UNITS
from memories.models import Bridge, Delivery, EnergyUse, Import, LedgerEntry, RecallCount, Webhook
from memories.services import MemoryAgent
from memsite.admin_site import AppFilter, ReadOnlyAdmin, column, columns, raw
from memsite.tenancy.access import Right, actor_of


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
    dashboard_page, dashboard_args = "costs", ()
    list_display = columns("created_at operation model_shown tokens cost_shown outcome app")
    list_filter = [("app", AppFilter), OperationFilter, ("day", admin.DateFieldListFilter)]
    search_fields = ["model", "outcome"]
    fields = columns(
        "app operation provider model session turn_number input_tokens output_tokens cost_shown seconds "
        "outcome day created_at"
    )

    cost_shown = column("US dollars", lambda row: "not known" if row.cost is None else f"{row.cost:.6f}", "cost")
    model_shown = column("model", lambda row: " ".join(filter(None, (row.provider, row.model))), "model")
    tokens = column(
        "tokens in, out", lambda row: f"{row.input_tokens or 0:,}, {row.output_tokens or 0:,}", "input_tokens"
    )


@admin.register(EnergyUse)
class EnergyUseAdmin(ReadOnlyAdmin[EnergyUse]):
    dashboard_page, dashboard_args = "costs", ()
    list_display = ["day", "operation", "calls", "units", "reported", "app"]
    list_filter = [("app", AppFilter), OperationFilter, ("day", admin.DateFieldListFilter)]
    fields = ["app", "day", "operation", "calls", "units", "reported"]


@admin.register(RecallCount)
class RecallCountAdmin(ReadOnlyAdmin[RecallCount]):
    dashboard_page, dashboard_args = "costs", ()
    list_display = ["day", "mode", "tier", "searches", "found", "seconds_shown", "app"]
    list_filter = [("app", AppFilter), ("day", admin.DateFieldListFilter)]
    fields = ["app", "day", "mode", "tier", "searches", "found", "seconds_shown"]

    seconds_shown = column("seconds", lambda row: f"{row.seconds:.2f}", "seconds")


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin[Webhook]):
    list_display = ["address", "app", "description", "is_active", "reason", "created_at"]
    list_filter = [("app", AppFilter), "is_active"]
    search_fields = ["description"]
    fields = columns("app address description events is_active reason uid secret_changed_at created_at")

    address = column("url", lambda row: row.url_shown, "url")


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin[Delivery]):
    right = Right.GOVERN
    list_display = ["id", "kind", "webhook", "status", "attempts", "answer_shown", "app", "created_at"]
    list_filter = [("app", AppFilter), "status", "kind"]
    list_select_related = ["app", "webhook"]
    search_fields = ["webhook__description"]
    actions = ["replay"]
    fields = columns(
        "app webhook kind payload_shown status attempts next_at answer reason seconds created_at finished_at"
    )

    payload_shown = column("payload", lambda row: raw(row.payload))
    answer_shown = column("answer", lambda row: row.reason or row.answer or "-", "answer")

    @admin.action(description="Send again", permissions=["act"])
    def replay(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> None:
        rows = list(queryset.select_related("app__policy"))
        for row in rows:
            MemoryAgent(row.app, None, actor_of(request.user)).replay(row)
        messages.success(request, f"{len(rows)} are sent again.")


@admin.register(Bridge)
class BridgeAdmin(ReadOnlyAdmin[Bridge]):
    list_display = ["name", "app", "agent", "is_active", "created_at"]
    list_filter = [("app", AppFilter)]
    list_select_related = ["app", "agent__app"]
    search_fields = ["name"]
    fields = ["app", "name", "agent", "is_active", "uid", "created_at"]


@admin.register(Import)
class ImportAdmin(ReadOnlyAdmin[Import]):
    list_display = ["id", "source", "app", "status", "progress", "asked_by", "created_at"]
    list_filter = [("app", AppFilter), "status", "source"]
    search_fields = ["asked_by"]
    fields = columns("app source agent user_id status lines done counts reason asked_by created_at finished_at")

    progress = column(
        "lines done", lambda row: f"{row.done:,} of {row.lines:,}" if row.lines else f"{row.done:,}", "done"
    )

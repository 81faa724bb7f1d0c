"""What is told to webhooks, and who tells us: set over the API, where secrets are shown once; looked at here."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from memories.agent import MemoryAgent
from memories.models import Bridge, Delivery, Import, Webhook
from memsite.admin_site import AppFilter, ReadOnlyAdmin, raw
from memsite.tenancy.access import Right, actor_of


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin[Webhook]):
    list_display = ["address", "app", "description", "is_active", "reason", "created_at"]
    list_filter = [("app", AppFilter), "is_active"]
    list_select_related = ["app"]
    search_fields = ["description"]
    ordering = ["-id"]
    fields = [
        "app",
        "address",
        "description",
        "events",
        "is_active",
        "reason",
        "uid",
        "secret_changed_at",
        "created_at",
    ]

    @admin.display(description="url", ordering="url")
    def address(self, row: Webhook) -> str:
        return row.url_shown


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin[Delivery]):
    right = Right.GOVERN
    list_display = ["id", "kind", "webhook", "status", "attempts", "answer", "reason", "app", "created_at"]
    list_filter = [("app", AppFilter), "status", "kind"]
    list_select_related = ["app", "webhook"]
    search_fields = ["webhook__description"]
    ordering = ["-id"]
    actions = ["replay"]
    fields = [
        "app", "webhook", "kind", "payload_shown", "status", "attempts", "next_at", "answer", "reason", "seconds",
        "created_at", "finished_at",
    ]  # fmt: skip

    @admin.display(description="payload")
    def payload_shown(self, row: Delivery) -> SafeString:
        return raw(row.payload)

    def has_replay_permission(self, request: HttpRequest) -> bool:
        return self.allows(request, self.right)

    @admin.action(description="Send again", permissions=["replay"])
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
    ordering = ["-id"]
    fields = ["app", "name", "agent", "is_active", "uid", "created_at"]


@admin.register(Import)
class ImportAdmin(ReadOnlyAdmin[Import]):
    list_display = ["id", "source", "app", "status", "lines", "done", "asked_by", "created_at"]
    list_filter = [("app", AppFilter), "status", "source"]
    list_select_related = ["app"]
    search_fields = ["asked_by"]
    ordering = ["-id"]
    fields = [
        "app", "source", "agent", "user_id", "status", "lines", "done", "counts", "reason", "asked_by", "created_at",
        "finished_at",
    ]  # fmt: skip

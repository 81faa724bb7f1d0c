"""What is to come: operators look at it, call it off, or take it out for good."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from memories.models import FutureTrigger, Preload, TriggerStatus
from memsite.admin_site import AppFilter, SiteAdmin, Table, agent_name, link_to, shorten

MEMORIES_SHOWN = 50


@admin.register(FutureTrigger)
class FutureTriggerAdmin(SiteAdmin[FutureTrigger]):
    desk_page, desk_args = "knowledge-triggers", ()
    list_display = ["message_shown", "trigger_date", "trigger_time", "until", "rule", "status", "user_id", "app"]
    list_filter = [("app", AppFilter), "status", ("trigger_date", admin.DateFieldListFilter), "visibility"]
    list_select_related = ["app"]
    search_fields = ["message", "user_id"]
    ordering = ["trigger_date", "id"]
    actions = ["cancel"]
    fields = [
        "app", "message", "text", "trigger_date", "trigger_time", "until", "rule", "status", "reason", "user_id",
        "visibility", "written_by", "session", "resource", "uid", "created_at",
    ]  # fmt: skip

    @admin.display(description="message", ordering="message")
    def message_shown(self, trigger: FutureTrigger) -> str:
        return shorten(trigger.message)

    @admin.display(description="noted for")
    def written_by(self, trigger: FutureTrigger) -> str:
        return link_to(trigger.agent, agent_name(trigger.agent)) if trigger.agent else "-"

    def tables(self, obj: FutureTrigger) -> list[Table]:
        return [memories_table(obj)]

    @admin.action(description="Call off", permissions=["change"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[FutureTrigger]) -> None:
        waiting = queryset.filter(status=TriggerStatus.WAITING)
        messages.success(request, f"{waiting.update(status=TriggerStatus.CANCELLED)} called off.")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:  # fmt: skip
        """Nothing of it can be edited, so there is nothing to save."""
        no_save = {"show_save": False, "show_save_and_continue": False}
        return super().changeform_view(request, object_id, form_url, {**no_save, **(extra_context or {})})

    def get_readonly_fields(self, request: HttpRequest, obj: FutureTrigger | None = None) -> tuple[Any, ...]:
        return tuple(self.fields or ())


def memories_table(trigger: FutureTrigger) -> Table:
    """One query."""
    rows = Preload.objects.for_app(trigger.app).filter(trigger=trigger).select_related("memory").order_by("-id")
    return Table(
        f"Memories that it brings up (the first {MEMORIES_SHOWN})",
        ("Memory", "Status"),
        [(link_to(row.memory), row.memory.status) for row in rows[:MEMORIES_SHOWN]],
    )

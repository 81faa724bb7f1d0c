"""What is learnt from what was said, tried again where it failed; and the names that memories mention."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from memories.agent import MemoryAgent
from memories.models import Entity, Extraction, Mention
from memsite.admin_site import AppFilter, ReadOnlyAdmin, Table, link_to, shorten
from memsite.tenancy.access import actor_of

MEMORIES_SHOWN = 50


@admin.register(Entity)
class EntityAdmin(ReadOnlyAdmin[Entity]):
    desk_page = "knowledge-entities-one"
    list_display = ["name_shown", "kind", "number", "app", "created_at"]
    list_filter = [("app", AppFilter), ("created_at", admin.DateFieldListFilter)]
    list_select_related = ["app"]
    search_fields = ["name", "key"]
    ordering = ["-id"]
    fields = ["app", "name", "key", "kind", "uid", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entity]:
        rows = Mention.objects.filter(entity=OuterRef("pk"), memory__purged_at=None).order_by().values("entity")
        number = Subquery(rows.annotate(number=Count("pk")).values("number"))
        return super().get_queryset(request).annotate(number_of_memories=Coalesce(number, 0))

    @admin.display(description="name", ordering="name")
    def name_shown(self, entity: Entity) -> str:
        return shorten(entity.name)

    @admin.display(description="memories", ordering="number_of_memories")
    def number(self, entity: Any) -> str:
        return f"{entity.number_of_memories:,}"

    def tables(self, obj: Entity) -> list[Table]:
        rows = Mention.objects.for_app(obj.app).filter(entity=obj, memory__purged_at=None)
        shown = rows.select_related("memory__cold_text").order_by("-memory")[:MEMORIES_SHOWN]
        return [
            Table(
                f"Memories that mention it (the last {MEMORIES_SHOWN})",
                ("Memory", "Status", "Found by"),
                [(link_to(row.memory), row.memory.status, row.source) for row in shown],
            )
        ]


@admin.register(Extraction)
class ExtractionAdmin(ReadOnlyAdmin[Extraction]):
    desk_page, desk_args = "upkeep-texts", ()
    list_display = [
        "id", "what", "status", "session_link", "attempts", "stored", "reinforced", "rejected", "made_by", "app",
        "created_at",
    ]  # fmt: skip
    list_filter = [("app", AppFilter), "status", "what", ("created_at", admin.DateFieldListFilter)]
    list_select_related = ["app", "session"]
    search_fields = ["reason", "made_by"]
    ordering = ["-id"]
    actions = ["try_again"]
    fields = [
        "app", "what", "status", "session", "resource", "attempts", "next_at", "reason", "made_by", "stored",
        "reinforced", "rejected", "uid", "created_at", "finished_at",
    ]  # fmt: skip

    @admin.display(description="session", ordering="session")
    def session_link(self, row: Extraction) -> str:
        return link_to(row.session)

    def has_act_permission(self, request: HttpRequest, obj: Extraction | None = None) -> bool:
        """Rows are the workers' to write; operators have them tried again."""
        return self.allows(request, self.right, obj)

    @admin.action(description="Try again", permissions=["act"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[Extraction]) -> None:
        rows = list(queryset.select_related("app__policy"))
        doors = {row.app_id: MemoryAgent(row.app, None, actor_of(request.user)) for row in rows}
        tried = sum(doors[row.app_id].retry(row) for row in rows)
        left = len(rows) - tried
        rest = f" {left} left alone: done, or being worked on." if left else ""
        messages.success(request, f"{tried} tried again.{rest}")

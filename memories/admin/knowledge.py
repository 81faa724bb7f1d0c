"""The admin pages of extractions, entities, category summaries, triggers, alerts and their rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from memories.models import Alert, AlertKind, AlertRule, Webhook
from memories.notifications.alerts import acknowledge, delete_rule, rule_fields, save_rule
from memsite.admin_site import AppFilter, ReadOnlyAdmin, SiteAdmin, column, columns, link_to
from memsite.http.optimistic_form import SideBySideForm
from memsite.tenancy.access import Right, actor_of, apps_of

if TYPE_CHECKING:
    RuleModelForm = SideBySideForm[AlertRule]
else:
    RuleModelForm = SideBySideForm
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memories.admin.records import session_link
from memories.models import (
    Entity,
    Extraction,
    FutureTrigger,
    Mention,
    Passage,
    Preload,
    Summary,
    SummaryDue,
    TriggerStatus,
)
from memories.services import MemoryAgent
from memsite.admin_site import (
    Table,
    raw,
    shorten,
    show_time,
)

MEMORIES_SHOWN = 50
PASSAGES_SHOWN = 200
VERSIONS_SHOWN = 20


@admin.register(Entity)
class EntityAdmin(ReadOnlyAdmin[Entity]):
    dashboard_page = "knowledge-entities-one"
    list_display = ["name_shown", "kind", "number", "app", "created_at"]
    list_filter = [("app", AppFilter), ("created_at", admin.DateFieldListFilter)]
    search_fields = ["name", "key"]
    fields = ["app", "name", "key", "kind", "uid", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entity]:
        rows = Mention.objects.filter(entity=OuterRef("pk"), memory__purged_at=None).order_by().values("entity")
        number = Subquery(rows.annotate(number=Count("pk")).values("number"))
        return super().get_queryset(request).annotate(number_of_memories=Coalesce(number, 0))

    name_shown = column("name", lambda entity: shorten(entity.name), "name")
    number = column("memories", lambda entity: f"{entity.number_of_memories:,}", "number_of_memories")

    def tables(self, obj: Entity) -> list[Table]:
        rows = Mention.objects.for_app(obj.app).filter(entity=obj, memory__purged_at=None)
        latest = rows.select_related("memory__cold_text").order_by("-memory")[:MEMORIES_SHOWN]
        return [
            Table(
                f"Memories that mention it (the last {MEMORIES_SHOWN})",
                ("Memory", "Status", "Found by"),
                [(link_to(row.memory), row.memory.status, row.source) for row in latest],
            )
        ]


@admin.register(Extraction)
class ExtractionAdmin(ReadOnlyAdmin[Extraction]):
    dashboard_page, dashboard_args = "upkeep-texts", ()
    list_display = ["id", "what", "status", session_link, "outcome", "attempts", "app", "created_at"]
    list_filter = [("app", AppFilter), "status", "what", ("created_at", admin.DateFieldListFilter)]
    list_select_related = ["app", "session"]
    search_fields = ["reason", "made_by"]
    actions = ["try_again"]
    fields = columns(
        "app what status session resource attempts next_at reason made_by stored reinforced rejected uid "
        "created_at finished_at"
    )

    @admin.display(description="stored, reinforced, rejected", ordering="stored")
    def outcome(self, row: Extraction) -> SafeString:
        """Show who made it on hover."""
        counts = f"{row.stored}, {row.reinforced}, {row.rejected}"
        return format_html('<span title="{}">{}</span>', row.made_by, counts)

    @admin.action(description="Try again", permissions=["act"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[Extraction]) -> None:
        rows = list(queryset.select_related("app__policy"))
        agents = {row.app_id: MemoryAgent(row.app, None, actor_of(request.user)) for row in rows}
        tried = sum(agents[row.app_id].retry(row) for row in rows)
        left = len(rows) - tried
        rest = f" {left} left alone: done, or being worked on." if left else ""
        messages.success(request, f"{tried} tried again.{rest}")


@admin.register(Summary)
class SummaryAdmin(ReadOnlyAdmin[Summary]):
    list_display = columns("category user_id version memory_count made_by app created_at")
    list_filter = [
        ("app", AppFilter),
        ("archived_at", admin.EmptyFieldListFilter),
        ("created_at", admin.DateFieldListFilter),
    ]
    search_fields = ["category", "user_id", "content"]
    fields = columns("app category user_id version memory_count made_by created_at archived_at text")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Summary]:
        return super().get_queryset(request).defer("content")

    text = column("text", lambda row: raw(row.content))

    def tables(self, obj: Summary) -> list[Table]:
        passages = Passage.objects.for_app(obj.app).filter(summary=obj).select_related("memory").defer("data")
        versions = Summary.objects.for_app(obj.app).filter(category=obj.category, user_id=obj.user_id)
        return [
            Table(
                f"Lines that can be found by meaning (the first {PASSAGES_SHOWN})",
                ("Line", "Stands on", "Embedded by"),
                [(shorten(row.text), link_to(row.memory), row.model or "-") for row in passages[:PASSAGES_SHOWN]],
            ),
            Table(
                f"Versions (the last {VERSIONS_SHOWN})",
                ("Version", "Made by", "Memories", "Written", "Archived"),
                [
                    (link_to(row), row.made_by, row.memory_count, show_time(row.created_at), show_time(row.archived_at))
                    for row in versions.defer("content").order_by("-version")[:VERSIONS_SHOWN]
                ],
            ),
        ]


@admin.register(SummaryDue)
class SummaryDueAdmin(ReadOnlyAdmin[SummaryDue]):
    list_display = ["id", "category", "user_id", "changes", "since", "lease_until", "app"]
    list_filter = [("app", AppFilter)]
    search_fields = ["category", "user_id"]
    ordering = ["since"]
    fields = ["app", "category", "user_id", "changes", "since", "lease_until", "token"]


@admin.register(FutureTrigger)
class FutureTriggerAdmin(SiteAdmin[FutureTrigger]):
    dashboard_page, dashboard_args = "knowledge-triggers", ()
    list_display = ["message_shown", "due", "rule", "status", "user_id", "app"]
    list_filter = [("app", AppFilter), "status", ("trigger_date", admin.DateFieldListFilter), "visibility"]
    list_select_related = ["app"]
    search_fields = ["message", "user_id"]
    ordering = ["trigger_date", "id"]
    actions = ["cancel"]
    forbidden = ("add",)
    fields = columns(
        "app message text trigger_date trigger_time until rule status reason user_id visibility written_by "
        "session resource uid created_at"
    )

    message_shown = column("message", lambda trigger: shorten(trigger.message), "message")

    @admin.display(description="due", ordering="trigger_date")
    def due(self, trigger: FutureTrigger) -> str:
        clock = f" {trigger.trigger_time:%H:%M}" if trigger.trigger_time else ""
        end = f" to {trigger.until:%Y-%m-%d}" if trigger.until else ""
        return f"{trigger.trigger_date:%Y-%m-%d}{clock}{end}"

    written_by = column("noted for", lambda row: link_to(row.agent, row.agent.full_name) if row.agent else "-")

    def tables(self, obj: FutureTrigger) -> list[Table]:
        rows = Preload.objects.for_app(obj.app).filter(trigger=obj).select_related("memory").order_by("-id")
        return [
            Table(
                f"Memories that it brings up (the first {MEMORIES_SHOWN})",
                ("Memory", "Status"),
                [(link_to(row.memory), row.memory.status) for row in rows[:MEMORIES_SHOWN]],
            )
        ]

    @admin.action(description="Call off", permissions=["change"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[FutureTrigger]) -> None:
        waiting = queryset.filter(status=TriggerStatus.WAITING)
        messages.success(request, f"{waiting.update(status=TriggerStatus.CANCELLED)} called off.")

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Nothing of it can be edited, so there is nothing to save."""
        no_save = {"show_save": False, "show_save_and_continue": False}
        return super().changeform_view(request, object_id, form_url, {**no_save, **(extra_context or {})})

    def get_readonly_fields(self, request: HttpRequest, obj: FutureTrigger | None = None) -> tuple[Any, ...]:
        return tuple(self.fields or ())


RULE_FIELDS = columns("app kind threshold webhook emails dashboard enabled")


class Emails(forms.CharField):
    """Addresses, one a line."""

    widget = forms.Textarea(attrs={"rows": 3, "cols": 60})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        return list(dict.fromkeys(str(super().clean(value)).replace(",", " ").split()))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.clean(self.prepare_value(initial or "")) != self.clean(data or "")


class RuleForm(RuleModelForm):
    """The model says what is wrong with a rule (`AlertRule.clean`)."""

    emails = Emails(required=False, label="E-mails", help_text="One address a line.")

    class Meta:
        model = AlertRule
        fields = RULE_FIELDS


@admin.register(AlertRule)
class AlertRuleAdmin(SiteAdmin[AlertRule]):
    """Rules of apps are their owners', and those of the whole site the superusers'."""

    right = Right.GOVERN
    form = RuleForm
    fields = RULE_FIELDS
    list_display = columns("kind where limit recipients enabled")
    list_filter = [("app", AppFilter), "kind", "enabled"]
    list_select_related = ["app", "webhook"]
    search_fields = ["app__app_id", "emails"]
    ordering = ["-id"]

    where = column("app", lambda row: row.app or "all apps", "app")
    limit = column("from", lambda row: f"{row.limit:g}" if row.kind != AlertKind.CIRCUIT_OPEN else "-")
    recipients = column("tells", lambda row: ", ".join(recipients_of(row)))

    def get_readonly_fields(self, request: HttpRequest, obj: AlertRule | None = None) -> list[str]:
        return ["app", "kind"] if obj else []

    def get_form(self, request: HttpRequest, obj: AlertRule | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        if "app" in form.base_fields:
            form.base_fields["app"].required = form.base_fields[
                "app"
            ].widget.is_required = not request.user.is_superuser
        hooks = Webhook.objects.filter(app__in=apps_of(request.user, self.right)).select_related("app")
        form.base_fields["webhook"].queryset = hooks.filter(app=obj.app) if obj and obj.app else hooks
        return form

    def save_model(self, request: HttpRequest, obj: AlertRule, form: Any, change: bool) -> None:
        before = rule_fields(AlertRule.objects.select_related("webhook").get(pk=obj.pk)) if change else None
        save_rule(obj, actor_of(request.user), before)

    def delete_model(self, request: HttpRequest, obj: AlertRule) -> None:
        delete_rule(obj, actor_of(request.user))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[AlertRule]) -> None:
        for rule in queryset:
            delete_rule(rule, actor_of(request.user))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Let what a rule has found go with it, whoever may not delete that alone."""
        deleted, counts, _, protected = super().get_deleted_objects(objs, request)
        return deleted, counts, set(), protected


def recipients_of(rule: AlertRule) -> list[str]:
    hook = [rule.webhook.url_shown] if rule.webhook else []
    return [*hook, *rule.emails, *(["the dashboard"] if rule.dashboard else [])]


@admin.register(Alert)
class AlertAdmin(ReadOnlyAdmin[Alert]):
    dashboard_page, dashboard_args = "upkeep-alerts", ()
    # What rules of the site find is for those who made them.
    app_path = "rule__app"
    list_display = columns("text kind app begun_at ended_at acknowledged_by mail_error")
    list_filter = [("app", AppFilter), "rule__kind", ("ended_at", admin.EmptyFieldListFilter)]
    list_select_related = ["app", "rule__app"]
    search_fields = ["text"]
    actions = ["acknowledge"]
    fields = columns(
        "app rule_link text value begun_at ended_at acknowledged_at acknowledged_by mailed mail_attempts mail_next_at "
        "mail_error"
    )

    kind = column("kind", lambda row: row.rule.get_kind_display(), "rule__kind")
    rule_link = column("rule", lambda row: link_to(row.rule))

    @admin.action(description="Acknowledge", permissions=["act"])
    def acknowledge(self, request: HttpRequest, queryset: QuerySet[Alert]) -> None:
        rows = list(queryset.filter(acknowledged_at=None))
        for row in rows:
            acknowledge(row, actor_of(request.user), timezone.now())
        messages.success(request, f"{len(rows)} acknowledged.")

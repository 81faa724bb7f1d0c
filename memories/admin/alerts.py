"""The admin pages of alerts and their rules."""

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

    def has_act_permission(self, request: HttpRequest, obj: Alert | None = None) -> bool:
        return self.allows(request, self.right, obj)

    @admin.action(description="Acknowledge", permissions=["act"])
    def acknowledge(self, request: HttpRequest, queryset: QuerySet[Alert]) -> None:
        rows = list(queryset.filter(acknowledged_at=None))
        for row in rows:
            acknowledge(row, actor_of(request.user), timezone.now())
        messages.success(request, f"{len(rows)} acknowledged.")

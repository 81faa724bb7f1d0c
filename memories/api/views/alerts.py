"""Endpoints for alerts and their rules: of one app, and of the whole site."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError as ModelValidationError
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import OperatorView, or_404
from memories.api.pagination import one_of, page
from memories.api.schema import lists, operation
from memories.api.serializers.alerts import (
    AlertRuleChanges,
    AlertRuleShown,
    AlertShown,
    NewAlertRule,
    show_alert,
    show_rule,
)
from memories.api.serializers.memories import Deleted
from memories.models import AlertRule, Webhook
from memories.models.alert import AlertQuerySet
from memories.notifications.alerts import acknowledge, alerts_of, delete_rule, rule_fields, save_rule
from memsite.tenancy.access import Right
from memsite.tenancy.models import App

STATES = ("open", "over")
STATE = OpenApiParameter("status", str, enum=STATES)


class AlertView(OperatorView):
    def app_asked(self, app_id: str | None) -> App | None:
        """Return the app that the address names. None: the whole site, for who operates all of it."""
        if app_id is not None:
            return self.app_named(app_id)
        if not self.caller().governs_all:
            raise PermissionDenied("Rules of the whole site are for who operates all of it.")
        return None


class RuleView(AlertView):
    def rule(self, app_id: str | None, uid: UUID) -> AlertRule:
        rows = AlertRule.objects.of(self.app_asked(app_id)).select_related("webhook", "app")
        return or_404(rows.filter(uid=uid).first())

    def save(self, rule: AlertRule, fields: dict[str, Any], before: dict[str, Any] | None = None) -> AlertRule:
        """Store what is given of a rule. ValidationError names each wrong field."""
        if uid := fields.get("webhook"):
            hooks = Webhook.objects.for_app(rule.app) if rule.app else Webhook.objects.all()
            fields["webhook"] = hooks.filter(uid=uid).first()
            if fields["webhook"] is None:
                raise ValidationError({"webhook": ["There is no webhook with this id."]})
        for name, value in fields.items():
            setattr(rule, name, value)
        try:
            return save_rule(rule, self.caller().actor, before)
        except ModelValidationError as error:
            raise ValidationError(error.message_dict) from error


class Rules(RuleView):
    creates = True

    @lists(AlertRuleShown, "list_alert_rules")
    def get(self, request: Request, app_id: str | None = None) -> Response:
        rows = AlertRule.objects.of(self.app_asked(app_id)).select_related("webhook", "app")
        return page(self, rows, show_rule)

    @extend_schema(request=NewAlertRule, responses={201: AlertRuleShown}, operation_id="create_alert_rule")
    def post(self, request: Request, app_id: str | None = None) -> Response:
        """What to tell, and whom: a webhook, e-mail addresses, the dashboard. It is looked at each minute."""
        body = self.read(NewAlertRule)
        app = self.app_asked(app_id)
        return self.create_in_transaction(lambda: (201, show_rule(self.save(AlertRule(app=app), body))))


class OneRule(RuleView):
    @extend_schema(responses=AlertRuleShown, operation_id="get_alert_rule")
    def get(self, request: Request, uid: UUID, app_id: str | None = None) -> Response:
        return Response(show_rule(self.rule(app_id, uid)))

    @extend_schema(request=AlertRuleChanges, responses=AlertRuleShown, operation_id="change_alert_rule")
    def patch(self, request: Request, uid: UUID, app_id: str | None = None) -> Response:
        body = self.read(AlertRuleChanges)
        rule = self.rule(app_id, uid)
        return Response(show_rule(self.save(rule, body, rule_fields(rule))))

    @extend_schema(responses={200: Deleted}, operation_id="delete_alert_rule")
    def delete(self, request: Request, uid: UUID, app_id: str | None = None) -> Response:
        """With what it has found. Who was told that something began is not told that it is over."""
        delete_rule(self.rule(app_id, uid), self.caller().actor)
        return Response({"success": True, "deleted_count": 1})


class Alerts(AlertView):
    right = Right.CURATE

    def alerts(self, app_id: str | None = None) -> AlertQuerySet:
        """Return the alerts of an app, or of all that the caller operates; with those of the site if that is theirs."""
        of_site = self.caller().governs_all
        if app_id is None:
            return alerts_of(self.apps(), of_site=of_site)
        app = self.app_named(app_id)
        return alerts_of([app], of_site=of_site).filter(app=app)

    @lists(AlertShown, "list_alerts", STATE)
    def get(self, request: Request, app_id: str | None = None) -> Response:
        """What there is to tell, the latest first, and for 90 days what there was."""
        rows = self.alerts(app_id)
        if "status" in request.query_params:
            is_open = one_of("status", request.query_params["status"], STATES) == "open"
            rows = rows.filter(ended_at__isnull=is_open)
        return page(self, rows, show_alert)


class AcknowledgeAlert(Alerts):
    http_method_names = ["post", "options"]

    @operation(request=None, responses=AlertShown, operation_id="acknowledge_alert")
    def post(self, request: Request, uid: UUID, app_id: str | None = None) -> Response:
        """Somebody has seen it: it is counted no more. It ends by itself."""
        alert = or_404(self.alerts(app_id).filter(uid=uid).first())
        if alert.app:
            self.check_right(alert.app)
        return Response(show_alert(acknowledge(alert, self.caller().actor, timezone.now())))


@extend_schema_view(
    get=extend_schema(operation_id="list_site_alert_rules"), post=extend_schema(operation_id="create_site_alert_rule")
)
class SiteRules(Rules):
    """Rules that watch all apps."""


@extend_schema_view(
    get=extend_schema(operation_id="get_site_alert_rule"),
    patch=extend_schema(operation_id="change_site_alert_rule"),
    delete=extend_schema(operation_id="delete_site_alert_rule"),
)
class OneSiteRule(OneRule):
    """One of them."""


@extend_schema_view(get=extend_schema(operation_id="list_all_alerts"))
class AllAlerts(Alerts):
    """Alerts of all apps that the caller operates."""


@extend_schema_view(post=extend_schema(operation_id="acknowledge_any_alert"))
class AcknowledgeAny(AcknowledgeAlert):
    """One of them."""

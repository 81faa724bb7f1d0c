"""Serializers of alerts and their rules."""

from __future__ import annotations

from typing import Any

from django.core.validators import EmailValidator
from rest_framework import serializers

from memories.api.fields import (
    NameField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictSerializer,
    StrictUUIDField,
    UniqueListField,
)
from memories.models import Alert, AlertKind, AlertRule
from memories.models.alert import EMAIL_CHARACTERS, MOST_EMAILS

KIND = "What it watches. A backup only for a rule of the whole site."
THRESHOLD = (
    "From which on it alerts: a share (app_full, budget_spent), a number (digest_failed, quarantine_waiting), minutes "
    "(job_overdue), hours (backup_failed). Null: 0.9, 1, 15, 26."
)
WEBHOOK = "Who is sent `alert.begun` and `alert.over`, whatever its `events`."
APP_ID = "Null: of the whole site."


def email_list(**options: Any) -> UniqueListField:
    email = NameField(max_length=EMAIL_CHARACTERS, validators=[EmailValidator("Not an e-mail address.")])
    return UniqueListField(child=email, max_length=MOST_EMAILS, help_text="Who gets a mail.", **options)


class NewAlertRule(StrictSerializer):
    kind = StrictChoiceField(AlertKind.choices, help_text=KIND)
    threshold = StrictFloatField(required=False, allow_null=True, default=None, help_text=THRESHOLD)
    webhook = StrictUUIDField(required=False, allow_null=True, default=None, help_text=WEBHOOK)
    emails = email_list(default=list)
    dashboard = StrictBooleanField(default=True, help_text="Shown and counted on the dashboard.")
    enabled = StrictBooleanField(default=True)


class AlertRuleChanges(StrictSerializer):
    threshold = StrictFloatField(required=False, allow_null=True, help_text=THRESHOLD)
    webhook = StrictUUIDField(required=False, allow_null=True, help_text=WEBHOOK)
    emails = email_list(required=False)
    dashboard = StrictBooleanField(required=False)
    enabled = StrictBooleanField(required=False, help_text="False: what is open ends, and nothing is sent.")


class AlertRuleShown(StrictSerializer):
    id = StrictUUIDField()
    app_id = StrictCharField(allow_null=True, help_text=APP_ID)
    kind = StrictChoiceField(AlertKind.choices)
    threshold = StrictFloatField(help_text="The usual one, if none was given.", allow_null=True)
    webhook = StrictUUIDField(allow_null=True)
    emails = serializers.ListField(child=StrictCharField())
    dashboard = StrictBooleanField()
    enabled = StrictBooleanField()
    created_at = serializers.DateTimeField()


class AlertShown(StrictSerializer):
    id = StrictUUIDField()
    app_id = StrictCharField(allow_null=True, help_text=APP_ID)
    kind = StrictChoiceField(AlertKind.choices)
    rule = StrictUUIDField(help_text="The id of the rule that found it.")
    text = StrictCharField(help_text="What was the matter when it began.")
    value = StrictFloatField(help_text="What the rule's threshold was compared with then.")
    begun_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True, help_text="Null while it lasts.")
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    acknowledged_by = StrictCharField()
    mailed = StrictCharField(help_text="The last that was mailed: `begun`, `over`, or nothing.")
    mail_error = StrictCharField(help_text="Why the last mail was not sent.")


def show_rule(row: AlertRule) -> dict[str, Any]:
    return {
        "id": row.uid,
        "app_id": row.app.app_id if row.app else None,
        "kind": row.kind,
        "threshold": row.limit,
        "webhook": row.webhook.uid if row.webhook else None,
        "emails": row.emails,
        "dashboard": row.dashboard,
        "enabled": row.enabled,
        "created_at": row.created_at,
    }


def show_alert(row: Alert) -> dict[str, Any]:
    same = ("text", "value", "begun_at", "ended_at", "acknowledged_at", "acknowledged_by", "mailed", "mail_error")
    return {
        "id": row.uid,
        "app_id": row.app.app_id if row.app else None,
        "kind": row.rule.kind,
        "rule": row.rule.uid,
        **{name: getattr(row, name) for name in same},
    }

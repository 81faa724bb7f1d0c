"""Serializers of alerts and their rules, webhooks, deliveries, bridges and the feed of changes."""

from __future__ import annotations

from typing import Any

from django.core.validators import EmailValidator, RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.api.fields import (
    JSONObjectField,
    NameField,
    RawCharField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
    UniqueListField,
    ZonedDateTimeField,
)
from memories.api.serializers.memories import MemoryShown, show_memory
from memories.models import AlertKind, Bridge, DeliveryStatus
from memories.models.alert import EMAIL_CHARACTERS, MOST_EMAILS
from memories.notifications.webhooks import KINDS
from memories.providers.http import WEBHOOK_NETWORKS, ServiceRefused, check_address
from memories.services import Change
from memsite.config.conf import get_conf
from memsite.tenancy.models import is_agent_name
from sessions.models import Role

TEXT_CHARACTERS, PLACE_CHARACTERS, ADDRESS_CHARACTERS = 100_000, 300, 500
is_bridge_name = RegexValidator(r"^[a-z0-9][a-z0-9-]{0,59}\Z", "Lower-case letters, digits and -, 60 at most.")


@extend_schema_field({"type": "string", "pattern": "^https?://[^/]", "maxLength": ADDRESS_CHARACTERS})
class Address(RawCharField):
    """Kept with the token that it may have to hold; shown without one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=ADDRESS_CHARACTERS, **options)

    def to_internal_value(self, data: Any) -> str:
        given = super().to_internal_value(data)
        if "[redacted: " in given:
            raise serializers.ValidationError("This is how it is shown: it is called by what stands in the brackets.")
        try:
            check_address(given, get_conf().webhook_networks, WEBHOOK_NETWORKS)
        except ServiceRefused as error:
            raise serializers.ValidationError(str(error)) from error
        return given


class NewWebhook(StrictSerializer):
    url = Address(help_text="https, or http in a private network that MEMSITE_WEBHOOK_NETWORKS names.")
    description = StrictCharField(max_length=200, default="", allow_blank=True)
    events = UniqueListField(
        child=StrictChoiceField(KINDS), default=list, help_text="The kinds that it receives; empty: all."
    )


class WebhookChanges(StrictSerializer):
    url = Address(required=False, refuses_empty=True)
    description = StrictCharField(max_length=200, required=False, allow_blank=True)
    events = UniqueListField(child=StrictChoiceField(KINDS), required=False)
    is_active = StrictBooleanField(required=False)


class WebhookShown(StrictSerializer):
    id = serializers.UUIDField(source="uid")
    url = StrictCharField(source="url_shown")
    description = StrictCharField()
    events = serializers.ListField(child=StrictCharField())
    is_active = StrictBooleanField()
    reason = StrictCharField(help_text="Why it was switched off by itself.")
    created_at = serializers.DateTimeField()


class WebhookWithSecret(WebhookShown):
    secret = StrictCharField(
        allow_null=True, help_text="For checking signatures (Standard Webhooks). Null when the answer is repeated."
    )


class Secret(StrictSerializer):
    secret = StrictCharField(help_text="The new one. A webhook's old one signs beside it for a day.")


class MessageSent(StrictSerializer):
    type = StrictCharField()
    timestamp = serializers.DateTimeField()
    # A field of that name, not DRF's attribute.
    data = JSONObjectField(help_text="What changed, by its ids.")  # type: ignore[assignment]


class DeliveryShown(StrictSerializer):
    id = serializers.UUIDField(source="uid", help_text="The `webhook-id` of the message.")
    kind = StrictCharField()
    payload = MessageSent()
    status = StrictChoiceField(DeliveryStatus.choices)
    attempts = StrictIntegerField()
    next_at = serializers.DateTimeField(help_text="When it is tried next, if it waits.")
    answer = StrictIntegerField(allow_null=True, help_text="The status that it was answered with last.")
    reason = StrictCharField(help_text="Why the last try failed.")
    seconds = StrictFloatField(help_text="How long the last try took.")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class NewBridge(StrictSerializer):
    name = NameField(validators=[is_bridge_name], help_text="slack, discord-home, …")
    agent = NameField(validators=[is_agent_name], help_text="Whose sessions they become.")


class BridgeShown(StrictSerializer):
    id = serializers.UUIDField(source="uid")
    name = StrictCharField()
    agent = StrictCharField(source="agent.name")
    address = StrictCharField(help_text="Where its messages are sent to.")
    created_at = serializers.DateTimeField()


class BridgeWithSecret(BridgeShown):
    secret = StrictCharField(
        allow_null=True, help_text="For signing messages (Standard Webhooks). Null when the answer is repeated."
    )


class Heard(StrictSerializer):
    """One message of a chat."""

    text = RawCharField(max_length=TEXT_CHARACTERS, trim_whitespace=False)
    channel = NameField(max_length=PLACE_CHARACTERS)
    thread = NameField(max_length=PLACE_CHARACTERS, required=False, allow_null=True, default=None)
    user = NameField(max_length=200, required=False, allow_null=True, default=None)
    role = StrictChoiceField([Role.USER.value, Role.ASSISTANT.value], default=Role.USER.value)
    at = ZonedDateTimeField(required=False, allow_null=True, default=None)
    message_id = NameField(max_length=150, required=False, allow_null=True, default=None)


def show_bridge(row: Bridge) -> dict[str, Any]:
    return BridgeShown.show(row, address=f"{get_conf().root_path}/hooks/{row.uid}")


class ChangeShown(StrictSerializer):
    type = StrictCharField(help_text="memory.changed or memory.deleted.")
    memory_id = StrictCharField()
    memory = MemoryShown(allow_null=True, help_text="As it is by now; null for one that is deleted.")


class ChangesShown(StrictSerializer):
    results = ChangeShown(many=True)
    last = StrictIntegerField(help_text="Where to go on: the next `since`.")


def show_change(change: Change) -> dict[str, Any]:
    memory = show_memory(change.memory) if change.memory else None
    return {"type": change.kind, "memory_id": str(change.uid), "memory": memory}


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
    id = StrictUUIDField(source="uid")
    app_id = StrictCharField(source="app.app_id", allow_null=True, help_text=APP_ID)
    kind = StrictChoiceField(AlertKind.choices)
    threshold = StrictFloatField(source="limit", help_text="The usual one, if none was given.", allow_null=True)
    webhook = StrictUUIDField(source="webhook.uid", allow_null=True)
    emails = serializers.ListField(child=StrictCharField())
    dashboard = StrictBooleanField()
    enabled = StrictBooleanField()
    created_at = serializers.DateTimeField()


class AlertShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    app_id = StrictCharField(source="app.app_id", allow_null=True, help_text=APP_ID)
    kind = StrictChoiceField(AlertKind.choices, source="rule.kind")
    rule = StrictUUIDField(source="rule.uid", help_text="The id of the rule that found it.")
    text = StrictCharField(help_text="What was the matter when it began.")
    value = StrictFloatField(help_text="What the rule's threshold was compared with then.")
    begun_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True, help_text="Null while it lasts.")
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    acknowledged_by = StrictCharField()
    mailed = StrictCharField(help_text="The last that was mailed: `begun`, `over`, or nothing.")
    mail_error = StrictCharField(help_text="Why the last mail was not sent.")

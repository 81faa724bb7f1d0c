"""Webhooks, their deliveries, and bridges on the wire."""

from __future__ import annotations

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.api.fields import (
    Different,
    Flag,
    JSONObject,
    Name,
    Number,
    OneOf,
    RawText,
    SaidAt,
    Shape,
    Text,
    Whole,
    names,
)
from memories.models import Bridge, Delivery, DeliveryStatus, Webhook
from memories.notifications.webhooks import KINDS
from memories.providers.errors import ServiceRefused
from memories.providers.outward import WEBHOOK_NETWORKS, check_address
from memsite.config.conf import get_conf
from memsite.tenancy.models import is_agent_name
from sessions.models import Role

MOST_TEXTS, TEXT_CHARACTERS, PLACE_CHARACTERS, ADDRESS_CHARACTERS = 100, 100_000, 300, 500


@extend_schema_field({"type": "string", "pattern": "^https?://[^/]", "maxLength": ADDRESS_CHARACTERS})
class Address(RawText):
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


class NewWebhook(Shape):
    url = Address(help_text="https, or http in a private network that MEMSITE_WEBHOOK_NETWORKS names.")
    description = Text(max_length=200, default="", allow_blank=True)
    events = Different(child=OneOf(KINDS), default=list, help_text="The kinds that it is told of; empty: all.")


class WebhookChanges(Shape):
    url = Address(required=False)
    description = Text(max_length=200, required=False, allow_blank=True)
    events = Different(child=OneOf(KINDS), required=False)
    is_active = Flag(required=False)


class WebhookShown(Shape):
    id = serializers.UUIDField()
    url = Text()
    description = Text()
    events = serializers.ListField(child=Text())
    is_active = Flag()
    reason = Text(help_text="Why it was switched off by itself.")
    created_at = serializers.DateTimeField()


class WebhookWithSecret(WebhookShown):
    secret = Text(
        allow_null=True, help_text="For checking signatures (Standard Webhooks). Null when the answer is repeated."
    )


class Secret(Shape):
    secret = Text(help_text="The new one. A webhook's old one signs beside it for a day.")


class MessageSent(Shape):
    type = Text()
    timestamp = serializers.DateTimeField()
    # A field of that name, not DRF's attribute.
    data = JSONObject(help_text="What changed, by its ids.")  # type: ignore[assignment]


class DeliveryShown(Shape):
    id = serializers.UUIDField(help_text="The `webhook-id` of the message.")
    kind = Text()
    payload = MessageSent()
    status = OneOf(DeliveryStatus.choices)
    attempts = Whole()
    next_at = serializers.DateTimeField(help_text="When it is tried next, if it waits.")
    answer = Whole(allow_null=True, help_text="The status that it was answered with last.")
    reason = Text(help_text="Why the last try failed.")
    seconds = Number(help_text="How long the last try took.")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


is_bridge_name = RegexValidator(r"^[a-z0-9][a-z0-9-]{0,59}\Z", "Lower-case letters, digits and -, 60 at most.")


class NewBridge(Shape):
    name = Name(validators=[is_bridge_name], help_text="slack, discord-home, …")
    agent = Name(validators=[is_agent_name], help_text="Whose sessions they become.")


class BridgeShown(Shape):
    id = serializers.UUIDField()
    name = Text()
    agent = Text()
    address = Text(help_text="Where its messages are sent to.")
    created_at = serializers.DateTimeField()


class BridgeWithSecret(BridgeShown):
    secret = Text(
        allow_null=True, help_text="For signing messages (Standard Webhooks). Null when the answer is repeated."
    )


class Heard(Shape):
    """One message of a chat."""

    text = RawText(max_length=TEXT_CHARACTERS, trim_whitespace=False)
    channel = Name(max_length=PLACE_CHARACTERS)
    thread = Name(max_length=PLACE_CHARACTERS, required=False, allow_null=True, default=None)
    user = Name(max_length=200, required=False, allow_null=True, default=None)
    role = OneOf([Role.USER.value, Role.ASSISTANT.value], default=Role.USER.value)
    at = SaidAt(required=False, allow_null=True, default=None)
    message_id = Name(max_length=150, required=False, allow_null=True, default=None)


SHOWN = ("url", "description", "events", "is_active", "reason", "created_at")


def show_webhook(row: Webhook) -> dict[str, Any]:
    return {"id": row.uid, **{name: getattr(row, name) for name in SHOWN}, "url": row.url_shown}


def show_delivery(row: Delivery) -> dict[str, Any]:
    return {"id": row.uid, **{name: getattr(row, name) for name in names(DeliveryShown) if name != "id"}}


def show_bridge(row: Bridge) -> dict[str, Any]:
    return {
        "id": row.uid, "name": row.name, "agent": row.agent.name, "address": f"/hooks/{row.uid}",
        "created_at": row.created_at,
    }  # fmt: skip

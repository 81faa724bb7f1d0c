"""Cooldowns on the wire."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memories.api.fields import Id, Shape, Text, Whole
from sessions.models import Cooldown

MOST_SECONDS = 366 * 24 * 3600


class NewCooldown(Shape):
    action = Text(max_length=64, help_text="What will not be done again: restart, redeploy, …")
    service = Text(max_length=200, required=False, allow_blank=True, default="", help_text="To what.")
    seconds = Whole(min_value=1, max_value=MOST_SECONDS, required=False, help_text="How long, from now.")
    until = serializers.DateTimeField(required=False, help_text="Or until when.")
    reason = Text(max_length=500, required=False, allow_blank=True, default="")
    session_id = Id(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("seconds" in attrs) == ("until" in attrs):
            raise serializers.ValidationError("Either seconds or until.")
        return attrs


class CooldownShown(Shape):
    id = Id()
    action = Text()
    service = Text()
    until = serializers.DateTimeField()
    reason = Text()
    agent = Text(help_text="Who reported it last.")
    session_id = Id(allow_null=True)
    created_at = serializers.DateTimeField()


def show_cooldown(row: Cooldown) -> dict[str, Any]:
    return {
        "id": row.uid,
        "action": row.action,
        "service": row.service,
        "until": row.until,
        "reason": row.reason,
        "agent": row.agent.name,
        "session_id": row.session.uid if row.session else None,
        "created_at": row.created_at,
    }

"""Triggers on the wire."""

from __future__ import annotations

import re
from datetime import time
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.api.fields import Flag, Id, Name, OneOf, Shape, Text, names
from memories.api.shapes.memories import MemoryShown, show_memory
from memories.learn.future_events import MESSAGE_CHARACTERS
from memories.learn.triggers import MOST_MEMORIES, Due
from memories.models import TriggerStatus, Visibility

CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?")
# It is done when its day is over, and not by hand.
SETTABLE_STATUS = (TriggerStatus.WAITING, TriggerStatus.CANCELLED)


@extend_schema_field({"type": "string", "pattern": f"^{CLOCK.pattern}$", "examples": ["15:00", "15:00:30"]})
class ClockTime(serializers.TimeField):
    """Of the clock in the app's time zone: a time with an offset of its own is refused, not read as something else."""

    def to_internal_value(self, value: Any) -> time:
        if not isinstance(value, str) or not CLOCK.fullmatch(value):
            self.fail("invalid", format="hh:mm[:ss]")
        return super().to_internal_value(value)


class TriggerFields(Shape):
    """What can be said of a trigger when it is made and later alike."""

    trigger_date = serializers.DateField(help_text="The day, or the first one; in the app's time zone.")
    trigger_time = ClockTime(required=False, allow_null=True)
    until = serializers.DateField(required=False, allow_null=True, help_text="The last day, of a stretch of days.")
    rule = Text(
        max_length=200, required=False, allow_blank=True, help_text="How it comes round (RFC 5545): FREQ=WEEKLY."
    )
    message = Text(max_length=MESSAGE_CHARACTERS)


class NewTrigger(TriggerFields):
    memory_ids = serializers.ListField(
        child=Id(), required=False, default=list, max_length=MOST_MEMORIES, help_text="What it brings up."
    )
    user_id = Name(max_length=200, required=False, allow_null=True)
    visibility = OneOf(Visibility.choices, required=False)

    def validate_visibility(self, visibility: str) -> str:
        if visibility == Visibility.SHARED:
            raise serializers.ValidationError("Apps share memories, not what is to come.")
        return visibility


class TriggerChanges(TriggerFields):
    trigger_date = serializers.DateField(required=False)
    message = Text(max_length=MESSAGE_CHARACTERS, required=False)
    status = OneOf([(status.value, status.label) for status in SETTABLE_STATUS], required=False)


class TriggerShown(Shape):
    id = Id()
    trigger_date = serializers.DateField()
    trigger_time = ClockTime(allow_null=True)
    until = serializers.DateField(allow_null=True)
    recurring = Flag()
    rule = Text()
    text = Text(help_text="The time as it was said.")
    message = Text(help_text="The sentence around it.")
    status = Text()
    reason = Text(allow_null=True, help_text="Why it was called off, if not by hand.")
    user_id = Text(allow_null=True)
    visibility = Text()
    created_at = serializers.DateTimeField()
    memories = MemoryShown(many=True)


OWN = names(TriggerShown, without=("id", "recurring", "memories"))


def show_trigger(due: Due) -> dict[str, Any]:
    """Reads its memories' sessions and resources: select them for lists."""
    return {
        "id": due.trigger.uid,
        **{name: getattr(due.trigger, name) for name in OWN},
        "recurring": bool(due.trigger.rule),
        "memories": [show_memory(memory) for memory in due.memories],
    }

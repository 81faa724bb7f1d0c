"""Serializers of sessions, turns, messages, Claude Code's hooks, feedback and triggers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import time
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.api.fields import (
    JSONObjectField,
    JSONValueField,
    NameField,
    RawCharField,
    RawJSONObjectField,
    RawJSONValueField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
    ZonedDateTimeField,
    refuse_huge_integers,
    refuse_long,
)
from memories.api.serializers.memories import MemoryShown, MemoryTagged, show_memory
from memories.language.secrets import is_visible
from memories.learn.feedback import Feedback
from memories.learn.future_events import MESSAGE_CHARACTERS
from memories.learn.triggers import MOST_MEMORIES, Due
from memories.models import TriggerStatus, Visibility
from memsite.http.json_body import MAX_OBJECT_CHARACTERS
from sessions.models import MAX_TURN, SPEAKER_LENGTH, Resource, Role, Turn

CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?")
# It is done when its day is over, and not by hand.
SETTABLE_STATUS = (TriggerStatus.WAITING, TriggerStatus.CANCELLED)
MAX_MESSAGES = 500
NO_CHECKPOINT = "A turn has something in it: user_input, tool_calls, llm_output or internal_state."
MAX_RESPONSE_CHARACTERS = 1_000_000


@extend_schema_field({"type": "string", "pattern": f"^{CLOCK.pattern}$", "examples": ["15:00", "15:00:30"]})
class ClockTime(serializers.TimeField):
    """Of the clock in the app's time zone: a time with an offset of its own is refused, not read as something else."""

    def to_internal_value(self, value: Any) -> time:
        if not isinstance(value, str) or not CLOCK.fullmatch(value):
            self.fail("invalid", format="hh:mm[:ss]")
        return super().to_internal_value(value)


class TriggerFields(StrictSerializer):
    """What can be said of a trigger when it is made and later alike."""

    trigger_date = serializers.DateField(help_text="The day, or the first one; in the app's time zone.")
    trigger_time = ClockTime(required=False, allow_null=True)
    until = serializers.DateField(required=False, allow_null=True, help_text="The last day, of a stretch of days.")
    rule = StrictCharField(
        max_length=200, required=False, allow_blank=True, help_text="How it comes round (RFC 5545): FREQ=WEEKLY."
    )
    message = StrictCharField(max_length=MESSAGE_CHARACTERS)


class NewTrigger(TriggerFields):
    memory_ids = serializers.ListField(
        child=StrictUUIDField(), required=False, default=list, max_length=MOST_MEMORIES, help_text="What it brings up."
    )
    user_id = NameField(max_length=200, required=False, refuses_empty=True, allow_null=True)
    visibility = StrictChoiceField(Visibility.choices, required=False)

    def validate_visibility(self, visibility: str) -> str:
        if visibility == Visibility.SHARED:
            raise serializers.ValidationError("Apps share memories, not what is to come.")
        return visibility


class TriggerChanges(TriggerFields):
    trigger_date = serializers.DateField(required=False)
    message = StrictCharField(max_length=MESSAGE_CHARACTERS, required=False, refuses_empty=True)
    status = StrictChoiceField([(status.value, status.label) for status in SETTABLE_STATUS], required=False)


class TriggerShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    trigger_date = serializers.DateField()
    trigger_time = ClockTime(allow_null=True)
    until = serializers.DateField(allow_null=True)
    recurring = StrictBooleanField()
    rule = StrictCharField()
    text = StrictCharField(help_text="The time as it was said.")
    message = StrictCharField(help_text="The sentence around it.")
    status = StrictCharField()
    reason = StrictCharField(allow_null=True, help_text="Why it was called off, if not by hand.")
    user_id = StrictCharField(allow_null=True)
    visibility = StrictCharField()
    created_at = serializers.DateTimeField()
    memories = MemoryShown(many=True)


def show_trigger(due: Due) -> dict[str, Any]:
    """Show a trigger. Reads its memories' sessions and resources: select them for lists."""
    memories = [show_memory(memory) for memory in due.memories]
    return TriggerShown.show(due.trigger, recurring=bool(due.trigger.rule), memories=memories)


@extend_schema_field({"type": ["object", "string"], "additionalProperties": {}})
class Environment(JSONValueField):
    """An object, or a text."""

    default_validators = [refuse_huge_integers, refuse_long]

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str):
            return {"text": data}
        if not isinstance(data, dict):
            raise serializers.ValidationError("An object or a text.")
        return data


class NewSession(StrictSerializer):
    external_id = NameField(
        max_length=200, required=False, allow_null=True, help_text="Yours; opens the same one again."
    )
    tier = StrictIntegerField(
        min_value=1, max_value=3, required=False, help_text="1 observe, 2 investigate, 3 remediate."
    )
    user_id = NameField(max_length=200, required=False, refuses_empty=True, allow_null=True)
    title = StrictCharField(max_length=500, required=False, allow_blank=True)
    environment = Environment(
        required=False, help_text=f"Where it is; {MAX_OBJECT_CHARACTERS:,} characters as JSON at most."
    )


class SessionShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    external_id = StrictCharField(allow_null=True)
    agent = StrictCharField(source="agent.name")
    title = StrictCharField()
    tier = serializers.IntegerField()
    user_id = StrictCharField(allow_null=True)
    environment = JSONObjectField()
    status = StrictCharField()
    end_reason = StrictCharField()
    started_at = serializers.DateTimeField()
    heartbeat_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class Greeting(StrictSerializer):
    text = StrictCharField(help_text="The block to put before the agent; empty when nothing is known.")
    tokens = serializers.IntegerField()
    memories = MemoryTagged(many=True)
    lessons = MemoryTagged(many=True)
    triggers = TriggerShown(many=True)


class SessionStarted(SessionShown):
    context = Greeting()  # type: ignore[assignment]  # a field of that name, not DRF's attribute
    jobs_run = serializers.ListField(child=StrictCharField())


class JobsRun(StrictSerializer):
    jobs_run = serializers.ListField(child=StrictCharField())


class EndOfSession(StrictSerializer):
    reason = StrictCharField(max_length=200, required=False, allow_blank=True, default="")


class SessionEnded(StrictSerializer):
    status = StrictCharField()
    pending = serializers.IntegerField(help_text="Texts whose facts, and memories whose vector, are still to come.")


class Checkpoint(StrictSerializer):
    user_input = RawCharField(required=False, default="", allow_blank=True, trim_whitespace=False)
    tool_calls = serializers.ListField(child=RawJSONValueField(allow_null=True), required=False, default=list)
    llm_output = RawCharField(required=False, default="", allow_blank=True, trim_whitespace=False)
    internal_state = RawJSONObjectField(required=False, default=dict)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        says = any(is_visible(fields[name]) for name in ("user_input", "llm_output"))
        if not (says or fields["tool_calls"] or fields["internal_state"]):
            raise serializers.ValidationError(NO_CHECKPOINT)
        return fields


class CaptureCounts(StrictSerializer):
    created = serializers.IntegerField()
    reinforced = serializers.IntegerField()
    contradicted = serializers.IntegerField(help_text="Memories that lost confidence.")
    echoed = serializers.IntegerField(help_text="Markers that only repeated what was injected.")
    rejected = serializers.IntegerField()
    events = serializers.IntegerField()


class TurnShown(Checkpoint):
    turn_number = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class TurnStored(TurnShown):
    captured = CaptureCounts()


class ReplayShown(StrictSerializer):
    turn_number = serializers.IntegerField()
    state = serializers.JSONField()
    turns = TurnShown(many=True)


class Recovered(StrictSerializer):
    turn_number = serializers.IntegerField(help_text="0 when no turn is stored.")
    state = serializers.JSONField()
    checkpoint = TurnShown(allow_null=True)


class Message(StrictSerializer):
    role = StrictChoiceField(Role.choices)
    content = RawCharField(trim_whitespace=False)
    at = ZonedDateTimeField(
        required=False,
        allow_null=True,
        default=None,
        help_text="When it was said, with the offset of the clock there; the app's time zone counts for Z and +00:00.",
    )
    name = StrictCharField(
        max_length=SPEAKER_LENGTH,
        required=False,
        allow_null=True,
        allow_blank=True,
        default=None,
        help_text="Who says it, where several people speak: what they say of themselves is kept under their name.",
    )
    external_id = NameField(
        max_length=200, required=False, allow_null=True, default=None, help_text="Yours: sent again, it is stored once."
    )


class Messages(StrictSerializer):
    messages = serializers.ListField(child=Message(), allow_empty=False, max_length=MAX_MESSAGES)


class ExtractionQueued(StrictSerializer):
    queued = serializers.IntegerField(help_text="Texts whose facts will be found in the background.")


class MessagesStored(StrictSerializer):
    resource_ids = serializers.ListField(
        child=StrictUUIDField(),
        help_text="Of what is new, then of what was stored before; of what is blank or private, none.",
    )
    captured = CaptureCounts()
    extraction = ExtractionQueued()


class BadLineShown(StrictSerializer):
    line = serializers.IntegerField()
    reason = StrictCharField()


class StreamReport(CaptureCounts):
    lines = serializers.IntegerField()
    turns = serializers.ListField(child=serializers.IntegerField())
    errors = BadLineShown(many=True, help_text="The first 1,000.")  # type: ignore[assignment]  # as above
    error_count = serializers.IntegerField()


class EventShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    level = StrictCharField()
    service = StrictCharField(allow_null=True)
    message = StrictCharField()
    session_id = StrictUUIDField(source="session.uid", allow_null=True)
    turn_number = serializers.IntegerField(allow_null=True)
    memory_id = StrictUUIDField(source="memory_uid", allow_null=True)
    created_at = serializers.DateTimeField()


class ResourceShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    role = StrictCharField()
    name = StrictCharField(allow_null=True, help_text="Who said it, where that is not the user or the agent.")
    raw_content = StrictCharField()
    content_type = StrictCharField()
    content_at = serializers.DateTimeField()
    conversation = StrictUUIDField(source="session.uid", allow_null=True)
    turn_number = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()


def show_turn(turn: Turn) -> dict[str, Any]:
    return {"turn_number": turn.number, **turn.checkpoint(), "created_at": turn.created_at}


def show_resource(resource: Resource) -> dict[str, Any]:
    return ResourceShown.show(resource, name=resource.speaker or None)


def raw_text() -> RawCharField:
    return RawCharField(required=False, allow_null=True, allow_blank=True, trim_whitespace=False, default="")


class HookEvent(StrictSerializer):
    """What Claude Code says of an event, as far as we use it. It may say more, and with each version it does.

    What may be left out and is no text counts as left out: refusing the event would lose the rest of it, too.
    """

    hook_event_name = StrictCharField(max_length=100)
    session_id = NameField(max_length=200, help_text="Claude Code's own: our session has it as its external_id.")
    cwd = StrictCharField(required=False, allow_null=True, allow_blank=True, default="")
    prompt_id = NameField(required=False, allow_null=True, allow_blank=True, default="")
    prompt = raw_text()
    last_assistant_message = raw_text()
    source = StrictCharField(required=False, allow_null=True, allow_blank=True, default="")  # type: ignore[assignment]  # so named
    reason = StrictCharField(required=False, allow_null=True, allow_blank=True, default="")
    user_id = StrictCharField(
        max_length=200,
        required=False,
        allow_null=True,
        allow_blank=True,
        default="",
        help_text="Of a new session.",
    )
    client = StrictCharField(
        max_length=100, required=False, allow_null=True, allow_blank=True, default="", help_text="The program."
    )
    messages = serializers.ListField(
        child=Message(),
        required=False,
        max_length=MAX_MESSAGES,
        help_text="Of `memsite hook`: all that was said since its last call. Without it, prompt and answer are taken.",
    )

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            known = {name: self.fields[name] for name in data if name in self.fields}
            data = {
                name: data[name]
                for name, field in known.items()
                if isinstance(data[name], str) or field.required or not isinstance(field, StrictCharField)
            }
        return super().to_internal_value(data)


class HookOutput(StrictSerializer):
    hookEventName = StrictCharField()
    additionalContext = StrictCharField(help_text="To be put before the agent.")


class HookAnswer(StrictSerializer):
    hookSpecificOutput = HookOutput(required=False, help_text="Missing where there is nothing to say.")


def show_hook(event_name: str, text: str) -> dict[str, Any]:
    """As Claude Code reads it; nothing to say is an empty object."""
    return {"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": text}} if text else {}


class Answered(StrictSerializer):
    turn_number = StrictIntegerField(min_value=1, max_value=MAX_TURN)
    text = RawCharField(
        max_length=MAX_RESPONSE_CHARACTERS, allow_blank=True, trim_whitespace=False, help_text="What the agent said."
    )
    question = RawCharField(
        max_length=MAX_RESPONSE_CHARACTERS,
        allow_blank=True,
        trim_whitespace=False,
        required=False,
        default="",
        help_text="What it was asked; to say that again is no use of a memory. If not given, the stored turn's.",
    )


class JudgedShown(StrictSerializer):
    id = StrictUUIDField()
    word_share = StrictFloatField(help_text="Share of its telling words in the answer, 0 to 1.")
    similarity = StrictFloatField(
        allow_null=True, help_text="Highest cosine with a passage of it; null where not compared."
    )
    evidence = StrictCharField()


class FeedbackShown(StrictSerializer):
    used = JudgedShown(many=True)
    ignored = JudgedShown(many=True)


def show_feedback(feedback: Feedback) -> dict[str, Any]:
    return {
        name: [
            {
                "id": judged.memory.uid,
                "word_share": judged.verdict.word_share,
                "similarity": judged.verdict.similarity,
                "evidence": judged.verdict.evidence,
            }
            for judged in memories
        ]
        for name, memories in (("used", feedback.used), ("ignored", feedback.ignored))
    }

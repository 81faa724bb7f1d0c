"""Sessions, turns, events and resources on the wire."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.api.fields import (
    Id,
    JSONObject,
    JSONValue,
    Name,
    OneOf,
    RawObject,
    RawText,
    RawValue,
    SaidAt,
    Shape,
    Text,
    Whole,
    names,
    refuse_huge_integers,
    refuse_long,
)
from memories.api.shapes.memories import MemoryTagged
from memories.api.shapes.triggers import TriggerShown
from memories.text.clean import is_visible
from memsite.http.json_body import MAX_OBJECT_CHARACTERS
from sessions.models import SPEAKER_LENGTH, AgentSession, Event, Resource, Role, Turn

MAX_MESSAGES = 500
NO_CHECKPOINT = "A turn has something in it: user_input, tool_calls, llm_output or internal_state."


@extend_schema_field({"type": ["object", "string"], "additionalProperties": {}})
class Environment(JSONValue):
    """An object, or a text."""

    default_validators = [refuse_huge_integers, refuse_long]

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str):
            return {"text": data}
        if not isinstance(data, dict):
            raise serializers.ValidationError("An object or a text.")
        return data


class NewSession(Shape):
    external_id = Name(max_length=200, required=False, allow_null=True, help_text="Yours; opens the same one again.")
    tier = Whole(min_value=1, max_value=3, required=False, help_text="1 observe, 2 investigate, 3 remediate.")
    user_id = Name(max_length=200, required=False, allow_null=True)
    title = Text(max_length=500, required=False, allow_blank=True)
    environment = Environment(
        required=False, help_text=f"Where it is; {MAX_OBJECT_CHARACTERS:,} characters as JSON at most."
    )


class SessionShown(Shape):
    id = Id()
    external_id = Text(allow_null=True)
    agent = Text()
    title = Text()
    tier = serializers.IntegerField()
    user_id = Text(allow_null=True)
    environment = JSONObject()
    status = Text()
    end_reason = Text()
    started_at = serializers.DateTimeField()
    heartbeat_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class Greeting(Shape):
    text = Text(help_text="The block to put before the agent; empty when nothing is known.")
    tokens = serializers.IntegerField()
    memories = MemoryTagged(many=True)
    lessons = MemoryTagged(many=True)
    triggers = TriggerShown(many=True)


class SessionStarted(SessionShown):
    context = Greeting()  # type: ignore[assignment]  # a field of that name, not DRF's attribute
    jobs_run = serializers.ListField(child=Text())


class JobsRun(Shape):
    jobs_run = serializers.ListField(child=Text())


class EndOfSession(Shape):
    reason = Text(max_length=200, required=False, allow_blank=True, default="")


class SessionEnded(Shape):
    status = Text()
    pending = serializers.IntegerField(help_text="Texts whose facts, and memories whose vector, are still to come.")


class Checkpoint(Shape):
    user_input = RawText(required=False, default="", allow_blank=True, trim_whitespace=False)
    tool_calls = serializers.ListField(child=RawValue(allow_null=True), required=False, default=list)
    llm_output = RawText(required=False, default="", allow_blank=True, trim_whitespace=False)
    internal_state = RawObject(required=False, default=dict)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        says = any(is_visible(fields[name]) for name in ("user_input", "llm_output"))
        if not (says or fields["tool_calls"] or fields["internal_state"]):
            raise serializers.ValidationError(NO_CHECKPOINT)
        return fields


class CaptureCounts(Shape):
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


class ReplayShown(Shape):
    turn_number = serializers.IntegerField()
    state = serializers.JSONField()
    turns = TurnShown(many=True)


class Recovered(Shape):
    turn_number = serializers.IntegerField(help_text="0 when no turn is stored.")
    state = serializers.JSONField()
    checkpoint = TurnShown(allow_null=True)


class Message(Shape):
    role = OneOf(Role.choices)
    content = RawText(trim_whitespace=False)
    at = SaidAt(
        required=False, allow_null=True, default=None,
        help_text="When it was said, with the offset of the clock there; the app's time zone counts for Z and +00:00.",
    )  # fmt: skip
    name = Text(
        max_length=SPEAKER_LENGTH, required=False, allow_null=True, allow_blank=True, default=None,
        help_text="Who says it, where several people speak: what they say of themselves is kept under their name.",
    )  # fmt: skip
    external_id = Name(
        max_length=200, required=False, allow_null=True, default=None, help_text="Yours: sent again, it is stored once."
    )


class Messages(Shape):
    messages = serializers.ListField(child=Message(), allow_empty=False, max_length=MAX_MESSAGES)


class ExtractionQueued(Shape):
    queued = serializers.IntegerField(help_text="Texts whose facts will be found in the background.")


class MessagesStored(Shape):
    resource_ids = serializers.ListField(
        child=Id(), help_text="Of what is new, then of what was stored before; of what is blank or private, none."
    )
    captured = CaptureCounts()
    extraction = ExtractionQueued()


class BadLineShown(Shape):
    line = serializers.IntegerField()
    reason = Text()


class StreamReport(CaptureCounts):
    lines = serializers.IntegerField()
    turns = serializers.ListField(child=serializers.IntegerField())
    errors = BadLineShown(many=True, help_text="The first 1,000.")  # type: ignore[assignment]  # as above
    error_count = serializers.IntegerField()


class EventShown(Shape):
    id = Id()
    level = Text()
    service = Text(allow_null=True)
    message = Text()
    session_id = Id(allow_null=True)
    turn_number = serializers.IntegerField(allow_null=True)
    memory_id = Id(allow_null=True)
    created_at = serializers.DateTimeField()


class ResourceShown(Shape):
    id = Id()
    role = Text()
    name = Text(allow_null=True, help_text="Who said it, where that is not the user or the agent.")
    raw_content = Text()
    content_type = Text()
    content_at = serializers.DateTimeField()
    conversation = Id(allow_null=True)
    turn_number = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()


OWN = names(SessionShown, without=("id", "agent"))


def show_session(session: AgentSession) -> dict[str, Any]:
    """Reads the session's agent: select it for lists."""
    return {"id": session.uid, "agent": session.agent.name, **{name: getattr(session, name) for name in OWN}}


def show_turn(turn: Turn) -> dict[str, Any]:
    return {"turn_number": turn.number, **turn.checkpoint(), "created_at": turn.created_at}


def show_event(event: Event) -> dict[str, Any]:
    return {
        "id": event.uid,
        "level": event.level,
        "service": event.service,
        "message": event.message,
        "session_id": event.session.uid if event.session else None,
        "turn_number": event.turn_number,
        "memory_id": event.memory_uid,
        "created_at": event.created_at,
    }


def show_resource(resource: Resource) -> dict[str, Any]:
    return {
        "id": resource.uid,
        "role": resource.role,
        "name": resource.speaker or None,
        "raw_content": resource.raw_content,
        "content_type": resource.content_type,
        "content_at": resource.content_at,
        "conversation": resource.session.uid if resource.session else None,
        "turn_number": resource.turn_number,
        "created_at": resource.created_at,
    }

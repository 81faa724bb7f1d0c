"""Extractions, rejections, lessons and entities on the wire."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memories.agent.learning import Preview
from memories.api.fields import Id, Name, Shape, Text, names
from memories.api.shapes.sessions import MAX_MESSAGES, Message
from memories.capture.quarantine import Refusal
from memories.capture.related_memories import RelatedMemory
from memories.models import Entity, Extraction, Rejection
from memories.store import Candidate


class ExtractionShown(Shape):
    id = Id()
    what = Text(help_text="facts of one text, or the digest of a session")
    status = Text(help_text="pending, running, done, failed (will be tried again) or dead (given up)")
    session_id = Id()
    resource_id = Id(allow_null=True)
    attempts = serializers.IntegerField()
    next_at = serializers.DateTimeField(help_text="Not tried before this time.")
    reason = Text(help_text="Why it failed, or waits.")
    made_by = Text(help_text="The model that answered, such as openai:gpt-x, or rules.")
    stored = serializers.IntegerField()
    reinforced = serializers.IntegerField()
    rejected = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class PreviewQuestion(Shape):
    messages = serializers.ListField(child=Message(), allow_empty=False, max_length=MAX_MESSAGES)
    user_id = Name(max_length=200, required=False, allow_null=True, default=None)


class RelationShown(Shape):
    memory_id = Id()
    content = Text()
    relation = Text(help_text="same, contradicts, supersedes or elaborates")
    reason = Text()


class FactShown(Shape):
    content = Text()
    kind = Text()
    category = Text()
    subject = Text(allow_null=True)
    tags = serializers.ListField(child=Text())
    importance = serializers.IntegerField()
    confidence = serializers.FloatField()
    strength = Text()
    sentiment = Text()
    made_by = Text()
    message = serializers.IntegerField(help_text="The place in `messages` where it was said.")
    relations = RelationShown(many=True)


class RefusalShown(Shape):
    content = Text()
    category = Text()
    kind = Text(help_text="marker, fact, conflict, quarantine or approval")
    reason = Text()
    scores = serializers.DictField(child=serializers.FloatField())


class PreviewAnswer(Shape):
    facts = FactShown(many=True)
    rejections = RefusalShown(many=True)
    made_by = Text()


class RejectionShown(Shape):
    id = Id()
    kind = Text(help_text="marker, fact, conflict, quarantine or approval")
    category = Text()
    content = Text()
    reason = Text()
    scores = serializers.DictField(child=serializers.FloatField(), allow_null=True)
    decision = Text(help_text="open, overruled or confirmed")
    decided_by = Text()
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_reason = Text()
    origin = Text(allow_null=True, help_text="Who said it.")
    agent = Text(allow_null=True)
    edits_id = Id(allow_null=True, help_text="The memory that it would have changed.")
    memory_id = Id(allow_null=True, help_text="What it became when it was overruled.")
    session_id = Id(allow_null=True)
    resource_id = Id(allow_null=True)
    turn_number = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()


class EntityShown(Shape):
    id = Id()
    name = Text()
    kind = Text()
    memories = serializers.IntegerField(help_text="Memories that mention it, as far as the caller may see them.")
    created_at = serializers.DateTimeField()


EXTRACTION = names(ExtractionShown, without=("id", "session_id", "resource_id"))
REJECTION = names(
    RejectionShown, without=("id", "origin", "agent", "edits_id", "memory_id", "session_id", "resource_id")
)
FACT = names(FactShown, without=("message", "relations"))


def show_extraction(row: Extraction) -> dict[str, Any]:
    """Reads session and resource: select them for lists."""
    return {
        "id": row.uid,
        **{name: getattr(row, name) for name in EXTRACTION},
        "session_id": row.session.uid,
        "resource_id": row.resource.uid if row.resource else None,
    }


def show_rejection(row: Rejection) -> dict[str, Any]:
    """Reads memories, session, agent and resource: select them for lists."""
    return {
        "id": row.uid,
        **{name: getattr(row, name) for name in REJECTION},
        "origin": (row.candidate or {}).get("origin"),
        "agent": row.agent.name if row.agent else None,
        "edits_id": row.edits.uid if row.edits else None,
        "memory_id": row.memory.uid if row.memory else None,
        "session_id": row.session.uid if row.session else None,
        "resource_id": row.resource.uid if row.resource else None,
    }


def show_entity(row: Entity) -> dict[str, Any]:
    """Of rows annotated with `seen`."""
    return {"id": row.uid, "name": row.name, "kind": row.kind, "memories": row.seen, "created_at": row.created_at}  # type: ignore[attr-defined]


def show_preview(preview: Preview) -> dict[str, Any]:
    return {
        "facts": [show_fact(candidate, known, place) for candidate, known, place in preview.facts],
        "rejections": [show_refusal(refusal) for refusal in preview.refusals],
        "made_by": preview.made_by,
    }


def show_fact(candidate: Candidate, known: list[RelatedMemory], place: int) -> dict[str, Any]:
    relations = [
        {
            "memory_id": item.memory.uid,
            "content": item.memory.content,
            "relation": str(item.verdict.relation),
            "reason": item.verdict.reason,
        }
        for item in known
    ]
    return {**{name: getattr(candidate, name) for name in FACT}, "message": place, "relations": relations}


def show_refusal(refusal: Refusal) -> dict[str, Any]:
    return {name: getattr(refusal, name) for name in names(RefusalShown)}

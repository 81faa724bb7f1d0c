"""Serializers of extractions, rejections, entities, category summaries, review and rollbacks."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memories.api.fields import (
    NameField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictSerializer,
    StrictUUIDField,
)
from memories.api.serializers.memories import MAX_BATCH
from memories.api.serializers.sessions import MAX_MESSAGES, Message
from memories.capture.related_memories import RelatedMemory
from memories.models import Rejection, RollbackStatus, RollbackWhat, Summary
from memories.services import RollbackPreview
from memories.services.recall import Category, Preview
from memories.store import Candidate

MOST_DECIDED = 100


class ExtractionShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    what = StrictCharField(help_text="facts of one text, or the digest of a session")
    status = StrictCharField(help_text="pending, running, done, failed (will be tried again) or dead (given up)")
    session_id = StrictUUIDField(source="session.uid")
    resource_id = StrictUUIDField(source="resource.uid", allow_null=True)
    attempts = serializers.IntegerField()
    next_at = serializers.DateTimeField(help_text="Not tried before this time.")
    reason = StrictCharField(help_text="Why it failed, or waits.")
    made_by = StrictCharField(help_text="The model that answered, such as openai:gpt-x, or rules.")
    stored = serializers.IntegerField()
    reinforced = serializers.IntegerField()
    rejected = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class PreviewQuestion(StrictSerializer):
    messages = serializers.ListField(child=Message(), allow_empty=False, max_length=MAX_MESSAGES)
    user_id = NameField(max_length=200, required=False, refuses_empty=True, allow_null=True, default=None)


class RelationShown(StrictSerializer):
    memory_id = StrictUUIDField(source="memory.uid")
    content = StrictCharField(source="memory.content")
    relation = StrictCharField(help_text="same, contradicts, supersedes or elaborates")
    reason = StrictCharField(source="verdict.reason")


class FactShown(StrictSerializer):
    content = StrictCharField()
    kind = StrictCharField()
    category = StrictCharField()
    subject = StrictCharField(allow_null=True)
    tags = serializers.ListField(child=StrictCharField())
    importance = serializers.IntegerField()
    confidence = serializers.FloatField()
    strength = StrictCharField()
    sentiment = StrictCharField()
    made_by = StrictCharField()
    message = serializers.IntegerField(help_text="The place in `messages` where it was said.")
    relations = RelationShown(many=True)


class RefusalShown(StrictSerializer):
    content = StrictCharField()
    category = StrictCharField()
    kind = StrictCharField(help_text="marker, fact, conflict, quarantine or approval")
    reason = StrictCharField()
    scores = serializers.DictField(child=serializers.FloatField())


class PreviewAnswer(StrictSerializer):
    facts = FactShown(many=True)
    rejections = RefusalShown(many=True)
    made_by = StrictCharField()


class RejectionShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    kind = StrictCharField(help_text="marker, fact, conflict, quarantine or approval")
    category = StrictCharField()
    content = StrictCharField()
    reason = StrictCharField()
    scores = serializers.DictField(child=serializers.FloatField(), allow_null=True)
    decision = StrictCharField(help_text="open, overruled or confirmed")
    decided_by = StrictCharField()
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_reason = StrictCharField()
    origin = StrictCharField(allow_null=True, help_text="Who said it.")
    agent = StrictCharField(source="agent.name", allow_null=True)
    edits_id = StrictUUIDField(source="edits.uid", allow_null=True, help_text="The memory that it would have changed.")
    memory_id = StrictUUIDField(source="memory.uid", allow_null=True, help_text="What it became when it was overruled.")
    session_id = StrictUUIDField(source="session.uid", allow_null=True)
    resource_id = StrictUUIDField(source="resource.uid", allow_null=True)
    turn_number = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()


class EntityShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    name = StrictCharField()
    kind = StrictCharField()
    memories = serializers.IntegerField(
        source="seen", help_text="Memories that mention it, as far as the caller may see them."
    )
    created_at = serializers.DateTimeField()


def show_rejection(row: Rejection) -> dict[str, Any]:
    """Show a rejection. Reads memories, session, agent and resource: select them for lists."""
    return RejectionShown.show(row, origin=(row.candidate or {}).get("origin"))


def show_preview(preview: Preview) -> dict[str, Any]:
    return {
        "facts": [show_fact(candidate, known, place) for candidate, known, place in preview.facts],
        "rejections": [RefusalShown.show(refusal) for refusal in preview.refusals],
        "made_by": preview.made_by,
    }


def show_fact(candidate: Candidate, known: list[RelatedMemory], place: int) -> dict[str, Any]:
    relations = [RelationShown.show(item, relation=str(item.verdict.relation)) for item in known]
    return FactShown.show(candidate, message=place, relations=relations)


class CategoryShown(StrictSerializer):
    category = StrictCharField(source="name")
    memories = serializers.IntegerField(help_text="Active ones that this agent may see.")
    has_summary = StrictBooleanField(
        help_text="Whether one is stored. One that is not is written by rule when it is asked for."
    )
    version = serializers.IntegerField(source="summary.version", allow_null=True)
    updated_at = serializers.DateTimeField(
        source="summary.created_at", allow_null=True, help_text="When the summary was written."
    )
    made_by = StrictCharField(
        source="summary.made_by", allow_null=True, help_text="The model that wrote it, such as openai:gpt-x, or rules."
    )


class VersionShown(StrictSerializer):
    category = StrictCharField()
    version = serializers.IntegerField()
    made_by = StrictCharField(help_text="The model that wrote it, such as openai:gpt-x, or rules.")
    memory_count = serializers.IntegerField(help_text="Memories that it was written from.")
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True, help_text="When a newer version took its place.")


class SummaryVersionShown(VersionShown):
    content = StrictCharField(help_text="Markdown.")


class SummaryShown(StrictSerializer):
    category = StrictCharField()
    version = serializers.IntegerField(allow_null=True)
    content = StrictCharField(help_text="Markdown.")
    made_by = StrictCharField(help_text="The model that wrote it, such as openai:gpt-x, or rules.")
    memory_count = serializers.IntegerField(help_text="Memories that it was written from.")
    created_at = serializers.DateTimeField()
    stored = StrictBooleanField(help_text="False: written by rule for this answer, and without a version.")


class RewriteAsked(StrictSerializer):
    category = StrictCharField()
    due = StrictBooleanField()


def show_category(known: Category) -> dict[str, Any]:
    return CategoryShown.show(known, has_summary=known.summary is not None)


def show_summary(summary: Summary) -> dict[str, Any]:
    is_stored = summary.pk is not None
    return SummaryShown.show(summary, version=summary.version if is_stored else None, stored=is_stored)


assert MOST_DECIDED <= MAX_BATCH


class Decisions(StrictSerializer):
    action = StrictChoiceField([("approve", "store them"), ("reject", "leave them out")])
    ids = serializers.ListField(
        child=StrictUUIDField(), allow_empty=False, max_length=MOST_DECIDED, help_text="Of rejections."
    )
    reason = StrictCharField(
        max_length=500, required=False, default="", allow_blank=True, help_text="Why they are rejected."
    )


class Decided(StrictSerializer):
    decided = serializers.IntegerField()
    left = serializers.DictField(child=serializers.IntegerField(), help_text="How many were left as they are, by why.")


class NewRollback(StrictSerializer):
    what = StrictChoiceField(RollbackWhat.choices)
    # A field of that name, not DRF's attribute.
    source = NameField(max_length=200, help_text="An id or a name, as `what` says.")  # type: ignore[assignment]
    since = serializers.DateTimeField(required=False, allow_null=True, default=None, help_text="Only from then on.")
    reason = StrictCharField(max_length=400, required=False, default="", allow_blank=True)
    dry_run = StrictBooleanField(default=False, help_text="Only says what would be taken back.")


class SampleShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    content = StrictCharField(source="text")


class RollbackForeseen(StrictSerializer):
    memories = serializers.IntegerField()
    sessions = serializers.IntegerField()
    changes = serializers.IntegerField(help_text="Of other memories, which would be undone; counted up to 200.")
    samples = SampleShown(many=True, help_text="The latest.")


class RollbackShown(StrictSerializer):
    id = StrictUUIDField(source="uid")
    what = StrictChoiceField(RollbackWhat.choices)
    source = StrictCharField()  # type: ignore[assignment]  # as above
    since = serializers.DateTimeField(allow_null=True)
    reason = StrictCharField()
    status = StrictChoiceField(RollbackStatus.choices)
    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="Memories `withdrawn`, changes of others `undone`, so far."
    )
    asked_by = StrictCharField()
    asked_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


def show_foreseen(preview: RollbackPreview) -> dict[str, Any]:
    return RollbackForeseen.show(preview, samples=[SampleShown.show(memory) for memory in preview.samples])

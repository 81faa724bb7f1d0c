"""Categories and their summaries on the wire."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memories.agent.summaries import Category
from memories.api.fields import Flag, Shape, Text
from memories.models import Summary


class CategoryShown(Shape):
    category = Text()
    memories = serializers.IntegerField(help_text="Active ones that this agent may see.")
    has_summary = Flag(help_text="Whether one is stored. One that is not is written by rule when it is asked for.")
    version = serializers.IntegerField(allow_null=True)
    updated_at = serializers.DateTimeField(allow_null=True, help_text="When the summary was written.")
    made_by = Text(allow_null=True, help_text="The model that wrote it, such as openai:gpt-x, or rules.")


class VersionShown(Shape):
    category = Text()
    version = serializers.IntegerField()
    made_by = Text(help_text="The model that wrote it, such as openai:gpt-x, or rules.")
    memory_count = serializers.IntegerField(help_text="Memories that it was written from.")
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True, help_text="When a newer version took its place.")


class SummaryVersionShown(VersionShown):
    content = Text(help_text="Markdown.")


class SummaryShown(Shape):
    category = Text()
    version = serializers.IntegerField(allow_null=True)
    content = Text(help_text="Markdown.")
    made_by = Text(help_text="The model that wrote it, such as openai:gpt-x, or rules.")
    memory_count = serializers.IntegerField(help_text="Memories that it was written from.")
    created_at = serializers.DateTimeField()
    stored = Flag(help_text="False: written by rule for this answer, and without a version.")


class RewriteAsked(Shape):
    category = Text()
    due = Flag()


def show_category(known: Category) -> dict[str, Any]:
    summary = known.summary
    return {
        "category": known.name,
        "memories": known.memories,
        "has_summary": summary is not None,
        "version": summary.version if summary else None,
        "updated_at": summary.created_at if summary else None,
        "made_by": summary.made_by if summary else None,
    }


def show_summary(summary: Summary) -> dict[str, Any]:
    is_stored = summary.pk is not None
    return {
        "category": summary.category,
        "version": summary.version if is_stored else None,
        "content": summary.content,
        "made_by": summary.made_by,
        "memory_count": summary.memory_count,
        "created_at": summary.created_at,
        "stored": is_stored,
    }


def show_version(summary: Summary) -> dict[str, Any]:
    return {
        "category": summary.category,
        "version": summary.version,
        "made_by": summary.made_by,
        "memory_count": summary.memory_count,
        "created_at": summary.created_at,
        "archived_at": summary.archived_at,
    }


def show_version_whole(summary: Summary) -> dict[str, Any]:
    return {**show_version(summary), "content": summary.content}

"""Imports on the wire."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memories.api.fields import OneOf, Shape, Text, Whole, names
from memories.models import Import, ImportStatus

COUNTS = "By type: what is new, what was known already, what was left out; and how much of it was changed."


class Counted(Shape):
    new = Whole()
    known = Whole()
    left_out = Whole(help_text="It does not fit into this app, or waits for a person.")
    redacted = Whole(help_text="A secret was taken out of it.")
    untrusted = Whole(help_text="The file is not signed by this server: who said or reviewed it is not believed.")
    withheld = Whole(help_text="Of what was left out: a person has to decide about it, or agents may not read it.")


class ImportShown(Shape):
    id = serializers.UUIDField()
    source = Text()  # type: ignore[assignment]  # a field of that name
    agent = Text(help_text="Whose conversations they become; empty for an app's own export.")
    user_id = Text(allow_null=True)
    status = OneOf(ImportStatus.choices)
    lines = Whole()
    done = Whole(help_text="Lines that were taken in so far.")
    counts = serializers.DictField(child=Counted(), help_text=COUNTS)
    reason = Text(help_text="Why it failed or was stopped.")
    asked_by = Text()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class SurveyShown(Shape):
    counts = serializers.DictField(child=Counted(), help_text=COUNTS)


SHOWN = (
    "source", "agent", "user_id", "status", "lines", "done", "reason", "asked_by", "created_at", "finished_at",
)  # fmt: skip


def show_import(row: Import) -> dict[str, Any]:
    return {"id": row.uid, **{name: getattr(row, name) for name in SHOWN}, "counts": show_counts(row.counts)}


def show_counts(counts: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    return {name: {field: count.get(field, 0) for field in names(Counted)} for name, count in counts.items()}

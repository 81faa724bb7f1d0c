"""The review queue on the wire: what waits for a person, and what is decided about it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memories.agent import Foreseen
from memories.api.fields import Flag, Id, Name, OneOf, Shape, Text, names
from memories.api.shapes.memories import MAX_BATCH
from memories.models import Rollback, RollbackStatus, RollbackWhat

MOST_DECIDED = 100
assert MOST_DECIDED <= MAX_BATCH


class Decisions(Shape):
    action = OneOf([("approve", "store them"), ("reject", "leave them out")])
    ids = serializers.ListField(child=Id(), allow_empty=False, max_length=MOST_DECIDED, help_text="Of rejections.")
    reason = Text(max_length=500, required=False, default="", allow_blank=True, help_text="Why they are rejected.")


class Decided(Shape):
    decided = serializers.IntegerField()
    left = serializers.DictField(child=serializers.IntegerField(), help_text="How many were left as they are, by why.")


class NewRollback(Shape):
    what = OneOf(RollbackWhat.choices)
    # A field of that name, not DRF's attribute.
    source = Name(max_length=200, help_text="An id or a name, as `what` says.")  # type: ignore[assignment]
    since = serializers.DateTimeField(required=False, allow_null=True, default=None, help_text="Only from then on.")
    reason = Text(max_length=400, required=False, default="", allow_blank=True)
    dry_run = Flag(default=False, help_text="Only says what would be taken back.")


class SampleShown(Shape):
    id = Id()
    content = Text()


class RollbackForeseen(Shape):
    memories = serializers.IntegerField()
    sessions = serializers.IntegerField()
    changes = serializers.IntegerField(help_text="Of other memories, which would be undone; counted up to 200.")
    samples = SampleShown(many=True, help_text="The latest.")


class RollbackShown(Shape):
    id = Id()
    what = OneOf(RollbackWhat.choices)
    source = Text()  # type: ignore[assignment]  # as above
    since = serializers.DateTimeField(allow_null=True)
    reason = Text()
    status = OneOf(RollbackStatus.choices)
    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="Memories `withdrawn`, changes of others `undone`, so far."
    )
    asked_by = Text()
    asked_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


ROLLBACK = names(RollbackShown, without=("id",))


def show_rollback(row: Rollback) -> dict[str, Any]:
    return {"id": row.uid, **{name: getattr(row, name) for name in ROLLBACK}}


def show_foreseen(told: Foreseen) -> dict[str, Any]:
    samples = [{"id": memory.uid, "content": memory.text} for memory in told.samples]
    return {"memories": told.memories, "sessions": told.sessions, "changes": told.changes, "samples": samples}

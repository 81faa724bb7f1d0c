"""The review queue on the wire: what waits for a person, and what is decided about it."""

from __future__ import annotations

from rest_framework import serializers

from memories.api.fields import Id, Shape, Text
from memories.api.shapes.memories import MAX_BATCH

MOST_DECIDED = 100
assert MOST_DECIDED <= MAX_BATCH


class Decisions(Shape):
    action = serializers.ChoiceField([("approve", "store them"), ("reject", "leave them out")])
    ids = serializers.ListField(child=Id(), allow_empty=False, max_length=MOST_DECIDED, help_text="Of rejections.")
    reason = Text(max_length=500, required=False, default="", allow_blank=True, help_text="Why they are rejected.")


class Decided(Shape):
    decided = serializers.IntegerField()
    left = serializers.DictField(child=serializers.IntegerField(), help_text="How many were left as they are, by why.")

"""Changes on the wire."""

from __future__ import annotations

from typing import Any

from memories.agent import Change
from memories.api.fields import Shape, Text, Whole
from memories.api.shapes.memories import MemoryShown, show_memory


class ChangeShown(Shape):
    type = Text(help_text="memory.changed or memory.deleted.")
    memory_id = Text()
    memory = MemoryShown(allow_null=True, help_text="As it is by now; null for one that is deleted.")


class ChangesShown(Shape):
    results = ChangeShown(many=True)
    last = Whole(help_text="Where to go on: the next `since`.")


def show_change(change: Change) -> dict[str, Any]:
    shown = show_memory(change.memory) if change.memory else None
    return {"type": change.kind, "memory_id": str(change.uid), "memory": shown}

"""Claude Code's hooks on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memories.api.fields import Name, RawText, Shape, Text
from memories.api.shapes.sessions import MAX_MESSAGES, Message


def said() -> RawText:
    return RawText(required=False, allow_null=True, allow_blank=True, trim_whitespace=False, default="")


class HookEvent(Shape):
    """What Claude Code says of an event, as far as we use it. It may say more, and with each version it does.

    What may be left out and is no text counts as left out: refusing the event would lose the rest of it, too.
    """

    hook_event_name = Text(max_length=100)
    session_id = Name(max_length=200, help_text="Claude Code's own: our session has it as its external_id.")
    cwd = Text(required=False, allow_null=True, allow_blank=True, default="")
    prompt_id = Name(required=False, allow_null=True, allow_blank=True, default="")
    prompt = said()
    last_assistant_message = said()
    source = Text(required=False, allow_null=True, allow_blank=True, default="")  # type: ignore[assignment]  # so named
    reason = Text(required=False, allow_null=True, allow_blank=True, default="")
    messages = serializers.ListField(
        child=Message(), required=False, max_length=MAX_MESSAGES,
        help_text="Of `memsite hook`: all that was said since its last call. Without it, prompt and answer are taken.",
    )  # fmt: skip

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            known = {name: self.fields[name] for name in data if name in self.fields}
            data = {name: data[name] for name, field in known.items() if is_meant(field, data[name])}
        return super().to_internal_value(data)


def is_meant(field: Any, value: Any) -> bool:
    return isinstance(value, str) or field.required or not isinstance(field, Text)


class HookOutput(Shape):
    hookEventName = Text()
    additionalContext = Text(help_text="To be put before the agent.")


class HookAnswer(Shape):
    hookSpecificOutput = HookOutput(required=False, help_text="Missing where there is nothing to say.")


def show_hook(event_name: str, text: str) -> dict[str, Any]:
    """As Claude Code reads it; nothing to say is an empty object."""
    return {"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": text}} if text else {}

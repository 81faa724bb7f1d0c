"""The door of the memory tool: one command in, what to tell the model out."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView
from memories.api.fields import Flag, Name, OneOf, Shape, Text, Whole
from memories.api.schema import operation
from memories.compat.memory_tool.commands import COMMANDS, carry_out
from memories.compat.memory_tool.files import MOST_CHARACTERS, Files
from memories.compat.memory_tool.paths import Refused
from memsite.http.problems import explain
from memsite.tenancy.models import Scope

LONGEST_PATH = 2_000
NEEDS = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}


class Verbatim(Text):
    """Any text, its white space and all."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, allow_blank=True, required=False, **options)


class Path(Verbatim, Name):
    pass


class Command(Shape):
    """The input of the tool as the model wrote it."""

    command = OneOf(list(COMMANDS))
    path = Path(max_length=LONGEST_PATH)
    view_range = serializers.ListField(
        child=Whole(), min_length=2, max_length=2, required=False, allow_null=True, help_text="First and last line."
    )
    file_text = Verbatim(max_length=MOST_CHARACTERS)
    old_str = Verbatim(max_length=MOST_CHARACTERS)
    new_str = Verbatim(max_length=MOST_CHARACTERS, default="")
    insert_line = Whole(required=False)
    insert_text = Verbatim(max_length=MOST_CHARACTERS)
    old_path = Path(max_length=LONGEST_PATH)
    new_path = Path(max_length=LONGEST_PATH)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        missing = [name for name in NEEDS[fields["command"]] if name not in fields]
        if missing:
            raise ValidationError({name: [f"{fields['command']} needs it."] for name in missing})
        return fields


class ToolResult(Shape):
    content = Text(help_text="What to tell the model, word for word.")
    is_error = Flag(help_text="As the block `tool_result` has it.")


class MemoryTool(AgentView):
    scope = "read"

    @operation(
        request=Command,
        responses=ToolResult,
        parameters=[OpenApiParameter("user_id", str, description="The end user whose files they are.")],
        operation_id="run_memory_command",
    )
    def post(self, request: Request) -> Response:
        """A command of Anthropic's memory tool on this agent's files. What cannot be done, or is none, is told: 200."""
        try:
            command = self.read(Command)
        except ValidationError as error:
            return refused(explain(error)[0])
        if command["command"] != "view":
            self.require(Scope.WRITE)
            self.count_writes(1)
        files = Files(self.memory_agent(), request.query_params.get("user_id") or None)
        try:
            return Response({"content": carry_out(files, command), "is_error": False})
        except Refused as refusal:
            return refused(str(refusal))


def refused(reason: str) -> Response:
    """The model wrote it, and can mend it."""
    return Response({"content": reason, "is_error": True})

"""Anthropic's memory tool: its six commands on files, each of them a memory, and its endpoint."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import AgentView, check_scope, count_writes
from memories.api.fields import (
    NameField,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
    validated,
)
from memories.api.schema import operation
from memories.api.scope_names import USER, meaning_of, scope_names_in
from memories.compat import create_with_external_id, external_id, find_by_external_id
from memories.language.secrets import without_secrets
from memories.models import GENERAL, Kind, Memory, Visibility
from memories.services import MemoryAgent, Withheld
from memories.store import Candidate
from memsite.http.problems import explain
from memsite.tenancy.models import Scope

ROOT = "/memories"
MAX_PATH_CHARACTERS = 1_000
MOST_LINES = 999_999
NUMBER_WIDTH = 6
LEVELS = 2
AROUND = 2
"""Lines shown before and after the one that was changed."""
UNITS = "BKMG"
KIND = "file"
MAX_FILE_CHARACTERS = 200_000
MOST_IN_SUBJECT = 200
LONGEST_PATH = 2_000
NEEDS = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}


class Refused(Exception):
    """The command is not carried out; the text tells the model why."""


def place_of(path: str) -> str:
    """Return the path in its plain form: no slash at its end, no `.`, no `..`."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise Refused(f"Path must start with {ROOT}, got: {path}")
    plain = posixpath.normpath(path)
    if not is_inside(plain) or not is_inside(posixpath.normpath(unquote(path).replace("\\", "/"))):
        raise Refused(f"Path {path} would escape {ROOT} directory")
    if len(plain) > MAX_PATH_CHARACTERS or not plain.isprintable():
        raise Refused(f"Path must have at most {MAX_PATH_CHARACTERS:,} characters, and none that cannot be seen")
    return plain


def is_inside(plain: str) -> bool:
    return plain == ROOT or plain.startswith(f"{ROOT}/")


def is_below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")


def entries(sizes: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return `/name` of each file and `/name/` of each folder, with its bytes. `sizes` by what follows the folder."""
    totals: dict[str, int] = {}
    for rest, size in sizes.items():
        names = rest.strip("/").split("/")
        for level in range(1, min(LEVELS, len(names)) + 1):
            if any(name.startswith(".") for name in names[:level]):
                break
            entry = "/" + "/".join(names[:level]) + ("/" if level < len(names) else "")
            totals[entry] = totals.get(entry, 0) + size
    return sorted(totals.items(), key=lambda entry: entry[0].split("/"))


def show_size(size_bytes: int) -> str:
    unit = min(max(size_bytes.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    size = size_bytes / 1024**unit
    return f"{size:.0f}{UNITS[unit]}" if size == int(size) else f"{size:.1f}{UNITS[unit]}"


def numbered(lines: Sequence[str], first: int) -> Iterator[str]:
    return (f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def replaced(path: str, text: str, old: str, new: str) -> tuple[str, str]:
    """Return the text with the one `old` replaced, and what to answer."""
    count = text.count(old) if old else 0
    if not count:
        raise Refused(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    places = [text.count("\n", 0, position) + 1 for position in positions(text, old)]
    if count > 1:
        where = ", ".join(map(str, places))
        raise Refused(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {where}. "
            "Please ensure it is unique"
        )
    changed = text.replace(old, new, 1)
    lines, index = changed.split("\n"), places[0] - 1
    start = max(0, index - AROUND)
    snippet = "\n".join(numbered(lines[start : index + AROUND + 1], start + 1))
    message = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return changed, f"{message}\n{snippet}"


def positions(text: str, part: str) -> Iterator[int]:
    """Yield the place of each, also of those that overlap."""
    position = text.find(part)
    while position != -1:
        yield position
        position = text.find(part, position + 1)


def inserted(text: str, line: int, new: str) -> str:
    """Return the text with `new` after this line; 0 is before the first."""
    lines = text.removesuffix("\n").split("\n") if text else []
    if not 0 <= line <= len(lines):
        raise Refused(f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}].")
    lines.insert(line, new.rstrip("\n"))
    return "\n".join(lines).removesuffix("\n") + "\n"


class Files:
    """Of one agent, and of one of its end users or of nobody in particular. Each command answers what it has done."""

    def __init__(self, agent: MemoryAgent, user_id: str | None) -> None:
        self.agent, self.user_id = agent, user_id
        rows = find_by_external_id(agent, KIND, user_id).filter(agent=agent.agent, user_id=user_id)
        self.rows: dict[str, Memory] = {row.metadata["file"]["path"]: row for row in rows}

    # --- the commands

    def view(self, command: Mapping[str, Any]) -> str:
        """Return two levels of what is in a folder, or a file's numbered lines, all or those of `view_range`."""
        path = place_of(command["path"])
        if self.is_folder(path):
            folder = path.rstrip("/")
            sizes = {
                other[len(path) :]: len(text_of(row).encode())
                for other, row in self.rows.items()
                if is_below(other, path)
            }
            header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
            listing = [f"{show_size(sum(sizes.values()))}\t{folder}"]
            listing += [f"{show_size(size)}\t{folder}{rest}" for rest, size in entries(sizes)]
            return "\n".join([header, *listing])
        lines = text_of(self.file(path)).split("\n")
        if len(lines) > MOST_LINES:
            raise Refused(f"File {path} exceeds maximum line limit of 999,999 lines.")
        # -1 is the last line.
        first, last = command.get("view_range") or (1, -1)
        start = max(1, first) - 1
        listing = lines[start : len(lines) if last == -1 else max(last, 0)]
        return f"Here's the content of {path} with line numbers:\n" + "\n".join(numbered(listing, start + 1))

    def create(self, command: Mapping[str, Any]) -> str:
        path = place_of(command["path"])
        if path in self.rows or self.is_folder(path):
            raise Refused(f"File {path} already exists")
        self.check_folders(path)
        candidate = Candidate(
            **self.fields(path, command["file_text"]),
            kind=Kind.GENERAL,
            category=GENERAL,
            pinned=True,
            visibility=Visibility.AGENT,
            agent=self.agent.agent,
            user_id=self.user_id,
        )
        if withheld := create_with_external_id(self.agent, KIND, [candidate]):
            reasons = ", ".join(withheld.values())
            raise Refused(f"The file {path} was not created, a person has to decide about it: {reasons}")
        return f"File created successfully at: {path}"

    def str_replace(self, command: Mapping[str, Any]) -> str:
        path = place_of(command["path"])
        row = self.file(path)
        text, answer = replaced(path, text_of(row), command["old_str"], command["new_str"])
        self.edit(row, self.fields(path, text), "edited as a file")
        return answer

    def insert(self, command: Mapping[str, Any]) -> str:
        path = place_of(command["path"])
        row = self.file(path)
        text = inserted(text_of(row), command["insert_line"], command["insert_text"])
        self.edit(row, self.fields(path, text), "edited as a file")
        return f"The file {path} has been edited."

    def delete(self, command: Mapping[str, Any]) -> str:
        path = place_of(command["path"])
        if path == ROOT:
            raise Refused(f"Cannot delete the {ROOT} directory itself")
        self.agent.forget(list(self.with_below(path).values()))
        return f"Successfully deleted {path}"

    def rename(self, command: Mapping[str, Any]) -> str:
        old, new = place_of(command["old_path"]), place_of(command["new_path"])
        if new in self.rows or self.is_folder(new):
            raise Refused(f"The destination {new} already exists")
        if old == ROOT or is_below(new, old):
            raise Refused(f"The path {old} cannot be moved into itself")
        self.check_folders(new)
        for path, row in self.with_below(old).items():
            self.edit(row, self.fields(new + path[len(old) :], text_of(row)), "renamed as a file")
        return f"Successfully renamed {old} to {new}"

    # --- what they share

    def is_folder(self, path: str) -> bool:
        return path == ROOT or any(is_below(other, path) for other in self.rows)

    def file(self, path: str) -> Memory:
        if path not in self.rows:
            what = "is not a file." if self.is_folder(path) else "does not exist. Please provide a valid path."
            raise Refused(f"The path {path} {what}")
        return self.rows[path]

    def edit(self, row: Memory, fields: dict[str, Any], reason: str) -> None:
        try:
            self.agent.edit(row, fields, version=row.version, reason=reason)
        except Withheld as refusal:
            raise Refused(f"Nothing was changed, a person has to decide about it: {refusal}") from refusal

    def with_below(self, path: str) -> dict[str, Memory]:
        """Return the file, or all in the folder."""
        rows = {other: row for other, row in self.rows.items() if other == path or is_below(other, path)}
        if not rows:
            raise Refused(f"The path {path} does not exist")
        return rows

    def check_folders(self, path: str) -> None:
        parts = path.split("/")
        for end in range(3, len(parts)):
            folder = "/".join(parts[:end])
            if folder in self.rows:
                raise Refused(f"The path {folder} is not a directory")

    def fields(self, path: str, text: str) -> dict[str, Any]:
        """Return what search reads, its beginning, as long as a memory may be; the whole text lies beside it."""
        if len(text) > MAX_FILE_CHARACTERS:
            raise Refused(f"The file {path} would have more than {MAX_FILE_CHARACTERS:,} characters")
        public = without_secrets(text)
        most = self.agent.app.policy.max_characters
        return {
            "content": public.strip()[:most].strip() or path[:most],
            # A subject of its own: no other memory is ever taken for the same.
            "subject": path[-MOST_IN_SUBJECT:],
            "metadata": {"file": {"path": path, "text": f"[{public}]"}},
            "external_id": external_id(KIND, str(self.agent.agent), self.user_id or "", path),
        }


def text_of(row: Memory) -> str:
    """Return the text as it was given: brackets keep the white space around it."""
    text: str = row.metadata["file"]["text"]
    return text[1:-1]


COMMANDS: dict[str, Callable[[Files, Mapping[str, Any]], str]] = {
    "view": Files.view,
    "create": Files.create,
    "str_replace": Files.str_replace,
    "insert": Files.insert,
    "delete": Files.delete,
    "rename": Files.rename,
}


class Verbatim(StrictCharField):
    """Any text, its white space and all."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, allow_blank=True, required=False, **options)


class Path(Verbatim, NameField):
    pass


class Command(StrictSerializer):
    """The input of the tool as the model wrote it."""

    command = StrictChoiceField(list(COMMANDS))
    path = Path(max_length=LONGEST_PATH)
    view_range = serializers.ListField(
        child=StrictIntegerField(),
        min_length=2,
        max_length=2,
        required=False,
        allow_null=True,
        help_text="First and last line.",
    )
    file_text = Verbatim(max_length=MAX_FILE_CHARACTERS)
    old_str = Verbatim(max_length=MAX_FILE_CHARACTERS)
    new_str = Verbatim(max_length=MAX_FILE_CHARACTERS, default="")
    insert_line = StrictIntegerField(required=False)
    insert_text = Verbatim(max_length=MAX_FILE_CHARACTERS)
    old_path = Path(max_length=LONGEST_PATH)
    new_path = Path(max_length=LONGEST_PATH)

    def validate(self, fields: dict[str, Any]) -> dict[str, Any]:
        missing = [name for name in NEEDS[fields["command"]] if name not in fields]
        if missing:
            raise ValidationError({name: [f"{fields['command']} needs it."] for name in missing})
        return fields


class ToolResult(StrictSerializer):
    content = StrictCharField(help_text="What to tell the model, word for word.")
    is_error = StrictBooleanField(help_text="As the block `tool_result` has it.")


def with_user(given: Any, user_id: str | None) -> tuple[Any, str | None]:
    """Return the command and the end user, whom some clients name beside it. ValidationError for another scope."""
    scopes = scope_names_in(given, Command().fields) if isinstance(given, Mapping) else {}
    for name, value in scopes.items():
        if meaning_of(name) != USER or not isinstance(value, str) or user_id not in (None, value):
            raise ValidationError({name: ["Say whose the files are by user_id in the address."]})
        user_id = value
    return ({name: value for name, value in given.items() if name not in scopes} if scopes else given), user_id


class MemoryTool(AgentView):
    scope = "read"

    @operation(
        request=Command,
        responses=ToolResult,
        parameters=[OpenApiParameter("user_id", str, description="The end user whose files they are.")],
        operation_id="run_memory_command",
    )
    def post(self, request: Request) -> Response:
        """Run a command of Anthropic's memory tool on this agent's files. What cannot be done is answered with 200."""
        try:
            given, user_id = with_user(request.data, request.query_params.get("user_id") or None)
            command = validated(Command, given)
        except ValidationError as error:
            return refused(explain(error)[0])
        agent = self.memory_agent()
        if command["command"] != "view":
            check_scope(self.caller(), Scope.CREATE if command["command"] == "create" else Scope.WRITE)
            count_writes(agent, 1)
        files = Files(agent, user_id)
        try:
            return Response({"content": COMMANDS[command["command"]](files, command), "is_error": False})
        except Refused as refusal:
            return refused(str(refusal))


def refused(reason: str) -> Response:
    """Say what is wrong to the model, which wrote it and can mend it."""
    return Response({"content": reason, "is_error": True})

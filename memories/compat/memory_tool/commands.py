"""The six commands of the memory tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memories.compat.memory_tool.files import Files
from memories.compat.memory_tool.paths import place_of
from memories.compat.memory_tool.texts import below, inserted, replaced, show_file, show_folder


def carry_out(files: Files, command: Mapping[str, Any]) -> str:
    """What to answer. Raises Refused."""
    return COMMANDS[command["command"]](files, command)


def view(files: Files, command: Mapping[str, Any]) -> str:
    path = place_of(command["path"])
    if files.is_folder(path):
        return show_folder(path, below(path, files.sizes()))
    return show_file(path, files.text(path), command.get("view_range"))


def create(files: Files, command: Mapping[str, Any]) -> str:
    path = place_of(command["path"])
    files.create(path, command["file_text"])
    return f"File created successfully at: {path}"


def str_replace(files: Files, command: Mapping[str, Any]) -> str:
    path = place_of(command["path"])
    text, told = replaced(path, files.text(path), command["old_str"], command["new_str"])
    files.change(path, text)
    return told


def insert(files: Files, command: Mapping[str, Any]) -> str:
    path = place_of(command["path"])
    files.change(path, inserted(files.text(path), command["insert_line"], command["insert_text"]))
    return f"The file {path} has been edited."


def delete(files: Files, command: Mapping[str, Any]) -> str:
    path = place_of(command["path"])
    files.delete(path)
    return f"Successfully deleted {path}"


def rename(files: Files, command: Mapping[str, Any]) -> str:
    old, new = place_of(command["old_path"]), place_of(command["new_path"])
    files.rename(old, new)
    return f"Successfully renamed {old} to {new}"


COMMANDS = {
    "view": view,
    "create": create,
    "str_replace": str_replace,
    "insert": insert,
    "delete": delete,
    "rename": rename,
}

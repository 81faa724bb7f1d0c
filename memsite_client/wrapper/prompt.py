"""What an agent is told before it starts, and how it is told."""

from __future__ import annotations

import getpass
import os
import platform
import socket
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

OPTION = "--append-system-prompt"
FILE_OPTION = "--append-system-prompt-file"
# A command line takes 128 KiB in one piece.
MOST_PROMPT_BYTES = 120_000
MOST_TITLE_CHARACTERS = 500
END_OF_OPTIONS = "--"


def environment_here(more: Mapping[str, str]) -> dict[str, str]:
    """Where and when it runs; `more` is what the caller says of it."""
    now = datetime.now().astimezone()
    here = {
        "host": socket.gethostname(),
        "system": f"{platform.system()} {platform.release()}",
        "user": user_name(),
        "folder": folder_here(),
        "time": f"{now:%Y-%m-%d %H:%M %Z, %A}",
    }
    return {name: readable(value) for name, value in {**here, **more}.items()}


def folder_here() -> str:
    """ "" if somebody has removed it meanwhile."""
    try:
        return os.getcwd()  # noqa: PTH109  # a text is wanted
    except OSError:
        return ""


def readable(text: str) -> str:
    """Without the bytes of a folder's or a program's name that are no UTF-8: no request can carry those."""
    return text.encode(errors="replace").decode()


def user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def new_session(
    command: Sequence[str], tier: int, environment: Mapping[str, str], *,
    title: str | None = None, user_id: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """What to open the session with; its name is ours, so that opening it twice is opening it once."""
    here = environment_here(environment)
    title = title_of(command, here["folder"]) if title is None else readable(title)[:MOST_TITLE_CHARACTERS]
    session = {"external_id": f"run-{uuid4()}", "tier": tier, "title": title, "environment": here}
    return session if user_id is None else {**session, "user_id": user_id}


def title_of(command: Sequence[str], folder: str) -> str:
    """Which program runs where: "claude in site". None of its arguments: keys and whole prompts stand among them."""
    names = (Path(command[0]).name, Path(folder).name)
    return readable(" in ".join(filter(None, names)))[:MOST_TITLE_CHARACTERS]


def system_prompt(task: str, environment: Mapping[str, Any], known: str) -> str:
    """The task of its tier, where it is, what is known. Parts that are empty are left out."""
    lines = [f"- {name}: {' '.join(str(value).split())}" for name, value in environment.items()]
    here = "\n".join(["## Environment", "", *lines]) if lines else ""
    return "\n\n".join(filter(None, (task.strip(), here, known.strip())))


def with_prompt(command: Sequence[str], prompt: str) -> list[str]:
    """The command with the prompt behind its options; one that it has already comes before ours.

    As it was, if its own cannot be read, or is too long for both: the program takes only one of them.
    """
    if not prompt:
        return list(command)
    options, rest = split_options(command)
    own, kept = [], []
    words = iter(options)
    for word in words:
        name, has_value, value = word.partition("=")
        if name not in (OPTION, FILE_OPTION):
            kept.append(word)
            continue
        given = value if has_value else next(words, "")
        try:
            own.append(given if name == OPTION else Path(given).read_text(encoding="utf-8", errors="replace"))
        except (OSError, ValueError):
            return list(command)
    # NUL ends an argument: the rest would be cut off without a word.
    text = "\n\n".join(filter(None, [*own, prompt])).replace("\0", "\ufffd")
    return [*kept, OPTION, text, *rest] if fits(text) else list(command)


def fits(text: str) -> bool:
    return len(text.encode(errors="replace")) <= MOST_PROMPT_BYTES


def split_options(command: Sequence[str]) -> tuple[list[str], list[str]]:
    """What lies before a bare `--` and what begins with it."""
    words = list(command)
    end = words.index(END_OF_OPTIONS) if END_OF_OPTIONS in words else len(words)
    return words[:end], words[end:]


def speaks_stream_json(command: Sequence[str]) -> bool:
    """Whether it was told to; without it there is nothing to learn from."""
    return any(word.split("=")[-1] == "stream-json" for word in command)

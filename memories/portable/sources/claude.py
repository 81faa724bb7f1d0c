"""Claude's data export: conversations, their messages in order, and what it keeps in mind of its user and of projects.

Thinking, tools and files are passed over. What it keeps in mind is a text in Markdown, and is learnt from like a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from memories.portable.problems import BadFile
from memories.portable.sources.items import (
    Limits,
    conversation,
    documents,
    message,
    moment,
    objects_in,
    text_of,
)
from memories.portable.tables import Line

NAME = "claude"
FILES = r"(^|/)(conversations|memories)\.json$"
ABOUT_USER, ABOUT_PROJECTS = "conversations_memory", "project_memories"
TITLE = "What Claude keeps in mind"
ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def read(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    for document in documents(file, limits, FILES):
        for number, entry in objects_in(document, limits):
            if ABOUT_USER in entry or ABOUT_PROJECTS in entry:
                yield from kept_in_mind(entry, number)
                continue
            messages = entry.get("chat_messages")
            if not isinstance(messages, list):
                raise BadFile(f"Entry {number:,} is no conversation of Claude: it has no chat_messages.")
            id_ = text_of(entry.get("uuid")) or str(number)
            said = [told for one in messages if isinstance(one, dict) and (told := spoken(one))]
            yield from conversation(NAME, id_, entry.get("name"), said)


def kept_in_mind(entry: dict[str, Any], number: int) -> Iterator[Line]:
    """A session for the user and one for each project."""
    account = text_of(entry.get("account_uuid")) or str(number)
    projects = entry.get(ABOUT_PROJECTS)
    texts = {account: entry.get(ABOUT_USER), **(projects if isinstance(projects, dict) else {})}
    for name, told in texts.items():
        if text := text_of(told).strip():
            yield from conversation(NAME, f"memory:{name}", TITLE, [message(f"memory:{name}", "user", text, None)])


def spoken(entry: dict[str, Any]) -> Line | None:
    blocks = entry.get("content") if isinstance(entry.get("content"), list) else []
    texts = [text_of(one.get("text")) for one in blocks or [] if isinstance(one, dict) and one.get("type") == "text"]
    text = "\n\n".join(filter(None, texts)).strip() or text_of(entry.get("text")).strip()
    role = ROLES.get(text_of(entry.get("sender")))
    return message(entry.get("uuid"), role, text, moment(entry.get("created_at"))) if text and role else None

"""Claude's data export: a list of conversations, their messages in order. Thinking, tools and files are passed over."""

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
FILES = r"(^|/)conversations\.json$"
ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def read(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    for document in documents(file, limits, FILES):
        for number, entry in objects_in(document, limits):
            messages = entry.get("chat_messages")
            if not isinstance(messages, list):
                raise BadFile(f"Entry {number:,} is no conversation of Claude: it has no chat_messages.")
            id_ = text_of(entry.get("uuid")) or str(number)
            said = [told for one in messages if isinstance(one, dict) and (told := spoken(one))]
            yield from conversation(NAME, id_, entry.get("name"), said)


def spoken(entry: dict[str, Any]) -> Line | None:
    blocks = entry.get("content") if isinstance(entry.get("content"), list) else []
    texts = [text_of(one.get("text")) for one in blocks or [] if isinstance(one, dict) and one.get("type") == "text"]
    text = "\n\n".join(filter(None, texts)).strip() or text_of(entry.get("text")).strip()
    role = ROLES.get(text_of(entry.get("sender")))
    return message(entry.get("uuid"), role, text, moment(entry.get("created_at"))) if text and role else None

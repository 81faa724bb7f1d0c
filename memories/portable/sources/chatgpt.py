"""ChatGPT's data export: a list of conversations, each a tree of messages, of which one branch was talked last.

What the user did not see is passed over: system messages, tools, and branches that were left.
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
    texts_in,
)
from memories.portable.tables import Line

NAME = "chatgpt"
FILES = r"(^|/)conversations(-\d+)?\.json$"
SPOKEN = ("user", "assistant")
TEXTS = ("text", "multimodal_text")


def read(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    for document in documents(file, limits, FILES):
        for number, entry in objects_in(document, limits):
            nodes = entry.get("mapping")
            if not isinstance(nodes, dict):
                raise BadFile(f"Entry {number:,} is no conversation of ChatGPT: it has no mapping.")
            id_ = text_of(entry.get("conversation_id")) or text_of(entry.get("id")) or str(number)
            said = [told for node in branch(nodes, entry.get("current_node")) if (told := spoken(node))]
            yield from conversation(NAME, id_, entry.get("title"), said)


def branch(nodes: dict[str, Any], last: object) -> list[dict[str, Any]]:
    """From the root to where the conversation was left; all of it by time where that is not told."""
    if not isinstance(last, str) or last not in nodes:
        messages = [node for node in nodes.values() if isinstance(node, dict)]
        return sorted(messages, key=said_at)
    path: list[dict[str, Any]] = []
    met: set[str] = set()
    name: object = last
    while isinstance(name, str) and name not in met and isinstance(node := nodes.get(name), dict):
        met.add(name)
        path.append(node)
        name = node.get("parent")
    return path[::-1]


def said_at(node: dict[str, Any]) -> float:
    told = node.get("message") or {}
    at = told.get("create_time") if isinstance(told, dict) else None
    return float(at) if isinstance(at, int | float) else 0.0


def spoken(node: dict[str, Any]) -> Line | None:
    told = node.get("message")
    if not isinstance(told, dict):
        return None
    author, content, about = (
        part if isinstance(part := told.get(name), dict) else {} for name in ("author", "content", "metadata")
    )
    is_hidden = about.get("is_visually_hidden_from_conversation") or told.get("recipient") not in (None, "all")
    if author.get("role") not in SPOKEN or content.get("content_type") not in TEXTS or is_hidden:
        return None
    text = "\n\n".join(texts_in(content.get("parts"))).strip()
    return message(told.get("id"), author["role"], text, moment(told.get("create_time"))) if text else None

"""Where imports come from: each source reads a file into lines that can be taken in one by one.

    rows of an app            as `memories.import_export` has them
    conversation              id, title, user_id, messages: [{id, role, content, at}], at most MOST_MESSAGES of them
    fact                      id, content, category, tags, user_id, metadata, valid_until

What a source has under an id is known by it again: taken in twice, it is there once. A new source is a module with a
`read`, and a line here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import IO, Any

from memories.import_export import Line
from memories.import_export.files import (
    FACT,
    ID_CHARACTERS,
    Archive,
    BadFile,
    Limits,
    clean,
    conversation,
    documents,
    first_line,
    is_zip,
    lines_of,
    message,
    moment,
    objects_by_line,
    objects_in,
    text_of,
    texts_in,
    unpacked,
)
from memories.import_export.validation import checked
from memsite.http.json_body import MAX_OBJECT_CHARACTERS, json_length

CHATGPT = "chatgpt"
CHATGPT_FILES = r"(^|/)conversations(-\d+)?\.json$"
CHATGPT_ROLES = ("user", "assistant")
CHATGPT_TEXTS = ("text", "multimodal_text")
CLAUDE = "claude"
CLAUDE_FILES = r"(^|/)(conversations|memories)\.json$"
ABOUT_USER, ABOUT_PROJECTS = "conversations_memory", "project_memories"
CLAUDE_TITLE = "What Claude keeps in mind"
CLAUDE_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
MARKDOWN = "markdown"
MARKDOWN_SUFFIXES = (".md", ".markdown", ".txt")
FRONT_MATTER = re.compile(r"\A---\s*\n.*?\n---\s*(?:\n|\Z)", re.DOTALL)
HEADING = re.compile(r"^#+\s+(.+)$", re.MULTILINE)
MEM0 = "mem0"
SAID_IN = ("memory", "text", "content", "data")
KEPT = ("agent_id", "run_id", "actor_id", "created_at", "updated_at")
__all__ = ["MEMSITE", "SOURCES", "Limits", "Source", "lines_in"]
MEMSITE = "memsite"


def read_chatgpt(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    for document in documents(file, limits, CHATGPT_FILES):
        for number, entry in objects_in(document, limits):
            nodes = entry.get("mapping")
            if not isinstance(nodes, dict):
                raise BadFile(f"Entry {number:,} is no conversation of ChatGPT: it has no mapping.")
            id_ = text_of(entry.get("conversation_id")) or text_of(entry.get("id")) or str(number)
            path = branch(nodes, entry.get("current_node"))
            lines = [line for node in path if (line := chatgpt_message(node))]
            yield from conversation(CHATGPT, id_, entry.get("title"), lines)


def branch(nodes: dict[str, Any], last: object) -> list[dict[str, Any]]:
    """Return the nodes from the root to where the conversation was left; all of it by time where that is not told."""
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
    entry = node.get("message") or {}
    time = entry.get("create_time") if isinstance(entry, dict) else None
    return float(time) if isinstance(time, int | float) else 0.0


def chatgpt_message(node: dict[str, Any]) -> Line | None:
    entry = node.get("message")
    if not isinstance(entry, dict):
        return None
    author, content, about = (
        part if isinstance(part := entry.get(name), dict) else {} for name in ("author", "content", "metadata")
    )
    is_hidden = about.get("is_visually_hidden_from_conversation") or entry.get("recipient") not in (None, "all")
    if author.get("role") not in CHATGPT_ROLES or content.get("content_type") not in CHATGPT_TEXTS or is_hidden:
        return None
    text = "\n\n".join(texts_in(content.get("parts"))).strip()
    return message(entry.get("id"), author["role"], text, moment(entry.get("create_time"))) if text else None


def read_claude(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    for document in documents(file, limits, CLAUDE_FILES):
        for number, entry in objects_in(document, limits):
            if ABOUT_USER in entry or ABOUT_PROJECTS in entry:
                yield from kept_in_mind(entry, number)
                continue
            messages = entry.get("chat_messages")
            if not isinstance(messages, list):
                raise BadFile(f"Entry {number:,} is no conversation of Claude: it has no chat_messages.")
            id_ = text_of(entry.get("uuid")) or str(number)
            lines = [line for item in messages if isinstance(item, dict) and (line := claude_message(item))]
            yield from conversation(CLAUDE, id_, entry.get("name"), lines)


def kept_in_mind(entry: dict[str, Any], number: int) -> Iterator[Line]:
    """Yield a session for the user and one for each project."""
    account = text_of(entry.get("account_uuid")) or str(number)
    projects = entry.get(ABOUT_PROJECTS)
    texts = {account: entry.get(ABOUT_USER), **(projects if isinstance(projects, dict) else {})}
    for name, value in texts.items():
        if text := text_of(value).strip():
            id_ = f"memory:{name}"
            yield from conversation(CLAUDE, id_, CLAUDE_TITLE, [message(id_, "user", text, None)])


def claude_message(entry: dict[str, Any]) -> Line | None:
    blocks = entry.get("content") if isinstance(entry.get("content"), list) else []
    texts = [
        text_of(block.get("text")) for block in blocks or [] if isinstance(block, dict) and block.get("type") == "text"
    ]
    text = "\n\n".join(filter(None, texts)).strip() or text_of(entry.get("text")).strip()
    role = CLAUDE_ROLES.get(text_of(entry.get("sender")))
    return message(entry.get("uuid"), role, text, moment(entry.get("created_at"))) if text and role else None


def read_markdown(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    if not is_zip(file):
        text = decoded(unpacked(file, limits.most_bytes), "The file", limits)
        yield from note(title_of(text) or "note", text, None)
        return
    archive = Archive(file, limits.most_bytes)
    for member in archive.named(*MARKDOWN_SUFFIXES):
        is_hidden = any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(member.filename).parts)
        if not is_hidden:
            text = decoded(archive.chunks(member), member.filename, limits)
            yield from note(member.filename, text, changed_at(member.date_time))


def decoded(chunks: Iterator[bytes], name: str, limits: Limits) -> str:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > limits.most_bytes_of_one:
            raise BadFile(f"{name} has more than {limits.most_bytes_of_one:,} bytes.")
    try:
        return str(clean(content.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise BadFile(f"{name} is no text in UTF-8.") from error


def note(name: str, text: str, noted_at: datetime | None) -> Iterator[Line]:
    body = FRONT_MATTER.sub("", text).strip()
    messages = [message(name, "user", body, noted_at)] if body else []
    return conversation(MARKDOWN, name, title_of(body) or PurePosixPath(name).stem, messages)


def title_of(text: str) -> str:
    heading = HEADING.search(text)
    return heading[1].strip() if heading else ""


def changed_at(moment: tuple[int, int, int, int, int, int]) -> datetime | None:
    """Return when a file was changed. Zip files know no time zone; before 1981 none was kept."""
    try:
        return datetime(*moment, tzinfo=UTC) if moment[0] > 1980 else None
    except ValueError:
        return None


def read_mem0(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    has_lines = bool(said_in(first_line(file, limits)))
    objects = objects_by_line if has_lines else objects_in
    for number, entry in objects(unpacked(file, limits.most_bytes), limits):
        content = said_in(entry)
        if not content:
            raise BadFile(f"Entry {number:,} has no memory.")
        metadata = entry.get("metadata") if isinstance(entry.get("metadata"), dict) else {}
        categories = texts_in(entry.get("categories")) or [text_of(entry.get("category"))]
        runs_out = moment(entry.get("expiration_date"))
        line = {
            "type": FACT,
            "id": f"{MEM0}:{text_of(entry.get('id')) or content}"[:ID_CHARACTERS],
            "content": content,
            "category": (re.sub(r"[^a-z0-9]+", "-", categories[0].casefold()).strip("-")[:64].rstrip("-") or "general"),
            "tags": [tag[:100] for tag in categories if tag][:50],
            "user_id": text_of(entry.get("user_id"))[:200] or None,
            "metadata": {**(metadata or {}), **{name: entry[name] for name in KEPT if entry.get(name) is not None}},
            "valid_until": runs_out.isoformat() if runs_out else None,
        }
        if json_length(line["metadata"]) > MAX_OBJECT_CHARACTERS:
            raise BadFile(f"Entry {number:,} has metadata of more than {MAX_OBJECT_CHARACTERS:,} characters.")
        yield line


def said_in(entry: dict[str, Any]) -> str:
    return next((text for name in SAID_IN if (text := text_of(entry.get(name)).strip())), "")


def read_memsite(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    return checked(lines_of(unpacked(file, limits.most_bytes), limits.most_bytes_of_one))


@dataclass(frozen=True, slots=True)
class Source:
    """`read` raises BadFile for the first thing that is wrong."""

    name: str
    title: str
    read: Callable[[IO[bytes], Limits], Iterator[Line]]


SOURCES = {
    source.name: source
    for source in (
        Source(MEMSITE, "an app's export, of this or another server", read_memsite),
        Source("mem0", "memories exported from mem0: JSON, or NDJSON", read_mem0),
        Source("chatgpt", "a data export of ChatGPT: the zip file, or conversations.json in it", read_chatgpt),
        Source(
            "claude", "a data export of Claude: the zip file, or conversations.json or memories.json in it", read_claude
        ),
        Source("markdown", "notes in Markdown: one file, or a zip file of a folder", read_markdown),
    )
}


def lines_in(file: IO[bytes], source: Source, limits: Limits) -> Iterator[Line]:
    """Raise BadFile, also where it finds nothing: a file of another kind may look like an empty one.

    An app's own export says what it is; nothing may be in it, as in that of an end user of whom nothing is known.
    """
    is_empty = source.name != MEMSITE
    for line in source.read(file, limits):
        is_empty = False
        yield line
    if is_empty:
        raise BadFile(f"There is nothing in it that can be imported: it should be {source.title}.")

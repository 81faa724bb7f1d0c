"""Memories as mem0 gives them away: a list, an object with one in `results` or `memories`, or an object a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

from memories.portable.files import unpacked
from memories.portable.problems import BadFile
from memories.portable.sources.items import (
    FACT,
    ID_CHARACTERS,
    Limits,
    first_line,
    moment,
    objects_by_line,
    objects_in,
    text_of,
    texts_in,
)
from memories.portable.tables import Line
from memsite.http.json_body import MAX_OBJECT_CHARACTERS, json_length

NAME = "mem0"
SAID_IN = ("memory", "text", "content", "data")
KEPT = ("agent_id", "run_id", "actor_id", "created_at", "updated_at")


def read(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    has_lines = bool(said_in(first_line(file, limits)))
    objects = objects_by_line if has_lines else objects_in
    for number, entry in objects(unpacked(file, limits.most_bytes), limits):
        said = said_in(entry)
        if not said:
            raise BadFile(f"Entry {number:,} has no memory.")
        line = fact(entry, said)
        if json_length(line["metadata"]) > MAX_OBJECT_CHARACTERS:
            raise BadFile(f"Entry {number:,} has metadata of more than {MAX_OBJECT_CHARACTERS:,} characters.")
        yield line


def said_in(entry: dict[str, Any]) -> str:
    return next((text for name in SAID_IN if (text := text_of(entry.get(name)).strip())), "")


def fact(entry: dict[str, Any], said: str) -> Line:
    metadata = entry.get("metadata") if isinstance(entry.get("metadata"), dict) else {}
    categories = texts_in(entry.get("categories")) or [text_of(entry.get("category"))]
    runs_out = moment(entry.get("expiration_date"))
    return {
        "type": FACT,
        "id": f"{NAME}:{text_of(entry.get('id')) or said}"[:ID_CHARACTERS],
        "content": said,
        "category": slug(categories[0]),
        "tags": [tag[:100] for tag in categories if tag][:50],
        "user_id": text_of(entry.get("user_id"))[:200] or None,
        "metadata": {**(metadata or {}), **{name: entry[name] for name in KEPT if entry.get(name) is not None}},
        "valid_until": runs_out.isoformat() if runs_out else None,
    }


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:64].rstrip("-") or "general"

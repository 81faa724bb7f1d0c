"""Where imports come from: each source reads a file into lines that can be taken in one by one.

    rows of an app            as `memories.portable.tables` has them
    conversation              id, title, user_id, messages: [{id, role, content, at}], at most MOST_MESSAGES of them
    fact                      id, content, category, tags, user_id, metadata, valid_until

What a source has under an id is known by it again: taken in twice, it is there once. A new source is a module with a
`read`, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO

from memories.portable.problems import BadFile
from memories.portable.sources import chatgpt, claude, markdown, mem0, memsite
from memories.portable.sources.items import Limits
from memories.portable.tables import Line

__all__ = ["MEMSITE", "SOURCES", "Limits", "Source", "lines_in"]

MEMSITE = "memsite"


@dataclass(frozen=True, slots=True)
class Source:
    """`read` raises BadFile for the first thing that is wrong."""

    name: str
    title: str
    read: Callable[[IO[bytes], Limits], Iterator[Line]]


EVERY_SOURCE = (
    Source(MEMSITE, "an app's export, of this or another server", memsite.read),
    Source("mem0", "memories exported from mem0: JSON, or NDJSON", mem0.read),
    Source("chatgpt", "a data export of ChatGPT: the zip file, or conversations.json in it", chatgpt.read),
    Source(
        "claude", "a data export of Claude: the zip file, or conversations.json or memories.json in it", claude.read
    ),
    Source("markdown", "notes in Markdown: one file, or a zip file of a folder", markdown.read),
)
SOURCES = {source.name: source for source in EVERY_SOURCE}


def lines_in(file: IO[bytes], source: Source, limits: Limits) -> Iterator[Line]:
    """Raises BadFile, also where it finds nothing: a file of another kind may look like an empty one.

    An app's own export says what it is; nothing may be in it, as in that of an end user of whom nothing is known.
    """
    is_empty = source.name != MEMSITE
    for line in source.read(file, limits):
        is_empty = False
        yield line
    if is_empty:
        raise BadFile(f"There is nothing in it that can be taken in: it should be {source.title}.")

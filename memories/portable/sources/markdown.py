"""Notes in Markdown: each file is something its writer said, and is learnt from. A note that changed is read again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import IO

from memories.portable.files import Archive, is_zip, unpacked
from memories.portable.problems import BadFile
from memories.portable.sources.items import Limits, clean, conversation, message
from memories.portable.tables import Line

NAME = "markdown"
SUFFIXES = (".md", ".markdown", ".txt")
FRONT_MATTER = re.compile(r"\A---\s*\n.*?\n---\s*(?:\n|\Z)", re.DOTALL)
HEADING = re.compile(r"^#+\s+(.+)$", re.MULTILINE)


def read(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    if not is_zip(file):
        text = decoded(unpacked(file, limits.most_bytes), "The file", limits)
        yield from note(title_of(text) or "note", text, None)
        return
    archive = Archive(file, limits.most_bytes)
    for member in archive.named(*SUFFIXES):
        if not is_hidden(member.filename):
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


def note(name: str, text: str, at: datetime | None) -> Iterator[Line]:
    body = FRONT_MATTER.sub("", text).strip()
    said = [message(name, "user", body, at)] if body else []
    return conversation(NAME, name, title_of(body) or PurePosixPath(name).stem, said)


def title_of(text: str) -> str:
    found = HEADING.search(text)
    return found[1].strip() if found else ""


def is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in PurePosixPath(name).parts)


def changed_at(moment: tuple[int, int, int, int, int, int]) -> datetime | None:
    """Zip files know no time zone; before 1981 none was kept."""
    try:
        return datetime(*moment, tzinfo=UTC) if moment[0] > 1980 else None
    except ValueError:
        return None

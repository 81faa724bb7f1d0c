"""What the sources share: bounded reading of big JSON documents, and the lines they make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any

from memories.portable.files import Archive, is_zip, lines_of, unpacked
from memories.portable.problems import BadFile
from memories.portable.tables import Line
from memories.providers.surrogates import without_surrogates
from memsite.http.json_body import RepeatedName, fits_64_bits, parse_loosely

CONVERSATION, FACT = "conversation", "fact"
MOST_MESSAGES = 100
ID_CHARACTERS, TITLE_CHARACTERS = 150, 500
MOST_NESTED = 500
"""Brackets that are open at once: what has more, no parser reads."""
# A text, a bracket, or a text that has not ended yet.
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?P<end>"?)|[\[\]{}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of all that is unpacked, and of one line, conversation or note."""

    most_bytes: int
    most_bytes_of_one: int


def documents(file: IO[bytes], limits: Limits, pattern: str) -> Iterator[Iterator[bytes]]:
    """The file itself, or those in a zip file whose name matches. Raises BadFile if there is none."""
    if not is_zip(file):
        yield unpacked(file, limits.most_bytes)
        return
    archive = Archive(file, limits.most_bytes)
    found = [one for one in archive.named(".json") if re.search(pattern, one.filename)]
    if not found:
        raise BadFile("There is no file of this kind in the zip file.")
    for member in found:
        yield archive.chunks(member)


def objects_in(chunks: Iterable[bytes], limits: Limits) -> Iterator[tuple[int, dict[str, Any]]]:
    """(number from 1, object) of the outermost list, or of the lists in the outermost object. One in memory at a time.

    Raises BadFile for what is no JSON, for one that is too big, and where there is no list at all.
    """
    for number, raw in enumerate(cut_out(chunks, limits.most_bytes_of_one), 1):
        yield number, parsed(raw, number)


def objects_by_line(chunks: Iterator[bytes], limits: Limits) -> Iterator[tuple[int, dict[str, Any]]]:
    """(number of the line, object) of a file that has one on each. Raises BadFile."""
    for number, line in lines_of(chunks, limits.most_bytes_of_one):
        if line.strip():
            yield number, parsed(line, number)


def first_line(file: IO[bytes], limits: Limits) -> dict[str, Any]:
    """The object that is the first line of the file, which is at its beginning again; empty where there is none."""
    try:
        for number, line in lines_of(unpacked(file, limits.most_bytes), limits.most_bytes_of_one):
            return parsed(line, number)
    except BadFile:
        pass
    finally:
        file.seek(0)
    return {}


def parsed(raw: bytes, number: int) -> dict[str, Any]:
    """Raises BadFile."""
    try:
        found = parse_loosely(raw)
    except RepeatedName as error:
        raise BadFile(str(error.detail).replace("The body", f"Entry {number:,}")) from error
    except (ValueError, RecursionError) as error:
        raise BadFile(f"Entry {number:,} is no valid JSON.") from error
    if not isinstance(found, dict):
        raise BadFile(f"Entry {number:,} is no object.")
    return dict(clean(found))


def cut_out(chunks: Iterable[bytes], most_bytes: int) -> Iterator[bytes]:
    """The bytes of each object. Raises BadFile where brackets do not fit, or one has more than `most_bytes`."""
    scan = Scan()
    for chunk in chunks:
        yield from scan.feed(chunk)
        if len(scan.buffer) > most_bytes:
            raise BadFile(f"One entry of it has more than {most_bytes:,} bytes.")
    if scan.open or scan.buffer.strip():
        raise BadFile("It is no valid JSON: it ends too early.")
    if not scan.has_list:
        raise BadFile("It is no file of this kind: there is no list in it.")


class Scan:
    """Counts brackets outside of texts; what is between them is the parser's business.

    `start` is where in the buffer the object begins that is being read, -1 between two.
    """

    def __init__(self) -> None:
        self.buffer, self.open = bytearray(), bytearray()
        self.place, self.start, self.depth = 0, -1, 0
        self.has_list = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        self.buffer += chunk
        # A text that has begun and not ended is looked at again with the next piece.
        while (match := TOKEN.search(self.buffer, self.place)) and match["end"] != b"":
            self.place = match.end()
            if match[0] in (b"[", b"{"):
                self.opens(match[0], match.start())
            elif match[0] in (b"]", b"}") and (found := self.closes()):
                yield found
        self.place = match.start() if match else len(self.buffer)
        self.drop_read()

    def opens(self, bracket: bytes, at: int) -> None:
        if self.start < 0 and bracket == b"{" and bytes(self.open) in (b"[", b"{["):
            self.start, self.depth = at, len(self.open)
        self.has_list |= bracket == b"[" and bytes(self.open) in (b"", b"{")
        self.open += bracket
        if len(self.open) > MOST_NESTED:
            raise BadFile("It is nested too deep to be read.")

    def closes(self) -> bytes:
        """The object that has just ended; empty if none has."""
        if not self.open:
            raise BadFile("It is no valid JSON: a bracket is closed that was not opened.")
        del self.open[-1]
        if self.start < 0 or len(self.open) > self.depth:
            return b""
        found, self.start = bytes(self.buffer[self.start : self.place]), -1
        return found

    def drop_read(self) -> None:
        keep = self.start if self.start >= 0 else self.place
        del self.buffer[:keep]
        self.place -= keep
        self.start = min(self.start, 0)


def clean(value: Any) -> Any:
    """Without the characters that no database takes, and with integers that it cannot hold as texts."""
    if isinstance(value, str):
        return without_surrogates(value).replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {clean(name): clean(inner) for name, inner in value.items()}
    if isinstance(value, int) and not fits_64_bits(value):
        return str(value)
    return [clean(inner) for inner in value] if isinstance(value, list) else value


def conversation(source: str, id_: str, title: object, messages: list[Line], user_id: object = None) -> Iterator[Line]:
    """Some messages a line. Nothing for one in which nothing was said."""
    named = f"{source}:{id_[:ID_CHARACTERS]}"
    about = {"title": text_of(title)[:TITLE_CHARACTERS], "user_id": text_of(user_id)[:200] or None}
    for start in range(0, len(messages), MOST_MESSAGES):
        some = messages[start : start + MOST_MESSAGES]
        yield {"type": CONVERSATION, "id": named, **about, "messages": some}


def message(id_: object, role: str, content: str, at: datetime | None) -> Line:
    told = at.isoformat() if at else None
    return {"id": text_of(id_)[:ID_CHARACTERS], "role": role, "content": content, "at": told}


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def texts_in(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def moment(value: object) -> datetime | None:
    """From Unix seconds or ISO 8601; None for what is neither."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        told = datetime.fromisoformat(text_of(value))
    except (ValueError, OverflowError, OSError):
        return None
    return told.astimezone(UTC) if told.tzinfo else told.replace(tzinfo=UTC)

"""Files that come in, unpacked and parsed within bounds; and the signature by which a server knows its own.

A small file may not become an endless one, nor a big one fill the memory. The last line of an app's file signs all that
stands before it: what a file says of who said something, and who has reviewed it, is worth no more than who wrote the
file. The app's name alone is not signed: a copy of an app under another name makes the same bytes.
"""

from __future__ import annotations

import gzip
import hmac
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import IO, Any

import orjson
from django.conf import settings
from django.utils.crypto import salted_hmac

from memories.import_export import Line
from memories.language.scripts import without_surrogates
from memsite.db.transactions import in_batches
from memsite.http.json_body import RepeatedName, fits_64_bits, parse_loosely

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
CHUNK_BYTES = 256 * 1024
MOST_MEMBERS = 100_000
SALT = "memsite.portable.signature"
FIELD = "signature"
CONVERSATION, FACT = "conversation", "fact"
MOST_MESSAGES = 100
ID_CHARACTERS, TITLE_CHARACTERS = 150, 500
MOST_NESTED = 500
"""Brackets that are open at once: what has more, no parser reads."""
# A text, a bracket, or a text that has not ended yet.
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?P<end>"?)|[\[\]{}]', re.DOTALL)


class BadFile(Exception):
    """The file cannot be taken in, and nothing of it is kept. The text says why, and where."""

    def __init__(self, detail: str, line: int | None = None) -> None:
        super().__init__(f"Line {line:,}: {detail}" if line else detail)


def magic_of(file: IO[bytes]) -> bytes:
    start = file.read(4)
    file.seek(0)
    return start


def is_zip(file: IO[bytes]) -> bool:
    return magic_of(file) == ZIP


def is_gzip(file: IO[bytes]) -> bool:
    return magic_of(file).startswith(GZIP)


def unpacked(file: IO[bytes], most_bytes: int) -> Iterator[bytes]:
    """Yield the file in pieces, without its gzip wrapper if it has one. Raises BadFile beyond so many bytes."""
    source = gzip.GzipFile(fileobj=file) if is_gzip(file) else file
    size = 0
    try:
        while chunk := source.read(CHUNK_BYTES):
            size += len(chunk)
            if size > most_bytes:
                raise BadFile(f"It has more than {most_bytes:,} bytes when unpacked.")
            yield chunk
    except (OSError, EOFError, zlib.error) as error:
        raise BadFile("It is a damaged gzip file.") from error


def lines_of(chunks: Iterator[bytes], most_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Yield (number from 1, line without its end). Raises BadFile for a line of more bytes."""
    number, rest = 0, b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            number += 1
            yield number, bounded(line, number, most_bytes)
        bounded(rest, number + 1, most_bytes)
    if rest:
        yield number + 1, rest


def bounded(line: bytes, number: int, most_bytes: int) -> bytes:
    if len(line) > most_bytes:
        raise BadFile(f"It has more than {most_bytes:,} bytes.", number)
    return line


class Archive:
    """A zip file, of which no more than `most_bytes` are unpacked in all."""

    def __init__(self, file: IO[bytes], most_bytes: int) -> None:
        try:
            self.zip = zipfile.ZipFile(file)
            self.members = self.zip.infolist()
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise BadFile("It is a damaged zip file.") from error
        if len(self.members) > MOST_MEMBERS:
            raise BadFile(f"It has more than {MOST_MEMBERS:,} files in it.")
        self.left, self.most = most_bytes, most_bytes

    def named(self, *suffixes: str) -> list[zipfile.ZipInfo]:
        """Return its files whose names end so, by name."""
        files = [member for member in self.members if not member.is_dir() and member.filename.endswith(suffixes)]
        return sorted(files, key=lambda member: member.filename)

    def chunks(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yield a file in pieces. What it says of its size is not believed."""
        try:
            with self.zip.open(member) as source:
                while chunk := source.read(CHUNK_BYTES):
                    self.left -= len(chunk)
                    if self.left < 0:
                        raise BadFile(f"It has more than {self.most:,} bytes when unpacked.")
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
            raise BadFile(f"{member.filename} in it cannot be unpacked.") from error


class Seen(AbstractContextManager["Seen"]):
    """Names of rows by table. Its file has no name and is gone with it."""

    def __init__(self) -> None:
        self.database = sqlite3.connect("", isolation_level=None)
        self.database.execute("PRAGMA journal_mode=OFF")
        self.database.execute("CREATE TABLE seen (place TEXT, name, PRIMARY KEY (place, name)) WITHOUT ROWID")

    def __exit__(self, *error: object) -> None:
        self.database.close()

    def add(self, table: str, name: str | bytes) -> bool:
        """Return whether it is new."""
        return self.database.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (table, name)).rowcount == 1

    def has(self, table: str, name: str | bytes) -> bool:
        rows = self.database.execute("SELECT 1 FROM seen WHERE place = ? AND name = ?", (table, name))
        return rows.fetchone() is not None


class Seal:
    """Fed with the header and then with each byte after it, but for the last line."""

    def __init__(self, header: Line) -> None:
        named = {name: value for name, value in header.items() if name != "app_id"}
        self.digest = sha256(orjson.dumps(named, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))

    def add(self, piece: bytes) -> None:
        self.digest.update(piece)

    def signature(self, key: str | bytes | None = None) -> str:
        return salted_hmac(SALT, self.digest.hexdigest(), secret=key, algorithm="sha256").hexdigest()

    def is_signed(self, given: str) -> bool:
        """Return whether the signature fits, also with a former key among SECRET_KEY_FALLBACKS."""
        keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        return any(hmac.compare_digest(self.signature(key).encode(), given.encode()) for key in keys)


def is_ours(file: IO[bytes], most_bytes: int, most_bytes_of_line: int) -> bool:
    """Return whether this server has signed the file as it is.

    Reads all of it; what is wrong in it is for others to tell.
    """
    try:
        with suppress(BadFile, ValueError, TypeError):
            lines = (line for _, line in lines_of(unpacked(file, most_bytes), most_bytes_of_line))
            # The last line signs those before it.
            seal, last = Seal(dict(orjson.loads(next(lines, b"")))), b""
            for line in lines:
                if last:
                    seal.add(last + b"\n")
                last = line
            given = dict(orjson.loads(last)).get(FIELD)
            return isinstance(given, str) and seal.is_signed(given)
        return False
    finally:
        file.seek(0)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of all that is unpacked, and of one line, conversation or note."""

    most_bytes: int
    most_bytes_of_one: int


def documents(file: IO[bytes], limits: Limits, pattern: str) -> Iterator[Iterator[bytes]]:
    """Yield the file itself, or those in a zip file whose name matches. Raises BadFile if there is none."""
    if not is_zip(file):
        yield unpacked(file, limits.most_bytes)
        return
    archive = Archive(file, limits.most_bytes)
    members = [member for member in archive.named(".json") if re.search(pattern, member.filename)]
    if not members:
        raise BadFile("There is no file of this kind in the zip file.")
    for member in members:
        yield archive.chunks(member)


def objects_in(chunks: Iterable[bytes], limits: Limits) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number from 1, object) of the outermost list, or of the lists in the outermost object.

    One in memory at a time.

    Raises BadFile for what is no JSON, for one that is too big, and where there is no list at all.
    """
    scan, number = Scan(), 0
    for chunk in chunks:
        for raw in scan.feed(chunk):
            number += 1
            yield number, parsed(raw, number)
        if len(scan.buffer) > limits.most_bytes_of_one:
            raise BadFile(f"One entry of it has more than {limits.most_bytes_of_one:,} bytes.")
    if scan.open or scan.buffer.strip():
        raise BadFile("It is no valid JSON: it ends too early.")
    if not scan.has_list:
        raise BadFile("It is no file of this kind: there is no list in it.")


def objects_by_line(chunks: Iterator[bytes], limits: Limits) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number of the line, object) of a file that has one on each. Raises BadFile."""
    for number, line in lines_of(chunks, limits.most_bytes_of_one):
        if line.strip():
            yield number, parsed(line, number)


def first_line(file: IO[bytes], limits: Limits) -> dict[str, Any]:
    """Return the object that is the first line of the file, read from its beginning; empty where there is none."""
    try:
        for number, line in lines_of(unpacked(file, limits.most_bytes), limits.most_bytes_of_one):
            return parsed(line, number)
    except BadFile:
        pass
    finally:
        file.seek(0)
    return {}


def parsed(raw: bytes, number: int) -> dict[str, Any]:
    """Raise BadFile."""
    try:
        value = parse_loosely(raw)
    except RepeatedName as error:
        raise BadFile(str(error.detail).replace("The body", f"Entry {number:,}")) from error
    except (ValueError, RecursionError) as error:
        raise BadFile(f"Entry {number:,} is no valid JSON.") from error
    if not isinstance(value, dict):
        raise BadFile(f"Entry {number:,} is no object.")
    return dict(clean(value))


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
            elif match[0] in (b"]", b"}") and (value := self.closes()):
                yield value
        self.place = match.start() if match else len(self.buffer)
        keep = self.start if self.start >= 0 else self.place
        del self.buffer[:keep]
        self.place -= keep
        self.start = min(self.start, 0)

    def opens(self, bracket: bytes, position: int) -> None:
        if self.start < 0 and bracket == b"{" and bytes(self.open) in (b"[", b"{["):
            self.start, self.depth = position, len(self.open)
        self.has_list |= bracket == b"[" and bytes(self.open) in (b"", b"{")
        self.open += bracket
        if len(self.open) > MOST_NESTED:
            raise BadFile("It is nested too deep to be read.")

    def closes(self) -> bytes:
        """Return the object that has just ended; empty if none has."""
        if not self.open:
            raise BadFile("It is no valid JSON: a bracket is closed that was not opened.")
        del self.open[-1]
        if self.start < 0 or len(self.open) > self.depth:
            return b""
        ended, self.start = bytes(self.buffer[self.start : self.place]), -1
        return ended


def clean(value: Any) -> Any:
    """Return a value without the characters that no database takes, and with integers that it cannot hold as texts."""
    if isinstance(value, str):
        return without_surrogates(value).replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {clean(name): clean(inner) for name, inner in value.items()}
    if isinstance(value, int) and not fits_64_bits(value):
        return str(value)
    return [clean(inner) for inner in value] if isinstance(value, list) else value


def conversation(source: str, id_: str, title: object, messages: list[Line], user_id: object = None) -> Iterator[Line]:
    """Yield a conversation, some messages a line; nothing for one in which nothing was said."""
    named = f"{source}:{id_[:ID_CHARACTERS]}"
    about = {"title": text_of(title)[:TITLE_CHARACTERS], "user_id": text_of(user_id)[:200] or None}
    for some in in_batches(messages, MOST_MESSAGES):
        yield {"type": CONVERSATION, "id": named, **about, "messages": some}


def message(id_: object, role: str, content: str, said_at: datetime | None) -> Line:
    time = said_at.isoformat() if said_at else None
    return {"id": text_of(id_)[:ID_CHARACTERS], "role": role, "content": content, "at": time}


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def texts_in(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def moment(value: object) -> datetime | None:
    """Return a moment from Unix seconds or ISO 8601; None for what is neither."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        time = datetime.fromisoformat(text_of(value))
    except (ValueError, OverflowError, OSError):
        return None
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)

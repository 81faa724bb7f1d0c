"""What came in, unpacked within bounds: a small file may not become an endless one."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from memories.portable.problems import BadFile

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
CHUNK_BYTES = 256 * 1024
MOST_MEMBERS = 100_000


def magic_of(file: IO[bytes]) -> bytes:
    start = file.read(4)
    file.seek(0)
    return start


def is_zip(file: IO[bytes]) -> bool:
    return magic_of(file) == ZIP


def is_gzip(file: IO[bytes]) -> bool:
    return magic_of(file).startswith(GZIP)


def unpacked(file: IO[bytes], most_bytes: int) -> Iterator[bytes]:
    """The file in pieces, without its gzip wrapper if it has one. Raises BadFile beyond so many bytes."""
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
    """(number from 1, line without its end). Raises BadFile for a line of more bytes."""
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
        """Its files whose names end so, by name."""
        found = [one for one in self.members if not one.is_dir() and one.filename.endswith(suffixes)]
        return sorted(found, key=lambda one: one.filename)

    def chunks(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        """What a file says of its size is not believed."""
        try:
            with self.zip.open(member) as source:
                while chunk := source.read(CHUNK_BYTES):
                    self.left -= len(chunk)
                    if self.left < 0:
                        raise BadFile(f"It has more than {self.most:,} bytes when unpacked.")
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
            raise BadFile(f"{member.filename} in it cannot be unpacked.") from error

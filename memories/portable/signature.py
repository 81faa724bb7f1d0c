"""Whether a file is as a server with this secret key wrote it: its last line signs all that stands before it.

What a file says of who said something, and who has reviewed it, is worth no more than who wrote the file. The app's
name alone is not signed: a copy of an app under another name makes the same bytes.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from typing import IO

import orjson
from django.conf import settings
from django.utils.crypto import salted_hmac

from memories.portable.files import lines_of, unpacked
from memories.portable.problems import BadFile
from memories.portable.tables import Line

SALT = "memsite.portable.signature"
FIELD = "signature"


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
        """Also with a key that was changed since, as long as it is among SECRET_KEY_FALLBACKS."""
        keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        return any(hmac.compare_digest(self.signature(key).encode(), given.encode()) for key in keys)


def is_ours(file: IO[bytes], most_bytes: int, most_bytes_of_line: int) -> bool:
    """Whether this server has signed the file as it is. Reads all of it; what is wrong in it is for others to tell."""
    try:
        with suppress(BadFile, ValueError, TypeError):
            raw = (line for _, line in lines_of(unpacked(file, most_bytes), most_bytes_of_line))
            return is_sealed(raw)
        return False
    finally:
        file.seek(0)


def is_sealed(raw: Iterable[bytes]) -> bool:
    """Raises ValueError or TypeError for what is no such file."""
    lines = iter(raw)
    seal, last = Seal(dict(orjson.loads(next(lines, b"")))), b""
    for line in lines:
        if last:
            seal.add(last + b"\n")
        last = line
    given = dict(orjson.loads(last)).get(FIELD)
    return isinstance(given, str) and seal.is_signed(given)

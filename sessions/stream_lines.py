"""Bytes in arbitrary chunks to numbered lines, in bounded memory."""

from collections.abc import Iterator
from typing import NamedTuple


class Line(NamedTuple):
    number: int
    raw: bytes | None
    """Without its newline; None for a line that was too long to keep."""


class LineSplitter:
    """Holds at most one unfinished line of `max_line_bytes`."""

    def __init__(self, max_line_bytes: int) -> None:
        self._max_line_bytes = max_line_bytes
        self._held = bytearray()
        self._too_long = False
        self.line_count = 0

    def feed(self, data: bytes) -> Iterator[Line]:
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._hold(data[start:end])
            yield self._take()
            start = end + 1
        self._hold(data[start:])

    def close(self) -> Iterator[Line]:
        """The last line, when no newline ended it."""
        if self._held or self._too_long:
            yield self._take()

    def _hold(self, piece: bytes) -> None:
        if self._too_long or len(self._held) + len(piece) > self._max_line_bytes:
            self._too_long = True
            self._held.clear()
        else:
            self._held += piece

    def _take(self) -> Line:
        self.line_count += 1
        line = Line(self.line_count, None if self._too_long else bytes(self._held))
        self._held.clear()
        self._too_long = False
        return line

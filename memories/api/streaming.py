"""Bodies read while they are sent: of any length, never whole in memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from queue import Full, Queue
from threading import Event, Thread
from time import monotonic
from typing import Any

from rest_framework.exceptions import AuthenticationFailed
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from memsite.http.bodies import Places, TimedBody, be_patient
from memsite.tenancy.authentication import NO_GOOD_KEY, still_opens
from memsite.tenancy.models import ApiKey

CHUNK_BYTES = 64 * 1024
# Pieces that may wait to be stored; a client that sends faster is made to wait.
MAX_WAITING = 1024
LOOK_EVERY_SECONDS = 1.0
streams = Places(2, "Too many agents are streaming: nothing of it was stored. Send it again in a moment.")


class Unread(BaseParser):
    """The body is not parsed: the view reads it as it comes in."""

    media_type = "*/*"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        return {}


def body_chunks(request: Request) -> Iterator[bytes]:
    """Yield the body piece by piece, as it comes in. Raise AuthenticationFailed once its key is revoked."""
    return while_open(request, live_chunks(request))


def while_open(request: Request, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield pieces while the key is valid: a body may be on its way for longer than the key that it began with."""
    looked = monotonic()
    for chunk in chunks:
        if (now := monotonic()) - looked >= LOOK_EVERY_SECONDS:
            looked = now
            if isinstance(request.auth, ApiKey) and not still_opens(request.auth):
                raise AuthenticationFailed(NO_GOOD_KEY)
        yield chunk


def live_chunks(request: Request) -> Iterator[bytes]:
    http, source = request._request, request._request.META["wsgi.input"]
    if not http.META.get("CONTENT_LENGTH"):
        # As long as an agent runs, it keeps a thread.
        with streams.counted():
            yield from LiveBody(source.source if isinstance(source, TimedBody) else source)
    be_patient(source)
    while chunk := http.read(CHUNK_BYTES):
        yield chunk


def file_chunks(request: Request) -> Iterator[bytes]:
    """Yield the pieces of a file, of which none is wanted before it is whole."""
    http = request._request
    be_patient(http.META["wsgi.input"])
    source = http if http.META.get("CONTENT_LENGTH") else http.META["wsgi.input"]
    return while_open(request, iter(partial(source.read, CHUNK_BYTES), b""))


class LiveBody:
    """A body without a length: lines are passed on the moment they are complete.

    A thread reads byte by byte, because a longer read waits for bytes that are not sent yet. What comes in while
    earlier lines are being stored is passed on together, so that a fast sender does not pay for each line alone.
    """

    def __init__(self, source: Any) -> None:
        self.source = source
        self.waiting: Queue[bytes | BaseException | None] = Queue(MAX_WAITING)
        self.abandoned = Event()

    def __iter__(self) -> Iterator[bytes]:
        Thread(target=self.pump, name="live-body", daemon=True).start()
        try:
            while (piece := self.waiting.get()) is not None:
                if isinstance(piece, BaseException):
                    raise piece
                yield piece + b"".join(self.ready())
        finally:
            self.abandoned.set()

    def ready(self) -> Iterator[bytes]:
        """Return what more has come in by now; the end, or an error, stays for the next turn. One reader only."""
        while self.waiting.queue and isinstance(piece := self.waiting.queue[0], bytes):
            self.waiting.get()
            yield piece

    def pump(self) -> None:
        last: BaseException | None = None
        try:
            for line in self.lines():
                self.put(line)
        except BaseException as error:
            last = error
        self.put(last)

    def lines(self) -> Iterator[bytes]:
        line = bytearray()
        while not self.abandoned.is_set() and (byte := self.source.read(1)):
            line += byte
            if byte == b"\n" or len(line) == CHUNK_BYTES:
                yield bytes(line)
                line.clear()
        yield bytes(line)

    def put(self, piece: bytes | BaseException | None) -> None:
        """Wait for capacity, then add a piece, unless nobody reads any more."""
        while not self.abandoned.is_set():
            try:
                self.waiting.put(piece, timeout=LOOK_EVERY_SECONDS)
            except Full:
                continue
            return

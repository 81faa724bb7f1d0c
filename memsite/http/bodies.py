"""Bodies of requests, waited for beside the web server's threads: who sends slowly, or no more, keeps none of those.

Granian's `read` waits until all that it was asked for is there, and nothing but the client ends that wait. So a helper
thread waits in it, and the request's own thread for the helper, for as long as the body may take. A helper that waits
longer than that is left alone with its connection until the client closes it; another one helps the next request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from math import inf
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from django.contrib.auth import SESSION_KEY
from django.core.exceptions import BadRequest, RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler
from rest_framework.exceptions import APIException

from memsite.config.conf import get_conf
from memsite.http.exceptions import Busy


class Places:
    """One in so many threads of this process, and one at least. Whoever finds no room is `told` so, with 503."""

    def __init__(self, one_in: int, message: str, error: type[Busy] = Busy) -> None:
        self.one_in, self.message, self.error = one_in, message, error
        self.taken, self.lock = 0, Lock()

    def take(self) -> None:
        with self.lock:
            if self.taken >= max(1, get_conf().web_threads // self.one_in):
                raise self.error(self.message)
            self.taken += 1

    def give_back(self) -> None:
        with self.lock:
            self.taken -= 1

    @contextmanager
    def counted(self) -> Iterator[None]:
        self.take()
        try:
            yield
        finally:
            self.give_back()


Answer = TypeVar("Answer")

PIECE_BYTES = 65_536
FIRST_SECONDS, SECONDS_A_PIECE = 10.0, 1.0
"""So long a body may take, and so much longer for each of its pieces."""
PATIENT_SECONDS = 60.0
"""Of a file, or of a stream whose length is known, each piece by itself: as a whole it may take hours."""
LATE_SECONDS = 5.0
"""What an answer has left of a short body is waited for so long: with that the connection is good for the next."""
A_MOMENT = 0.25
"""Seconds, in which what has come with its header is read. Who waits longer needs a place."""


class SlowBody(APIException, BadRequest):
    """A BadRequest, because that is what Django lets a handler of ours answer when a page's form is read."""

    status_code = HTTPStatus.REQUEST_TIMEOUT
    default_detail = "The body did not arrive in time: nothing of it was stored. Send it again."
    default_code = "request_timeout"


class TooManySlowBodies(Busy, BadRequest):
    pass


TOO_MANY = "Too many slow uploads are under way: nothing was stored. Send it again in a moment."
unread = Places(4, TOO_MANY, TooManySlowBodies)


class TimedBody:
    """`wsgi.input` of one request. After SlowBody or TooManySlowBodies nothing more can be read of it."""

    def __init__(self, source: Any, length: float) -> None:
        self.source = source
        self.length, self.left = length, length
        """Bytes, of which so many are not read yet; infinite where that is not known."""
        self.is_patient = False
        self.failure: APIException | None = None
        self._until = monotonic() + FIRST_SECONDS

    def read(self, size: int = -1) -> bytes:
        pieces, wanted = [], size if size >= 0 else inf
        while wanted and self.left:
            piece = self._read_piece(int(min(wanted, self.left, PIECE_BYTES)))
            pieces.append(piece)
            wanted -= len(piece)
        return b"".join(pieces)

    def readline(self, size: int = -1) -> bytes:
        """Return what `read` would: nothing here reads bodies by lines, and granian's own would wait without an end."""
        return self.read(size)

    def finish(self, most: int) -> bool:
        """Return whether all of it has been read, now if need be: at most so many bytes, if they come at once."""
        if 0 < self.left <= most and not self.failure:
            self._until, self.is_patient = monotonic() + LATE_SECONDS, False
            with suppress(SlowBody, TooManySlowBodies):
                self.read()
        return not self.left

    def _read_piece(self, size: int) -> bytes:
        if self.failure:
            raise self.failure
        if self.is_patient:
            self._until = monotonic() + PATIENT_SECONDS
        else:
            self._until += SECONDS_A_PIECE * size / PIECE_BYTES
        job = Job(self.source.read, size)
        try:
            helper = idle.pop()
        except IndexError:
            helper = Helper()
            helper.start()
        helper.jobs.put(job)
        if not job.is_done_at_once():
            try:
                with unread.counted():
                    if not job.is_done(max(0.0, self._until - monotonic())):
                        raise SlowBody
            except (SlowBody, TooManySlowBodies) as error:
                job.is_abandoned, self.failure = True, error
                raise
        if job.error:
            raise job.error
        piece = job.data
        # A shorter one is the last, or its client has gone.
        self.left = self.left - size if len(piece) == size else 0
        return piece


def be_patient(source: Any) -> None:
    """Allow hours for this `wsgi.input`, as long as it goes on."""
    if isinstance(source, TimedBody):
        source.is_patient = True


class Job:
    """One `read`."""

    def __init__(self, read: Callable[[int], bytes], size: int) -> None:
        self.read, self.size = read, size
        self.data = b""
        self.error: BaseException | None = None
        self.is_abandoned = False
        self.pending = Lock()
        self.pending.acquire()

    def is_done(self, seconds: float) -> bool:
        return self.pending.acquire(timeout=seconds)

    def is_done_at_once(self) -> bool:
        """Wait once more where the machine was too busy to wake us in time, and so to read, too."""
        asked_at = monotonic()
        while not self.is_done(A_MOMENT):
            if (now := monotonic()) - asked_at < 2 * A_MOMENT:
                return False
            asked_at = now
        return True

    def run(self) -> None:
        try:
            self.data = self.read(self.size)
        except BaseException as error:
            self.error = error


class Helper(Thread):
    """Does one job after the other; ends after one that nobody waits for any more."""

    def __init__(self) -> None:
        super().__init__(name="body", daemon=True)
        self.jobs: SimpleQueue[Job] = SimpleQueue()

    def run(self) -> None:
        is_needed = True
        while is_needed:
            job = self.jobs.get()
            job.run()
            if is_needed := not job.is_abandoned:
                idle.append(self)
            job.pending.release()
            del job  # with the body, and so the connection


idle: list[Helper] = []


def time_bodies(application: Callable[..., Answer]) -> Callable[..., Answer]:
    """Return the WSGI application, with bodies that are read in time or not at all."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Answer:
        length = environ.get("CONTENT_LENGTH") or ""
        if "HTTP_TRANSFER_ENCODING" in environ or length not in ("", "0"):
            environ["wsgi.input"] = TimedBody(environ["wsgi.input"], int(length) if length.isdecimal() else inf)
        return application(environ, start_response)

    return answer


class Bounded(FileUploadHandler):
    """Before Django's own handlers, which write whatever comes: a form is read before a page asks who sends it.

    Of somebody signed in as much as a file to be imported may have, with the form around it; of others, who have no
    file to send, no more than any other body.
    """

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803  # Django's own name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        conf = get_conf()
        most = conf.max_body_bytes
        if SESSION_KEY in self.request.session:  # type: ignore[union-attr]  # forms come through the middleware
            most += conf.import_megabytes * 1024 * 1024
            be_patient(META["wsgi.input"])
        if content_length > most:
            raise RequestDataTooBig

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None

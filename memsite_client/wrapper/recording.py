"""What an agent's program writes: recorded in a file, delivered while it grows, kept until the server is back."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any, Protocol

from memsite_client.configuration import write_whole
from memsite_client.errors import Conflict, InvalidRequest, MemsiteError, NotFound

READ_BYTES = 64 * 1024
# An idle connection is cut by what lies on the way: an empty line says that we are there.
IDLE_SECONDS = 15.0
STILL_HERE = b"\n"
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.5, 30.0
# After the program has ended, somebody waits for us.
LAST_TRIES = 3
LOOK_EVERY_SECONDS = 0.1
STREAM, ABOUT = ".ndjson", ".json"
# What the server refuses now it refuses later, too.
REFUSALS = (InvalidRequest, NotFound, Conflict)
Session = dict[str, Any]


class Recording:
    """One writes, others read along. The lock on the file ends with this process, however that ends."""

    def __init__(self, path: Path) -> None:
        """Raise OSError."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = path
        self.file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        fcntl.flock(self.file, fcntl.LOCK_EX)
        self.changed = Condition()
        self.size_bytes, self.is_complete = 0, False
        self.error: OSError | None = None

    def write(self, data: bytes) -> None:
        """Write without ever raising: what passes through is more important than what is kept of it."""
        if self.is_complete:
            return None
        try:
            self.file.write(data)
            self.file.flush()
        except OSError as error:
            self.error = error
            return self.complete()
        with self.changed:
            self.size_bytes += len(data)
            self.changed.notify_all()
        return None

    def complete(self) -> None:
        with self.changed:
            self.is_complete = True
            self.changed.notify_all()

    def chunks(self) -> Iterator[bytes]:
        """Yield all of it from the beginning to its end, and an empty line now and then while nothing comes."""
        with self.path.open("rb") as file:
            last = b"\n"
            while True:
                # Asked first: what is written between looking for more and asking would be lost.
                is_complete = self.is_complete
                if data := file.read(min(READ_BYTES, self.size_bytes - file.tell())):
                    last = data[-1:]
                    yield data
                elif is_complete:
                    return
                elif not self.wait_beyond(file.tell()) and last == b"\n":
                    yield STILL_HERE

    def wait_beyond(self, place: int) -> bool:
        """Return whether there is more, or it is complete, before the connection has been idle for too long."""
        with self.changed:
            return self.changed.wait_for(lambda: self.size_bytes > place or self.is_complete, IDLE_SECONDS)

    def close(self) -> None:
        """Free the lock: from now on anybody may deliver it."""
        # Closing tries to write what a full disk refused before.
        with suppress(OSError):
            self.file.close()


class Recorder(Protocol):
    """Where memory lives, for one session. Each method may raise anything: the agent runs all the same."""

    def begin(self) -> str:
        """Open the session; answers what to tell the agent, "" for nothing."""

    def variables(self) -> Mapping[str, str]:
        """Return lines for the environment of the agent's program."""

    def record(self, chunks: Iterable[bytes]) -> Mapping[str, Any]:
        """Take the program's output to its end; answers the server's report. What was taken before changes nothing.

        Opens the session if that did not work before.
        """

    def beat(self) -> None:
        """Tell the server that the session lives."""

    def end(self, reason: str) -> None: ...


class Delivery(Thread):
    def __init__(self, recording: Recording, recorder: Recorder) -> None:
        super().__init__(name="delivery", daemon=True)
        self.recording, self.recorder = recording, recorder
        self.report: Mapping[str, Any] | None = None
        self.error: Exception | None = None
        self.given_up = Event()

    def run(self) -> None:
        wait, tries_left = FIRST_WAIT_SECONDS, LAST_TRIES
        while self.report is None and tries_left and not self.given_up.is_set():
            tries_left -= self.recording.is_complete
            try:
                self.report = self.recorder.record(self.recording.chunks())
            except Exception as error:
                self.error = error
                self.given_up.wait(wait)
                wait = min(2 * wait, LONGEST_WAIT_SECONDS)

    def finish(self, seconds: float, is_impatient: Callable[[], bool]) -> bool:
        """Wait so long at most, or until somebody has no more patience; whether all of it was delivered."""
        ends_at = monotonic() + seconds
        while self.is_alive() and monotonic() < ends_at and not is_impatient():
            self.join(LOOK_EVERY_SECONDS)
        self.given_up.set()
        return self.report is not None


MakeRecorder = Callable[[Session], Recorder]


def start_recording(folder: Path, target: str, session: Session) -> Recording:
    """Return a file for it, and write beside it where it goes: whoever finds it later knows. Raise OSError."""
    path = folder / f"{session['external_id']}{STREAM}"
    recording = Recording(path)
    write_whole(path.with_suffix(ABOUT), json.dumps({"target": target, "session": session}))
    return recording


def discard(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_suffix(ABOUT).unlink(missing_ok=True)


def read_about(path: Path) -> Mapping[str, Any]:
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}


def deliver_stored(folder: Path, target: str, make: MakeRecorder) -> int:
    """Deliver and discard what goes to this server or app; return how many.

    Raise what the recorder raises, and the rest stays. One that another run is still writing to, or delivering, is left
    to it. One that the server refuses stays, too, and is raised when all others are delivered.
    """
    delivered, refused = 0, list[MemsiteError]()
    for path in sorted(folder.glob(f"*{STREAM}")):
        about = read_about(path.with_suffix(ABOUT))
        if about.get("target") != target or not isinstance(about.get("session"), dict):
            continue
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            recorder = make(about["session"])
            try:
                recorder.record(iter(lambda file=file: file.read(READ_BYTES), b""))  # type: ignore[misc]
                recorder.end("delivered later")
            except REFUSALS as error:
                refused.append(MemsiteError(f"{path}: {error}"))
                continue
            discard(path)
            delivered += 1
    if refused:
        raise refused[0]
    return delivered

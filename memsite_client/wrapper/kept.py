"""Recordings that could not be delivered, and what to do with them when the server is back."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from memsite_client.errors import Conflict, InvalidRequest, MemsiteError, NotFound
from memsite_client.files import write_whole
from memsite_client.wrapper.delivery import Recorder
from memsite_client.wrapper.recording import READ_BYTES, Recording

STREAM, ABOUT = ".ndjson", ".json"
# What the server refuses now it refuses later, too.
REFUSALS = (InvalidRequest, NotFound, Conflict)

Session = dict[str, Any]
MakeRecorder = Callable[[Session], Recorder]


class Kept(NamedTuple):
    path: Path
    session: Session


def start_recording(folder: Path, target: str, session: Session) -> Recording:
    """A file for it, and beside it where it goes: whoever finds it later knows. Raises OSError."""
    path = folder / f"{session['external_id']}{STREAM}"
    recording = Recording(path)
    write_whole(path.with_suffix(ABOUT), json.dumps({"target": target, "session": session}))
    return recording


def discard(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_suffix(ABOUT).unlink(missing_ok=True)


def kept_for(folder: Path, target: str) -> Iterator[Kept]:
    """The recordings that go to this server or app."""
    for path in sorted(folder.glob(f"*{STREAM}")):
        about = read_about(path.with_suffix(ABOUT))
        if about.get("target") == target and isinstance(about.get("session"), dict):
            yield Kept(path, about["session"])


def read_about(path: Path) -> Mapping[str, Any]:
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}


def deliver_kept(folder: Path, target: str, make: MakeRecorder) -> int:
    """Delivers and discards them; answers how many. Raises what the recorder raises, and the rest stays.

    One that another run is still writing to, or delivering, is left to it. One that the server refuses stays, too, and
    is told when all others are delivered.
    """
    delivered, refused = 0, list[MemsiteError]()
    for kept in kept_for(folder, target):
        with kept.path.open("rb") as file:
            if not is_free(file):
                continue
            recorder = make(kept.session)
            try:
                recorder.record(iter(lambda file=file: file.read(READ_BYTES), b""))  # type: ignore[misc]
                recorder.end("delivered later")
            except REFUSALS as error:
                refused.append(MemsiteError(f"{kept.path}: {error}"))
                continue
            discard(kept.path)
            delivered += 1
    if refused:
        raise refused[0]
    return delivered


def is_free(file: BinaryIO) -> bool:
    """Takes the lock, if nobody has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

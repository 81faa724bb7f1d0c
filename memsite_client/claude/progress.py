"""How far a session's transcript has been sent. May be lost: what is sent again is known by its id."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from memsite_client.claude.transcript import SUFFIX, Message, Piece, line_ids, read_piece
from memsite_client.place import state_folder

MOST_AHEAD, MOST_NAMED = 50, 2_000


class Progress:
    """`sent_bytes` of the transcript; `ahead` are the texts that were sent before they stood in it, by their hash.

    `names` are the hash and the id of each that was ever sent so: the transcript gives it another id.

    A plain class: `dataclasses` takes longer to load than all of this.
    """

    def __init__(
        self, sent_bytes: int = 0, ahead: list[str] | None = None, names: list[tuple[str, str]] | None = None
    ) -> None:
        self.sent_bytes, self.ahead, self.names = sent_bytes, ahead or [], names or []

    def next_piece(self, transcript: Path, others: Iterable[Path] | None = None) -> Piece:
        """What is in the transcript and was not sent, also not with one of the `others`, as a rule those beside it.

        OSError if it cannot be read.
        """
        piece = read_piece(transcript, self.sent_bytes)
        self.sent_bytes = piece.end
        copied = sent_with(others_of(transcript) if others is None else others, piece.messages)
        own = [message for message in piece.messages if message["external_id"] not in copied]
        return piece._replace(messages=[message for message in own if not self.was_ahead(message)])

    def was_ahead(self, message: Message) -> bool:
        name = fingerprint(message)
        if name in self.ahead:
            self.ahead.remove(name)
            return True
        return False

    def say_ahead(self, messages: list[Message], role: str, text: str, prompt_id: str | None) -> None:
        """Adds what the event itself tells, unless the transcript has told it; it will.

        By the prompt that it belongs to the server knows it again where two hooks tell of the same event.
        """
        message = {"role": role, "content": text, "external_id": prompt_id or os.urandom(8).hex()}
        name = fingerprint(message)
        if text and name not in map(fingerprint, messages):
            messages.append(message)
            self.ahead = [*self.ahead, name][-MOST_AHEAD:]
            named = (name, message["external_id"])
            self.names = [*(one for one in self.names if one != named), named][-MOST_NAMED:]


def others_of(transcript: Path) -> Iterable[Path]:
    return (path for path in transcript.parent.glob(f"*{SUFFIX}") if path != transcript)


def sent_with(others: Iterable[Path], messages: list[Message]) -> set[str]:
    """The ids of what was sent with other transcripts; empty if the first of the messages was not.

    A session that was forked off (`--fork-session`) begins with the lines of the other one, and nothing marks them.
    """
    first, sent = messages[0] if messages else {}, set[str]()
    for path in others if first.get("external_id") else ():
        with suppress(OSError):
            # What has not changed since it was said cannot have it.
            if path.stat().st_mtime >= said_at(first):
                ids = line_ids(path, load_progress(path.stem).sent_bytes)
                sent |= ids if first["external_id"] in ids else set()
    return sent


def said_at(message: Message) -> float:
    return datetime.fromisoformat(message["at"]).timestamp() if message["at"] else 0.0


def fingerprint(message: Message) -> str:
    return hashlib.sha256(f"{message['role']} {message['content']}".encode()).hexdigest()[:24]


def progress_file(session_id: str) -> Path:
    """By hash: a session's id is somebody else's text."""
    return state_folder() / "claude" / f"{hashlib.sha256(session_id.encode()).hexdigest()[:32]}.json"


def load_progress(session_id: str) -> Progress:
    try:
        kept = json.loads(progress_file(session_id).read_bytes())
        names = [(str(name), str(own)) for name, own in kept.get("names", ())]
        return Progress(max(0, int(kept["sent_bytes"])), [str(name) for name in kept["ahead"]], names)
    except (OSError, ValueError, KeyError, TypeError):
        return Progress()


def save_progress(session_id: str, progress: Progress) -> None:
    """Not kept where it cannot be: then it is sent again."""
    from memsite_client.files import write_whole

    try:
        write_whole(progress_file(session_id), json.dumps(vars(progress)))
    except OSError:
        return

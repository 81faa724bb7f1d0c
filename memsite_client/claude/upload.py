"""Transcripts of the past, sent to the server as its hooks would have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from memsite_client.claude.hook import HOPELESS
from memsite_client.claude.progress import Progress, fingerprint, load_progress, save_progress
from memsite_client.claude.transcript import SUFFIX, Message, read_piece
from memsite_client.errors import InvalidRequest
from memsite_client.sync import Memsite

# A sub-agent's own transcript: not what the agent and its user said.
SUB_AGENT = "agent-"
EVENT, END = "TranscriptImport", "SessionEnd"


class Part(NamedTuple):
    """`messages` of a session were sent; `size_bytes` of its file are done. `refused`: why others were not taken."""

    session_id: str
    messages: int
    size_bytes: int
    refused: list[str]


class Sent:
    """How much it was, all in all."""

    def __init__(self) -> None:
        self.messages, self.names = 0, set[str]()

    @property
    def sessions(self) -> int:
        return len(self.names)

    def add(self, part: Part) -> None:
        self.messages += part.messages
        if part.messages:
            self.names.add(part.session_id)


def transcripts_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Every transcript below, the oldest first, so that what was said later is learnt later."""
    files = {file for path in paths for file in (path.rglob(f"*{SUFFIX}") if path.is_dir() else [path])}
    own = [file for file in files if file.is_file() and not file.name.startswith(SUB_AGENT)]
    return iter(sorted(own, key=lambda file: (file.stat().st_mtime, file)))


def send_transcript(
    memsite: Memsite, path: Path, *, again: bool = False, after: Iterable[Path] | None = None
) -> Iterator[Part]:  # fmt: skip
    """Sends what was not sent yet, piece by piece, and tells of each. Raises what the client raises, and OSError.

    All of it `again`: under the ids that it was sent with, so that the server knows it; what it has in common with
    those that it comes `after` went with them.
    """
    session_id = session_of(path)
    progress, names = load_progress(session_id), list[tuple[str, str]]()
    if again:
        progress, names = Progress(names=progress.names), [*progress.names]
    done, about = progress.sent_bytes, {"session_id": session_id}
    yield Part(session_id, 0, done, [])
    while (piece := progress.next_piece(path, after)).end != done:
        refused = list[str]()
        if piece.messages:
            about["cwd"] = piece.cwd or about.get("cwd", "")
            messages = [as_sent(message, names) for message in piece.messages]
            refused += send_messages(memsite, {**about, "hook_event_name": EVENT}, messages)
        save_progress(session_id, progress)
        yield Part(session_id, len(piece.messages) - len(refused), piece.end - done, refused)
        done = piece.end
    if "cwd" in about:
        memsite.claude_code_hook({**about, "hook_event_name": END, "reason": "imported", "messages": []})


def send_messages(memsite: Memsite, event: dict[str, Any], messages: list[Message]) -> list[str]:
    """Sends them, in halves where the server refuses them; why it refused single ones. Raises if it takes no event."""
    try:
        memsite.claude_code_hook({**event, "messages": messages})
    except InvalidRequest as error:
        if error.status not in HOPELESS or not messages:
            raise
        send_messages(memsite, event, [])
        if len(messages) == 1:
            return [f"a message of {messages[0]['at'] or 'unknown time'} is left out: {error}"]
        middle = len(messages) // 2
        return send_messages(memsite, event, messages[:middle]) + send_messages(memsite, event, messages[middle:])
    return []


def as_sent(message: Message, names: list[tuple[str, str]]) -> Message:
    """Under its id of before, if a hook told it ahead of the transcript. Takes that from the `names`."""
    told = fingerprint(message)
    for named in names:
        if named[0] == told:
            names.remove(named)
            return {**message, "external_id": named[1]}
    return message


def is_transcript(path: Path) -> bool:
    """Whether its first lines are Claude Code's."""
    return read_piece(path, 0).session_id is not None


def session_of(path: Path) -> str:
    """Claude Code names the file after the session; the lines of one that was renamed tell it."""
    try:
        return str(UUID(path.stem))
    except ValueError:
        return read_piece(path, 0).session_id or path.stem

"""Claude Code: its hooks, its transcripts, its settings."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

SUFFIX = ".jsonl"
MAX_LINE_BYTES = 8 * 1024 * 1024
MOST_MESSAGES, MOST_CHARACTERS = 200, 1_000_000
# As many characters as the server takes for a message's id.
MOST_IN_ID = 200
# `forkedFrom`: copied into a branch of a session, under a new id; that session's transcript has it, too.
NOT_SAID = (
    "isSidechain",
    "isMeta",
    "isCompactSummary",
    "isApiErrorMessage",
    "isVisibleInTranscriptOnly",
    "forkedFrom",
    "carriedByCompaction",
)
# Not the user's own words, though they stand in a user's message.
INSERTED = re.compile(
    r"<(system-reminder|command-name|command-message|command-args|local-command-stdout|local-command-stderr"
    r"|local-command-caveat|bash-input|bash-stdout|bash-stderr|bash-exit-code|ide_opened_file|ide_selection"
    r"|task-notification|teammate-message|cross-session-message)(?: [^<>]*)?>"
)
INTERRUPTED = re.compile(r"\[Request interrupted by user[^\[\]]*\]")
UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
LINE_ID = re.compile(rb'"uuid": ?"([^"\\]+)"')
SYNTHETIC_MODEL = "<synthetic>"

Message = dict[str, Any]


class Piece(NamedTuple):
    """What was said from one place of the file to `end`, where to go on."""

    messages: list[Message]
    end: int
    session_id: str | None
    cwd: str | None


def read_piece(path: Path, start: int) -> Piece:
    """Return the next messages, 200 and a million characters at most, or a longer one. OSError if unreadable."""
    messages: list[Message] = []
    session_id = cwd = None
    characters = 0
    with path.open("rb") as file:
        end = start if start <= file.seek(0, 2) else 0  # shorter than it was: another file of that name
        file.seek(end)
        while len(messages) < MOST_MESSAGES and characters < MOST_CHARACTERS:
            raw, length = read_line(file)
            if not length:
                break
            entry = read_entry(raw)
            message = message_of(entry)
            # What is too long for the server shall cost nothing of what was said before it.
            if message and messages and characters + len(message["content"]) > MOST_CHARACTERS:
                break
            end += length
            session_id, cwd = session_id or text_in(entry, "sessionId"), cwd or text_in(entry, "cwd")
            if message:
                messages.append(message)
                characters += len(message["content"])
    return Piece(messages, end, session_id, cwd)


def read_line(file: BinaryIO) -> tuple[bytes, int]:
    """Return a complete line and its length; (b"", 0) where none is complete yet, b"" for one too long to be said."""
    raw = file.readline(MAX_LINE_BYTES)
    length, part = len(raw), raw
    while part and not part.endswith(b"\n"):
        raw, part = b"", file.readline(MAX_LINE_BYTES)
        length += len(part)
    return (raw, length) if part else (b"", 0)


def line_ids(path: Path, end: int) -> set[str]:
    """Return the ids of the lines up to `end`, searched, not parsed: the file may be long. OSError if unreadable."""
    ids, place = set[str](), 0
    with path.open("rb") as file:
        while place < end:
            raw, length = read_line(file)
            if not length:
                break
            ids.update(match.decode(errors="replace") for match in LINE_ID.findall(raw))
            place += length
    return ids


def read_entry(raw: bytes) -> dict[str, Any]:
    try:
        entry = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def message_of(entry: dict[str, Any]) -> Message | None:
    """Return it as the server takes it; None if nobody said anything."""
    entry = as_users(entry)
    role, message = entry.get("type"), entry.get("message")
    if role not in ("user", "assistant") or not isinstance(message, dict) or any(entry.get(mark) for mark in NOT_SAID):
        return None
    if message.get("model") == SYNTHETIC_MODEL:
        return None
    text, origin = spoken_text(message.get("content")), entry.get("origin")
    if role == "user" and isinstance(origin, dict) and origin.get("kind") != "human":
        # Another session's or Claude Code's own, which comes as the user's. Older versions do not say whose it is.
        return None
    text = own_words(text) if role == "user" else sendable(text)
    if not text:
        return None
    return {"role": role, "content": text, "external_id": id_in(entry, "uuid"), "at": moment_in(entry)}


def as_users(entry: dict[str, Any]) -> dict[str, Any]:
    """Return what the user typed while the agent worked, which is an attachment, as a line of theirs."""
    queued = entry.get("attachment") if entry.get("type") == "attachment" else None
    if not isinstance(queued, dict) or queued.get("type") != "queued_command":
        return entry
    is_prompt = queued.get("commandMode", "prompt") == "prompt"
    return {**entry, **queued, "type": "user", "message": {"content": queued.get("prompt")} if is_prompt else None}


def own_words(text: str) -> str:
    """Return what the user has written of it: all but what stands between an inserted tag and its end.

    Each end is looked for once: a prompt may be hostile.
    """
    written, start, endless = list[str](), 0, set[str]()
    while match := INSERTED.search(text, start):
        written.append(text[start : match.start()])
        start, end = match.end(), f"</{match[1]}>"
        closed = -1 if end in endless else text.find(end, start)
        if closed < 0:
            endless.add(end)
            written.append(match[0])
        else:
            start = closed + len(end)
    written.append(text[start:])
    return sendable(INTERRUPTED.sub("", "".join(written)))


def spoken_text(content: Any) -> str:
    """Return text blocks only: no thinking, no tools, no pictures."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def sendable(text: str) -> str:
    """Drop the characters that no JSON document may have."""
    return UNSENDABLE.sub("\ufffd", text).strip()


def text_in(entry: dict[str, Any], name: str) -> str | None:
    value = entry.get(name)
    return sendable(value) or None if isinstance(value, str) else None


def id_in(entry: dict[str, Any], name: str) -> str | None:
    """Return an id as the server takes it: of one too long the beginning, and what tells it from others alike."""
    own = text_in(entry, name)
    if own is None or len(own) <= MOST_IN_ID:
        return own
    digest = hashlib.sha256(own.encode()).hexdigest()
    return own[: MOST_IN_ID - len(digest)] + digest


def moment_in(entry: dict[str, Any]) -> str | None:
    """Return the moment when it was said, if that can be read, as ISO 8601."""
    try:
        return datetime.fromisoformat(text_in(entry, "timestamp") or "").astimezone().isoformat()
    except (ValueError, OverflowError):
        return None

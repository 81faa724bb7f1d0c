"""Transcripts as Claude Code writes them, line by line."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

SESSION = "5d1c8a3e-2f10-4c57-9a43-0c1d2e3f4a5b"


OTHER = "5d1c8a3e-0000-4c57-9a43-0c1d2e3f4a5b"


class Transcript:
    """A file that grows. Each line has an id and a time of its own."""

    def __init__(self, path: Path, session_id: str = SESSION) -> None:
        self.path, self.session_id, self.numbers = path, session_id, count(1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def write(self, text: str | bytes) -> None:
        with self.path.open("ab") as file:
            file.write(text.encode() if isinstance(text, str) else text)

    def line(self, kind: str, content: Any, **more: Any) -> str:
        number = next(self.numbers)
        entry = {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/srv/shop",
            "sessionId": self.session_id,
            "version": "2.1.15",
            "type": kind,
            "message": {"role": kind, "content": content},
            "uuid": f"line-{number}",
            "timestamp": f"2026-03-05T08:{number // 60:02}:{number % 60:02}.000Z",
            **more,
        }
        return json.dumps(entry) + "\n"

    def user(self, content: Any, **more: Any) -> None:
        self.write(self.line("user", content, **more))

    def assistant(self, text: str, **more: Any) -> None:
        self.write(self.line("assistant", [{"type": "text", "text": text}], **more))

    def fork(self, session_id: str = OTHER) -> Transcript:
        """As `--fork-session` does it: the same lines, but for the session's id."""
        fork = Transcript(self.path.with_stem(session_id), session_id)
        fork.numbers = count(next(self.numbers))
        fork.write(json.dumps({"type": "mode", "mode": "normal", "sessionId": session_id}) + "\n")
        fork.write(self.path.read_text().replace(self.session_id, session_id))
        return fork

"""Memory at a server, for one session of a wrapped agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from memsite_client.shapes import SessionStarted
from memsite_client.sync import Memsite
from memsite_client.wrapper.kept import Session
from memsite_client.wrapper.prompt import system_prompt

# The agent waits for the one; the other waits for whatever the agent says.
SHORT_SECONDS, LONG_SECONDS = 10.0, 60.0


class HTTPRecorder:
    """Connects when it is first used: whatever is wrong with address and key is told then."""

    def __init__(self, url: str | None, session: Session) -> None:
        self.url, self.session = url, session
        self.session_id = ""

    @cached_property
    def memsite(self) -> Memsite:
        return Memsite(self.url, timeout=SHORT_SECONDS, retries=0)

    def open(self) -> SessionStarted:
        started = self.memsite.start_session(**self.session)
        self.session_id = started["id"]
        return started

    def begin(self) -> str:
        started = self.open()
        task = self.memsite.get_prompt(started["tier"])
        return system_prompt(task, started["environment"], started["context"]["text"])

    def variables(self) -> Mapping[str, str]:
        """By which our hooks know that they are inside."""
        return {"MEMSITE_SESSION_ID": self.session_id} if self.session_id else {}

    def record(self, chunks: Iterable[bytes]) -> Mapping[str, Any]:
        if not self.session_id:
            self.open()
        with Memsite(self.url, timeout=LONG_SECONDS, retries=0) as memsite:
            return memsite.stream_session(self.session_id, chunks)

    def beat(self) -> None:
        if self.session_id:
            self.memsite.heartbeat(self.session_id)

    def end(self, reason: str) -> None:
        if self.session_id:
            self.memsite.end_session(self.session_id, reason)

"""Memory in this process, for one session of a wrapped agent: no server has to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from threading import current_thread, main_thread
from typing import Any

from django.db import connections

from memories.agent import MemoryAgent
from memsite.tenancy.models import Agent
from memsite_client.wrapper.kept import Session
from memsite_client.wrapper.prompt import system_prompt
from sessions.models import AgentSession


class DirectRecorder:
    """Does what the doors of the API do, through the same MemoryAgent. `find_agent` may ask the database."""

    def __init__(self, find_agent: Callable[[], Agent], fields: Session) -> None:
        self.find_agent = find_agent
        self.fields = {name: value for name, value in fields.items() if name != "external_id"}
        self.external_id = fields["external_id"]
        self.session: AgentSession | None = None

    @cached_property
    def memory(self) -> MemoryAgent:
        agent = self.find_agent()
        return MemoryAgent(agent.app, agent, f"agent:{agent.name}")

    def open(self) -> AgentSession:
        self.session, _ = self.memory.open_session(self.external_id, self.fields)
        self.session.app = self.memory.app
        return self.session

    def begin(self) -> str:
        session = self.open()
        greeting = self.memory.start(session)
        return system_prompt(self.memory.prompt(session.tier), session.environment, greeting.text)

    def variables(self) -> Mapping[str, str]:
        return {"MEMSITE_SESSION_ID": str(self.session.uid)} if self.session else {}

    def record(self, chunks: Iterable[bytes]) -> Mapping[str, Any]:
        with own_connection():
            return self.memory.capture_stream(self.session or self.open()).run(chunks).as_dict()

    def beat(self) -> None:
        with own_connection():
            if self.session:
                self.memory.heartbeat(self.session)

    def end(self, reason: str) -> None:
        if self.session:
            self.memory.end(self.session, reason)


@contextmanager
def own_connection() -> Iterator[None]:
    """A thread has database connections of its own, and nobody else closes them."""
    try:
        yield
    finally:
        if current_thread() is not main_thread():
            connections.close_all()

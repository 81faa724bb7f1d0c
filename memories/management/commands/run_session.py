"""`manage.py run_session`: an agent's program with the memory of this installation. `memsite run` does it over HTTP."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from threading import current_thread, main_thread
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from memories.management.arguments import agent_named, app_named, end_user
from memories.services import MemoryAgent
from memsite.tenancy.models import Agent
from memsite_client.wrapper import Run, warn_on_stderr
from memsite_client.wrapper.program import new_session, system_prompt
from memsite_client.wrapper.recording import Session
from sessions.models import TIERS, AgentSession


class DirectRecorder:
    """Does what the endpoints of the API do, through the same MemoryAgent. `find_agent` may ask the database."""

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
    """Close the database connections of this thread, which nobody else does."""
    try:
        yield
    finally:
        if current_thread() is not main_thread():
            connections.close_all()


SEPARATOR = "--"


class Command(BaseCommand):
    # What it prints is the program's, and the server's own checks are told where the server starts.
    requires_system_checks = ()
    help = (
        "Runs an agent's program with memory: it receives its task, where it is and what is known; what it prints "
        "passes through and is learnt from as it comes; its exit code is ours."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--app", required=True, help="app whose memory it uses, by its app_id")
        parser.add_argument(
            "--agent", default="agent", help="agent of the app to act as (agent); created if there is none"
        )
        parser.add_argument(
            "--tier", type=int, choices=TIERS, default=1, help="1 observe (the usual), 2 investigate, 3 remediate"
        )
        parser.add_argument("--title", help="what the session is called (its program and folder)")
        parser.add_argument("--user", type=end_user, help="the end user it is for")
        parser.add_argument(
            "-e",
            "--environment",
            type=named,
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="fact about where it runs; may be given several times",
        )
        parser.add_argument(
            "command",
            nargs=argparse.REMAINDER,
            metavar="-- COMMAND …",
            help='such as: claude -p "…" --output-format stream-json --verbose',
        )

    def handle(self, *args: Any, app: str, agent: str, tier: int, command: list[str], **options: Any) -> None:
        words = command[1:] if command[:1] == [SEPARATOR] else command
        if not words:
            raise CommandError("Which command? Give it after --.")

        def owner() -> Agent:
            return agent_named(app_named(app), agent, self.stderr.write)

        # A wrong name ends here. Without its database the agent runs all the same, and is told why it has no memory.
        with suppress(DatabaseError):
            owner()
        session = new_session(
            words, tier, dict(options["environment"]), title=options["title"], user_id=options["user"]
        )
        run = Run(
            session,
            f"app:{app}/{agent}",
            lambda session: DirectRecorder(owner, session),
            warn_on_stderr,
            verbose=options["verbosity"] > 1,
        )
        sys.exit(run(words))


def named(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise argparse.ArgumentTypeError("NAME=VALUE")
    return name, value

"""Sessions: opened with a greeting, told what is said, ended."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable
from typing import Unpack, cast

from memsite_client.aio.connection import AsyncConnection
from memsite_client.shapes import (
    JSON,
    Checkpoint,
    Event,
    Feedback,
    JobsRun,
    KnownMessage,
    MessagesStored,
    NewSession,
    Recovered,
    Replay,
    Resource,
    Session,
    SessionEnded,
    SessionStarted,
    StreamReport,
    Turn,
    TurnStored,
)
from memsite_client.wire import part


class AsyncSessions(AsyncConnection):
    async def start_session(
        self, *, idempotency_key: str | None = None, **fields: Unpack[NewSession]
    ) -> SessionStarted:
        """Opens a session, or the one with this `external_id` again; `context` is what to tell the agent."""
        return cast(SessionStarted, await self.create("sessions", fields, idempotency_key))

    async def get_prompt(self, tier: int) -> str:
        """What to tell an agent of this tier (1 to 3) beside the greeting: its task, and how to note what it learns."""
        return cast(str, await self.request("GET", f"prompts/{tier}.md"))

    def list_sessions(self, *, status: str | None = None) -> AsyncIterator[Session]:
        """This agent's, the latest first."""
        return self.pages("sessions", {"status": status})

    async def get_session(self, session_id: str) -> Session:
        return cast(Session, await self.request("GET", at(session_id)))

    async def heartbeat(self, session_id: str) -> JobsRun:
        return cast(JobsRun, await self.request("POST", at(session_id, "heartbeat"), repeatable=True))

    async def end_session(self, session_id: str, reason: str = "") -> SessionEnded:
        path = at(session_id, "end")
        return cast(SessionEnded, await self.request("POST", path, json={"reason": reason}, repeatable=True))

    async def store_turn(self, session_id: str, number: int, **checkpoint: Unpack[Checkpoint]) -> TurnStored:
        """The same again is the same turn; Conflict if another one is stored under this number."""
        return cast(TurnStored, await self.request("PUT", at(session_id, f"turns/{number}"), json=checkpoint))

    def list_turns(self, session_id: str) -> AsyncIterator[Turn]:
        return self.pages(at(session_id, "turns"), {})

    async def get_turn(self, session_id: str, number: int) -> Turn:
        return cast(Turn, await self.request("GET", at(session_id, f"turns/{number}")))

    async def replay_session(self, session_id: str, turn: int) -> Replay:
        """The state after this turn, and the turns that led there."""
        return cast(Replay, await self.request("GET", at(session_id, "replay"), query={"turn": turn}))

    async def recover_session(self, session_id: str) -> Recovered:
        """The last checkpoint, to go on from after a crash."""
        return cast(Recovered, await self.request("GET", at(session_id, "recover")))

    async def add_messages(
        self, session_id: str, messages: Iterable[KnownMessage], *, idempotency_key: str | None = None
    ) -> MessagesStored:
        """What was said outside of turns, up to 500 messages."""
        body = {"messages": list(messages)}
        return cast(MessagesStored, await self.create(at(session_id, "messages"), body, idempotency_key))

    async def stream_session(self, session_id: str, lines: AsyncIterable[bytes] | bytes) -> StreamReport:
        """stream-json of an agent, stored as it comes in. Sent again it changes nothing."""
        return cast(StreamReport, await self.upload(at(session_id, "stream"), lines))

    async def judge_response(self, session_id: str, turn_number: int, text: str, *, question: str = "") -> Feedback:
        """What the agent answered: the memories that it had in view and used gain priority, others lose some."""
        body = {"turn_number": turn_number, "text": text, "question": question}
        return cast(Feedback, await self.request("POST", at(session_id, "responses"), json=body, repeatable=True))

    def list_events(
        self, *, level: str | None = None, service: str | None = None, session_id: str | None = None
    ) -> AsyncIterator[Event]:
        return self.pages("events", {"level": level, "service": service, "session_id": session_id})

    def list_resources(self, *, session_id: str | None = None) -> AsyncIterator[Resource]:
        """Raw text as it came, of this agent's sessions."""
        return self.pages("resources", {"session_id": session_id})

    async def claude_code_hook(self, event: JSON) -> JSON:
        """Takes what Claude Code gives to a hook, answers what it takes from one."""
        # Messages with ids of their own are stored once, however often they are sent.
        return cast(JSON, await self.request("POST", "hooks/claude-code", json=event, repeatable="messages" in event))


def at(session_id: str, door: str = "") -> str:
    """An empty id is none: the list of all of them is at another address."""
    return f"sessions/{part(session_id)}{f'/{door}' if door else ''}"

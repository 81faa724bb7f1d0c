"""What was said becomes memories before the answer is sent, as mem0's clients expect."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memories.agent import MemoryAgent, Withheld
from memories.compat.kept import external_id
from memories.compat.mem0.filters import metadata_of, owner_of
from memories.compat.mem0.shapes import end_of
from memories.models import Extraction, ExtractionStatus, Memory
from memories.text.clean import is_visible
from sessions.models import AgentSession, Resource
from sessions.recording import Said

PATIENCE_SECONDS, LOOK_EVERY_SECONDS = 30.0, 0.05


def add_learnt(agent: MemoryAgent, fields: Mapping[str, Any]) -> tuple[list[Memory], bool]:
    """(the memories that were new in it, whether some of it is still being learnt)."""
    if not (told := said(fields)):
        return [], False
    owner = owner_of(fields)
    session = session_of(agent, owner)
    at = datetime.fromtimestamp(fields["timestamp"], UTC) if fields.get("timestamp") else None
    captured = agent.capture_messages(session, [said_by(one, at) for one in told])
    is_pending = learn_now(agent, session, captured.resources)
    rows = agent.memories().filter(resource__in=captured.resources).order_by("pk")
    changes = {
        "metadata": metadata_of(owner, fields.get("metadata")),
        "valid_until": end_of(fields.get("expiration_date")),
    }
    given = {name: value for name, value in changes.items() if value}
    return [told_with(agent, row, given) for row in rows], is_pending


def told_with(agent: MemoryAgent, row: Memory, given: Mapping[str, Any]) -> Memory:
    """The memory with what was told beside it, unless a person has to decide about that."""
    try:
        return agent.edit(row, given, reason="told with it") if given else row
    except Withheld:
        return row


def said_by(message: Mapping[str, Any], at: datetime | None) -> Said:
    name = message["name"] if isinstance(message["name"], str) else ""
    return Said(message["role"], message["content"], None, at, speaker=name)


def said(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [message for message in fields["messages"] if is_visible(message["content"])]


def session_of(agent: MemoryAgent, owner: Mapping[str, str]) -> AgentSession:
    """One conversation for each combination of ids."""
    name = external_id("mem0", *(f"{key}={owner[key]}" for key in sorted(owner)))
    session, _ = agent.open_session(name, {"user_id": owner.get("user_id"), "title": owner.get("run_id", "mem0")})
    session.app = agent.app
    return session


def learn_now(agent: MemoryAgent, session: AgentSession, texts: Sequence[Resource]) -> bool:
    """Learns, or waits while a worker that was faster does. Whether some of it has to wait for longer."""
    work = Extraction.objects.for_app(agent.app).open().filter(resource__in=texts)
    patience = time.monotonic() + PATIENCE_SECONDS
    for _ in agent.learn_session(session.pk):
        pass
    while work.filter(status=ExtractionStatus.RUNNING).exists() and time.monotonic() < patience:
        time.sleep(LOOK_EVERY_SECONDS)
    return work.exists()

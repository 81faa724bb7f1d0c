"""Lines of other systems → what MemoryAgent is told: who said what when, and what is known already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from memories.models import Import
from memories.portable.sources.items import moment
from memories.portable.tables import Line
from memories.store import Candidate
from memsite.tenancy.models import Agent
from memsite.tenancy.origin import Origin
from sessions.models import AgentSession, SessionStatus
from sessions.recording import Said, source_key

END_REASON = "imported"


def session_for(row: Import, agent: Agent, line: Line, now: datetime) -> tuple[AgentSession, bool]:
    """The session of a conversation, ended when the last was said; whether it is new."""
    times = [at for message in line["messages"] if (at := moment(message["at"]))]
    began, ended = min(times, default=now), max(times, default=now)
    session, is_new = AgentSession.objects.for_app(row.app).get_or_create(
        agent=agent,
        external_id=line["id"],
        defaults={
            "app": row.app, "title": line["title"], "user_id": line["user_id"] or row.user_id,
            "environment": {"client": row.source, "import": str(row.uid)}, "status": SessionStatus.ENDED,
            "end_reason": END_REASON,
            "started_at": began, "heartbeat_at": ended, "ended_at": ended,
        },
    )  # fmt: skip
    session.app, session.agent = row.app, agent
    return session, is_new


def said_in(line: Line) -> list[Said]:
    return [
        Said(one["role"], one["content"], source_key(one["id"], text=one["content"]), moment(one["at"]))
        for one in line["messages"]
    ]


def candidates_of(row: Import, lines: Iterable[Line], known: set[str]) -> list[Candidate]:
    """Of what is not known yet and not longer than the app allows."""
    return [
        Candidate(
            content=line["content"],
            origin=Origin.AGENT,
            category=line["category"],
            tags=line["tags"],
            user_id=line["user_id"] or row.user_id,
            metadata=line["metadata"],
            external_id=line["id"],
            valid_until=moment(line["valid_until"]),
        )
        for line in once(lines)
        if line["id"] not in known and len(line["content"]) <= row.app.policy.max_characters
    ]


def once(lines: Iterable[Line]) -> Sequence[Line]:
    return list({line["id"]: line for line in lines}.values())

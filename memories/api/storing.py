"""What all doors share that store or change memories: what the policy, the session and the memory itself allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.exceptions import ValidationError

from memories.api.base import AgentView
from memories.models import Memory, Source, Status
from memories.models.memory import subject_of
from memories.store import Candidate
from memsite.tenancy.policy import AppPolicy
from sessions.models import AgentSession


class StoringView(AgentView):
    def candidate(self, fields: Mapping[str, Any], sessions: Mapping[UUID, AgentSession] | None = None) -> Candidate:
        """A candidate of this agent; ValidationError where the policy or the session does not allow it."""
        if complaint := too_long(fields["content"], self.app.policy):
            raise ValidationError({"content": complaint})
        rest = {name: value for name, value in fields.items() if name != "session_id"}
        session = self.session_of(fields.get("session_id"), sessions)
        return Candidate(
            **{"user_id": session.user_id if session else None, **rest},
            agent=self.caller().agent,
            session=session,
            tier=session.tier if session else 1,
            source=Source.API,
        )

    def session_of(self, uid: UUID | None, known: Mapping[UUID, AgentSession] | None) -> AgentSession | None:
        if uid is None:
            return None
        if known is None:
            known = self.sessions({uid})
        if uid not in known:
            raise ValidationError({"session_id": ["There is no session with this id."]})
        return known[uid]

    def sessions(self, uids: set[UUID]) -> dict[UUID, AgentSession]:
        rows = AgentSession.objects.for_app(self.app).filter(agent=self.caller().agent, uid__in=uids)
        return {row.uid: row for row in rows}


def too_long(content: str, policy: AppPolicy) -> list[str]:
    """What is to be said of a text that is longer than the app allows; nothing of one that is not."""
    limit = policy.max_characters
    return [f"This app's memories have at most {limit:,} characters."] if len(content) > limit else []


def check_changes(memory: Memory, changes: dict[str, Any], policy: AppPolicy) -> None:
    """ValidationError for what only the stored memory and its app can tell to be wrong."""
    if "subject" in changes:
        changes["subject"] = subject_of(changes["subject"])
    errors: dict[str, list[str]] = {}
    if complaint := too_long(changes.get("content", ""), policy):
        errors["content"] = complaint
    start, end = changes.get("valid_from", memory.valid_from), changes.get("valid_until", memory.valid_until)
    if start and end and end < start:
        errors["valid_until"] = ["Lies before valid_from."]
    confidence = changes.get("confidence", memory.confidence)
    if changes.get("status") == Status.ACTIVE and confidence < policy.inactive_below:
        errors["status"] = ["Its confidence is too low to be active: raise it with the same request."]
    if memory.is_superseded and changes.get("status", Status.ACTIVE) != Status.ACTIVE:
        errors["status"] = ["Another memory stands for it: all that can be done is to make it active again."]
    if errors:
        raise ValidationError(errors)

"""Purges: what is to be gone for good. Hidden from everyone at once; deleted at once too, unless that takes long."""

from __future__ import annotations

from django.utils import timezone

from memories.agent.base import Caller
from memories.maintain.housekeeping import erase_hidden
from memories.models import Purge
from memories.store.purge import purge_app, purge_memories, purge_session, purge_user
from memsite.jobs.job import Unclaimed
from memsite.jobs.task_queue import ring
from sessions.models import AgentSession

SWEEP_TASK = "memories.tasks.upkeep_sweep"
MOST_AT_ONCE = 2_000
"""Rows: what goes in a second or two is gone when the caller is told so."""


class Purging(Caller):
    def purge_app(self) -> Purge:
        """Uninstalls the app and deletes what it knows and was told; its name, agents, keys and policy stay."""
        return self.carry_out(purge_app(self.app, self.actor, timezone.now()))

    def purge_memories(self) -> Purge:
        return self.carry_out(purge_memories(self.app, self.actor, timezone.now()))

    def purge_user(self, user_id: str) -> Purge:
        return self.carry_out(purge_user(self.app, user_id, self.actor, timezone.now()))

    def purge_session(self, session: AgentSession) -> Purge:
        return self.carry_out(purge_session(session, self.actor, timezone.now()))

    def carry_out(self, purge: Purge) -> Purge:
        """Not to be called inside a transaction. The job does the rest, and a worker sweeps the files."""
        now = timezone.now()
        if sum(purge.counts.values()) <= MOST_AT_ONCE:
            erase_hidden(self.app, now, Unclaimed(until=now))
            purge.refresh_from_db()
        ring(SWEEP_TASK)
        return purge

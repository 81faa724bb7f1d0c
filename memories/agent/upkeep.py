"""Jobs, set going."""

from __future__ import annotations

from django.utils import timezone

from memories.agent.base import Caller
from memories.jobs import JOBS
from memsite.jobs.engine import fire_for


class Upkeep(Caller):
    def fire_overdue(self, occasion: str) -> list[str]:
        """Sets going what should have run by now and has not; answers the names. A worker does it."""
        return fire_for(JOBS, self.app, timezone.now(), f"{occasion} of {self.actor}")

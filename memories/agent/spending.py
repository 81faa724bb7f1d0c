"""Energy: what the agents' memory takes, and how much they have left."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from memories.agent.base import Caller
from memories.capture.extraction_queue import TASK, sessions_due
from memories.ledger import Consumption, consumed, is_low, set_level
from memories.models import Extraction, ExtractionStatus
from memsite.jobs.task_queue import ring

MOST_RUNG_FOR = 100
"""Sessions whose texts are taken up at once; those of the others, within a minute."""


@dataclass(frozen=True, slots=True)
class EnergyReport:
    """`deferred` counts the texts and sessions that still wait to be learnt from."""

    consumption: Consumption
    level: float
    low: bool
    deferred: int


class Spending(Caller):
    def report_energy(self) -> EnergyReport:
        """What the app has used since it was last asked, by any of its agents. Asking again tells only what is new."""
        return EnergyReport(consumed(self.app), self.app.energy_level, is_low(self.app), self.deferred())

    def set_energy(self, level: float) -> bool:
        """Notes how much energy (0 to 1) the app's agents have; answers whether that is too little to learn.

        What had to wait is taken up as soon as there is enough.
        """
        set_level(self.set_apart(), level)
        if is_low(self.app):
            return True
        waiting = Extraction.objects.for_app(self.app).open().exclude(status=ExtractionStatus.RUNNING)
        now = timezone.now()
        if waiting.filter(reason__startswith="energy:").update(next_at=now, reason=""):
            # For each session, as when its texts were told: a job's run of this minute may have come and gone.
            for session in sessions_due(self.app, now)[:MOST_RUNG_FOR]:
                ring(TASK, self.app.pk, session)
        return False

    def deferred(self) -> int:
        waiting = Extraction.objects.for_app(self.app).open()
        return waiting.exclude(status=ExtractionStatus.RUNNING, lease_until__gt=timezone.now()).count()

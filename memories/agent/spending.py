"""Energy: what the agents' memory takes, and how much they have left."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import timezone

from memories.agent.base import Caller
from memories.ledger import Consumption, consumed, is_low, set_level
from memories.models import Extraction, ExtractionStatus
from memsite.doorbell import ring


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

        What had to wait is due again as soon as there is enough.
        """
        set_level(self.set_apart(), level)
        if is_low(self.app):
            return True
        waiting = Extraction.objects.for_app(self.app).open().exclude(status=ExtractionStatus.RUNNING)
        if waiting.filter(reason__startswith="energy:").update(next_at=timezone.now(), reason=""):
            ring("memories.tasks.upkeep_due")
        return False

    def deferred(self) -> int:
        waiting = Extraction.objects.for_app(self.app).open()
        return waiting.exclude(status=ExtractionStatus.RUNNING, lease_until__gt=timezone.now()).count()

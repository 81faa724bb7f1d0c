"""What operators see and do of what is known."""

from memories.admin.memory import MemoryAdmin
from memories.admin.records import InjectionAdmin, LinkAdmin, RejectionAdmin, RevisionAdmin, VectorAdmin
from memories.admin.summaries import SummaryAdmin
from memories.admin.triggers import FutureTriggerAdmin

__all__ = [
    "FutureTriggerAdmin",
    "InjectionAdmin",
    "LinkAdmin",
    "MemoryAdmin",
    "RejectionAdmin",
    "RevisionAdmin",
    "SummaryAdmin",
    "VectorAdmin",
]

"""What operators see and do of what is known."""

from memories.admin.learning import EntityAdmin, ExtractionAdmin
from memories.admin.memory import MemoryAdmin
from memories.admin.records import InjectionAdmin, LinkAdmin, RejectionAdmin, RevisionAdmin, VectorAdmin
from memories.admin.spending import EnergyUseAdmin, LedgerEntryAdmin, RecallCountAdmin
from memories.admin.summaries import SummaryAdmin
from memories.admin.telling import BridgeAdmin, DeliveryAdmin, ImportAdmin, WebhookAdmin
from memories.admin.triggers import FutureTriggerAdmin

__all__ = [
    "BridgeAdmin",
    "DeliveryAdmin",
    "EnergyUseAdmin",
    "EntityAdmin",
    "ExtractionAdmin",
    "FutureTriggerAdmin",
    "ImportAdmin",
    "InjectionAdmin",
    "LedgerEntryAdmin",
    "LinkAdmin",
    "MemoryAdmin",
    "RecallCountAdmin",
    "RejectionAdmin",
    "RevisionAdmin",
    "SummaryAdmin",
    "VectorAdmin",
    "WebhookAdmin",
]

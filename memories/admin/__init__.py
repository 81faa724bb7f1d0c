"""What operators see and do of what is known."""

from memories.admin.knowledge import EntityAdmin, ExtractionAdmin, FutureTriggerAdmin, SummaryAdmin
from memories.admin.memories import MemoryAdmin
from memories.admin.operations import (
    BridgeAdmin,
    DeliveryAdmin,
    EnergyUseAdmin,
    ImportAdmin,
    LedgerEntryAdmin,
    RecallCountAdmin,
    WebhookAdmin,
)
from memories.admin.records import InjectionAdmin, LinkAdmin, RejectionAdmin, RevisionAdmin, VectorAdmin

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

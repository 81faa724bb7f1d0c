"""What is known."""

from memories.models.cold import ColdText
from memories.models.entity import Entity, FoundBy, Mention
from memories.models.extraction import Extraction, ExtractionStatus, What
from memories.models.forgotten import Forgotten
from memories.models.health import HealthReport
from memories.models.imported import Import, ImportPart, ImportStatus
from memories.models.injection import Injection
from memories.models.ledger import EnergyUse, LedgerEntry, Reservation
from memories.models.link import SAYABLE, Link, LinkKind
from memories.models.memory import (
    GENERAL,
    LIVE,
    Kind,
    Memory,
    Sentiment,
    Source,
    Status,
    Strength,
    Trust,
    Visibility,
)
from memories.models.purge import Purge, PurgeStatus, PurgeWhat
from memories.models.recall_count import RecallCount
from memories.models.rejection import WAITING, Decision, Rejection, RejectionKind
from memories.models.revision import Action, Revision
from memories.models.rollback import Rollback, RollbackStatus, RollbackWhat
from memories.models.summary import Passage, Summary, SummaryDue
from memories.models.trigger import FutureTrigger, Preload, TriggerStatus
from memories.models.vector import Vector
from memories.models.webhook import Bridge, Delivery, DeliveryStatus, Webhook

__all__ = [
    "GENERAL",
    "LIVE",
    "SAYABLE",
    "WAITING",
    "Action",
    "Bridge",
    "ColdText",
    "Decision",
    "Delivery",
    "DeliveryStatus",
    "EnergyUse",
    "Entity",
    "Extraction",
    "ExtractionStatus",
    "Forgotten",
    "FoundBy",
    "FutureTrigger",
    "HealthReport",
    "Import",
    "ImportPart",
    "ImportStatus",
    "Injection",
    "Kind",
    "LedgerEntry",
    "Link",
    "LinkKind",
    "Memory",
    "Mention",
    "Passage",
    "Preload",
    "Purge",
    "PurgeStatus",
    "PurgeWhat",
    "RecallCount",
    "Rejection",
    "RejectionKind",
    "Reservation",
    "Revision",
    "Rollback",
    "RollbackStatus",
    "RollbackWhat",
    "Sentiment",
    "Source",
    "Status",
    "Strength",
    "Summary",
    "SummaryDue",
    "TriggerStatus",
    "Trust",
    "Vector",
    "Visibility",
    "Webhook",
    "What",
]

"""MemoryAgent: the one interface to sessions and memories. Endpoints translate; everything else happens behind it."""

from memories.index.app_embedder import current_embedder
from memories.services.administration import (
    CannotRollBack,
    Change,
    EnergyService,
    NoSuchSource,
    PurgeService,
    RollbackPreview,
    RollbackService,
    Throttle,
    ThrottleService,
    WebhookService,
)
from memories.services.import_export import BadFile, CannotImport, ImportExportService, StillPurging, UnderWay
from memories.services.memories import (
    BothSuperseded,
    CannotMerge,
    Changed,
    CurationService,
    MemoryGone,
    NotChanged,
    VersionMismatch,
    Withheld,
)
from memories.services.recall import Context, LearningService, RecallService, SummaryService
from memories.services.review import AlreadyDecided, CannotBeStored, ReviewService
from memories.services.sessions import FeedbackService, ForeignSession, SessionService
from memories.services.triggers import TriggerService

__all__ = [
    "AlreadyDecided",
    "AnothersSession",
    "BadFile",
    "BothSuperseded",
    "CannotBeStored",
    "CannotImport",
    "CannotMerge",
    "CannotTakeBack",
    "Change",
    "Changed",
    "Context",
    "Foreseen",
    "Held",
    "LeftAlone",
    "MemoryAgent",
    "MemoryGone",
    "NoSuchSource",
    "StillPurging",
    "UnderWay",
    "VersionMismatch",
    "Withheld",
    "current_embedder",
]


class MemoryAgent(
    ImportExportService, WebhookService, SessionService, FeedbackService, TriggerService, CurationService, ThrottleService, RecallService, LearningService, ReviewService, SummaryService,
    EnergyService, PurgeService, RollbackService,
):  # fmt: skip
    """All of it for one caller."""

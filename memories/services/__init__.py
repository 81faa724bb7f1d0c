"""MemoryAgent: the one interface to sessions and memories. Endpoints translate; everything else happens behind it."""

from memories.index.app_embedder import current_embedder
from memories.services.administration import (
    AdministrationService,
    CannotRollBack,
    Change,
    NoSuchSource,
    RollbackPreview,
    Throttle,
)
from memories.services.documents import DocumentLimit, DocumentService, OtherUsersDocument, Upload
from memories.services.import_export import BadFile, CannotImport, ImportExportService, StillPurging, UnderWay
from memories.services.memories import (
    CHANGES,
    BothSuperseded,
    CannotMerge,
    Changed,
    MemoryGone,
    NotChanged,
    VersionMismatch,
    Withheld,
)
from memories.services.recall import Context, RecallService
from memories.services.review import AlreadyDecided, CannotBeStored, ReviewService
from memories.services.sessions import ForeignSession

__all__ = [
    "CHANGES",
    "AlreadyDecided",
    "BadFile",
    "BothSuperseded",
    "CannotBeStored",
    "CannotImport",
    "CannotMerge",
    "CannotRollBack",
    "Change",
    "Changed",
    "Context",
    "DocumentLimit",
    "ForeignSession",
    "MemoryAgent",
    "MemoryGone",
    "NoSuchSource",
    "NotChanged",
    "OtherUsersDocument",
    "RollbackPreview",
    "StillPurging",
    "Throttle",
    "UnderWay",
    "Upload",
    "VersionMismatch",
    "Withheld",
    "current_embedder",
]


class MemoryAgent(ImportExportService, DocumentService, AdministrationService, ReviewService, RecallService):
    """Everything that one caller may ask of sessions and memories."""

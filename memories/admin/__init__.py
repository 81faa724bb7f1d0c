"""What operators see and do of what is known."""

from memories.admin.memory import MemoryAdmin
from memories.admin.records import InjectionAdmin, LinkAdmin, RejectionAdmin, RevisionAdmin, VectorAdmin

__all__ = ["InjectionAdmin", "LinkAdmin", "MemoryAdmin", "RejectionAdmin", "RevisionAdmin", "VectorAdmin"]

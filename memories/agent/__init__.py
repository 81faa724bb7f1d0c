"""MemoryAgent: the one door to sessions and memories. Interfaces translate; everything else happens behind it."""

from memories.agent.curation import CannotMerge, Changed, Curation
from memories.agent.feedback import Feedback
from memories.agent.holding import Held, Holding
from memories.agent.knowledge import Knowledge, MemoryGone, VersionMismatch
from memories.agent.learning import AlreadyDecided, CannotBeStored, Learning
from memories.agent.purging import Purging
from memories.agent.recall import Context, Recalling
from memories.agent.sessions import Sessions
from memories.agent.spending import Spending
from memories.agent.summaries import Summaries
from memories.agent.triggers import Triggers
from memories.retrieve.serving import current_embedder

__all__ = [
    "AlreadyDecided",
    "CannotBeStored",
    "CannotMerge",
    "Changed",
    "Context",
    "Held",
    "MemoryAgent",
    "MemoryGone",
    "VersionMismatch",
    "current_embedder",
]


class MemoryAgent(
    Sessions, Knowledge, Curation, Holding, Recalling, Learning, Feedback, Triggers, Summaries, Spending, Purging
):
    """All of it for one caller."""

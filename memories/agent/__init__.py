"""MemoryAgent: the one door to sessions and memories. Interfaces translate; everything else happens behind it."""

from memories.agent.curation import CannotMerge, Changed, Curation, LeftAlone
from memories.agent.feedback import Feedback
from memories.agent.holding import Held, Holding
from memories.agent.knowledge import BothSuperseded, MemoryGone, VersionMismatch, Withheld
from memories.agent.learning import Learning
from memories.agent.porting import BadFile, CannotImport, Porting, StillPurging, UnderWay
from memories.agent.purging import Purging
from memories.agent.recall import Context, Recalling
from memories.agent.review import AlreadyDecided, CannotBeStored, Review
from memories.agent.rollback import CannotTakeBack, Foreseen, NoSuchSource, RollingBack
from memories.agent.sessions import AnothersSession, Sessions
from memories.agent.spending import Spending
from memories.agent.summaries import Summaries
from memories.agent.telling import Change, Telling
from memories.agent.triggers import Triggers
from memories.index.app_embedder import current_embedder

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
    Porting, Telling, Sessions, Feedback, Triggers, Curation, Holding, Recalling, Learning, Review, Summaries,
    Spending, Purging, RollingBack,
):  # fmt: skip
    """All of it for one caller."""

"""What is known."""

from memories.models.entity import Entity, Mention
from memories.models.forgotten import Forgotten
from memories.models.injection import Injection
from memories.models.link import Link, LinkKind
from memories.models.memory import GENERAL, Kind, Memory, Sentiment, Source, Status, Strength, Visibility
from memories.models.recall_count import RecallCount
from memories.models.rejection import Rejection
from memories.models.revision import Action, Revision
from memories.models.summary import Passage, Summary
from memories.models.vector import Vector

__all__ = [
    "GENERAL",
    "Action",
    "Entity",
    "Forgotten",
    "Injection",
    "Kind",
    "Link",
    "LinkKind",
    "Memory",
    "Mention",
    "Passage",
    "RecallCount",
    "Rejection",
    "Revision",
    "Sentiment",
    "Source",
    "Status",
    "Strength",
    "Summary",
    "Vector",
    "Visibility",
]

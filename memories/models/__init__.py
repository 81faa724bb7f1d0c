"""What is known."""

from memories.models.forgotten import Forgotten
from memories.models.injection import Injection
from memories.models.link import Link, LinkKind
from memories.models.memory import GENERAL, Kind, Memory, Sentiment, Source, Status, Strength, Visibility
from memories.models.rejection import Rejection
from memories.models.revision import Action, Revision
from memories.models.vector import Vector

__all__ = [
    "GENERAL",
    "Action",
    "Forgotten",
    "Injection",
    "Kind",
    "Link",
    "LinkKind",
    "Memory",
    "Rejection",
    "Revision",
    "Sentiment",
    "Source",
    "Status",
    "Strength",
    "Vector",
    "Visibility",
]

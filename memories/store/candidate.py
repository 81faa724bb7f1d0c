"""A fact not yet stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memories.models import GENERAL, Kind, Sentiment, Source, Visibility
from memories.models.memory import subject_of
from memories.providers.embeddings import Vectors
from memories.text.clean import clean, clean_all
from memsite.tenancy.models import Agent
from memsite.tenancy.origin import Origin
from sessions.models import AgentSession, Resource


@dataclass(slots=True, kw_only=True)
class Candidate:
    """Already validated; its texts are what may be kept of what was given, so `content` may be empty.

    `confidence` None takes the app's start value, `importance` None the usual one; `vector` None is embedded later.
    `entities` are the names that a model gave; those that stand in the text need not be among them. `origin` is, unless
    said, the operator for what an operator writes and the agent itself for all else.
    """

    content: str
    kind: str = Kind.FACT
    category: str = GENERAL
    subject: str | None = None
    tags: list[str] = field(default_factory=list)
    importance: int | None = None
    confidence: float | None = None
    strength: str | None = None
    sentiment: str = Sentiment.NEUTRAL
    pinned: bool = False
    tier: int = 1
    user_id: str | None = None
    visibility: str = Visibility.APP
    source: str = Source.API
    origin: str = ""
    reviewed_by: str = ""
    reviewed_at: datetime | None = None
    made_by: str | None = None
    entities: list[str] = field(default_factory=list)
    agent: Agent | None = None
    session: AgentSession | None = None
    turn_number: int | None = None
    resource: Resource | None = None
    external_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    vector: Vectors | None = None
    vector_model: str = ""

    def __post_init__(self) -> None:
        self.origin = self.origin or (Origin.OPERATOR if self.source == Source.OPERATOR else Origin.ASSISTANT)
        self.content = clean(self.content)
        self.subject = subject_of(clean(self.subject or ""))
        self.tags = [kept for tag in self.tags if (kept := clean(tag))]
        self.entities = [kept for name in self.entities if (kept := clean(name))]
        self.metadata = clean_all(self.metadata)

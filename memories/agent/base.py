"""Who asks, and with what."""

from __future__ import annotations

from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.providers.embeddings import Embedder, make_embedder
from memsite.conf import get_conf
from memsite.tenancy.models import Agent, App


def current_embedder() -> Embedder:
    return make_embedder(get_conf().embedder_settings)


class Caller:
    """An agent of an app, or an operator (`agent` None), named `actor` in revisions."""

    def __init__(self, app: App, agent: Agent | None, actor: str, embedder: Embedder | None = None) -> None:
        self.app, self.agent, self.actor = app, agent, actor
        self.embedder = embedder or current_embedder()

    def memories(self) -> MemoryQuerySet:
        """Every memory that the caller may see, of whatever status."""
        return Memory.objects.for_app(self.app).visible_to(self.agent)

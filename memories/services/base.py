"""Who asks, and with what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property

from django.utils import timezone
from rest_framework.exceptions import PermissionDenied

from memories.index.app_embedder import current_embedder, serving_embedder
from memories.language.relate import Thresholds
from memories.ledger import lean_models
from memories.ledger.budget import asks_models, meter_for
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.providers.embeddings import Embedder
from memories.providers.llm.client import make_chat
from memories.providers.llm.fallback import Careful, refusing
from memories.providers.llm.prompting import LLMProvider
from memories.providers.llm.provider import LLMMisconfigured, Provider
from memories.providers.llm.rules import RulesProvider
from memories.retrieve.scoped_view import Scope
from memories.store import Writer, writing
from memsite.config.conf import get_conf
from memsite.tenancy.access import Users, one_user, users_shown, users_told_of
from memsite.tenancy.authentication import takes_key_with
from memsite.tenancy.models import Agent, App
from memsite.tenancy.policy import AgentsEdit
from memsite.tenancy.write_rate import take_writes
from sessions.models import AgentSession

LEFT_TO_OPERATORS = {
    AgentsEdit.OWN: "The app's policy has agents_edit own: agents change and delete only what they wrote themselves.",
    AgentsEdit.NONE: "The app's policy has agents_edit none: agents add, and operators change and delete.",
}


class Caller:
    """An agent of an app, or an operator (`agent` None), named `actor` in revisions."""

    writes_due = 0
    """How many writes the next transaction counts against the agent's limit."""

    only_adds = False
    """Whether it has a key that changes nothing that is there (scope `create`)."""

    def __init__(self, app: App, agent: Agent | None, actor: str, embedder: Embedder | None = None) -> None:
        self.app, self.agent, self.actor = app, agent, actor
        self.embedder = embedder or serving_embedder(app, current_embedder())

    def renew(self) -> None:
        """Take the embedder that serves the app by now, for callers that live long. One query."""
        self.app.refresh_from_db(fields=["vector_model", "near_model", "index_number"])
        self.embedder = serving_embedder(self.app, current_embedder())
        vars(self).pop("rules", None)

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Open the app's writing transaction (`memories.store.writing`) and count the writes that are due in it."""
        with writing(self.app, self.actor, timezone.now()) as write:
            self.count_due_writes()
            yield write

    def count_due_writes(self) -> None:
        """Count the writes that are due, in the app's writing transaction. Raise Throttled if they are too many."""
        count, self.writes_due = self.writes_due, 0
        if self.agent and count:
            take_writes(self.agent, count, self.app.policy.writes_per_minute)

    def check_may_change(self, authors: Iterable[int | None]) -> None:
        """Raise PermissionDenied unless the caller may change and delete what these agents (pks) wrote; None: others.

        Operators may. What a new memory does to those it confirms or contradicts is no change of theirs.
        """
        if self.agent is None:
            return
        if self.only_adds:
            raise PermissionDenied(takes_key_with("write"))
        allowed = AgentsEdit(self.app.policy.agents_edit)
        own = () if allowed == AgentsEdit.NONE else (self.agent.pk,)
        if allowed != AgentsEdit.ALL and any(author not in own for author in authors):
            raise PermissionDenied(LEFT_TO_OPERATORS[allowed], "agents_edit")

    def memories(self) -> MemoryQuerySet:
        """Return every memory that the caller may see by its id, of any status; no passages of documents."""
        return Memory.objects.for_app(self.app).without_documents().visible_to(self.agent)

    def memories_of(self, *named: str | None) -> MemoryQuerySet:
        """Return the memories for a caller who knows no ids and has `named` these end users."""
        return self.memories().of_users(self.users(*named))

    def users(self, *named: str | None) -> Users:
        """Return the end users whose rows may be shown beside those of no end user."""
        return users_shown(self.app, self.agent, named)

    def scope(self, user_id: str | None, now: datetime, *, unasked: bool = False) -> Scope:
        """Return the scope of a search now, for an end user. What is shown `unasked` is of no user who is not named."""
        users = one_user(user_id) if unasked else users_told_of(self.app, self.agent, user_id)
        return Scope(self.agent.pk if self.agent else None, users, now.timestamp())

    @cached_property
    def rules(self) -> RulesProvider:
        bands = self.embedder.thresholds
        return RulesProvider(Thresholds(bands.same, bands.related), get_conf().relations)

    def provider(self, session: AgentSession | None = None, turn_number: int | None = None) -> Provider:
        """Return the configured model, metered and with the rules as fallback; or the rules alone.

        With settings that cannot work, return a provider that says so whenever it is called.
        """
        if not asks_models(self.app.policy):
            return self.rules
        try:
            chat = make_chat(get_conf().llm_settings)
        except LLMMisconfigured as error:
            return Careful(refusing(error), self.rules)
        if chat is None:
            return self.rules

        def is_lean() -> bool:
            return get_conf().llm_lean or chat.model(large=True) in lean_models(self.app, timezone.now())

        return Careful(LLMProvider(chat, meter_for(self.app, session, turn_number), lean=is_lean), self.rules)

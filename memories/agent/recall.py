"""Recall: search, and blocks to put before an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils import timezone

from memories.agent.base import Caller
from memories.inject.pipeline import Injected, budget_tokens, greet, inject, line_limit, note_injected
from memories.ledger.budget import economises
from memories.models import Injection
from memories.providers.llm.rules.sentiment import read_sentiment
from memories.retrieve.contradictions import CONFLICTING, tags_of
from memories.retrieve.hits import Recall
from memories.retrieve.pipeline import SearchRequest, search
from memories.text.messages import Message
from sessions.models import AgentSession


@dataclass(frozen=True, slots=True)
class Context:
    """A block and where it came from: `tier_answered` is None without a question. `tags` are those of each memory."""

    injected: Injected
    tags: Mapping[int, Sequence[str]] = field(default_factory=dict)
    tier_answered: str | None = None
    degraded: tuple[str, ...] = ()
    economised: bool = False


class Recalling(Caller):
    def search(self, asked: SearchRequest, now: datetime | None = None) -> Recall:
        """Also by the tone of the question, as far as it has one."""
        asked = replace(asked, tone=asked.tone or read_sentiment(asked.text))
        return search(self.app, self.agent, asked, self.embedder, now or timezone.now())

    def context(
        self, block: str, *, question: str = "", messages: Sequence[Message] = (),
        session: AgentSession | None = None, turn_number: int | None = None,
        max_tokens: int | None = None, limit: int | None = None, user_id: str | None = None, by_rules: bool = False,
        counted: bool = True,
    ) -> Context:  # fmt: skip
        """A block for an agent: what answers the question, or what is known without one.

        The last messages of a conversation are made into a question; where they ask nothing, the block is empty.
        Within a session a memory that was found and shown once is not shown for a question again, unless it says
        something else since. Where energy or
        money are short, rules make the question, summaries answer first, and fewer memories are shown. With `by_rules`
        the question is made by rules in any case: a model would be waited for. What is not `counted` leaves no trace.
        """
        now = timezone.now()
        user_id = user_id or (session.user_id if session else None)
        saves = economises(self.app, now)
        tone = read_sentiment(messages[-1].content if messages else question)
        if messages:
            provider = self.rules if saves or by_rules else self.provider(session, turn_number)
            question = provider.rewrite(messages, now.astimezone(self.app.policy.time_zone)).text
        if messages and not question:
            context = Context(inject([], 0, self.app, block, 1, now), economised=saves)
        elif question:
            asked = SearchRequest(
                text=question, mode="tiered" if saves else "auto", user_id=user_id, tone=tone, limit=limit or 0,
                counted=counted, unreviewed=self.app.policy.inject_unreviewed,
            )  # fmt: skip
            context = self.answer(block, asked, session, now, max_tokens, saves)
        else:
            scope = self.scope(user_id, now)
            known = greet(self.app, scope, self.embedder, block, now, max_tokens=max_tokens, limit=limit)
            tags = {row.pk: tags_of(row, self.app.policy, now, known.at_odds) for row in known.memories}
            context = Context(known, tags)
        if session and counted:
            note_injected(session, context.injected, turn_number, now)
        return context

    def answer(
        self, block: str, asked: SearchRequest, session: AgentSession | None, now: datetime, max_tokens: int | None,
        saves: bool,
    ) -> Context:  # fmt: skip
        shown = Injection.objects.for_app(self.app).standing_in(session).memory_pks() if session else []
        budget = max_tokens or budget_tokens(self.app.policy, block)
        usual = self.app.policy.economy_limit if saves else self.app.policy.turn_limit
        most = asked.limit or min(line_limit(self.app.policy, block, budget), usual)
        found = self.search(replace(asked, limit=most, told=tuple(shown)), now)
        hits = [hit for hit in found.hits if hit.row.confidence >= self.app.policy.inactive_below]
        at_odds = {hit.row.pk for hit in hits if CONFLICTING in hit.trust}
        injected = inject([hit.memory for hit in hits], len(hits), self.app, block, budget, now, at_odds)
        tags = {hit.row.pk: hit.trust for hit in hits}
        return Context(injected, tags, found.tier, tuple(found.degraded), saves)

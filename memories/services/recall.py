"""Recall: search, context blocks, lessons, facts found in what was said, and category summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog
from django.db.models import Count
from django.utils import timezone

from memories.capture import extraction_queue
from memories.capture.candidates import embed_candidates
from memories.capture.extraction import Lesson, find_facts, learn
from memories.capture.quarantine import Refusal
from memories.capture.related_memories import RelatedMemory, find_related
from memories.inject.pipeline import (
    Injected,
    budget_tokens,
    greet,
    inject,
    inject_quotes,
    line_limit,
    note_injected,
    with_quotes,
)
from memories.language.extract.labels import read_sentiment
from memories.language.messages import Message
from memories.learn.triggers import link_memories
from memories.ledger.budget import economises, may_learn
from memories.maintain.stale_summaries import mark_stale, put_away
from memories.maintain.summaries import AT_LEAST_CHANGES, compute_summary, of_whom, rewrite_due, told_now, versions_of
from memories.models import Extraction, Injection, Summary
from memories.models.memory import as_noted
from memories.models.summary import SummaryQuerySet
from memories.providers.llm.fallback import Careful
from memories.providers.llm.provider import LLMError
from memories.retrieve.contradictions import CONFLICTING, STANDING, tags_of
from memories.retrieve.hits import Recall
from memories.retrieve.injection_guard import safe_memories
from memories.retrieve.pipeline import ONLY, SearchRequest, index_of, search
from memories.retrieve.validity import TimeAnswer, Times, given_time
from memories.services.base import Caller
from memories.store import Candidate, Writer
from memories.store.revisions import mark_due
from memsite.jobs.task_queue import enqueue
from sessions.models import AgentSession, Resource
from sessions.recording import Said, resource_of

log = structlog.get_logger("memories.services")
# So that one very long session does not keep a worker from all others.
MOST_CLAIMS = 50
MOST_LESSONS, LESSONS_CHARACTERS = 1_000, 20_000
AT_A_GLANCE = 500
"""Facts from which a summary is put together in less than a tenth of a second."""


REWRITE = "rewrite"
"""What is degraded where the rules rewrote a question because the model did not in time."""


@dataclass(frozen=True, slots=True)
class Context:
    """A context block and its source: `tier_answered` is None without a question; `tags` belong to each memory.

    `coverage` is the way in which a question over many memories was answered.
    """

    injected: Injected
    tags: Mapping[int, Sequence[str]] = field(default_factory=dict)
    tier_answered: str | None = None
    degraded: tuple[str, ...] = ()
    economised: bool = False
    coverage: str = ""
    time: TimeAnswer | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be stored, its relations to known memories, the message of each fact; and the refused candidates."""

    facts: list[tuple[Candidate, list[RelatedMemory], int]]
    refusals: list[Refusal]
    made_by: str


@dataclass(frozen=True, slots=True)
class Category:
    """A category: `memories` counts active ones that the caller may see; `summary` comes without its content."""

    name: str
    memories: int
    summary: Summary | None


class RecallService(Caller):
    """Search, build context blocks, learn facts from texts, and read and rewrite category summaries.

    A summary is of one end user, or ("") of nobody in particular: the two are never mixed.
    """

    def search(self, request: SearchRequest, now: datetime | None = None) -> Recall:
        """Search with the question as asked, and with its tone where it has one."""
        request = replace(request, tone=request.tone or read_sentiment(request.text))
        return search(self.app, self.agent, request, self.embedder, now or timezone.now())

    def context(
        self,
        block: str,
        *,
        question: str = "",
        messages: Sequence[Message] = (),
        session: AgentSession | None = None,
        turn_number: int | None = None,
        max_tokens: int | None = None,
        limit: int | None = None,
        min_score: float | None = None,
        user_id: str | None = None,
        valid: Times | None = None,
        stored: Times | None = None,
        by_rules: bool = False,
        unasked: bool = False,
        counted: bool = True,
        shown_pks: Sequence[int] = (),
    ) -> Context:
        """Return a block for an agent: memories that answer the question, or the best known ones without one.

        The last messages of a conversation are rewritten into a question; where they ask nothing, the block is empty.
        Within a session a memory that was shown for a question is not shown for another, unless it has changed since.
        While energy or budget are short, rules rewrite the question, summaries come first, and fewer memories show.
        `limit` lowers the policy's limit and never raises it. `valid` and `stored` are as a SearchRequest has them.
        A model has 300 ms for it; then the rules do, and `degraded` names it. With `by_rules` they do in any case.
        Nothing with a lower score than `min_score`, or the policy's, answers. Without `counted` it leaves no trace.
        What is shown `unasked`, as by a hook, is of no end user who is not named. Memories `told` before (pks) are left
        out, where there is no session that knows them.
        """
        now = timezone.now()
        user_id = user_id or (session.user_id if session else None)
        saves = economises(self.app, now)
        tone = read_sentiment(messages[-1].content if messages else question)
        is_late = False
        if messages:
            provider = self.rules if saves or by_rules else self.provider(session, turn_number)
            question = provider.rewrite(messages, now.astimezone(self.app.policy.time_zone)).text
            is_late = isinstance(provider, Careful) and bool(provider.fallbacks)
        if messages and not question:
            context = Context(inject([], 0, self.app, block, 1, now), economised=saves)
        elif question:
            request = SearchRequest(
                text=question,
                mode="tiered" if saves else "auto",
                user_id=user_id,
                tone=tone,
                limit=limit or 0,
                min_score=min_score,
                valid=valid,
                stored=stored,
                counted=counted,
                unasked=unasked,
                unreviewed=self.app.policy.inject_unreviewed,
            )
            context = self.answer(block, request, session, now, max_tokens, saves, shown_pks)
        else:
            ranges = [given_time(*times) if times else None for times in (valid, stored)]
            scope = replace(self.scope(user_id, now, unasked=True), valid=ranges[0], stored=ranges[1])
            most = line_limit(self.app.policy, block, max_tokens or budget_tokens(self.app.policy, block))
            limit = min(limit or most, most)
            known = greet(self.app, scope, self.embedder, block, now, max_tokens=max_tokens, limit=limit)
            tags = {
                row.pk: tags_of(row, self.app.policy, now, known.at_odds) + [STANDING] * (row.pk in known.standing)
                for row in known.memories
            }
            context = Context(known, tags, time=ranges[0] and TimeAnswer(*ranges[0], bool(known.total)))
        if session and counted:
            note_injected(session, context.injected, turn_number, now)
        return replace(context, degraded=(*context.degraded, REWRITE)) if is_late else context

    def answer(
        self,
        block: str,
        request: SearchRequest,
        session: AgentSession | None,
        now: datetime,
        max_tokens: int | None,
        saves: bool,
        shown_pks: Sequence[int] = (),
    ) -> Context:
        seen_pks = Injection.objects.for_app(self.app).standing_in(session).memory_pks() if session else shown_pks
        budget = max_tokens or budget_tokens(self.app.policy, block)
        usual = self.app.policy.economy_limit if saves else self.app.policy.turn_limit
        most = min(request.limit or usual, usual, line_limit(self.app.policy, block, budget))
        recall = self.search(replace(request, limit=most, shown_pks=tuple(seen_pks)), now)
        hits = [hit for hit in recall.hits if hit.memory.confidence >= self.app.policy.inactive_below]
        at_odds = {hit.memory.pk for hit in hits if CONFLICTING in hit.trust}
        standing = {hit.memory.pk for hit in hits if hit.standing}
        quoted, quotes = self.quotes(replace(request, limit=most, shown_pks=tuple(seen_pks)), budget, now)
        left = budget - quotes.tokens - bool(quotes.tokens)
        memories = [hit.memory for hit in hits]
        words = hits[0].words if hits else ()
        injected = inject(memories, len(hits), self.app, block, left, now, at_odds, standing, recall.time, words)
        tags = {hit.memory.pk: hit.trust for hit in [*hits, *quoted.hits]}
        tier = recall.tier if recall.hits or not quotes.memories else quoted.tier
        block_of_all = with_quotes(injected, quotes)
        return Context(block_of_all, tags, tier, tuple(recall.degraded), saves, recall.coverage, recall.time)

    def quotes(self, request: SearchRequest, budget: int, now: datetime) -> tuple[Recall, Injected]:
        """Return what documents say, and the block of as much of it as their share of the budget holds."""
        share = int(self.app.policy.document_share * budget)
        # Seen as of the search of memories just before.
        is_told = share and index_of(self.app, self.embedder).latest_view.has_documents
        recall = self.search(replace(request, documents=ONLY), now) if is_told else Recall([])
        return recall, inject_quotes([hit.memory for hit in recall.hits], self.app.policy, share)

    def learn_session(self, session_pk: int) -> Iterator[Lesson]:
        """Work off the due extractions of one session, claim by claim."""

        def link_triggers(write: Writer, texts: Sequence[Resource]) -> None:
            # To the memories that were learnt from the same texts.
            link_memories(write.app, [text.pk for text in texts])

        for _ in range(MOST_CLAIMS):
            now = timezone.now()
            if denial := may_learn(self.app, now):
                # Energy or budget forbid learning now: the app's work waits and says why.
                extraction_queue.put_off(self.app, denial, denial.until, now)
                return
            claim = extraction_queue.claim(self.app, session_pk, now)
            if claim is None:
                return
            yield learn(claim, self.provider(claim.session), self.embedder, now, link_triggers)

    def preview(self, messages: Sequence[Message], user_id: str | None = None) -> Preview:
        """Return what learning from these messages would store. Store nothing."""
        now = timezone.now()
        session = AgentSession(app=self.app, agent=self.agent, user_id=user_id)
        texts = [
            resource_of(session, Said(message.role, message.content, None, message.at, speaker=message.speaker), now)
            for message in messages
        ]
        provider = self.provider()
        try:
            chunks = find_facts(session, texts, [], provider, self.embedder, [], now)
        except LLMError as error:
            log.warning("previewed_by_rules", error=str(error))
            provider = self.rules
            chunks = find_facts(session, texts, [], provider, self.embedder, [], now)
        placed = [(candidate, place) for place, chunk in enumerate(chunks) for candidate in chunk.candidates]
        candidates, places = [candidate for candidate, _ in placed], [place for _, place in placed]
        embed_candidates(candidates, self.embedder)
        outlooks = find_related(self.app, candidates, self.embedder, provider)
        return Preview(
            list(zip(candidates, (outlook.telling for outlook in outlooks), places, strict=True)),
            [refusal for chunk in chunks for refusal in chunk.refusals],
            chunks[-1].made_by if chunks else provider.name,
        )

    def retry(self, extraction: Extraction) -> bool:
        """Make an extraction due at once, with all its attempts. Return False if it is done or running."""
        is_due = extraction_queue.retry(extraction, timezone.now())
        if is_due:
            enqueue(extraction_queue.TASK, self.app.pk, extraction.session_id)
        return is_due

    def lessons_file(self, user_id: str | None) -> str:
        """Return the lessons as Markdown by subject, empty without any."""
        lessons = self.memories_of(user_id).of_user(user_id).active().lessons().order_by("-importance", "-pk")
        noted = [as_noted(memory) for memory in safe_memories(lessons[:MOST_LESSONS], self.app.policy)]
        return self.rules.summarise("lessons", noted, "", LESSONS_CHARACTERS).text

    def categories(self, user_id: str) -> list[Category]:
        """Return by name the categories that have memories or a summary. Two queries."""
        known = self.memories().active().valid(timezone.now()).filter(of_whom(user_id))
        counts = dict(known.order_by().values_list("category").annotate(Count("pk")))
        current = self.kept_summaries().filter(user_id=user_id).defer("content")
        written = {row.category: row for row in current}
        return [Category(name, counts.get(name, 0), written.get(name)) for name in sorted(counts.keys() | written)]

    def kept_summaries(self) -> SummaryQuerySet:
        """Return the summaries that are kept up to date: none in an app whose policy turns summaries off."""
        rows = Summary.objects.for_app(self.app).current()
        return rows if self.app.policy.capture_summaries else rows.none()

    def summary(self, category: str, user_id: str) -> Summary | None:
        """Return the current version, or a computed one that is not stored (`pk` None), or None without facts."""
        stored = self.kept_summaries().filter(category=category, user_id=user_id).first()
        if stored:
            return stored
        now = timezone.now()
        summary = compute_summary(self.app, category, user_id, now)
        if not summary.written.text:
            return None
        return Summary(
            app=self.app,
            category=category,
            user_id=user_id,
            version=0,
            content=summary.written.text,
            memory_count=summary.facts,
            made_by=summary.written.made_by,
            created_at=now,
        )

    def takes_long(self, category: str, user_id: str) -> bool:
        """Return whether computing the summary takes so many facts that a caller would wait for it."""
        if self.kept_summaries().filter(category=category, user_id=user_id).exists():
            return False
        rows = told_now(self.app, category, user_id, timezone.now())
        return rows.order_by()[: AT_A_GLANCE + 1].count() > AT_A_GLANCE

    def summary_versions(self, category: str, user_id: str) -> SummaryQuerySet:
        """Return all stored versions, archived ones too."""
        return versions_of(self.app, category, user_id)

    def rewrite_summaries(self) -> int:
        """Rewrite due summaries, by the model if there is one; return how many texts changed."""
        now = timezone.now()
        if not self.app.policy.capture_summaries:
            return put_away(self.app, now)
        mark_stale(self.app, now)
        return rewrite_due(self.app, self.provider(), self.embedder, self.actor, now)

    def ask_rewrite(self, category: str, user_id: str) -> None:
        """Mark the summary to be rewritten by the next run, however little has changed."""
        with self.writing() as write:
            mark_due(self.app, [(category, user_id)], write.now, AT_LEAST_CHANGES)

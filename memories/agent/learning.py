"""Learning: the facts in what was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.utils import timezone

from memories.agent.base import Caller
from memories.capture import extraction_queue
from memories.capture.candidates import embed_candidates
from memories.capture.extraction import Lesson, find_facts, learn
from memories.capture.quarantine import Refusal
from memories.capture.related_memories import RelatedMemory, find_related
from memories.learn.triggers import link_memories
from memories.ledger.budget import may_learn
from memories.models import Extraction
from memories.models.memory import as_noted
from memories.providers.llm.provider import LLMError
from memories.retrieve.injection_guard import safe_memories
from memories.store import Candidate, Writer
from memories.text.messages import Message
from memsite.jobs.task_queue import ring
from sessions.models import AgentSession, Resource
from sessions.recording import Said, resource_of

log = structlog.get_logger("memories.agent")
# So that one very long session does not keep a worker from all others.
MOST_CLAIMS = 50
MOST_LESSONS, LESSONS_CHARACTERS = 1_000, 20_000


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be stored, what it would mean for what is known, and in which message it was said; and the refused."""

    facts: list[tuple[Candidate, list[RelatedMemory], int]]
    refusals: list[Refusal]
    made_by: str


class Learning(Caller):
    def learn_session(self, session_pk: int) -> Iterator[Lesson]:
        """Works off what is due of one session, claim by claim."""
        for _ in range(MOST_CLAIMS):
            now = timezone.now()
            if self.defer_learning(now):
                return
            claim = extraction_queue.claim(self.app, session_pk, now)
            if claim is None:
                return
            yield learn(claim, self.provider(claim.session), self.embedder, now, self.on_learnt)

    def on_learnt(self, write: Writer, texts: Sequence[Resource]) -> None:
        """What is to come brings up what was learnt from the same text."""
        link_memories(write.app, [text.pk for text in texts])

    def defer_learning(self, now: datetime) -> bool:
        """Whether energy or budget forbid it now; the app's work then waits, and says why."""
        denial = may_learn(self.app, now)
        if denial:
            extraction_queue.put_off(self.app, denial, denial.until, now)
        return denial is not None

    def preview(self, messages: Sequence[Message], user_id: str | None = None) -> Preview:
        """What learning from these messages would do. Stores nothing."""
        now = timezone.now()
        session = AgentSession(app=self.app, agent=self.agent, user_id=user_id)
        texts = [
            resource_of(session, Said(message.role, message.content, None, message.at, speaker=message.speaker), now)
            for message in messages
        ]
        provider = self.provider()
        try:
            found = find_facts(session, texts, [], provider, self.embedder, [], now)
        except LLMError as error:
            log.warning("previewed_by_rules", error=str(error))
            provider = self.rules
            found = find_facts(session, texts, [], provider, self.embedder, [], now)
        placed = [(candidate, place) for place, one in enumerate(found) for candidate in one.candidates]
        candidates, places = [candidate for candidate, _ in placed], [place for _, place in placed]
        embed_candidates(candidates, self.embedder)
        outlooks = find_related(self.app, candidates, self.embedder, provider)
        return Preview(
            list(zip(candidates, (outlook.telling for outlook in outlooks), places, strict=True)),
            [refusal for one in found for refusal in one.refusals],
            found[-1].made_by if found else provider.name,
        )

    def retry(self, extraction: Extraction) -> bool:
        """Due at once, with all its attempts. False if it is done or being worked on."""
        is_due = extraction_queue.retry(extraction, timezone.now())
        if is_due:
            ring(extraction_queue.TASK, self.app.pk, extraction.session_id)
        return is_due

    def lessons_file(self, user_id: str | None) -> str:
        """What was learnt, as Markdown by subject; empty when nothing was."""
        lessons = self.memories_of(user_id).of_user(user_id).active().lessons().order_by("-importance", "-pk")
        noted = [as_noted(memory) for memory in safe_memories(lessons[:MOST_LESSONS], self.app.policy)]
        return self.rules.summarise("lessons", noted, "", LESSONS_CHARACTERS).text

"""Facts as the memories that they would become, and their vectors, made before any transaction begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from threading import Event
from types import TracebackType
from typing import Self

import structlog

from memories.language.entities import MAX_SUBJECT_WORDS, entity_key
from memories.language.injection_guard import find_instructions
from memories.language.secrets import redact
from memories.models import Kind, Sentiment, Source, Strength
from memories.models.memory import GENERAL
from memories.models.vector import embed_contents
from memories.providers.embeddings import Embedder, EmbedderError
from memories.providers.llm.provider import RULES, Fact
from memories.retrieve.question import STOP_WORDS
from memories.store import Candidate
from memsite.tenancy.origin import Origin, least_trusted
from memsite.tenancy.policy import CATEGORY_PATTERN
from sessions.models import AgentSession, Resource, Role

log = structlog.get_logger("memories.capture")
# X3: how plainly it was said is how sure it is.
START_CONFIDENCE = {Strength.EXPLICIT: 0.9, Strength.IMPLIED: 0.7, Strength.INFERRED: 0.5}
LESSON_IMPORTANCE = 4
ORIGINS = {
    Role.USER: Origin.USER,
    Role.ASSISTANT: Origin.ASSISTANT,
    Role.TOOL: Origin.TOOL,
    Role.SYSTEM: Origin.AGENT,
}
"""Who speaks in a role."""
FROM_UNSIGNED = "unsigned_import"
"""In the environment of a session that came with a file of which nobody knows who wrote it."""
MOST_ENTITIES = 20
NO_NAMES = STOP_WORDS | {"user", "the user", "agent", "the agent", "assistant", "the assistant"}
TEXTS_AT_ONCE = 128
"""Whole batches of every embedder, and no longer than a second or two until a stop is seen."""


def fields_of(fact: Fact) -> dict[str, object]:
    """Return a fact as fields of a memory, also as JSON."""
    strength = fact.strength if fact.strength in Strength.values else Strength.IMPLIED
    is_lesson = fact.kind == Kind.LESSON
    return {
        "content": fact.content,
        "kind": fact.kind if fact.kind in Kind.values else Kind.FACT,
        "category": category_of(fact.category),
        "subject": fact.subject[:200] or None,
        "tags": list(dict.fromkeys(tag[:100] for tag in fact.tags if tag))[:20],
        "importance": max(LESSON_IMPORTANCE if is_lesson else 1, min(5, fact.importance)),
        "strength": strength,
        "sentiment": fact.sentiment if fact.sentiment in Sentiment.values else Sentiment.NEUTRAL,
        "confidence": START_CONFIDENCE[Strength(strength)],
        "made_by": fact.made_by,
        "entities": [] if fact.made_by == RULES else names_in(fact.entities),
    }


def names_in(entities: Sequence[str]) -> list[str]:
    """Return those that a question can name: no secrets, no orders, no words that everything is about."""
    return [
        name
        for name in entities
        if len(entity_key(name).split()) <= MAX_SUBJECT_WORDS
        and entity_key(name) not in NO_NAMES
        and redact(name).text == name
        and not find_instructions(name)
    ][:MOST_ENTITIES]


def category_of(name: str) -> str:
    return name if re.fullmatch(CATEGORY_PATTERN, name) else GENERAL


def origin_of(resource: Resource | None, session: AgentSession | None = None) -> Origin:
    """Return the origin: who said it; what comes from no text, the agent itself.

    Of a file nobody vouches for, a program.
    """
    if resource is None:
        return Origin.ASSISTANT
    origin = ORIGINS[Role(resource.role)]
    session = session or resource.session
    is_unsigned = session is not None and FROM_UNSIGNED in session.environment
    return least_trusted((origin, Origin.AGENT)) if is_unsigned else origin


def candidate_of(fact: Fact, session: AgentSession, resource: Resource) -> Candidate:
    return Candidate(
        **fields_of(fact),  # type: ignore[arg-type]
        tier=session.tier,
        user_id=session.user_id,
        source=Source.FACT,
        origin=origin_of(resource, session),
        agent=session.agent,
        session=session,
        turn_number=resource.turn_number if resource else None,
        resource=resource,
        valid_from=fact.valid_from,
        valid_until=fact.valid_until,
    )


def embed_candidates(candidates: Sequence[Candidate], embedder: Embedder) -> bool:
    """Set each candidate's vector. Where the embedder does not answer (False) they are embedded later."""
    if not candidates:
        return True
    try:
        texts = [(candidate.content, candidate.subject) for candidate in candidates]
        vectors = embed_contents(texts, embedder.embed_documents)
    except EmbedderError as error:
        log.warning("candidates_not_embedded", embedder=embedder.name, count=len(candidates), error=str(error))
        return False
    if vectors is None:
        return False
    for candidate, vector in zip(candidates, vectors, strict=True):
        candidate.vector, candidate.vector_model = vector, embedder.name
    return True


class EmbeddingPrefetch:
    """One thread that gives candidates their vectors, one lot after the other. It asks no database.

    After the context it makes no more vectors: what waits is dropped, and what is under way ends with the texts it is
    at.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.thread = ThreadPoolExecutor(1, "embed-ahead")
        self.is_over = Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.is_over.set()
        self.thread.shutdown(cancel_futures=True)

    def embed(self, candidates: Sequence[Candidate]) -> Future[None]:
        """Embed candidates in the background.

        Done when all have vectors, or are to be stored without because the embedder does not answer.
        """
        return self.thread.submit(copy_context().run, self.embed_all, candidates)

    def embed_all(self, candidates: Sequence[Candidate]) -> None:
        # The short ones first: a batch takes as long as if all of it were as long as its longest text.
        ordered = sorted(candidates, key=lambda candidate: len(candidate.content))
        for start in range(0, len(ordered), TEXTS_AT_ONCE):
            batch = ordered[start : start + TEXTS_AT_ONCE]
            if self.is_over.is_set() or not embed_candidates(batch, self.embedder):
                return

"""A fact as the memory that it would become."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memories.models import Kind, Sentiment, Source, Strength
from memories.models.memory import GENERAL
from memories.providers.llm.provider import RULES, Fact
from memories.retrieve.question import STOP_WORDS
from memories.store import Candidate
from memories.text.entities import MAX_SUBJECT_WORDS, entity_key
from memories.text.instructions import find_instructions
from memories.text.secrets import redact
from memsite.tenancy.origin import Origin, least_trusted
from memsite.tenancy.policy import CATEGORY_PATTERN
from sessions.models import AgentSession, Resource, Role

# X3: how plainly it was said is how sure it is.
START_CONFIDENCE = {Strength.EXPLICIT: 0.9, Strength.IMPLIED: 0.7, Strength.INFERRED: 0.5}
LESSON_IMPORTANCE = 4
ORIGINS = {
    Role.USER: Origin.USER, Role.ASSISTANT: Origin.ASSISTANT, Role.TOOL: Origin.TOOL, Role.SYSTEM: Origin.AGENT,
}  # fmt: skip
"""Who speaks in a role."""
FROM_UNSIGNED = "unsigned_import"
"""In the environment of a session that came with a file of which nobody knows who wrote it."""
MOST_ENTITIES = 20
NO_NAMES = STOP_WORDS | {"user", "the user", "agent", "the agent", "assistant", "the assistant"}


def fields_of(fact: Fact) -> dict[str, object]:
    """A fact as fields of a memory, also as JSON."""
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
    """Those that a question can name: no secrets, no orders, no words that everything is about."""
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
    """Who said it; what comes from no text, the agent itself. Of a file nobody vouches for, a program."""
    if resource is None:
        return Origin.ASSISTANT
    said = ORIGINS[Role(resource.role)]
    session = session or resource.session
    is_unsigned = session is not None and FROM_UNSIGNED in session.environment
    return least_trusted((said, Origin.AGENT)) if is_unsigned else said


def candidate_of(fact: Fact, session: AgentSession, resource: Resource) -> Candidate:
    return candidate_from(fields_of(fact), session, resource, fact.valid_from, fact.valid_until)


def candidate_from(
    fields: dict[str, object], session: AgentSession, resource: Resource | None,
    valid_from: datetime | None = None, valid_until: datetime | None = None,
) -> Candidate:  # fmt: skip
    return Candidate(
        **fields,  # type: ignore[arg-type]
        tier=session.tier,
        user_id=session.user_id,
        source=Source.FACT,
        origin=origin_of(resource, session),
        agent=session.agent,
        session=session,
        turn_number=resource.turn_number if resource else None,
        resource=resource,
        valid_from=valid_from,
        valid_until=valid_until,
    )

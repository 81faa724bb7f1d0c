"""One memory for a whole session: what remains of it when it has ended."""

from __future__ import annotations

from datetime import datetime

from memories.capture import work
from memories.capture.candidates import origin_of
from memories.capture.embed import embed_candidates
from memories.capture.refusals import refuse
from memories.capture.room import BACKGROUND_SECONDS, suggest_evictions
from memories.capture.withholding import quarantine
from memories.capture.work import Claim
from memories.models import Extraction, Kind, Memory, Source
from memories.models.memory import MemoryQuerySet
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import Provider
from memories.store import Candidate, Writer, writing
from memories.store.rollback import taken_back_in
from memories.text.fence import strip_fenced
from memories.text.messages import Message
from memories.text.secrets import redact, strip_private
from memsite.tenancy.origin import least_trusted
from sessions.models import AgentSession, Resource

DIGEST_CATEGORY = "conversations"


def digest_session(
    claim: Claim, row: Extraction, provider: Provider, embedder: Embedder, actor: str, now: datetime
) -> int:  # fmt: skip
    """Answers how many memories came of it, 0 or 1. Raises LLMError, and nothing is stored: the session has ended, and
    its digest is tried again later."""
    session, policy = claim.session, claim.session.app.policy
    spoken = Resource.objects.for_app(session.app).filter(session=session, role__in=work.SPOKEN)
    spoken = spoken.exclude(taken_back_in(session)).order_by("pk")
    messages = [
        Message(text.role, plain(text.raw_content), text.said_at(policy.time_zone), text.speaker) for text in spoken
    ]
    written = provider.digest(messages, now.astimezone(policy.time_zone), policy.max_characters)
    candidates: list[Candidate] = []
    if text := redact(written.text).text.strip():
        origin = least_trusted(origin_of(one) for one in spoken.select_related("session"))
        candidates = [digest_candidate(session, text[: policy.max_characters], written.made_by, origin)]
    held = [(refusal, one) for one in candidates if (refusal := quarantine(one, policy))]
    candidates = [one for one in candidates if all(one is not other for _, other in held)]
    embed_candidates(candidates, embedder)
    new = [] if digests_of(session).exists() else [candidate.content for candidate in candidates]
    suggested = suggest_evictions(session.app, provider, new, now, BACKGROUND_SECONDS)
    with writing(session.app, actor, now, suggested) as write:
        stored = sum(keep_digest(write, candidate) for candidate in candidates)
        for refusal, candidate in held:
            refuse(write, refusal, candidate=candidate)
        work.finish(write, row, made_by=written.made_by, stored=stored)
    return stored


def keep_digest(write: Writer, candidate: Candidate) -> bool:
    """The session's one digest: a later one takes the place of its words. Answers whether it says something new."""
    assert candidate.session is not None, "a digest is a session's"
    digest = digests_of(candidate.session).first()
    if digest is None:
        write.announce(write.create(candidate))
    elif digest.content != candidate.content:
        changes = {name: getattr(candidate, name) for name in ("content", "origin", "made_by")}
        write.edit(digest, changes, "the session went on", candidate.vector, candidate.vector_model)
    else:
        return False
    return True


def digests_of(session: AgentSession) -> MemoryQuerySet:
    return Memory.objects.for_app(session.app).live().filter(session=session, source=Source.DIGEST)


def plain(text: str) -> str:
    return strip_private(strip_fenced(text))


def digest_candidate(session: AgentSession, text: str, made_by: str, origin: str) -> Candidate:
    return Candidate(
        content=text,
        kind=Kind.CONVERSATION,
        category=DIGEST_CATEGORY,
        tier=session.tier,
        user_id=session.user_id,
        source=Source.DIGEST,
        origin=origin,
        agent=session.agent,
        session=session,
        made_by=made_by,
    )

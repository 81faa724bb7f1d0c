"""What was said → what is known. The story of one claim:

texts → chunks → gate → facts → write gate (facts) → relation to what is known (known) → store, and the work is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from traceback import format_tb

import structlog

from memories.capture import work
from memories.capture.digest import digest_session
from memories.capture.echo import Shown, bound_by, is_shorter
from memories.capture.embed import embed_candidates
from memories.capture.facts import Begun, Found, find_facts
from memories.capture.known import RelatedMemories, find_related
from memories.capture.outcome import Outcome, OutcomeKind
from memories.capture.pipeline import store
from memories.capture.plans import add_plans
from memories.capture.refusals import ECHO, Refusal, plain_fields, refuse
from memories.capture.room import BACKGROUND_SECONDS, needing_capacity, suggest_evictions
from memories.capture.work import Claim, LeaseLost
from memories.ledger.energy import note_energy
from memories.models import Extraction, Injection, Memory, RejectionKind, Source
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import MUCH_SURER, LLMDenied, LLMError, LLMTooDear, LLMUnavailable, Provider
from memories.store import Candidate, Writer, writing
from memories.store.revisions import learnt_in
from memories.text.relate import Relation, Verdict
from memsite.db.transactions import is_busy
from memsite.ops.storage_errors import why_unwritable
from sessions.models import AgentSession, Resource, Role

log = structlog.get_logger("memories.capture")
CONTEXT_TEXTS = 4
MOST_PASSING = 12
"""Statements of a claim that are compared with what is known though they are not worth keeping; the last ones said."""
CHANGES_FROM = 0.7
"""A certainty from which such a statement is at odds with something known."""
Learnt = Callable[[Writer, Sequence[Resource]], None]


@dataclass(slots=True)
class Lesson:
    """What came of one claim, in counts."""

    texts: int = 0
    stored: int = 0
    reinforced: int = 0
    rejected: int = 0
    failed: int = 0
    outcomes: list[Outcome] = field(default_factory=list)

    def add(self, other: Lesson) -> None:
        self.texts += other.texts
        self.stored += other.stored
        self.reinforced += other.reinforced
        self.rejected += other.rejected
        self.outcomes += other.outcomes


def learn(
    claim: Claim, provider: Provider, embedder: Embedder, now: datetime, on_learnt: Learnt | None = None
) -> Lesson:  # fmt: skip
    """Works a claim off. Whatever happens, its rows say so; text that made trouble costs no other text its turn."""
    lesson = Lesson()
    task = partial(learn_digest, claim) if claim.is_digest else partial(learn_facts, claim, on_learnt)
    attempt(claim, claim.rows, lambda rows: task(rows, provider, embedder, now, lesson), lesson, now)
    return lesson


def attempt(
    claim: Claim, rows: Sequence[Extraction], work_off: Callable[[Sequence[Extraction]], None], lesson: Lesson,
    now: datetime,
) -> None:  # fmt: skip
    """All at once; one by one where that fails for another reason than what is waited for: a service that is away, a
    full disk, a database that is busy.
    """
    try:
        work_off(rows)
    except LeaseLost:
        log.warning("lease_lost", session=str(claim.session.uid))
    except Exception as error:
        is_too_dear = isinstance(error, LLMTooDear)
        if isinstance(error, LLMDenied) and not is_too_dear:
            work.defer(claim, rows, error, now)
            log.info("extraction_deferred", session=str(claim.session.uid), texts=len(rows), reason=str(error))
            return
        is_waited_for = isinstance(error, LLMUnavailable) or why_unwritable(error) or is_busy(error)
        if len(rows) > 1 and (is_too_dear or not is_waited_for):
            for row in rows:
                attempt(claim, [row], work_off, lesson, now)
            return
        lesson.failed += len(rows)
        work.fail(claim, rows, error, now)
        log.warning("extraction_failed", session=str(claim.session.uid), texts=len(rows), error=work.told(error))
        if not isinstance(error, LLMError) and not is_waited_for:
            # Where, and not what: an error may quote what was said.
            log.error("extraction_error", error_type=type(error).__name__, at=format_tb(error.__traceback__))


def learn_facts(
    claim: Claim, on_learnt: Learnt | None, rows: Sequence[Extraction], provider: Provider, embedder: Embedder,
    now: datetime, lesson: Lesson,
) -> None:  # fmt: skip
    session = claim.session
    texts = [row.resource for row in rows if row.resource]
    injected = Injection.objects.for_app(session.app).into(session)
    shown, shown_pks = injected.lines(), injected.memory_pks()
    begun = Begun(rows[0].windows_read, rows[0].is_gated) if len(rows) == 1 else None
    found = find_facts(session, texts, said_before(session, texts), provider, embedder, shown, now, begun)
    add_plans(session, found)
    keep_changes(session, found, embedder)
    candidates = [candidate for one in found for candidate in one.candidates]
    embed_candidates([candidate for candidate in candidates if candidate.vector is None], embedder)
    outlooks = dict(zip(map(id, candidates), find_related(session.app, candidates, embedder, provider), strict=True))
    sources = sources_of(session, found, shown_pks)
    for one in found:
        drop_echoes(one, outlooks, sources)
    suggested = suggest_evictions(session.app, provider, coming(found, outlooks), now, BACKGROUND_SECONDS)
    learnt = Lesson()
    with writing(session.app, learnt_in(session), now, suggested) as write:
        for row, one in zip(rows, found, strict=True):
            keep(write, row, one, outlooks, embedder, learnt)
        if learnt.outcomes:
            note_energy(session.app, "write", now, len(learnt.outcomes))
        if on_learnt:
            on_learnt(write, texts)
    lesson.add(learnt)
    denied = found[0].denied
    if denied and not isinstance(denied, LLMTooDear):
        work.put_off(session.app, denied, denied.until, now)


def keep_changes(session: AgentSession, found: Sequence[Found], embedder: Embedder) -> None:
    """Keep of what is not worth it for itself what is at odds with something known: it was said to change that."""
    passing = [(one, candidate) for one in found for candidate in one.passing][-MOST_PASSING:]
    if not passing or not embed_candidates([candidate for _, candidate in passing], embedder):
        return
    for one, candidate in passing:
        (outlook,) = find_related(session.app, [candidate], embedder)
        if any(changes(item.verdict) for item in outlook.telling):
            one.candidates.append(candidate)


def changes(verdict: Verdict) -> bool:
    return verdict.relation in (Relation.CONTRADICTS, Relation.SUPERSEDES) and verdict.score >= CHANGES_FROM


def sources_of(session: AgentSession, found: Sequence[Found], shown_pks: Iterable[int]) -> dict[int, Shown]:
    """What the agent was shown and how sure it is, by pk, if it has said anything. One query then."""
    if not any(one.candidates and one.resource.role == Role.ASSISTANT for one in found):
        return {}
    rows = Memory.objects.for_app(session.app).filter(pk__in=[*shown_pks])
    return {pk: (content, confidence) for pk, content, confidence in rows.values_list("pk", "content", "confidence")}


def drop_echoes(found: Found, outlooks: dict[int, RelatedMemories], sources: Mapping[int, Shown]) -> None:
    """What an agent says in other words, or fewer, of what it was shown in this session is no news either; what says
    more is no surer than what it was shown.
    """
    if found.resource.role != Role.ASSISTANT or not sources:
        return
    kept: list[Candidate] = []
    for candidate in found.candidates:
        telling = outlooks[id(candidate)].telling
        if any(item.memory.pk in sources and item.verdict.relation == Relation.SAME for item in telling):
            continue
        if any(is_shorter(candidate.content, content) for content, _ in sources.values()):
            found.refusals.append(Refusal(candidate.category, ECHO, candidate.content))
            continue
        if candidate.confidence is not None:
            candidate.confidence = bound_by(candidate.content, candidate.confidence, sources.values())
        kept.append(candidate)
    found.candidates = kept


def coming(found: Sequence[Found], outlooks: Mapping[int, RelatedMemories]) -> list[str]:
    """The texts that will take room: what is at odds with something surer is not stored."""
    kept = [one for text in found for one in text.candidates if not conflict_of(one, outlooks[id(one)])]
    return needing_capacity(kept, [outlooks[id(one)] for one in kept])


def keep(
    write: Writer,
    row: Extraction,
    found: Found,
    outlooks: dict[int, RelatedMemories],
    embedder: Embedder,
    lesson: Lesson,
) -> None:
    """What one text held, and that so much of it is worked off: together or not at all."""
    outcomes = [refuse(write, refusal, found.resource) for refusal in found.refusals]
    for candidate in found.candidates:
        outlook = outlooks[id(candidate)]
        conflict = conflict_of(candidate, outlook)
        if conflict:
            outcomes.append(refuse(write, conflict, found.resource))
        else:
            outcomes.append(store(write, candidate, outlook, embedder))
    kinds = [outcome.kind for outcome in outcomes]
    new = Lesson(
        texts=1,
        stored=kinds.count(OutcomeKind.CREATED) + kinds.count(OutcomeKind.CONTRADICTED),
        reinforced=kinds.count(OutcomeKind.REINFORCED),
        rejected=kinds.count(OutcomeKind.REJECTED),
        outcomes=outcomes,
    )
    counts = {name: getattr(row, name) + getattr(new, name) for name in ("stored", "reinforced", "rejected")}
    if found.denied:
        work.pause(write, row, found.windows_read, found.denied, made_by=found.made_by, **counts)
    else:
        work.finish(write, row, made_by=found.made_by, **counts)
    lesson.add(new)


def conflict_of(candidate: Candidate, outlook: RelatedMemories) -> Refusal | None:
    """What is at odds with something much surer, or with what an operator wrote or pinned, is for people to decide."""
    for item in outlook.telling:
        known = item.memory
        is_settled = known.pinned or known.source == Source.OPERATOR
        is_surer = known.confidence >= (candidate.confidence or 0.0) + MUCH_SURER
        if item.verdict.relation == Relation.CONTRADICTS and (is_settled or is_surer):
            reason = f"at odds with a memory that is {'settled' if is_settled else 'much surer'}: {item.verdict.reason}"
            fields = plain_fields(candidate)
            return Refusal(candidate.category, reason[:500], candidate.content, RejectionKind.CONFLICT, {}, fields)
    return None


def said_before(session: AgentSession, texts: Sequence[Resource]) -> list[Resource]:
    """The texts of the session before these, the oldest first."""
    rows = Resource.objects.for_app(session.app).filter(session=session, role__in=work.SPOKEN)
    return list(rows.filter(pk__lt=min(text.pk for text in texts)).order_by("-pk")[:CONTEXT_TEXTS])[::-1]


def learn_digest(
    claim: Claim, rows: Sequence[Extraction], provider: Provider, embedder: Embedder, now: datetime, lesson: Lesson
) -> None:  # fmt: skip
    (row,) = rows
    lesson.stored += digest_session(claim, row, provider, embedder, learnt_in(claim.session), now)

"""Extract memories from what was said: the way of one claim.

texts → chunks → gate → facts → write gate → what is related → store, and the work is done. What waits for its day is
added as a plan: the rules find no fact in a plan without a verb, and a model may pass over it. A session that has ended
leaves one memory of all of it, its digest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from traceback import format_tb

import structlog

from memories.capture import extraction_queue
from memories.capture.candidates import candidate_of, embed_candidates, fields_of, origin_of
from memories.capture.chunks import Window, make_chunks
from memories.capture.extraction_queue import Claim, LeaseLost
from memories.capture.pipeline import BACKGROUND_SECONDS, needing_capacity, store, suggest_evictions
from memories.capture.quarantine import (
    ECHO,
    Outcome,
    OutcomeKind,
    Refusal,
    Shown,
    bound_by,
    is_echo,
    is_shorter,
    plain_fields,
    quarantine,
    refuse,
)
from memories.capture.related_memories import RelatedMemories, find_related
from memories.index.similarity import top
from memories.language.dates.statement_dates import make_dates_plain
from memories.language.extract.context import names_plan
from memories.language.injection_guard import find_instructions
from memories.language.messages import Message, strip_fenced
from memories.language.relate import Relation
from memories.language.secrets import redact, strip_private
from memories.language.similarity import used_share
from memories.ledger.energy import note_energy
from memories.models import (
    GENERAL,
    Extraction,
    FutureTrigger,
    Injection,
    Kind,
    Memory,
    RejectionKind,
    Source,
    TriggerStatus,
)
from memories.models.memory import MemoryQuerySet
from memories.providers.embeddings import Embedder, EmbedderError
from memories.providers.llm.fallback import Careful, Fallback
from memories.providers.llm.provider import (
    CLEAR_LEAD,
    RULES,
    Chunk,
    Fact,
    LLMDenied,
    LLMError,
    LLMTooDear,
    LLMUnavailable,
    Provider,
    Setting,
)
from memories.providers.llm.rules.extraction import find_passing, is_once
from memories.retrieve.pipeline import index_of
from memories.retrieve.scoped_view import Scope, question_cosines, scoped_view
from memories.store import Candidate, Writer, writing
from memories.store.revisions import learnt_in
from memories.store.rollback import taken_back_in
from memsite.config.conf import get_conf
from memsite.db.transactions import insist, is_busy
from memsite.ops.storage_errors import why_unwritable
from memsite.ops.tracing import span
from memsite.tenancy.access import one_user
from memsite.tenancy.origin import least_trusted
from memsite.tenancy.policy import OPERATIONAL_CATEGORIES, PERSONAL_CATEGORIES, AppPolicy
from sessions.markers import without_markers
from sessions.models import AgentSession, Resource, Role

log = structlog.get_logger("memories.capture")
KNOWN_SHOWN = 12
NOTHING_BUT_A_SECRET = re.compile(r"(?:\b(?:is|are|was)|[=:])\s*\[redacted: [^\]]+\]\W*$")
MOST_SUBJECTS = 200
ADDRESSED = re.compile(
    r"\b(?:I|we|you|he|she|they|it|us|let['’]s|ich|wir|du|ihr|je|nous|vous|yo)\b|\b(?:talk|see|luck|thanks|night|enjoy)\b",
    re.IGNORECASE,
)
"""Who says what somebody does has used a verb: whether that is a fact, is judged as of any other sentence."""
TO_BE_REMINDED = re.compile(r"\W*(?:please,? )?(?:remind|don['’]t forget|remember)\b", re.IGNORECASE)
ENOUGH = 0.5
"""The share of a plan's words with which something else that was found in its text tells of it."""
DIGEST_CATEGORY = "conversations"
CONTEXT_TEXTS = 4
MOST_PASSING = 12
"""Statements of a claim that are compared with what is known though they are not worth keeping; the last ones said."""
CHANGES_FROM = 0.7
"""A certainty from which such a statement is at odds with something known."""
Learnt = Callable[[Writer, Sequence[Resource]], None]


@dataclass(slots=True)
class Found:
    """What one text holds. `made_by` is whoever answered for it."""

    resource: Resource
    candidates: list[Candidate] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    passing: list[Candidate] = field(default_factory=list)
    """What is kept only where it changes what is known."""
    made_by: str = RULES
    misread: str = ""
    """Why the rules found its facts, where a model's answer was of no use."""
    windows_read: int = 0
    denied: LLMDenied | None = None
    """Why only the first windows were read."""


@dataclass(frozen=True, slots=True)
class PartlyRead:
    """A text that the budget cut short: windows that are read, and whether the next was already found worth it."""

    windows: int
    is_gated: bool


def find_facts(
    session: AgentSession,
    texts: Sequence[Resource],
    before: Sequence[Resource],
    provider: Provider,
    embedder: Embedder,
    lines: Sequence[str],
    now: datetime,
    begun: PartlyRead | None = None,
) -> list[Found]:
    """Return what each text holds, in order. `before` was said earlier in the session and is context; LLMError passes.

    A single text may have `begun`: the rest of it is read, as far as the budget goes, and LLMDenied passes only if that
    is not one window.
    """
    findings = [Found(resource) for resource in texts]
    setting = setting_of(session)
    messages = [as_message(resource, session.app.policy) for resource in texts]
    context = [as_message(resource, session.app.policy) for resource in before]
    windows = make_chunks(messages, now.astimezone(session.app.policy.time_zone))
    begin = begun.windows if begun else 0
    for number, window in enumerate(windows[begin:], begin):
        if window.places[0] == 0:
            window = replace(window, chunk=replace(window.chunk, before=(*context, *window.chunk.before)))
        is_gated = bool(begun and begun.is_gated and number == begin)
        try:
            if is_gated or is_worth_it(window, findings, provider):
                # Extract the facts of a window, each sorted to the text that says it.
                known = known_near(session, window, embedder) if provider.name != RULES else {}
                missed = len(fallbacks(provider))
                facts = provider.extract(window.chunk, replace(setting, known=tuple(known.values())))
                misread = fallbacks(provider)[missed:]
                for place in window.places:
                    findings[place].made_by = RULES if misread else provider.name
                    findings[place].misread = misread[-1].reason if misread else findings[place].misread
                for fact in facts:
                    if not is_of_before(fact, window.chunk):
                        updates = [*known][fact.updates - 1] if fact.updates else None
                        add_fact(findings[window.places[fact.message]], fact, session, lines, updates)
            if provider.name == RULES and get_conf().relations == "learned":
                note_passing(window, findings, session, setting)
        except LLMDenied as denied:
            if begun is None or number == begin:
                raise
            findings[0].windows_read, findings[0].denied = number, denied
            break
    return findings


def is_worth_it(window: Window, findings: Sequence[Found], provider: Provider) -> bool:
    worth = provider.gate(window.chunk)
    for place in window.places:
        findings[place].made_by = worth.made_by
    return worth.keep


def note_passing(window: Window, findings: Sequence[Found], session: AgentSession, setting: Setting) -> None:
    """Note what is not worth keeping for itself, and passes the write gate."""
    for fact in find_passing(window.chunk, setting):
        finding = Found(findings[window.places[fact.message]].resource)
        if not is_of_before(fact, window.chunk):
            add_fact(finding, fact, session, ())
        findings[window.places[fact.message]].passing += finding.candidates


def fallbacks(provider: Provider) -> Sequence[Fallback]:
    """Return where the rules have answered in a model's place so far."""
    return provider.fallbacks if isinstance(provider, Careful) else ()


def is_of_before(fact: Fact, chunk: Chunk) -> bool:
    """Return whether it was said in what came before, which is context: a model may tell of it all the same."""
    if fact.quote or not chunk.before:
        return False
    now, then = (
        max(used_share(fact.content, message.content) for message in messages)
        for messages in (chunk.messages, chunk.before)
    )
    return then > now


def as_message(resource: Resource, policy: AppPolicy) -> Message:
    """Return a text as a message, without secrets, and without the markers where these are memories of their own."""
    when = resource.said_at(policy.time_zone)
    text = without_markers(resource.raw_content) if policy.capture_markers else resource.raw_content
    return Message(resource.role, redact(text).text, when, resource.speaker)


def add_fact(text: Found, fact: Fact, session: AgentSession, lines: Sequence[str], updates: int | None = None) -> None:
    """Add a fact to the candidates or refusals of its text; nothing where it only repeats what the agent was shown.

    `updates` is the memory that it makes outdated.
    """
    fact = replace(fact, content=redact(fact.content).text.strip())
    text.made_by = fact.made_by
    # A user who says what the agent was shown confirms it; an agent that does only reads it back.
    is_agents = text.resource.role == Role.ASSISTANT
    refusal = refusal_of(fact, session.app.policy, lines if is_agents else ())
    if refusal:
        text.refusals.append(refusal)
    elif fact.content:
        candidate = candidate_of(fact, session, text.resource)
        candidate.updates = updates
        waits = quarantine(candidate, session.app.policy)
        if waits:
            text.refusals.append(waits)
        else:
            text.candidates.append(candidate)


def refusal_of(fact: Fact, policy: AppPolicy, lines: Sequence[str]) -> Refusal | None:
    """Return why the write gate refuses a fact, or None.

    It lets pass what was said, verifiable, useful, short enough, no instruction to the agent, no echo.
    """
    scores = {"verifiable": fact.verifiable, "useful": fact.useful}
    suspicions = [
        suspicion for text in (fact.content, fact.subject, *fact.tags) for suspicion in find_instructions(text)
    ]
    if is_echo(fact.content, lines):
        return Refusal(fact.category, ECHO, fact.content)
    if suspicions:
        kind, reason = RejectionKind.QUARANTINE, f"{suspicions[0].kind}: {suspicions[0].why}"
    elif NOTHING_BUT_A_SECRET.search(fact.content):
        kind, reason = RejectionKind.FACT, "says nothing but a secret"
    elif len(fact.content) > policy.max_characters:
        kind, reason = RejectionKind.FACT, f"longer than {policy.max_characters} characters"
    elif fact.verifiable < policy.verifiable_above:
        kind, reason = RejectionKind.FACT, f"an opinion: verifiable {fact.verifiable:.2f} < {policy.verifiable_above:g}"
    elif fact.useful <= policy.useful_above:
        kind, reason = RejectionKind.FACT, f"chatter: useful {fact.useful:.2f} ≤ {policy.useful_above:g}"
    elif fact.doubt:
        kind, reason = RejectionKind.FACT, f"ungrounded: {redact(fact.doubt).text}"[:500]
    else:
        return None
    return Refusal(fact.category, reason, fact.content, kind, scores, fields_of(fact))


def setting_of(session: AgentSession) -> Setting:
    """Return the drawers and subjects in use; not those of other end users, where the policy keeps them apart.

    Two queries.
    """
    app = session.app
    users = one_user(session.user_id) if app.policy.users_apart else None
    rows = Memory.objects.for_app(app).active().of_users(users).order_by()
    used = islice(rows.values_list("category", flat=True).distinct(), MOST_SUBJECTS)
    subjects = rows.exclude(subject=None).values_list("subject", flat=True).distinct()[:MOST_SUBJECTS]
    usual = (*OPERATIONAL_CATEGORIES, *PERSONAL_CATEGORIES, GENERAL)
    return Setting(
        categories=tuple(dict.fromkeys([*usual, *used])),
        subjects=tuple(subject for subject in subjects if subject),
        max_characters=app.policy.max_characters,
        guidance=app.policy.guidance,
    )


def known_near(session: AgentSession, window: Window, embedder: Embedder) -> dict[int, str]:
    """Return the known memories nearest to the window, by pk, for a model; none while the embedder is unavailable."""
    text = "\n".join(message.content for message in window.chunk.messages)
    try:
        (vector,) = embedder.embed_documents([text])
    except EmbedderError:
        return {}
    view = index_of(session.app, embedder).view()
    users = one_user(session.user_id)
    reading = scoped_view(view, Scope(session.agent_id, users, window.chunk.now.timestamp()))
    if not reading.size:
        return {}
    cosines = question_cosines(reading, vector)
    near = cosines.foremost
    best = near[top(cosines.at(near), KNOWN_SHOWN)]
    pks = reading.pks[best].tolist()
    rows = Memory.objects.for_app(session.app).of_users(users).in_bulk(pks)
    return {pk: rows[pk].content for pk in pks if pk in rows}


def add_plans(session: AgentSession, findings: Sequence[Found]) -> None:
    """Add to what was found in users' texts the plans that nothing of it tells of. One query, if users spoke.

    What was refused is not brought back: the gate had its reason. A plan passes the same gate.
    """
    by_resource = {item.resource.pk: item for item in findings if item.resource.role == Role.USER and not item.denied}
    if not by_resource:
        return
    waiting = FutureTrigger.objects.for_app(session.app).filter(
        status=TriggerStatus.WAITING, resource__in=by_resource, memories=None
    )
    for resource_pk, message in waiting.order_by("pk").values_list("resource", "message"):
        item = by_resource[resource_pk]
        speaker = item.resource.speaker
        message = message.removeprefix(f"{speaker}: ")
        if not TO_BE_REMINDED.match(message) and (ADDRESSED.search(message) or not names_plan(message)):
            continue
        contents = [candidate.content for candidate in item.candidates] + [refusal.content for refusal in item.refusals]
        if not any(used_share(message, text) >= ENOUGH for text in contents):
            said_at = item.resource.said_at(session.app.policy.time_zone)
            dated = make_dates_plain(message, said_at)
            content = dated.text
            content = content[:1].upper() + content[1:]
            named = f"{speaker}: {content}" if speaker else content
            until = dated.end if dated.is_to_come and is_once(content) else None
            fact = Fact(content=named, message=0, subject=speaker, quote=message, valid_until=until)
            add_fact(item, fact, session, ())


def learn_digest(
    claim: Claim, rows: Sequence[Extraction], provider: Provider, embedder: Embedder, now: datetime, lesson: Lesson
) -> None:
    """Learn one memory of a whole session, or none.

    Raises LLMError, and nothing is stored: the session has ended, and its digest is tried again later.
    """
    (row,) = rows
    session, policy = claim.session, claim.session.app.policy
    spoken = Resource.objects.for_app(session.app).filter(session=session, role__in=extraction_queue.SPOKEN)
    spoken = spoken.exclude(taken_back_in(session)).order_by("pk")
    messages = [
        Message(
            text.role,
            strip_private(strip_fenced(text.raw_content)),
            text.said_at(policy.time_zone),
            text.speaker,
        )
        for text in spoken
    ]
    written = provider.digest(messages, now.astimezone(policy.time_zone), policy.max_characters)
    candidates: list[Candidate] = []
    refusal = None
    if text := redact(written.text).text.strip():
        candidate = Candidate(
            content=text[: policy.max_characters],
            kind=Kind.CONVERSATION,
            category=DIGEST_CATEGORY,
            tier=session.tier,
            user_id=session.user_id,
            source=Source.DIGEST,
            origin=least_trusted(origin_of(resource) for resource in spoken.select_related("session")),
            agent=session.agent,
            session=session,
            made_by=written.made_by,
        )
        refusal = quarantine(candidate, policy)
        candidates = [] if refusal else [candidate]
    embed_candidates(candidates, embedder)
    new = [] if digests_of(session).exists() else [candidate.content for candidate in candidates]
    suggested = suggest_evictions(session.app, provider, new, now, BACKGROUND_SECONDS)
    with writing(session.app, learnt_in(session), now, suggested) as write:
        stored = sum(keep_digest(write, candidate) for candidate in candidates)
        if refusal:
            refuse(write, refusal, candidate=candidate)
        extraction_queue.finish(write, row, made_by=written.made_by, stored=stored)
    lesson.stored += stored


def keep_digest(write: Writer, candidate: Candidate) -> bool:
    """Store the session's one digest, or replace its words. Return whether it says something new."""
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
) -> Lesson:
    """Work a claim off. Whatever happens, its rows say so; text that made trouble costs no other text its turn."""
    lesson = Lesson()
    task = partial(learn_digest, claim) if claim.is_digest else partial(learn_facts, claim, on_learnt)
    rules = provider.rules if isinstance(provider, Careful) else provider
    with span("extraction", app=claim.session.app.app_id, texts=len(claim.rows), provider=provider.name):
        attempt(
            claim,
            claim.rows,
            lambda rows: task(rows, provider, embedder, now, lesson),
            lambda rows: task(rows, rules, embedder, now, lesson),
            lesson,
            now,
        )
    return lesson


def attempt(
    claim: Claim,
    rows: Sequence[Extraction],
    work_off: Callable[[Sequence[Extraction]], None],
    by_rules: Callable[[Sequence[Extraction]], None],
    lesson: Lesson,
    now: datetime,
) -> None:
    """Work off all rows at once, or one by one where that fails for a reason of their own.

    Reasons that are waited for: a service that is away, a full disk, a database that is busy. Where a model is
    waited for too long, the rules stand in.
    """
    try:
        work_off(rows)
    except LeaseLost:
        log.warning("lease_lost", session=str(claim.session.uid))
    except Exception as error:
        is_too_dear = isinstance(error, LLMTooDear)
        if isinstance(error, LLMDenied) and not is_too_dear:
            extraction_queue.defer(claim, rows, error, now)
            log.info("extraction_deferred", session=str(claim.session.uid), texts=len(rows), reason=str(error))
            return
        is_waited_for = isinstance(error, LLMUnavailable) or why_unwritable(error) or is_busy(error)
        if len(rows) > 1 and (is_too_dear or not is_waited_for):
            for row in rows:
                attempt(claim, [row], work_off, by_rules, lesson, now)
            return
        given_up = [row for row in rows if extraction_queue.is_patience_over(row, error, now)]
        if given_up:
            # What they have read before, they do not read again: that would confirm it.
            unread = [row for row in given_up if row.made_by != RULES]
            if unread:
                attempt(claim, unread, by_rules, by_rules, lesson, now)
            extraction_queue.mark_for_later(claim, given_up, error)
            rows = [row for row in rows if row not in given_up]
            if not rows:
                return
        lesson.failed += len(rows)
        insist(partial(extraction_queue.fail, claim, rows, error, now))
        log.warning(
            "extraction_failed", session=str(claim.session.uid), texts=len(rows), error=extraction_queue.explain(error)
        )
        if not isinstance(error, LLMError) and not is_waited_for:
            # Where, and not what: an error may quote what was said.
            log.error("extraction_error", error_type=type(error).__name__, at=format_tb(error.__traceback__))


def learn_facts(
    claim: Claim,
    on_learnt: Learnt | None,
    rows: Sequence[Extraction],
    provider: Provider,
    embedder: Embedder,
    now: datetime,
    lesson: Lesson,
) -> None:
    session = claim.session
    texts = [row.resource for row in rows if row.resource]
    injected = Injection.objects.for_app(session.app).into(session)
    lines, shown_pks = injected.lines(), injected.memory_pks()
    begun = PartlyRead(rows[0].windows_read, rows[0].is_gated) if len(rows) == 1 else None
    earlier = Resource.objects.for_app(session.app).filter(session=session, role__in=extraction_queue.SPOKEN)
    earlier = earlier.filter(pk__lt=min(text.pk for text in texts))
    before = list(earlier.order_by("-pk")[:CONTEXT_TEXTS])[::-1]
    findings = find_facts(session, texts, before, provider, embedder, lines, now, begun)
    for row, text in zip(rows, findings, strict=True):
        if extraction_queue.is_read_again(row) and text.misread:
            # What the rules have read before, they do not read again: that would confirm it.
            text.candidates, text.refusals, text.passing = [], [], []
    add_plans(session, findings)
    keep_contradictions(session, findings, embedder)
    candidates = [candidate for text in findings for candidate in text.candidates]
    embed_candidates([candidate for candidate in candidates if candidate.vector is None], embedder)
    all_related = dict(zip(map(id, candidates), find_related(session.app, candidates, embedder, provider), strict=True))
    sources = sources_of(session, findings, shown_pks)
    for text in findings:
        drop_echoes(text, all_related, sources)
    candidates = [candidate for text in findings for candidate in text.candidates]
    stored = [candidate for candidate in candidates if not conflict_of(candidate, all_related[id(candidate)])]
    incoming = needing_capacity(stored, [all_related[id(candidate)] for candidate in stored])
    suggested = suggest_evictions(session.app, provider, incoming, now, BACKGROUND_SECONDS)
    learnt = Lesson()
    with writing(session.app, learnt_in(session), now, suggested) as write:
        for row, text in zip(rows, findings, strict=True):
            keep(write, row, text, all_related, embedder, learnt)
        if learnt.outcomes:
            note_energy(session.app, "write", now, len(learnt.outcomes))
        if on_learnt:
            on_learnt(write, texts)
    lesson.add(learnt)
    if any(row.attempts > 1 for row in rows) and any(text.made_by == provider.name for text in findings):
        # A model that has failed is back.
        extraction_queue.requeue_marked(session.app, now, now - extraction_queue.READ_AGAIN_AFTER)
    denied = findings[0].denied
    if denied and not isinstance(denied, LLMTooDear):
        extraction_queue.put_off(session.app, denied, denied.until, now)


def keep_contradictions(session: AgentSession, findings: Sequence[Found], embedder: Embedder) -> None:
    """Keep of what is not worth it for itself what is at odds with something known: it was said to change that."""
    passing = [(text, candidate) for text in findings for candidate in text.passing][-MOST_PASSING:]
    if not passing or not embed_candidates([candidate for _, candidate in passing], embedder):
        return
    for text, candidate in passing:
        (related,) = find_related(session.app, [candidate], embedder)
        verdicts = [item.verdict for item in related.telling if item.verdict.score >= CHANGES_FROM]
        if any(verdict.relation in (Relation.CONTRADICTS, Relation.SUPERSEDES) for verdict in verdicts):
            text.candidates.append(candidate)


def sources_of(session: AgentSession, findings: Sequence[Found], shown_pks: Iterable[int]) -> dict[int, Shown]:
    """Return what the agent was shown and how sure it is, by pk, if it has said anything. One query then."""
    if not any(text.candidates and text.resource.role == Role.ASSISTANT for text in findings):
        return {}
    rows = Memory.objects.for_app(session.app).filter(pk__in=[*shown_pks])
    return {pk: (content, confidence) for pk, content, confidence in rows.values_list("pk", "content", "confidence")}


def drop_echoes(finding: Found, all_related: dict[int, RelatedMemories], sources: Mapping[int, Shown]) -> None:
    """Drop what an agent says in other words, or fewer, of what it was shown in this session.

    What says more is no surer than what it was shown.
    """
    if finding.resource.role != Role.ASSISTANT or not sources:
        return
    candidates: list[Candidate] = []
    for candidate in finding.candidates:
        telling = all_related[id(candidate)].telling
        if any(item.memory.pk in sources and item.verdict.relation == Relation.SAME for item in telling):
            continue
        if any(is_shorter(candidate.content, content) for content, _ in sources.values()):
            finding.refusals.append(Refusal(candidate.category, ECHO, candidate.content))
            continue
        if candidate.confidence is not None:
            candidate.confidence = bound_by(candidate.content, candidate.confidence, sources.values())
        candidates.append(candidate)
    finding.candidates = candidates


def keep(
    write: Writer,
    row: Extraction,
    finding: Found,
    all_related: dict[int, RelatedMemories],
    embedder: Embedder,
    lesson: Lesson,
) -> None:
    """Store what one text held, and note that so much of it is worked off: together or not at all."""
    outcomes = [refuse(write, refusal, finding.resource) for refusal in finding.refusals]
    for candidate in finding.candidates:
        related = all_related[id(candidate)]
        conflict = conflict_of(candidate, related)
        if conflict:
            outcomes.append(refuse(write, conflict, finding.resource))
        else:
            outcomes.append(store(write, candidate, related, embedder))
    kinds = [outcome.kind for outcome in outcomes]
    new = Lesson(
        texts=1,
        stored=kinds.count(OutcomeKind.CREATED) + kinds.count(OutcomeKind.CONTRADICTED),
        reinforced=kinds.count(OutcomeKind.REINFORCED),
        rejected=kinds.count(OutcomeKind.REJECTED),
        outcomes=outcomes,
    )
    counts = {name: getattr(row, name) + getattr(new, name) for name in ("stored", "reinforced", "rejected")}
    if finding.denied:
        extraction_queue.pause(write, row, finding.windows_read, finding.denied, made_by=finding.made_by, **counts)
    else:
        # An answer of no use is asked for once more, and not each night.
        reason = extraction_queue.marked(finding.misread) if finding.misread and row.made_by != RULES else ""
        extraction_queue.finish(write, row, made_by=finding.made_by, reason=reason, **counts)
    lesson.add(new)


def conflict_of(candidate: Candidate, related: RelatedMemories) -> Refusal | None:
    """Return a conflict that people have to decide: with something much surer, or that an operator wrote or pinned."""
    for item in related.telling:
        known = item.memory
        is_settled = known.pinned or known.source == Source.OPERATOR
        is_more_confident = known.confidence >= (candidate.confidence or 0.0) + CLEAR_LEAD
        if item.verdict.relation == Relation.CONTRADICTS and (is_settled or is_more_confident):
            reason = f"at odds with a memory that is {'settled' if is_settled else 'much surer'}: {item.verdict.reason}"
            fields = plain_fields(candidate)
            return Refusal(candidate.category, reason[:500], candidate.content, RejectionKind.CONFLICT, {}, fields)
    return None

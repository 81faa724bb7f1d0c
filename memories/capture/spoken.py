"""What an agent and its user said → resources, events, and memories from the agent's markers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memories.capture.echo import Shown, bound_by, is_echo, is_shorter, strip_injected
from memories.capture.embed import embed_candidates
from memories.capture.known import RelatedMemories, find_related
from memories.capture.markers import MemoryMarker, RefusedMarker, find_memories
from memories.capture.outcome import Outcome, OutcomeKind
from memories.capture.pipeline import store
from memories.capture.refusals import ECHO, Refusal, plain_fields, refuse
from memories.capture.room import REQUEST_SECONDS, needing_capacity, suggest_evictions
from memories.capture.withholding import quarantine
from memories.capture.work import queue_facts
from memories.ledger.energy import note_energy
from memories.models import Injection, Source
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import Provider
from memories.store import Candidate, Writer, writing
from memories.text.clean import clean
from memsite.tenancy.policy import AppPolicy
from sessions.models import AgentSession, Resource, Role
from sessions.recording import Said, in_public, note_activity, record_events, record_said


@dataclass(slots=True)
class Heard:
    """One text with what its markers say, before anything is stored."""

    said: Said
    candidates: list[Candidate] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    outlooks: list[RelatedMemories] = field(default_factory=list)


@dataclass(slots=True)
class Captured:
    """What became of several texts; `queued` of them wait for their facts to be found."""

    resources: list[Resource] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    events: int = 0
    queued: int = 0

    def count(self, *kinds: OutcomeKind) -> int:
        return sum(outcome.kind in kinds for outcome in self.outcomes)

    def counts(self) -> dict[str, int]:
        """`contradicted` counts the memories that lost confidence."""
        return {
            "created": self.count(OutcomeKind.CREATED, OutcomeKind.CONTRADICTED),
            "reinforced": self.count(OutcomeKind.REINFORCED),
            "contradicted": sum(len(outcome.against) for outcome in self.outcomes),
            "echoed": self.count(OutcomeKind.ECHOED),
            "rejected": self.count(OutcomeKind.REJECTED),
            "events": self.events,
        }


def capture_said(
    session: AgentSession,
    said: Sequence[Said],
    embedder: Embedder,
    actor: str,
    now: datetime,
    on_stored: Callable[[Captured], None] | None = None,
    provider: Provider | None = None,
    *,
    is_live: bool = True,
) -> Captured:
    """Reads and embeds first, then stores everything in one transaction; text sent before changes nothing.

    In a full app the provider says what makes room for what the markers say; the rules do without one. Where `is_live`,
    the texts are a sign of life. Raises SessionGone and SaidOtherwise.
    """
    injected = Injection.objects.for_app(session.app).into(session)
    shown = injected.lines()
    sources = injected.statements() if shown and any("[MEMORY" in item.text for item in said) else []
    said = [in_public(item, redacts=session.app.policy.redact_raw) for item in said]
    heard = [listen(session, item, shown, sources) for item in said]
    embed_candidates([candidate for one in heard for candidate in one.candidates], embedder)
    for one in heard:
        one.outlooks = find_related(session.app, one.candidates, embedder)
    coming = [text for one in heard for text in needing_capacity(one.candidates, one.outlooks)]
    suggested = suggest_evictions(session.app, provider, coming, now, REQUEST_SECONDS)
    captured = Captured()
    with writing(session.app, actor, now, suggested) as write:
        if is_live:
            note_activity(session, now)
        resources = record_said(session, said, now)
        for one, resource in zip(heard, resources, strict=True):
            if resource:
                keep(write, captured, one, resource, embedder)
        if captured.outcomes:
            note_energy(write.app, "write", now, len(captured.outcomes))
        if write.policy.capture_facts:
            captured.queued = queue_facts(session, captured.resources, now)
        if on_stored:
            on_stored(captured)
    return captured


def keep(write: Writer, captured: Captured, heard: Heard, resource: Resource, embedder: Embedder) -> None:
    captured.resources.append(resource)
    if resource.role == Role.ASSISTANT and resource.session:
        captured.events += record_events(resource.session, resource, write.now)
    for refusal in heard.refusals:
        captured.outcomes.append(refuse(write, refusal, resource))
    for candidate, outlook in zip(heard.candidates, heard.outlooks, strict=True):
        candidate.resource = resource
        captured.outcomes.append(store(write, candidate, outlook, embedder))


def listen(session: AgentSession, said: Said, shown: Sequence[str], sources: Sequence[Shown] = ()) -> Heard:
    """The candidates in an assistant's text, as far as the app captures markers."""
    heard = Heard(said)
    policy = session.app.policy
    if said.role != Role.ASSISTANT or not policy.capture_markers:
        return heard
    scan = find_memories(strip_injected(said.text), policy.marker_categories)
    heard.refusals += [refusal_of(session, marker, said) for marker in scan.refused]
    if scan.unread_count:
        heard.refusals.append(Refusal("", f"{scan.unread_count} markers more than a text may have"))
    for marker in scan.memories:
        if is_echo(marker.text, shown) or any(is_shorter(marker.text, content) for content, _ in sources):
            heard.refusals.append(Refusal(marker.category, ECHO, marker.text))
        elif len(marker.text) > policy.max_characters:
            reason = f"longer than {policy.max_characters} characters"
            heard.refusals.append(Refusal(marker.category, reason, clean(marker.text)))
        else:
            candidate = candidate_of(session, marker, said)
            candidate.confidence = bound_by(marker.text, policy.start_confidence, sources)
            sort_out(heard, candidate, policy)
    return heard


def sort_out(heard: Heard, candidate: Candidate, policy: AppPolicy) -> None:
    """What a person has to decide about is set aside."""
    refusal = quarantine(candidate, policy)
    if refusal:
        heard.refusals.append(refusal)
    else:
        heard.candidates.append(candidate)


def refusal_of(session: AgentSession, marker: RefusedMarker, said: Said) -> Refusal:
    """With the memory that an operator may store after all, under the nearest category where there is one."""
    meant = MemoryMarker(marker.nearest or marker.category, marker.subject, marker.text)
    candidate = candidate_of(session, meant, said)
    fields = plain_fields(candidate) if candidate.content else {}
    return Refusal(marker.category, marker.reason, candidate.content, candidate=fields)


def candidate_of(session: AgentSession, marker: MemoryMarker, said: Said) -> Candidate:
    return Candidate(
        content=marker.text,
        category=marker.category,
        subject=marker.subject,
        tier=session.tier,
        user_id=session.user_id,
        source=Source.MARKER,
        agent=session.agent,
        session=session,
        turn_number=said.turn_number,
    )

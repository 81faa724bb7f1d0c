"""candidates → memories: embed, look what is known, relate, store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime

from memories.capture.brought import is_of_another_session, merged_attributes
from memories.capture.embed import embed_candidates
from memories.capture.known import (
    RelatedMemories,
    RelatedMemory,
    find_related,
    holds_as_long,
    holds_from,
    is_said_before,
    related_to,
)
from memories.capture.outcome import Outcome, OutcomeKind
from memories.capture.refusals import refuse
from memories.capture.room import REQUEST_SECONDS, needing_capacity, suggest_evictions
from memories.capture.withholding import Screened, screen
from memories.ledger.energy import note_energy
from memories.models import Link, LinkKind, Memory, Source
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import Provider
from memories.store import Candidate, Writer, writing
from memories.text.relate import Relation
from memories.text.relate.additions import holds_all_of
from memsite.tenancy.models import App
from memsite.tenancy.policy import Preset
from sessions.models import AgentSession
from sessions.recording import note_activity

CERTAIN = 0.9
"""Of a verdict's probability."""
OTHERWISE = "the contrary was said again"
SINCE = "the contrary was said since"
"""No words of what was said since: it may be purged, and this is noted behind another statement than its own."""
Stored = Callable[[Writer, list[Outcome]], None]


def remember(
    app: App,
    candidates: Sequence[Candidate],
    embedder: Embedder,
    actor: str,
    now: datetime,
    *,
    dedupe: bool = True,
    on_stored: Stored | None = None,
    provider: Provider | None = None,
    live: Collection[AgentSession] = (),
) -> list[Outcome]:
    """One outcome per candidate. `on_stored` runs inside the writing transaction, so that it holds or falls with it.

    It is a sign of life of the `live` sessions. Raises SessionGone, and nothing is stored.

    In a full app the provider says what makes room; the rules do without one. What a person has to decide about is kept
    for that (`withheld`), and its outcome has no memory.
    """
    sifted = screen(candidates, app.policy)
    embed_candidates(sifted.free, embedder)
    return remember_sifted(
        app, sifted, embedder, actor, now, dedupe=dedupe, on_stored=on_stored, provider=provider, live=live
    )


def remember_sifted(
    app: App,
    sifted: Screened,
    embedder: Embedder,
    actor: str,
    now: datetime,
    *,
    dedupe: bool = True,
    on_stored: Stored | None = None,
    provider: Provider | None = None,
    live: Collection[AgentSession] = (),
) -> list[Outcome]:
    """The same for candidates that have their vectors already, as far as there are any."""
    free = sifted.free
    outlooks = find_related(app, free, embedder) if dedupe else []
    coming = needing_capacity(free, outlooks) if dedupe else [candidate.content for candidate in free]
    suggested = suggest_evictions(app, provider, coming, now, REQUEST_SECONDS)
    with writing(app, actor, now, suggested) as write:
        for session in live:
            note_activity(session, now)
        stored = iter(store_all(write, free, outlooks, embedder) if dedupe else add_all(write, free))
        outcomes = [
            refuse(write, refusal, candidate=candidate) if refusal else next(stored)
            for candidate, refusal in zip(sifted.candidates, sifted.refusals, strict=True)
        ]
        note_energy(app, "write", now, len(outcomes))
        if on_stored:
            on_stored(write, outcomes)
    return outcomes


def add_all(write: Writer, candidates: Sequence[Candidate]) -> list[Outcome]:
    """As new, whatever is known."""
    memories = write.create_all(candidates)
    write.announce(*memories)
    return [Outcome(OutcomeKind.CREATED, memory) for memory in memories]


def store_all(
    write: Writer, candidates: Sequence[Candidate], outlooks: Sequence[RelatedMemories], embedder: Embedder
) -> Iterator[Outcome]:  # fmt: skip
    """One after the other: what is new may be what the next one says again."""
    for candidate, outlook in zip(candidates, outlooks, strict=True):
        yield store(write, candidate, outlook, embedder)


def store(write: Writer, candidate: Candidate, outlook: RelatedMemories, embedder: Embedder) -> Outcome:
    """Reinforces the memory that says the same; otherwise creates one, and does to others what it means for them."""
    known = related_to(write, candidate, outlook, embedder)
    same = next((item for item in known if is_said_again(write, item, candidate)), None)
    contrary = of_relation(known, Relation.CONTRADICTS)
    memory = confirm(write, same, candidate) if same else create(write, candidate)
    # Its reason has words of what is said now; whose memory it becomes may outlive the session where that is said.
    is_quoted = not (same and is_of_another_session(memory, candidate))
    # What begins on a day to come denies nothing until then: both stay as sure as they are, at odds once both hold.
    begins = holds_from(candidate, write.now)
    later = [item for item in contrary if holds_from(item.memory, write.now) != begins]
    for item in later:
        write.link(memory, item.memory, LinkKind.CONTRADICTS)
    contrary = [item for item in contrary if item not in later]
    doubted = [item for item in contrary if not is_said_before(candidate, item.memory)]
    for item in doubted:
        if is_doubted_already(write, item, candidate):
            write.link(memory, item.memory, LinkKind.CONTRADICTS)
        else:
            write.contradict(item.memory, by=memory, reason=item.verdict.reason if is_quoted else OTHERWISE)
    replaced = [] if same else of_relation(known, Relation.SUPERSEDES)
    if not same:
        for item in contrary:
            if item not in doubted:
                write.contradict(memory, by=item.memory, reason=SINCE)
        for item in replaced:
            replace_older(write, item, memory, candidate)
        for item in of_relation(known, Relation.ELABORATES):
            write.link(memory, item.memory, LinkKind.ELABORATES)
    reason = next((item.verdict.reason for item in [same, *contrary, *later, *replaced] if item), "")
    return Outcome(outcome_kind(same, contrary), memory, reason, [item.memory for item in doubted])


def replace_older(write: Writer, known: RelatedMemory, memory: Memory, candidate: Candidate) -> None:
    """What takes its place on a day to come leaves it there until then."""
    if holds_from(known.memory, write.now) < holds_from(candidate, write.now):
        write.edit(known.memory, {"valid_until": candidate.valid_from}, known.verdict.reason)
    elif is_said_before(candidate, known.memory):
        write.supersede(memory, by=known.memory, reason=SINCE)
    else:
        write.supersede(known.memory, by=memory, reason=known.verdict.reason)


def is_doubted_already(write: Writer, known: RelatedMemory, candidate: Candidate) -> bool:
    """Whether this session has said the contrary before: one source alone makes nothing inactive that it is not
    certain of. In preset `ops` each marker counts, as SPEC-0015 has it.
    """
    if write.app.preset == Preset.OPS or candidate.session is None or known.verdict.score >= CERTAIN:
        return False
    said = {"from_memory__session": candidate.session, "kind": LinkKind.CONTRADICTS}
    return Link.objects.for_app(write.app).filter(to_memory=known.memory, **said).exists()


def is_said_again(write: Writer, known: RelatedMemory, candidate: Candidate) -> bool:
    """Or said more fully by the same in the session where it was learnt, for the same time: that wording is taken."""
    if known.verdict.relation != Relation.ELABORATES:
        return known.verdict.relation == Relation.SAME
    memory = known.memory
    is_at_home = candidate.source == memory.source == Source.FACT and not is_of_another_session(memory, candidate)
    is_alike = candidate.origin == memory.origin and holds_as_long(memory, candidate, write.now)
    is_whole = is_at_home and is_alike and holds_all_of(candidate.content, memory.content)
    return is_whole and write.has_said(memory)


def of_relation(known: Sequence[RelatedMemory], relation: Relation) -> list[RelatedMemory]:
    return [item for item in known if item.verdict.relation == relation]


def confirm(write: Writer, same: RelatedMemory, candidate: Candidate) -> Memory:
    """Another source counts more than the same session, whose newer wording is taken where it says no less."""
    memory, reason = same.memory, same.verdict.reason
    brought = merged_attributes(memory, candidate, write.policy)
    if candidate.source != Source.FACT or not write.has_said(memory):
        write.reinforce(memory, write.policy.reinforce_step, with_wording(reason, memory, candidate), brought)
        return memory
    is_fuller = len(candidate.content) >= len(memory.content) and candidate.content != memory.content
    if memory.source == Source.FACT and is_fuller:
        vector = candidate.vector if candidate.subject == memory.subject else None
        changes = {name: getattr(candidate, name) for name in ("content", "origin", "made_by", "entities")}
        write.edit(memory, changes, "fresher wording", vector, candidate.vector_model)
    write.reinforce(memory, write.policy.same_session_step, reason, brought)
    return memory


def with_wording(reason: str, memory: Memory, candidate: Candidate) -> str:
    """How it was said this time, where no raw text tells. Not what was said in another session: that may be purged."""
    is_told = candidate.resource is not None or candidate.content == memory.content
    return reason if is_told or is_of_another_session(memory, candidate) else f"{reason}; said as: {candidate.content}"


def create(write: Writer, candidate: Candidate) -> Memory:
    memory = write.create(candidate)
    write.announce(memory)
    return memory


def outcome_kind(same: RelatedMemory | None, contrary: Sequence[RelatedMemory]) -> OutcomeKind:
    if same:
        return OutcomeKind.REINFORCED
    return OutcomeKind.CONTRADICTED if contrary else OutcomeKind.CREATED

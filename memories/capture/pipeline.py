"""candidates → memories: embed, find what is related, make capacity in a full app, store.

In a full app rules make capacity within the write, so that nobody waits. What else should have gone instead, a worker
asks a model behind it. Where a worker writes, a model is asked beforehand, outside of any transaction, and the store
follows what it said as far as that still makes sense.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from time import monotonic
from typing import Any

import structlog

from memories.capture.candidates import embed_candidates
from memories.capture.quarantine import Outcome, OutcomeKind, Screened, refuse, screen
from memories.capture.related_memories import (
    RelatedMemories,
    RelatedMemory,
    begins_before,
    find_related,
    holds_as_long,
    holds_from,
    interrupts,
    is_dated,
    is_said_before,
    related_to,
    start_of,
    succeeds,
)
from memories.language.relate import Relation
from memories.language.relate.equivalence import holds_all_of
from memories.ledger.energy import note_energy
from memories.models import LIVE, Link, LinkKind, Memory, Source, Status
from memories.models.memory import MAX_TAGS, as_noted
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import RULES, Choice, LLMDenied, LLMError, Provider
from memories.store import Candidate, Suggestion, Writer, writing
from memories.store.transaction import BATCH, exchange
from memsite.http.json_body import MAX_OBJECT_CHARACTERS, json_length
from memsite.jobs.task_queue import enqueue
from memsite.tenancy.models import App
from memsite.tenancy.policy import AgentsEdit, AppPolicy, Preset
from sessions.models import AgentSession
from sessions.recording import note_activity

log = structlog.get_logger("memories.capture")
BACKGROUND_SECONDS = 60.0
"""How long a worker waits for a model, in all."""
RECONSIDER = "memories.tasks.upkeep_reconsider"
LEAST_SECONDS = 0.5
MOST_OF_MATTER = 50
"""Memories that took each other's place."""
MOST_QUESTIONS = 10
SHOWN = 50
"""The least worthy memories, of which a model chooses."""
NEED_NO_CAPACITY = (Relation.SAME, Relation.SUPERSEDES)
OLDEST = "the oldest, as the model gave no usable answer"
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
    """Store candidates; return one outcome each.

    `on_stored` runs inside the writing transaction, so that it holds or falls with it.

    It is a sign of life of the `live` sessions. Raises SessionGone, and nothing is stored.

    In a full app rules make room; the provider, if it is a model, may choose otherwise behind it. What a person has to
    decide about is kept for that (`quarantine`), and its outcome has no memory.
    """
    screened = screen(candidates, app.policy)
    embed_candidates(screened.free, embedder)
    return remember_sifted(
        app, screened, embedder, actor, now, dedupe=dedupe, on_stored=on_stored, provider=provider, live=live
    )


def remember_sifted(
    app: App,
    screened: Screened,
    embedder: Embedder,
    actor: str,
    now: datetime,
    *,
    dedupe: bool = True,
    on_stored: Stored | None = None,
    provider: Provider | None = None,
    live: Collection[AgentSession] = (),
) -> list[Outcome]:
    """Remember candidates that have their vectors already, as far as there are any."""
    free = screened.free
    all_related = find_related(app, free, embedder) if dedupe else []
    with reconsidered(app, actor, now, provider) as write:
        for session in live:
            note_activity(session, now)
        if dedupe:
            stored = store_all(write, free, all_related, embedder)
        else:
            # As new memories, whatever is known.
            memories = write.create_all(free)
            write.announce(*memories)
            stored = iter([Outcome(OutcomeKind.CREATED, memory) for memory in memories])
        outcomes = [
            refuse(write, refusal, candidate=candidate) if refusal else next(stored)
            for candidate, refusal in zip(screened.candidates, screened.refusals, strict=True)
        ]
        note_energy(app, "write", now, len(outcomes))
        if on_stored:
            on_stored(write, outcomes)
    return outcomes


def store_all(
    write: Writer, candidates: Sequence[Candidate], all_related: Sequence[RelatedMemories], embedder: Embedder
) -> Iterator[Outcome]:
    """Store one after the other: what is new may be what the next one says again."""
    for candidate, related in zip(candidates, all_related, strict=True):
        yield store(write, candidate, related, embedder)


def store(write: Writer, candidate: Candidate, related: RelatedMemories, embedder: Embedder) -> Outcome:
    """Reinforce the memory that says the same, or create one and do to others what it means for them."""
    known = [item for item in related_to(write, candidate, related, embedder) if not interrupts(candidate, item)]
    same = next((item for item in known if is_said_again(write, item, candidate)), None)
    # What began before or after it is no contrary: the one that began later ends the other.
    later_known = (
        [] if same else [item for item in known if is_at_odds(item) and begins_before(candidate, item, write.now)]
    )
    known = [item for item in known if item not in later_known]
    followed = [] if same else [item for item in known if is_at_odds(item) and succeeds(candidate, item, write.now)]
    contrary = [item for item in of_relation(known, Relation.CONTRADICTS) if item not in followed]
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
    replaced = [] if same else [*of_relation(known, Relation.SUPERSEDES), *of_relation(followed, Relation.CONTRADICTS)]
    if not same:
        for item in contrary:
            if item not in doubted:
                write.contradict(memory, by=item.memory, reason=SINCE)
        for item in replaced:
            replace_older(write, item, memory, candidate)
        if later_known:
            end_before(write, memory, [item.memory for item in later_known])
        for item in of_relation(known, Relation.ELABORATES):
            write.link(memory, item.memory, LinkKind.ELABORATES)
    reason = next((item.verdict.reason for item in [same, *contrary, *later, *replaced, *later_known] if item), "")
    kind = OutcomeKind.REINFORCED if same else OutcomeKind.CONTRADICTED if contrary else OutcomeKind.CREATED
    return Outcome(kind, memory, reason, [item.memory for item in doubted])


def replace_older(write: Writer, known: RelatedMemory, memory: Memory, candidate: Candidate) -> None:
    """Supersede the older memory; what takes its place on a day to come leaves it there until then."""
    if holds_from(known.memory, write.now) < holds_from(candidate, write.now):
        write.edit(known.memory, {"valid_until": candidate.valid_from}, known.verdict.reason)
    elif is_dated(candidate):
        end(write, known.memory, memory, candidate.valid_from or write.now, known.verdict.reason)
    elif is_said_before(candidate, known.memory):
        write.supersede(memory, by=known.memory, reason=SINCE)
    else:
        write.supersede(known.memory, by=memory, reason=known.verdict.reason)


def end(write: Writer, memory: Memory, by: Memory, when: datetime, reason: str) -> None:
    """End a memory at the moment from which another holds; in preset `ops` that one does not stand for it."""
    if when > write.now or write.app.preset == Preset.OPS:
        if memory.valid_until is None or memory.valid_until > when:
            write.edit(memory, {"valid_until": when}, reason)
    else:
        write.supersede(memory, by=by, reason=reason, end=when)


def end_before(write: Writer, memory: Memory, known: Sequence[Memory]) -> None:
    """End a memory that arrives late where the next of its matter begins, and the one before it where it begins.

    The matter are the known memories, and what these have superseded. One query for each link of that chain.
    """
    since, matter, latest = memory.valid_from or write.now, list(known), list(known)
    while latest and len(matter) < MOST_OF_MATTER:
        links = Link.objects.for_app(write.app).filter(from_memory__in=latest, kind=LinkKind.SUPERSEDES)
        latest = [link.to_memory for link in links.select_related("to_memory") if link.to_memory not in matter]
        matter += latest
    following = min((later for later in matter if start_of(later) > since), key=start_of)
    for later in matter:
        if start_of(later) < since and later.valid_until and later.valid_until > since:
            write.edit(later, {"valid_until": since}, SINCE)
    end(write, memory, following, start_of(following), SINCE)


def is_at_odds(known: RelatedMemory) -> bool:
    return known.verdict.relation in (Relation.CONTRADICTS, Relation.SUPERSEDES)


def is_doubted_already(write: Writer, known: RelatedMemory, candidate: Candidate) -> bool:
    """Return whether this session has said the contrary before.

    One source alone makes nothing inactive that it is not certain of. In preset `ops` each marker counts, as
    SPEC-0015 has it.
    """
    if write.app.preset == Preset.OPS or candidate.session is None or known.verdict.score >= CERTAIN:
        return False
    by_session = {"from_memory__session": candidate.session, "kind": LinkKind.CONTRADICTS}
    return Link.objects.for_app(write.app).filter(to_memory=known.memory, **by_session).exists()


def is_said_again(write: Writer, known: RelatedMemory, candidate: Candidate) -> bool:
    """Return whether it says the same, or more fully by the same speaker in the session where it was learnt."""
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
    """Confirm a memory: another source counts more than the same session, whose newer wording is taken if as long."""
    memory, reason = same.memory, same.verdict.reason
    attributes = merged_attributes(memory, candidate, write.policy)
    if is_read_again(memory, candidate):
        # Said once: it is worded anew, and no surer.
        vector = candidate.vector if candidate.subject == memory.subject else None
        changes = {name: getattr(candidate, name) for name in ("content", "origin", "made_by", "entities")}
        write.edit(memory, {**attributes, **changes}, "read again by a model", vector, candidate.vector_model)
        return memory
    if candidate.source != Source.FACT or not write.has_said(memory):
        # Not what was said in another session: that may be purged.
        is_told = candidate.resource is not None or candidate.content == memory.content
        if not is_told and not is_of_another_session(memory, candidate):
            reason = f"{reason}; said as: {candidate.content}"
        write.reinforce(memory, write.policy.reinforce_step, reason, attributes)
        return memory
    is_fuller = len(candidate.content) >= len(memory.content) and candidate.content != memory.content
    if memory.source == Source.FACT and is_fuller:
        vector = candidate.vector if candidate.subject == memory.subject else None
        changes = {name: getattr(candidate, name) for name in ("content", "origin", "made_by", "entities")}
        write.edit(memory, changes, "fresher wording", vector, candidate.vector_model)
    write.reinforce(memory, write.policy.same_session_step, reason, attributes)
    return memory


def create(write: Writer, candidate: Candidate) -> Memory:
    memory = write.create(candidate)
    write.announce(memory)
    return memory


def merged_attributes(memory: Memory, candidate: Candidate, policy: AppPolicy) -> dict[str, Any]:
    """Return the memory's fields as they are with what the candidate brings; of these it loses nothing.

    Whoever is not taken at their word, or may not change what others wrote, makes somebody else's memory surer and no
    more: what it is marked with would pass for theirs. Their own name for it is. What was learnt from texts of another
    session leaves no word of it here, where it would stay when that session is purged.
    """
    is_elsewhere = candidate.resource is not None and is_of_another_session(memory, candidate)
    attributes: dict[str, Any] = {} if is_elsewhere else {"external_id": memory.external_id or candidate.external_id}
    is_unreviewed = candidate.origin in policy.review_origins and candidate.reviewed_at is None
    is_others = policy.agents_edit != AgentsEdit.ALL and candidate.agent and candidate.agent.pk != memory.agent_id
    if is_others or (is_unreviewed and not memory.needs_review(policy)):
        return attributes
    attributes["importance"] = max(memory.importance, candidate.importance or 0)
    attributes["pinned"] = memory.pinned or candidate.pinned
    if not is_elsewhere:
        new = [tag for tag in dict.fromkeys(candidate.tags) if tag not in memory.tags]
        attributes["tags"] = [*memory.tags, *new[: max(0, MAX_TAGS - len(memory.tags))]]
        both = memory.metadata | {
            name: value for name, value in candidate.metadata.items() if name not in memory.metadata
        }
        attributes["metadata"] = dict(memory.metadata) if json_length(both) > MAX_OBJECT_CHARACTERS else both
    return attributes


def is_read_again(memory: Memory, candidate: Candidate) -> bool:
    """Return whether a model has read what the rules learnt it from."""
    is_same_text = candidate.resource is not None and candidate.resource.pk == memory.resource_id
    return is_same_text and memory.made_by == RULES and candidate.made_by not in (None, "", RULES)


def is_of_another_session(memory: Memory, candidate: Candidate) -> bool:
    return candidate.session is not None and candidate.session.pk != memory.session_id


def needing_capacity(candidates: Sequence[Candidate], all_related: Iterable[RelatedMemories]) -> list[str]:
    """Return the texts of the candidates that need capacity: they neither confirm a memory nor replace one."""
    return [
        candidate.content
        for candidate, related in zip(candidates, all_related, strict=True)
        if not any(item.verdict.relation in NEED_NO_CAPACITY for item in related.telling)
    ]


def suggest_evictions(
    app: App, provider: Provider | None, incoming: Sequence[str], now: datetime, seconds: float
) -> list[Suggestion]:
    """Return what goes when these texts come: nothing while the app has capacity for them.

    One query then, none with the rules.
    """
    if provider is None or provider.name == RULES or not incoming:
        return []
    count, limit = how_full(app)
    return choose(app, provider, count + len(incoming) - max(count, limit), incoming, now, seconds)


@contextmanager
def reconsidered(app: App, actor: str, now: datetime, provider: Provider | None) -> Iterator[Writer]:
    """Open a writing transaction; if rules make room at its end, a model looks at that behind it."""
    with writing(app, actor, now) as write:
        yield write
    if write.evicted and provider is not None and provider.name != RULES:
        enqueue(RECONSIDER, app.pk, write.change_number)


def reconsider_evictions(app: App, provider: Provider, change_number: int, actor: str, now: datetime) -> int:
    """Ask a model what should have made room instead of what a write archived by rules; return how much comes back.

    As much goes as comes back, in one transaction. What was written then or since is not looked at: nothing new is
    folded into what is old. Where the model fails, the rules' choice stands.
    """
    written = Memory.objects.for_app(app).filter(change_number=change_number)
    evicted = list(written.filter(status=Status.ARCHIVED).order_by("pk")[:MOST_QUESTIONS])
    if not evicted or provider.name == RULES:
        return 0
    incoming = [memory.text for memory in written.filter(status__in=LIVE, version=1)]
    least = Memory.objects.for_app(app).least_worthy()[: SHOWN + len(incoming)]
    rows = [row for row in least if row.change_number < change_number][: SHOWN - 1]
    deadline = monotonic() + BACKGROUND_SECONDS
    back = 0
    for gone in evicted:
        listed = [gone, *rows]
        try:
            choice = provider.make_room(
                [as_noted(row) for row in listed], now, app.policy.max_characters, incoming, deadline - monotonic()
            )
        except LLMError as error:
            log.warning("rules_made_room", app=app.app_id, model=provider.name, reason=str(error))
            break
        if (choice.number, choice.into) != (gone.pk, None):
            with writing(app, actor, now) as write:
                back += exchange(write, gone, Suggestion.of(choice, listed))
        rows = [row for row in rows if row.pk not in (choice.number, choice.into)]
    return back


def suggest_reductions(app: App, provider: Provider, now: datetime) -> list[Suggestion]:
    """Return what goes first in an app that holds more than its limit, because that was lowered."""
    if provider.name == RULES:
        return []
    count, limit = how_full(app)
    return choose(app, provider, min(count - limit, BATCH), (), now, BACKGROUND_SECONDS)


def how_full(app: App) -> tuple[int, int]:
    """Return how many live memories the app has, and how many it may have."""
    count, limit = App.objects.values_list("memory_count", "policy__memory_limit").get(pk=app.pk)
    return count, limit


def choose(
    app: App, provider: Provider, surplus: int, incoming: Sequence[str], now: datetime, seconds: float
) -> list[Suggestion]:
    """Ask one question for each memory that has to go, as far as time allows. Where the model fails, the oldest go."""
    deadline = monotonic() + seconds
    suggestions: list[Suggestion] = []
    rows = list(Memory.objects.for_app(app).least_worthy()[:SHOWN]) if surplus > 0 else []
    while rows and len(suggestions) < min(surplus, MOST_QUESTIONS) and deadline - monotonic() > LEAST_SECONDS:
        try:
            choice = provider.make_room(
                [as_noted(row) for row in rows], now, app.policy.max_characters, incoming, deadline - monotonic()
            )
        except LLMDenied:
            break
        except LLMError as error:
            log.warning("oldest_makes_room", app=app.app_id, model=provider.name, reason=str(error))
            # What was said or confirmed longest ago.
            first = sorted(rows, key=lambda row: (row.confirmed_at, row.pk))[: surplus - len(suggestions)]
            return suggestions + [Suggestion.of(Choice(row.pk, OLDEST), rows) for row in first]
        suggestions.append(Suggestion.of(choice, rows))
        rows = [row for row in rows if row.pk not in (choice.number, choice.into)]
    return suggestions

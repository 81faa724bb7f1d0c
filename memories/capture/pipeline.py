"""text → candidates → memories: read the markers, embed, relate to what is known, store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from memories.capture.embed import embed_candidates
from memories.capture.known import Known, related_to
from memories.capture.outcome import Outcome, OutcomeKind
from memories.models import Memory
from memories.providers.embeddings import Embedder
from memories.store import Candidate, Writer, writing
from memories.text.relate import Relation
from memsite.tenancy.models import App

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
) -> list[Outcome]:
    """One outcome per candidate. `on_stored` runs inside the writing transaction, so that it holds or falls with it."""
    embed_candidates(candidates, embedder)
    with writing(app, actor, now) as write:
        outcomes = [store(write, candidate, embedder, dedupe=dedupe) for candidate in candidates]
        if on_stored:
            on_stored(write, outcomes)
    return outcomes


def store(write: Writer, candidate: Candidate, embedder: Embedder, *, dedupe: bool) -> Outcome:
    """Reinforces the memory that says the same; otherwise creates one, and lowers those it contradicts."""
    known = related_to(write.app, candidate, embedder) if dedupe else []
    same = next((item for item in known if item.verdict.relation == Relation.SAME), None)
    contrary = [item for item in known if item.verdict.relation == Relation.CONTRADICTS]
    memory = confirm(write, same) if same else create(write, candidate)
    for item in contrary:
        write.contradict(item.memory, by=memory, reason=item.verdict.reason)
    reason = next((item.verdict.reason for item in [same, *contrary] if item), "")
    return Outcome(outcome_kind(same, contrary), memory, reason, [item.memory for item in contrary])


def confirm(write: Writer, same: Known) -> Memory:
    write.reinforce(same.memory, write.policy.reinforce_step, same.verdict.reason)
    return same.memory


def create(write: Writer, candidate: Candidate) -> Memory:
    memory = write.create(candidate)
    write.announce(memory)
    return memory


def outcome_kind(same: Known | None, contrary: Sequence[Known]) -> OutcomeKind:
    if same:
        return OutcomeKind.REINFORCED
    return OutcomeKind.CONTRADICTED if contrary else OutcomeKind.CREATED

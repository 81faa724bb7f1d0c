"""memories → prompt block: choose, render within the budget, remember what was shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import IntegrityError, transaction

from memories.inject.budget import Render, fit
from memories.inject.render import (
    Line,
    app_block,
    app_line,
    note_of,
    ops_block,
    ops_line,
    turn_block,
    turn_line,
)
from memories.models import Injection, Memory
from memories.models.memory import MemoryQuerySet
from memories.providers.embeddings import Embedder
from memories.retrieve.foremost import foremost
from memories.retrieve.harmless import harmless
from memories.retrieve.reading import Scope
from memories.text.tokens import CHARACTERS_PER_TOKEN, beginning, estimate_tokens
from memories.text.unspaced import is_unspaced
from memsite.config.conf import get_conf
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy, Block
from sessions.models import AgentSession

# The shortest line of a block is about this long: a budget cannot hold more lines than budget / this.
SHORTEST_LINE_TOKENS = 8
# The highest of these columns of an index first.
ORDER: dict[str, tuple[str, ...]] = {
    Block.OPS: ("confidence", "importance", "confirmed", "pk"),
    Block.APP: ("updated", "pk"),
    Block.TURN: ("importance", "priority", "confidence", "confirmed", "pk"),
}


@dataclass(frozen=True, slots=True)
class Injected:
    """A block, the memories in it, and how many there were to choose from.

    Those `at_odds` (pks) contradict another of them, or what was told before.
    """

    text: str
    tokens: int
    memories: list[Memory]
    total: int
    block: str = ""
    lines: tuple[str, ...] = ()
    at_odds: Collection[int] = ()


def injectable(allowed: MemoryQuerySet, policy: AppPolicy, now: datetime) -> MemoryQuerySet:
    """What may stand in a prompt at all."""
    rows = allowed.active().valid(now).filter(confidence__gte=policy.inactive_below)
    return rows if policy.inject_unreviewed else rows.heard(policy.review_origins)


def greet(
    app: App, scope: Scope, embedder: Embedder, block: str, now: datetime, *, max_tokens: int | None = None,
    limit: int | None = None, told: Collection[int] = (),
) -> Injected:  # fmt: skip
    """The block of what is known without a question; what was `told` (pks) is not in it."""
    policy = app.policy
    budget = max_tokens or budget_tokens(policy, block)
    known = foremost(
        app,
        scope if policy.inject_unreviewed else replace(scope, unheard=tuple(policy.review_origins)),
        embedder,
        ORDER[block],
        min(limit or line_limit(policy, block, budget), budget // SHORTEST_LINE_TOKENS + 1),
        least_confidence=policy.inactive_below,
        # A memory longer than the whole budget would only take the place of one that fits.
        shorter_than=budget * CHARACTERS_PER_TOKEN,
        told=told,
    )
    return inject(known.memories, known.total, app, block, budget, now, known.at_odds)


def inject(
    memories: Sequence[Memory], total: int, app: App, block: str, budget: int, now: datetime,
    at_odds: Collection[int] = (),
) -> Injected:  # fmt: skip
    """The block of these memories, as many in this order as the budget holds; none that no agent should read."""
    render = renderer(app, block, total)

    def line_of(memory: Memory, shown: Memory) -> Line:
        return Line(memory, line_text(shown, block, now, note_of(memory, app.policy, at_odds)))

    lines = [line_of(memory, memory) for memory in harmless(memories, app.policy)]
    if lines and estimate_tokens(render(lines[:1])) > budget:
        # The best of all, and longer than the whole budget: its beginning is worth half of it.
        best = shortened(lines[0].memory, budget // 2)
        lines[0] = line_of(lines[0].memory, best)
    taken, text = fit(lines, budget, render)
    shown = tuple(line.text for line in taken)
    return Injected(text, estimate_tokens(text), [line.memory for line in taken], total, block, shown, at_odds)


def shortened(memory: Memory, tokens: int) -> Memory:
    """A copy that ends with a whole word, and says that there is more."""
    short = copy(memory)
    cut = beginning(memory.content, tokens)
    whole = cut if is_unspaced(cut[-1:]) else cut.rpartition(" ")[0]
    short.content = f"{whole or cut} …"
    return short


def line_text(memory: Memory, block: str, now: datetime, note: str) -> str:
    if block == Block.TURN:
        return turn_line(memory, now, note)
    return app_line(memory, note) if block == Block.APP else ops_line(memory, note)


def renderer(app: App, block: str, total: int) -> Render:
    if block == Block.TURN:
        return turn_block
    if block == Block.APP:
        return lambda lines: app_block(lines, app.name)
    return lambda lines: ops_block(lines, total)


def budget_tokens(policy: AppPolicy, block: str) -> int:
    """The operator's budget of the environment rules over the app's for the session-start block."""
    if block == Block.TURN:
        return policy.turn_budget_tokens
    return get_conf().memory_budget or policy.session_budget_tokens


def start_limit(policy: AppPolicy, budget: int) -> int:
    """Return the most lines that a session begins with. `turn_limit` is of one turn: here the budget alone limits."""
    return policy.app_limit if policy.block == Block.APP else budget


def line_limit(policy: AppPolicy, block: str, budget: int) -> int:
    return {Block.TURN: policy.turn_limit, Block.APP: policy.app_limit}.get(Block(block), budget)


def note_injected(session: AgentSession, injected: Injected, turn_number: int | None, now: datetime) -> None:
    """Remembers what the agent was shown: for its echo, and for what is learnt from use.

    What was forgotten since it was read is left out, and nothing is noted in a session that somebody has deleted.
    """
    if not injected.memories:
        return
    try:
        note_those_left(session, injected, turn_number, now)
    except IntegrityError:
        if AgentSession.objects.for_app(session.app).filter(pk=session.pk).exists():
            raise


def note_those_left(session: AgentSession, injected: Injected, turn_number: int | None, now: datetime) -> None:
    with transaction.atomic():
        shown = Memory.objects.for_app(session.app).filter(pk__in=[memory.pk for memory in injected.memories])
        there = shown.held()
        Injection.objects.bulk_create(
            Injection(
                app_id=session.app_id, session=session, memory=memory, turn_number=turn_number,
                block=injected.block, line=line, created_at=now,
            )
            for memory, line in zip(injected.memories, injected.lines, strict=True)
            if memory.pk in there
        )  # fmt: skip

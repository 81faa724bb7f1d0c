"""Make prompt blocks: what is known, lessons, what is due. Choose, render within the budget, note what was shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Protocol

from django.db import IntegrityError, transaction

from memories.inject.render import (
    Line,
    Render,
    app_block,
    app_line,
    fence,
    fit,
    note_of,
    ops_block,
    ops_line,
    show_confidence,
    turn_block,
    turn_line,
    unknown_time,
    validity_note,
)
from memories.language.dates.future import find_coming
from memories.language.dates.windows import find_windows
from memories.language.passages import best_passage
from memories.language.scripts import CHARACTERS_PER_TOKEN, beginning, estimate_tokens
from memories.language.similarity import matter_of
from memories.models import FutureTrigger, Injection, Memory
from memories.models.document import citation_of
from memories.models.learning import LESSONS
from memories.models.memory import MemoryQuerySet
from memories.providers.embeddings import Embedder
from memories.retrieve.contradictions import CONFLICTING
from memories.retrieve.injection_guard import is_suspicious, neutralise, safe_memories
from memories.retrieve.scoped_view import Scope
from memories.retrieve.top_memories import top_memories
from memories.retrieve.validity import TimeAnswer
from memsite.config.conf import get_conf
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy, Block
from sessions.models import AgentSession

# The shortest line of a block is about this long: a budget cannot hold more lines than budget / this.
SHORTEST_LINE_TOKENS = 8
# Where not all fits, a line takes one part in so many of the budget at most.
LONG_LINES = 3
# One part in so many of a greeting is for standing statements.
STANDING_SHARE = 3
# What a block takes beside its lines, about.
FENCE_TOKENS = 60
# The highest of these columns of an index first.
ORDER: dict[str, tuple[str, ...]] = {
    Block.OPS: ("confidence", "importance", "confirmed", "pk"),
    Block.APP: ("updated", "pk"),
    Block.TURN: ("importance", "priority", "confidence", "confirmed", "pk"),
}
LESSONS_HEADING = "## Lessons"
QUOTES_HEADING = "## Quoted from documents"
BLOCK = "due"
DUE_HEADING = "## Due today"


@dataclass(frozen=True, slots=True)
class Injected:
    """Hold a block, the memories in it, and how many there were to choose from.

    Those `at_odds` (pks) contradict another of them, or what was told before. Those `standing` are there because they
    apply until they are revoked.
    """

    text: str
    tokens: int
    memories: list[Memory]
    total: int
    block: str = ""
    lines: tuple[str, ...] = ()
    at_odds: Collection[int] = ()
    standing: Collection[int] = ()


def injectable(allowed: MemoryQuerySet, policy: AppPolicy, now: datetime) -> MemoryQuerySet:
    """Select what may stand in a prompt at all."""
    rows = allowed.active().valid(now).filter(confidence__gte=policy.inactive_below)
    return rows if policy.inject_unreviewed else rows.heard(policy.review_origins)


def greet(
    app: App,
    scope: Scope,
    embedder: Embedder,
    block: str,
    now: datetime,
    *,
    max_tokens: int | None = None,
    limit: int | None = None,
    shown_pks: Collection[int] = (),
) -> Injected:
    """Return the block of what is known without a question; what was `told` (pks) is not in it.

    Standing statements come first, up to a third of what the budget has for lines.
    """
    policy = app.policy
    budget = max_tokens or budget_tokens(policy, block)
    known = top_memories(
        app,
        scope if policy.inject_unreviewed else replace(scope, unheard=tuple(policy.review_origins)),
        embedder,
        ORDER[block],
        min(limit or line_limit(policy, block, budget), budget // SHORTEST_LINE_TOKENS + 1),
        standing=(budget - FENCE_TOKENS) * CHARACTERS_PER_TOKEN // STANDING_SHARE,
        least_confidence=policy.inactive_below,
        # A memory longer than the whole budget would only take the place of one that fits.
        shorter_than=budget * CHARACTERS_PER_TOKEN,
        shown_pks=shown_pks,
    )
    return inject(known.memories, known.total, app, block, budget, now, known.at_odds, known.standing)


def inject(
    memories: Sequence[Memory],
    total: int,
    app: App,
    block: str,
    budget: int,
    now: datetime,
    at_odds: Collection[int] = (),
    standing: Collection[int] = (),
    asked_time: TimeAnswer | None = None,
    words: Sequence[str] = (),
) -> Injected:
    """Return the block of these memories, as many in this order as the budget holds; none that no agent should read.

    Where a time is asked about, each line says when it holds, and the block if nothing is known of that time. Where not
    all fits, long ones are shortened to the passage that says most about these words.
    """
    renders: dict[str, Render] = {
        Block.OPS: lambda lines: ops_block(lines, total),
        Block.APP: lambda lines: app_block(lines, app.name),
        Block.TURN: lambda lines: turn_block(lines, unknown_time(asked_time, app.policy.time_zone)),
    }
    render = renders[block]

    def line_of(memory: Memory, visible: Memory) -> Line:
        is_asked = bool(asked_time)
        note = note_of(memory, app.policy, at_odds, standing)
        note += validity_note(memory, app.policy, now, is_asked=is_asked)
        if block == Block.TURN:
            return Line(memory, turn_line(visible, now, note))
        return Line(memory, app_line(visible, note) if block == Block.APP else ops_line(visible, note))

    lines = [line_of(memory, memory) for memory in safe_memories(memories, app.policy)]
    tokens = [estimate_tokens(line.text) for line in lines]
    if sum(tokens) + FENCE_TOKENS > budget:
        share = budget // min(len(lines) + 1, LONG_LINES)
        lines = [
            line_of(line.memory, shortened(line.memory, share, words)) if taken > share else line
            for line, taken in zip(lines, tokens, strict=True)
        ]
    taken, text = fit(lines, budget, render)
    texts = tuple(line.text for line in taken)
    memories = [line.memory for line in taken]
    return Injected(text, estimate_tokens(text), memories, total, block, texts, at_odds, standing)


def shortened(memory: Memory, tokens: int, words: Sequence[str] = ()) -> Memory:
    """Return a copy with the passage that says most about the words; "…" stands for what is left out."""
    short = copy(memory)
    passage = best_passage(memory.content, words, len(beginning(memory.content, tokens)))
    short.content = passage.of(memory.content)
    return short


def budget_tokens(policy: AppPolicy, block: str) -> int:
    """Return a block's budget. The operator's, from the environment, overrides the app's at the start of a session."""
    if block == Block.TURN:
        return policy.turn_budget_tokens
    return get_conf().memory_budget or policy.session_budget_tokens


def start_limit(policy: AppPolicy, budget: int) -> int:
    """Return the most lines that a session begins with. `turn_limit` is of one turn: here the budget alone limits."""
    return policy.app_limit if policy.block == Block.APP else budget


def line_limit(policy: AppPolicy, block: str, budget: int) -> int:
    return {Block.TURN: policy.turn_limit, Block.APP: policy.app_limit}.get(Block(block), budget)


def note_injected(session: AgentSession, injected: Injected, turn_number: int | None, now: datetime) -> None:
    """Note what the agent was shown: for its echo, and for what is learnt from use.

    What was forgotten since it was read is left out, and nothing is noted in a session that somebody has deleted.
    """
    if not injected.memories:
        return
    try:
        note_remaining(session, injected, turn_number, now)
    except IntegrityError:
        if AgentSession.objects.for_app(session.app).filter(pk=session.pk).exists():
            raise


def note_remaining(session: AgentSession, injected: Injected, turn_number: int | None, now: datetime) -> None:
    with transaction.atomic():
        displayed = Memory.objects.for_app(session.app).filter(pk__in=[memory.pk for memory in injected.memories])
        there = displayed.locked_pks()
        Injection.objects.bulk_create(
            Injection(
                app_id=session.app_id,
                session=session,
                memory=memory,
                turn_number=turn_number,
                block=injected.block,
                line=line,
                created_at=now,
            )
            for memory, line in zip(injected.memories, injected.lines, strict=True)
            if memory.pk in there
        )


def inject_lessons(
    lessons: Sequence[Memory], policy: AppPolicy, total: int, budget_tokens: int, at_odds: Collection[int] = ()
) -> Injected:
    """Return as many of these, in this order, as the budget holds. `total`: how many there are to choose from."""
    lines = []
    for lesson in safe_memories(lessons, policy):
        about = f"confidence: {show_confidence(lesson.confidence)}{note_of(lesson, policy, at_odds)}"
        lines.append(Line(lesson, f"- {neutralise(lesson.content)} ({about})"))

    def render(some: Sequence[Line]) -> str:
        heading = LESSONS_HEADING if len(some) == total else f"{LESSONS_HEADING} ({len(some)} of {total})"
        return fence("\n".join([heading, "", *(line.text for line in some)]))

    taken, text = fit(lines, budget_tokens, render)
    texts = tuple(line.text for line in taken)
    return Injected(text, estimate_tokens(text), [line.memory for line in taken], total, LESSONS, texts, at_odds)


def inject_quotes(passages: Sequence[Memory], policy: AppPolicy, budget_tokens: int) -> Injected:
    """Return the block of these passages of documents, as many in this order as the budget holds."""

    def line_of(passage: Memory, visible: Memory) -> Line:
        cited = (citation_of(passage) or {}).get("citation", "")
        return Line(passage, f'- "{neutralise(visible.content)}" ({neutralise(cited)}{note_of(passage, policy)})')

    def render(some: Sequence[Line]) -> str:
        return fence("\n".join([QUOTES_HEADING, *(line.text for line in some)]))

    lines = [line_of(passage, passage) for passage in safe_memories(passages, policy)]
    if lines and estimate_tokens(render(lines[:1])) > budget_tokens:
        lines[0] = line_of(lines[0].memory, shortened(lines[0].memory, budget_tokens // 2))
    taken, text = fit(lines, budget_tokens, render)
    texts = tuple(line.text for line in taken)
    memories = [line.memory for line in taken]
    return Injected(text, estimate_tokens(text), memories, len(passages), lines=texts)


def with_quotes(injected: Injected, quotes: Injected) -> Injected:
    """Return a block with another of quotes behind it."""
    if not quotes.text:
        return replace(injected, total=injected.total + quotes.total)
    text = "\n\n".join(filter(None, [injected.text, quotes.text]))
    return replace(
        injected,
        text=text,
        tokens=estimate_tokens(text),
        memories=[*injected.memories, *quotes.memories],
        total=injected.total + quotes.total,
        lines=(*injected.lines, *quotes.lines),
    )


class Due(Protocol):
    """A trigger, the memories it brings up, whether something known denies it, and the day on which it was said."""

    @property
    def trigger(self) -> FutureTrigger: ...
    @property
    def memories(self) -> Sequence[Memory]: ...
    @property
    def is_doubted(self) -> bool: ...
    @property
    def said_on(self) -> date: ...


def due_line(due: Due) -> str:
    trigger = due.trigger
    when = "today"
    if trigger.trigger_time:
        when += f" at {trigger.trigger_time:%H:%M}"
    if trigger.until:
        when += f", until {trigger.until}"
    how = "said" if trigger.resource_id else "noted"
    note = f"; {CONFLICTING}" if due.is_doubted else ""
    return f"- {when}: {neutralise(trigger.message)} ({how} {due.said_on}{note})"


def memory_line(memory: Memory, policy: AppPolicy, at_odds: Collection[int]) -> str:
    return f"  {ops_line(memory, note_of(memory, policy, at_odds))}"


def restates(due: Due, memory: Memory) -> bool:
    """Tell whether the memory is the plan itself, its date written out: the line of what is due has said it."""
    if memory.resource_id is None or memory.resource_id != due.trigger.resource_id:
        return False
    said_at = datetime.combine(due.said_on, time())
    times = [event.text for event in find_coming(memory.content, said_at)]
    times += [window.text for window in find_windows(memory.content, said_at)]
    matter = matter_of(memory.content, times)
    return bool(matter) and matter == matter_of(due.trigger.message, [due.trigger.text])


def line_of(dues: Sequence[Due], memory: Memory, policy: AppPolicy, at_odds: Collection[int]) -> str:
    """Return the line that tells of it."""
    lines = (due_line(due) for due in dues if memory in due.memories and restates(due, memory))
    return next(lines, memory_line(memory, policy, at_odds))


def due_block(
    dues: Sequence[Due], policy: AppPolicy, brought: Sequence[Memory] | None = None, at_odds: Collection[int] = ()
) -> str:
    """Return the fenced block of these, each memory once; "" if none. `brought` limits which memories are in."""
    if not dues:
        return ""
    allowed = None if brought is None else {memory.pk for memory in brought}
    shown_pks: set[int] = set()
    lines = [DUE_HEADING]
    for due in dues:
        lines.append(due_line(due))
        for memory in due.memories:
            if memory.pk not in shown_pks and (allowed is None or memory.pk in allowed):
                shown_pks.add(memory.pk)
                if not restates(due, memory):
                    lines.append(memory_line(memory, policy, at_odds))
    return fence("\n".join(lines))


def inject_due(dues: Sequence[Due], policy: AppPolicy, budget_tokens: int, at_odds: Collection[int] = ()) -> Injected:
    """Return the block of as much as the budget holds: what is due first, then the memories to it."""
    taken: list[Due] = []
    for due in dues:
        is_harmless = not is_suspicious(due.trigger.message)
        if is_harmless and estimate_tokens(due_block([*taken, due], policy, ())) <= budget_tokens:
            taken.append(due)
    each_once = {memory.pk: memory for due in taken for memory in due.memories}
    candidates, brought = safe_memories(each_once.values(), policy), list[Memory]()
    for memory in candidates:
        if estimate_tokens(due_block(taken, policy, [*brought, memory], at_odds)) <= budget_tokens:
            brought.append(memory)
    text = due_block(taken, policy, brought, at_odds)
    lines = tuple(line_of(taken, memory, policy, at_odds) for memory in brought)
    return Injected(text, estimate_tokens(text), brought, len(candidates), BLOCK, lines, at_odds)

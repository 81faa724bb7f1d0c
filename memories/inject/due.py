"""What is due today as lines of a prompt block. Chosen elsewhere, the most urgent first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime, time
from typing import Protocol

from memories.inject.neutral import neutralise
from memories.inject.pipeline import Injected
from memories.inject.render import fence, note_of, ops_line
from memories.models import FutureTrigger, Memory
from memories.retrieve.harmless import harmless, is_suspicious
from memories.retrieve.trust import CONFLICTING
from memories.text.future import find_coming
from memories.text.matter import matter_of
from memories.text.temporal import find_windows
from memories.text.tokens import estimate_tokens
from memsite.tenancy.policy import AppPolicy

BLOCK = "due"
HEADING = "## Due today"


class Due(Protocol):
    """A trigger, the memories it brings up, whether something known denies it, and the day on which it was said."""

    @property
    def trigger(self) -> FutureTrigger: ...
    @property
    def memories(self) -> Sequence[Memory]: ...
    @property
    def is_doubted(self) -> bool: ...
    @property
    def said(self) -> date: ...


def due_line(due: Due) -> str:
    trigger = due.trigger
    when = "today"
    if trigger.trigger_time:
        when += f" at {trigger.trigger_time:%H:%M}"
    if trigger.until:
        when += f", until {trigger.until}"
    how = "said" if trigger.resource_id else "noted"
    note = f"; {CONFLICTING}" if due.is_doubted else ""
    return f"- {when}: {neutralise(trigger.message)} ({how} {due.said}{note})"


def memory_line(memory: Memory, policy: AppPolicy, at_odds: Collection[int]) -> str:
    return f"  {ops_line(memory, note_of(memory, policy, at_odds))}"


def restates(due: Due, memory: Memory) -> bool:
    """Whether the memory is the plan itself, its date written out: the line of what is due has said it."""
    if memory.resource_id is None or memory.resource_id != due.trigger.resource_id:
        return False
    said = datetime.combine(due.said, time())
    times = [one.text for one in find_coming(memory.content, said)] + [
        window.text for window in find_windows(memory.content, said)
    ]
    matter = matter_of(memory.content, times)
    return bool(matter) and matter == matter_of(due.trigger.message, [due.trigger.text])


def line_of(dues: Sequence[Due], memory: Memory, policy: AppPolicy, at_odds: Collection[int]) -> str:
    """The line that tells of it."""
    told = (due_line(due) for due in dues if memory in due.memories and restates(due, memory))
    return next(told, memory_line(memory, policy, at_odds))


def due_block(
    dues: Sequence[Due], policy: AppPolicy, brought: Sequence[Memory] | None = None, at_odds: Collection[int] = ()
) -> str:
    """The fenced block of these, each memory once; "" if there are none. `brought` limits which memories are in."""
    if not dues:
        return ""
    allowed = None if brought is None else {memory.pk for memory in brought}
    shown: set[int] = set()
    lines = [HEADING]
    for due in dues:
        lines.append(due_line(due))
        for memory in due.memories:
            if memory.pk not in shown and (allowed is None or memory.pk in allowed):
                shown.add(memory.pk)
                if not restates(due, memory):
                    lines.append(memory_line(memory, policy, at_odds))
    return fence("\n".join(lines))


def inject_due(dues: Sequence[Due], policy: AppPolicy, budget_tokens: int, at_odds: Collection[int] = ()) -> Injected:
    """The block of as much as the budget holds: what is due first, then the memories to it."""
    taken: list[Due] = []
    for due in dues:
        is_harmless = not is_suspicious(due.trigger.message)
        if is_harmless and fits(due_block([*taken, due], policy, ()), budget_tokens):
            taken.append(due)
    candidates, brought = harmless(each_once(taken), policy), list[Memory]()
    for memory in candidates:
        if fits(due_block(taken, policy, [*brought, memory], at_odds), budget_tokens):
            brought.append(memory)
    text = due_block(taken, policy, brought, at_odds)
    lines = tuple(line_of(taken, memory, policy, at_odds) for memory in brought)
    return Injected(text, estimate_tokens(text), brought, len(candidates), BLOCK, lines, at_odds)


def fits(text: str, budget_tokens: int) -> bool:
    return estimate_tokens(text) <= budget_tokens


def each_once(dues: Sequence[Due]) -> Iterator[Memory]:
    seen: set[int] = set()
    for due in dues:
        for memory in due.memories:
            if memory.pk not in seen:
                seen.add(memory.pk)
                yield memory

"""Making room: which memory goes, or which two become one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memories.providers.llm.asking.question import INTEGER, TEXT, Question, object_of
from memories.providers.llm.asking.shown import fitting, show_day
from memories.providers.llm.asking.texts import fair_limit, one_line, shorten
from memories.providers.llm.chat import Ask
from memories.providers.llm.provider import Choice, LLMUnusable, Noted
from memories.text.instructions import find_instructions
from memories.text.overlap import used_share

MOST_MEMORIES = 200
MEMORIES_CHARACTERS, COMING_CHARACTERS, MAX_COMING_CHARACTERS = 30_000, 6_000, 1_000
LEAST_SHARED = 0.7
"""Of a text that stands for two memories, how much at least is said in them: the rest is form."""
MAX_REASON_CHARACTERS = 200
LABELS_CHARACTERS = 120
"""What the number and the labels of a memory take, at most."""
_MAKE_ROOM = Question("make_room", object_of(reason=TEXT, number=INTEGER, into=INTEGER, content=TEXT), max_tokens=4_000)


@dataclass(frozen=True, slots=True)
class Shown:
    """Memories as the model sees them: number n is `memories[n - 1]`; `limit` is how much of each it can read."""

    memories: tuple[Noted, ...]
    limit: int


def show_memories(memories: Sequence[Noted]) -> Shown:
    """Of very many, those that are most likely to go; in the order given."""
    ranked = sorted(range(len(memories)), key=lambda at: _worth(memories[at]))[:MOST_MEMORIES]
    shown = tuple(memories[at] for at in sorted(ranked))
    budget = MEMORIES_CHARACTERS - LABELS_CHARACTERS * len(shown)
    return Shown(shown, fair_limit((len(one_line(memory.content)) for memory in shown), budget))


def _worth(memory: Noted) -> tuple[bool, int, float, int]:
    return memory.pinned, memory.importance, memory.confidence, memory.access_count


def ask_choice(shown: Shown, now: datetime, max_characters: int, coming: Sequence[str], seconds: float) -> Ask:
    lines = (
        f"[{number}] {shorten(one_line(memory.content), shown.limit)} ({_labels(memory)})"
        for number, memory in enumerate(shown.memories, 1)
    )
    told = {"now": show_day(now), "max_characters": max_characters}
    new = (f"- {shorten(one_line(text), MAX_COMING_CHARACTERS)}" for text in coming)
    untrusted = {"memories": "\n".join(lines), "coming": "\n".join(fitting(new, COMING_CHARACTERS))}
    return replace(_MAKE_ROOM.fill(told, untrusted), total_seconds=seconds)


def _labels(memory: Noted) -> str:
    confirmed = memory.confirmed_at or memory.said_at
    labels = [
        f"importance {memory.importance}",
        f"confidence {memory.confidence:.1f}",
        f"used {memory.access_count} times",
        f"confirmed {confirmed:%Y-%m-%d}" if confirmed else "",
        "pinned" if memory.pinned else "",
    ]
    return ", ".join(filter(None, labels))


def read_choice(answer: Mapping[str, Any], shown: Shown, max_characters: int, made_by: str) -> Choice:
    """Raises LLMUnusable for a choice that must not be carried out."""
    number, into = answer["number"], answer["into"]
    goes = _free_to_change(number, shown, made_by)
    reason = one_line(answer["reason"])[:MAX_REASON_CHARACTERS]
    if into == 0:
        return Choice(goes.number, reason, made_by=made_by)
    if into == number:
        raise LLMUnusable(f"{made_by} would put a memory into itself")
    stays = _free_to_change(into, shown, made_by)
    if any(len(one_line(memory.content)) > shown.limit for memory in (goes, stays)):
        raise LLMUnusable(f"{made_by} would rewrite a memory of which it saw a part")
    content = one_line(answer["content"])
    if not 0 < len(content) <= max_characters:
        raise LLMUnusable(f"{made_by} wrote nothing that fits")
    if find_instructions(content) or used_share(content, f"{goes.content} {stays.content}") < LEAST_SHARED:
        raise LLMUnusable(f"{made_by} wrote what neither memory says")
    return Choice(goes.number, reason, stays.number, content, made_by)


def _free_to_change(number: int, shown: Shown, made_by: str) -> Noted:
    if not 1 <= number <= len(shown.memories):
        raise LLMUnusable(f"{made_by} chose a memory that was not shown")
    memory = shown.memories[number - 1]
    if memory.pinned:
        raise LLMUnusable(f"{made_by} chose a pinned memory")
    return memory

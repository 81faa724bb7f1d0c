"""Which memories make room in a full app: archived, or said by another from then on. All of it can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from django.db.models import Q

from memories.models import LIVE, Memory, Visibility
from memories.models.memory import as_noted
from memories.providers.llm.provider import RULES, Choice, Noted
from memories.providers.llm.rules.room import make_room, value
from memories.store.writer import Writer

SHORTLIST = 50
"""How many of the least worthy are looked at for each that has to go, beyond it."""
MOST_FOLDED = 10
"""Of one transaction: comparing texts takes milliseconds. Whatever else has to go is archived by its worth."""


class LimitReached(Exception):
    """The app holds as many memories as it may, and none that can make room."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A choice made beforehand; its numbers are pks. Good only while its memories have the `versions` seen (by pk)."""

    choice: Choice
    versions: Mapping[int, int]

    @classmethod
    def of(cls, choice: Choice, shown: Sequence[Memory]) -> Self:
        return cls(choice, {memory.pk: memory.version for memory in shown})


def enforce_limit(write: Writer, most: int, suggested: Sequence[Suggestion]) -> None:
    """Leaves at most `most` live memories. Raises LimitReached."""
    evict(write, most, suggested)
    if write.count > most:
        raise LimitReached(f"The app may hold {write.limit} memories, and those it holds are pinned: none makes room.")


def apply_suggestions(write: Writer, most: int, suggested: Sequence[Suggestion]) -> None:
    """Carries out the suggestions that still make sense, as far as they are needed. One query to know."""
    pks = {pk for one in suggested for pk in (one.choice.number, one.choice.into) if pk is not None}
    rows = {memory.pk: memory for memory in with_app(write, Memory.objects.for_app(write.app).filter(pk__in=pks))}
    for suggestion in suggested:
        if write.count > most and makes_sense(write, suggestion, rows):
            carry_out(write, suggestion.choice, rows)


def makes_sense(write: Writer, suggestion: Suggestion, rows: Mapping[int, Memory]) -> bool:
    choice = suggestion.choice
    memory = rows.get(choice.number)
    if not memory or not may_change(memory, suggestion):
        return False
    if choice.into is None:
        return True
    into = rows.get(choice.into)
    if not into or into is memory or not may_change(into, suggestion):
        return False
    return readers_of(into) == readers_of(memory) and 0 < len(choice.content) <= write.policy.max_characters


def may_change(memory: Memory, suggestion: Suggestion) -> bool:
    unchanged = memory.version == suggestion.versions.get(memory.pk)
    return unchanged and memory.status in LIVE and not memory.pinned


def readers_of(memory: Memory) -> tuple[object, ...]:
    """Who may read it, and while it holds: only within one may a memory stand for another."""
    owner = memory.agent_id if memory.visibility == Visibility.AGENT else None
    return memory.user_id, memory.visibility, owner, memory.valid_from, memory.valid_until


def evict(write: Writer, most: int, suggested: Sequence[Suggestion] = ()) -> None:
    """Leaves at most `most` live memories if that can be done. What was written just now goes last."""
    if write.count > most and suggested:
        apply_suggestions(write, most, suggested)
    while (surplus := write.count - most) > 0:
        pool = untouched(write, surplus) or just_written(write, surplus)
        if not pool:
            return
        evict_from(write, pool, surplus)


def untouched(write: Writer, surplus: int) -> list[Memory]:
    # "not equal" and not "less than": for that the database would take another index, and sort.
    others = Memory.objects.for_app(write.app).filter(~Q(change_number=write.change_number))
    return list(with_app(write, others.least_worthy()[: surplus + SHORTLIST]))


def just_written(write: Writer, surplus: int) -> list[Memory]:
    """None unless some of them can stay. The caller's own objects, so that they show what became of them."""
    rows = Memory.objects.for_app(write.app).filter(change_number=write.change_number)
    pool = [write.changed.get(row.pk, row) for row in with_app(write, rows.least_worthy()[: surplus + SHORTLIST])]
    return pool if len(pool) > surplus else []


def with_app(write: Writer, memories: Iterable[Memory]) -> Iterator[Memory]:
    """With the app at hand that their writer has."""
    for memory in memories:
        memory.app = write.app
        yield memory


def evict_from(write: Writer, pool: Sequence[Memory], surplus: int) -> None:
    """Takes `surplus` of these away, or as many as there are. Time grows with their number, not its square."""
    rows = {memory.pk: memory for memory in pool}
    for _ in range(MOST_FOLDED):
        choice = make_room([as_compared(memory) for memory in rows.values()], write.now, write.policy.max_characters)
        if choice.into is None:
            break
        carry_out(write, choice, rows)
        surplus -= 1
        del rows[choice.number], rows[choice.into]
        if not surplus or not rows:
            return
    worth = {memory.pk: value(as_noted(memory), write.now) for memory in rows.values()}
    least = sorted(rows.values(), key=lambda memory: (worth[memory.pk], memory.confirmed_at, memory.pk))[:surplus]
    write.archive_all([(memory, reason_of(make_room([as_noted(memory)], write.now, 0))) for memory in least])


def as_compared(memory: Memory) -> Noted:
    """The rules put together what is in one drawer; here, what also has one circle."""
    return replace(as_noted(memory), category=f"{memory.category} {readers_of(memory)}")


def carry_out(write: Writer, choice: Choice, rows: Mapping[int, Memory]) -> None:
    memory = rows[choice.number]
    if choice.into is None:
        write.archive(memory, reason_of(choice))
    else:
        reason = reason_of(choice)
        write.unite(rows[choice.into], [(memory, reason)], reason, choice.content, choice.made_by)


def reason_of(choice: Choice) -> str:
    by = "" if choice.made_by == RULES else f" ({choice.made_by})"
    return f"makes room: {choice.reason}{by}"

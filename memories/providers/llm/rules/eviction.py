"""Which memory goes when an app may hold no more: one that another says too, else the one worth least."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memories.language.similarity import find_alike, gist_of, moment_of, says_no_more
from memories.providers.llm.provider import Choice, LLMUnusable, Noted

MOST_COMPARED = 6
"""Pairs that are read closely, about a millisecond each."""
HALF_LIFE_DAYS = 90.0
USES_THAT_COUNT_HALF = 5
DAY_SECONDS = 86_400.0


def make_room(memories: Sequence[Noted], now: datetime, max_characters: int) -> Choice:
    """Merge two that say the same, if there are such; otherwise delete the one of least `value`, the oldest of equals.

    1,000 memories take about 30 milliseconds. Raises LLMUnusable when all are pinned or there are none.
    """
    loose = [memory for memory in memories if not memory.pinned]
    if not loose:
        raise LLMUnusable("every memory is pinned")
    return _merge(memories, now, max_characters) or _delete(loose, now)


def value(memory: Noted, now: datetime) -> float:
    """Return a memory's value, 0 to 1: 0.4 · importance + 0.3 · confidence + 0.2 · freshness + 0.1 · use.

    importance = (1 to 5 − 1) / 4, freshness = ½ ^ (days since it was last said or confirmed / 90), or 0 when that is
    not known, and use = accesses / (accesses + 5).
    """
    importance = (memory.importance - 1) / 4
    uses = max(memory.access_count, 0)
    use = uses / (uses + USES_THAT_COUNT_HALF)
    days = _age_days(memory, now)
    return (
        0.4 * importance
        + 0.3 * memory.confidence
        + 0.2 * (0.0 if days is None else float(0.5 ** (days / HALF_LIFE_DAYS)))
        + 0.1 * use
    )


def _age_days(memory: Noted, now: datetime) -> float | None:
    last = moment_of(memory.said_at, memory.confirmed_at)
    return max(0.0, (moment_of(now) - last) / DAY_SECONDS) if last else None


def _order(memory: Noted, now: datetime) -> tuple[float, float, float, int]:
    """Low goes first: the least value, then the longest unsaid, then the first said, then the lowest number."""
    last = moment_of(memory.said_at, memory.confirmed_at)
    return round(value(memory, now), 6), last, moment_of(memory.said_at), memory.number


def _delete(loose: Sequence[Noted], now: datetime) -> Choice:
    least = min(loose, key=lambda memory: _order(memory, now))
    days = _age_days(least, now)
    age = "age unknown" if days is None else f"last said or confirmed {days:.0f} days ago"
    known = f"importance {least.importance}, confidence {least.confidence:.2f}, {age}, accesses {least.access_count}"
    return Choice(least.number, f"worth least ({value(least, now):.2f}): {known}")


def _merge(memories: Sequence[Noted], now: datetime, max_characters: int) -> Choice | None:
    """Return the likeliest pair of one drawer where one says no more than the other; the one of more value lives on.

    A pinned one is never rewritten: it must be the one that says more.
    """
    gists = {memory.content: gist_of(memory.content) for memory in memories}
    ordered = sorted(
        memories, key=lambda memory: (-gists[memory.content].size, -len(memory.content), memory.content, memory.number)
    )
    groups = [f"{memory.category}\n{memory.subject.casefold()}" for memory in ordered]
    for left, right in find_alike([gists[memory.content] for memory in ordered], groups, MOST_COMPARED):
        richer, poorer = ordered[left], ordered[right]
        if poorer.pinned or len(richer.content) > max_characters:
            continue
        if says_no_more(poorer.content, richer.content, richer.subject):
            goes, stays = sorted((poorer, richer), key=lambda memory: (memory.pinned, _order(memory, now)))
            return Choice(goes.number, "says the same as another, which stays", stays.number, richer.content)
    return None

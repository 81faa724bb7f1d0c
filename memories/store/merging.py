"""Several memories become one, which stands for the others from then on. All of it can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memories.models import Action, Memory, Status
from memories.store.confidence import confidence_at
from memories.store.lineage import inherit_links, supersede
from memories.store.revisions import snapshot
from memories.store.triggers import bring_up_instead
from memsite.tenancy.origin import least_trusted

if TYPE_CHECKING:
    from memories.store.writer import Writer

Losers = Sequence[tuple[Memory, str]]
"""Each with the reason why it goes."""


def merge(write: Writer, winner: Memory, losers: Losers, reason: str) -> None:
    """The highest confidence stays, and is confirmed: somebody has said that they are one."""
    before = snapshot(winner)
    everybody = [winner, *(loser for loser, _ in losers)]
    confidence = max(confidence_at(memory, write.now, write.policy) for memory in everybody)
    gain(winner, losers)
    stand_for(write, winner, losers)
    write.confirm(winner, confidence)
    winner.status = write.status_for(winner)
    write.keep(winner, Action.MERGED, before, reason)


def unite(
    write: Writer, into: Memory, losers: Losers, reason: str, content: str | None, made_by: str | None
) -> None:  # fmt: skip
    """Confirms nothing: the surest one's confidence stays, with the time that its decay counts from.

    A pinned `into` stays as it is, and is only noted to stand for the others.
    """
    before = snapshot(into)
    stand_for(write, into, losers)
    # No words of theirs: these may have to be forgotten one day, and this is not their history.
    reason = f"{reason}; stands for {', '.join(str(loser.uid) for loser, _ in losers)}".removeprefix("; ")
    if into.pinned:
        write.note([into], Action.MERGED, reason)
        return
    for loser, _ in losers:
        lean_on(write, into, loser)
    gain(into, losers)
    into.status = write.status_for(into)
    if content is not None and content != into.content:
        word(into, [loser for loser, _ in losers], content, made_by)
        into.vectors.all().delete()
    write.keep(into, Action.MERGED, before, reason)


def word(into: Memory, losers: Sequence[Memory], content: str, made_by: str | None) -> None:
    """Gives it other words: one's own, as far as they are trusted, or new ones, which nobody has looked at yet."""
    teller = next((loser for loser in losers if loser.content == content), None)
    if teller:
        into.made_by, into.origin = teller.made_by, teller.origin
        into.reviewed_by, into.reviewed_at = teller.reviewed_by, teller.reviewed_at
    else:
        into.made_by, into.origin = made_by, least_trusted(memory.origin for memory in (into, *losers))
        into.reviewed_by, into.reviewed_at = "", None
    into.content = content


def lean_on(write: Writer, memory: Memory, other: Memory) -> None:
    """Takes the other's confidence if that is the surer one."""
    surer = max(memory, other, key=lambda one: (confidence_at(one, write.now, write.policy), one.anchored_at))
    memory.confidence = confidence_at(surer, write.now, write.policy)
    memory.confidence_base, memory.anchored_at = surer.confidence_base, surer.anchored_at
    memory.confirmed_at = max(memory.confirmed_at, other.confirmed_at)


def gain(winner: Memory, losers: Losers) -> None:
    """What the losers are marked with, and what they were used for, goes over."""
    for loser, _ in losers:
        winner.importance = max(winner.importance, loser.importance)
        winner.priority = max(winner.priority, loser.priority)
        winner.tags = [*winner.tags, *(tag for tag in loser.tags if tag not in winner.tags)]
        winner.entities = list(dict.fromkeys([*(winner.entities or ()), *(loser.entities or ())])) or None
        winner.access_count += loser.access_count
        winner.accessed_at = max(filter(None, (winner.accessed_at, loser.accessed_at)), default=None)


def stand_for(write: Writer, winner: Memory, losers: Losers) -> None:
    """The losers are superseded, and what they are linked with goes over."""
    gone = [loser for loser, _ in losers]
    inherit_links(winner, gone, write.now)
    bring_up_instead(winner, gone)
    told = [(loser, f"{reason}; merged into {winner.uid}".removeprefix("; ")) for loser, reason in losers]
    write.set_aside([one for one in told if one[0].status != Status.COLD], Status.SUPERSEDED, Action.MERGED)
    for loser, reason in told:
        if loser.status == Status.COLD:
            thaw(write, loser, reason)
    supersede(winner, gone, write.now)


def thaw(write: Writer, loser: Memory, reason: str) -> None:
    """Its text comes out of the cold archive with its new status."""
    before = snapshot(loser)
    loser.content, loser.status = before["content"], Status.SUPERSEDED
    write.keep(loser, Action.MERGED, before, reason)

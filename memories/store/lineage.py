"""What stands for what: links that go over in a merge, and what is forgotten together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from memories.models import Action, Link, LinkKind, Memory, Source
from memsite.tenancy.models import App

OWN = (LinkKind.SUPERSEDES, LinkKind.DERIVED)
"""Kinds that tell of this very memory, and not of what it says."""
SUPERSEDED_BY = "superseded_by"
"""In what a revision says of before: the ids of what stood for the memory that it has set free, and since when."""


def supersede(winner: Memory, losers: Sequence[Memory], now: datetime) -> None:
    """One statement. A link from before says from now on that it happened now."""
    Link.objects.bulk_create(
        [
            Link(app_id=winner.app_id, from_memory=winner, to_memory=loser, kind=LinkKind.SUPERSEDES, created_at=now)
            for loser in losers
        ],
        update_conflicts=True,
        unique_fields=["from_memory", "to_memory", "kind"],
        update_fields=["created_at"],
    )


def superseding(memory: Memory) -> set[int]:
    """The keys of what supersedes it, however many steps away. A query for each step."""
    found: set[int] = set()
    step = {memory.pk}
    while step:
        links = Link.objects.for_app(memory.app).filter(to_memory__in=step, kind=LinkKind.SUPERSEDES)
        step = set(links.values_list("from_memory", flat=True)) - found
        found |= step
    return found


def set_free(memory: Memory, before: dict[str, Any], at: datetime | None = None) -> None:
    """Nothing stands for it any more, or not what came `at` this moment.

    What did is noted in the snapshot `before`, so that this can be taken back.
    """
    links = memory.links_in.filter(kind=LinkKind.SUPERSEDES, **({"created_at": at} if at else {}))
    told = links.order_by("pk").values_list("from_memory__uid", "created_at")
    before[SUPERSEDED_BY] = {str(uid): created_at.isoformat() for uid, created_at in told}
    links.delete()


def supersede_again(memory: Memory, told: Mapping[str, str]) -> bool:
    """The links as `set_free` has told them, of what is still there and is not superseded by the memory by now."""
    rows = Memory.objects.for_app(memory.app).filter(uid__in=told)
    standing = [row for row in rows if memory.pk not in superseding(row)]
    for row in standing:
        supersede(row, [memory], datetime.fromisoformat(told[str(row.uid)]))
    return bool(standing)


def inherit_links(winner: Memory, losers: Sequence[Memory], now: datetime) -> None:
    """What holds of the losers' statement holds of the winner's. Two statements for each, and one more."""
    gone = {loser.pk for loser in losers}
    links = []
    for link in (link for loser in losers for link in links_of(loser)):
        start, end = (winner.pk if pk in gone else pk for pk in ends_of(link))
        if start != end:
            new = Link(app_id=winner.app_id, from_memory_id=start, to_memory_id=end, kind=link.kind, created_at=now)
            links.append(new)
    if links:
        Link.objects.bulk_create(links, ignore_conflicts=True)


def give_back_links(winner: Memory, loser: Memory, at: datetime) -> None:
    """Takes away what the winner inherited at this moment."""
    others = {end for link in links_of(loser) for end in ends_of(link)} - {loser.pk}
    winner.links_out.filter(created_at=at, to_memory__in=others).exclude(kind__in=OWN).delete()
    winner.links_in.filter(created_at=at, from_memory__in=others).exclude(kind__in=OWN).delete()


def links_of(memory: Memory) -> Iterator[Link]:
    """What was said of what it says."""
    yield from memory.links_out.exclude(kind__in=OWN)
    yield from memory.links_in.exclude(kind__in=OWN)


def ends_of(link: Link) -> tuple[int, int]:
    return link.from_memory_id, link.to_memory_id


def forgotten_with(app: App, memories: Sequence[Memory]) -> list[Memory]:
    """These, what was merged into them, for it says the same, and the insights that were written from any of it."""
    rows = {memory.pk: memory for memory in memories}
    newest = list(memories)
    while newest:
        newest = [memory for memory in merged_into(app, newest) if memory.pk not in rows]
        rows |= {memory.pk: memory for memory in newest}
    return list((rows | {insight.pk: insight for insight in insights_from(app, list(rows.values()))}).values())


def merged_into(app: App, memories: Sequence[Memory]) -> list[Memory]:
    """What was merged into these and not set free since. What other news took the place of is not among it."""
    # Whoever sets one free takes the link away.
    links = Link.objects.for_app(app).filter(kind=LinkKind.SUPERSEDES, from_memory__in=memories)
    return [
        link.to_memory
        for link in (links.select_related("to_memory") if memories else ())
        if link.to_memory.revisions.filter(action=Action.MERGED, created_at=link.created_at).exists()
    ]


def insights_from(app: App, memories: Sequence[Memory]) -> list[Memory]:
    """What was written from any of these, and so holds words of theirs. One query."""
    links = Link.objects.for_app(app).filter(kind=LinkKind.DERIVED, to_memory__in=memories)
    rows = Memory.objects.for_app(app).filter(source=Source.INSIGHT, pk__in=links.values("from_memory"))
    return list(rows) if memories else []

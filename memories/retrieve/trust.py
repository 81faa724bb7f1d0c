"""What a reader should know before believing a hit: tags, and the one query they cost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from django.db.models import QuerySet

from memories.models import Link, LinkKind, Memory, Source
from memories.retrieve.hits import Hit
from memories.retrieve.ranking import BAND, band_of
from memsite.prepared import Prepared, padded
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy

CONFLICTING, UNCERTAIN, STALE, UNCONFIRMED = "conflicting", "uncertain", "stale", "unconfirmed"
UNREVIEWED = "unreviewed"


def tag_hits(app: App, hits: list[Hit], now: datetime, band: float = BAND) -> None:
    """Tags each hit: at odds with another of them, and what `tags_of` says of it alone.

    Of two that are at odds, the more confident one takes the better place, if they fit about equally well: within
    `band` of score.
    """
    pairs = conflicting_pairs(app, [hit.memory.pk for hit in hits])
    if pairs:
        surface_the_surer(hits, pairs, band)
    at_odds = ends_of(pairs)
    for hit in hits:
        hit.trust = tags_of(hit.memory, app.policy, now, at_odds)


def tags_of(memory: Memory, policy: AppPolicy, now: datetime, at_odds: Collection[int]) -> list[str]:
    """One of those `at_odds` (pks) with what stands beside it; less than sure; not confirmed for long or at all;
    said by somebody whom nobody has reviewed. No query.
    """
    reasons = {
        CONFLICTING: memory.pk in at_odds,
        UNCERTAIN: memory.confidence < policy.inactive_below,
        STALE: memory.confirmed_at < now - timedelta(days=policy.stale_after_days),
        UNCONFIRMED: memory.confirmed_at <= memory.created_at and memory.source != Source.OPERATOR,
        UNREVIEWED: memory.needs_review(policy),
    }
    return [tag for tag, holds in reasons.items() if holds]


def at_odds_among(app: App, pks: Sequence[int]) -> set[int]:
    """Those of these memories that contradict another of them. One query, if there are two."""
    return ends_of(conflicting_pairs(app, pks))


def ends_of(pairs: Sequence[tuple[int, int]]) -> set[int]:
    return {pk for pair in pairs for pk in pair}


def conflicting_pairs(app: App, pks: Sequence[int]) -> list[tuple[int, int]]:
    """Those of these memories that contradict each other."""
    if len(pks) < 2:
        return []
    among = padded(pks)
    return contradictions(app, LinkKind.CONTRADICTS, *among, *among)


@Prepared
def contradictions(app: App, kind: str, *twice: int) -> QuerySet[Link, tuple[int, int]]:
    """The links of the kind between some memories, whose pks are given twice: for either end."""
    half = len(twice) // 2
    links = Link.objects.for_app(app).filter(kind=kind)
    links = links.filter(from_memory__in=twice[:half]).filter(to_memory__in=twice[half:])
    return links.order_by().values_list("from_memory", "to_memory")


def surface_the_surer(hits: list[Hit], pairs: Sequence[tuple[int, int]], band: float) -> None:
    """Among hits that are at odds, directly or by way of others, the surest takes the best place, and so on.

    What fits much less than the best of them stays behind it, however sure it is: they are in order band by band.
    """
    group = {hit.memory.pk: hit.memory.pk for hit in hits}
    for first, second in pairs:
        old, new = group[second], group[first]
        group = {pk: new if one == old else one for pk, one in group.items()}
    for one in set(group.values()):
        places = [place for place, hit in enumerate(hits) if group[hit.memory.pk] == one]
        at_odds = [hits[place] for place in places]
        best = max(hit.score for hit in at_odds)
        surest = sorted(at_odds, key=lambda hit: (band_of(best - hit.score, band), -hit.memory.confidence))
        for place, hit in zip(places, surest, strict=True):
            hits[place] = hit

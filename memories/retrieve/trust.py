"""What a reader should know before believing a hit: its tags, and of two at odds the surer one in the better place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from memories.models import Memory, Source
from memories.models.memory import MemoryQuerySet
from memories.retrieve.hits import Hit, Recall
from memories.retrieve.ranking import band_of
from memories.retrieve.surer import Pair, among, contradictions_of
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy

CONFLICTING, UNCERTAIN, STALE, UNCONFIRMED = "conflicting", "uncertain", "stale", "unconfirmed"
UNREVIEWED = "unreviewed"


def tag_hits(app: App, found: Recall, now: datetime) -> None:
    """Tags each hit: at odds with another of them or of a page before, and what `tags_of` says of it alone.

    Of two on this page that are at odds, the more confident one takes the better place, if they fit about equally well:
    within the band of score. No query.
    """
    hits = found.hits
    if found.at_odds and (pairs := among(found.at_odds, {hit.row.pk for hit in hits})):
        surface_the_surer(hits, pairs, found.band)
    at_odds, policy = ends_of(found.at_odds), app.policy
    for hit in hits:
        hit.trust = tags_of(hit.row, policy, now, at_odds)


def tags_of(memory: Memory, policy: AppPolicy, now: datetime, at_odds: Collection[int]) -> list[str]:
    """One of those `at_odds` (pks) with what stands beside it; less than sure; not confirmed for long or at all;
    said by somebody whom nobody has reviewed. No query.
    """
    # Step by step: a table of reasons takes twice as long, and a search asks for each of its hits.
    tags, confirmed_at, valid_from = [], memory.confirmed_at, memory.valid_from
    if at_odds and memory.pk in at_odds:
        tags.append(CONFLICTING)
    if memory.confidence < policy.inactive_below:
        tags.append(UNCERTAIN)
    since = max(confirmed_at, valid_from) if valid_from else confirmed_at
    if since < now - timedelta(days=policy.stale_after_days):
        tags.append(STALE)
    if confirmed_at <= memory.created_at and memory.source != Source.OPERATOR:
        tags.append(UNCONFIRMED)
    if memory.needs_review(policy):
        tags.append(UNREVIEWED)
    return tags


def at_odds_with(app: App, pks: Collection[int], others: MemoryQuerySet) -> set[int]:
    """Those of these memories that contradict another of them, or one of `others`. Two queries at most."""
    own = set(pks)
    pairs = contradictions_of(app, sorted(own))
    beside = ends_of(pairs) - own
    shown = own.union(others.filter(pk__in=beside).values_list("pk", flat=True)) if beside else own
    return ends_of(among(pairs, shown)) & own


def ends_of(pairs: Sequence[Pair]) -> set[int]:
    return {pk for pair in pairs for pk in pair}


def surface_the_surer(hits: list[Hit], pairs: Sequence[Pair], band: float) -> None:
    """Among hits that are at odds, directly or by way of others, the surest takes the best place, and so on; of equals
    the one that began to hold, or was written, later.

    What fits much less than the best of them stays behind it, however sure it is: they are in order band by band.
    """
    group = {hit.row.pk: hit.row.pk for hit in hits}
    for first, second in pairs:
        old, new = group[second], group[first]
        group = {pk: new if one == old else one for pk, one in group.items()}
    for one in set(group.values()):
        places = [place for place, hit in enumerate(hits) if group[hit.row.pk] == one]
        at_odds = [hits[place] for place in places]
        best = max(hit.score for hit in at_odds)
        newest = sorted(at_odds, key=lambda hit: begun(hit.row), reverse=True)
        surest = sorted(newest, key=lambda hit: (band_of(best - hit.score, band), -hit.row.confidence))
        for place, hit in zip(places, surest, strict=True):
            hits[place] = hit


def begun(memory: Memory) -> tuple[datetime, int]:
    return max(memory.valid_from or memory.created_at, memory.created_at), memory.pk

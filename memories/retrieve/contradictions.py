"""Find what contradicts a hit, place the surer one first, and tag hits with what a reader should know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise

import numpy as np
from django.db.models import Q, QuerySet

from memories.models import Link, LinkKind, Memory, Source
from memories.models.memory import MemoryQuerySet
from memories.retrieve.hits import Hit, Recall, cached_rows
from memories.retrieve.ranking import Ranked, band_of
from memories.retrieve.scoped_view import ScopedView
from memsite.db.expressions import Literal
from memsite.db.lru_cache import Commit, Latest
from memsite.db.prepared import Prepared, padded
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy

CLOSE = 3
"""Hits that are no further apart are read together."""
LOOKED_AT = 500
"""Of so many hits it is asked what they are at odds with, at most."""
PART = "surer"
"""The part of a score that a memory has for contradicting a hit: all of it."""

Pair = tuple[int, int]
Certainty = tuple[float, float, int]
"""How sure a memory is: its confidence, and of equals the one that began to hold, or was written, later."""
asked_of: Latest[Commit] = Latest(1_024)
"""As of which commit each app was asked about the last time, by its number."""
STANDING = "standing"
CONFLICTING, UNCERTAIN, STALE, UNCONFIRMED = "conflicting", "uncertain", "stale", "unconfirmed"
UNREVIEWED = "unreviewed"


def contradictions_of(app: App, pks: Sequence[int], commit: Commit | None = None) -> list[Pair]:
    """Return the pairs in which one of these memories contradicts another memory. One query.

    As of a commit for the second time it takes two, and from then on none, where nothing in the app contradicts
    anything.
    """
    if not pks:
        return []
    if commit and asked_of.get(app.pk) == commit:
        if not any_contradiction.as_of(commit, app):
            return []
    elif commit:
        # Where something is written between any two searches, it would not pay to look at the whole app.
        asked_of.put(app.pk, commit)
    either = padded(pks)
    return contradictions(app, *either, *either)


@Prepared
def contradictions(app: App, *twice: int) -> QuerySet[Link, Pair]:
    """Select the links from or to some memories, whose pks are given twice: for either end.

    As a parameter the kind would have SQLite plan each time anew, for the index of contradictions alone.
    """
    half = len(twice) // 2
    links = Link.objects.for_app(app).filter(kind=Literal(LinkKind.CONTRADICTS))
    links = links.filter(Q(from_memory__in=twice[:half]) | Q(to_memory__in=twice[half:]))
    return links.order_by().values_list("from_memory", "to_memory")


@Prepared
def any_contradiction(app: App) -> QuerySet[Link, tuple[int]]:
    return Link.objects.for_app(app).filter(kind=Literal(LinkKind.CONTRADICTS)).order_by().values_list("pk")[:1]


def pairs_among(pairs: Sequence[Pair], pks: Collection[int]) -> list[Pair]:
    """Return the pairs both ends of which are these."""
    return [pair for pair in pairs if pair[0] in pks and pair[1] in pks]


class Contradictions:
    """Hold what contradicts some memories in view, and how sure each of them is."""

    def __init__(
        self, app: App, scoped: ScopedView, pks: Sequence[int], shown_pks: Collection[int], commit: Commit | None
    ) -> None:
        """Memories in `shown_pks` are not brought again for being surer. Sends the queries of `contradictions_of`."""
        self.scoped, self.shown_pks = scoped, shown_pks
        self.pairs = contradictions_of(app, pks, commit)
        self.others: dict[int, set[int]] = defaultdict(set)
        self.places: dict[int, int] = {}
        for first, other in self.pairs:
            self.others[first].add(other)
            self.others[other].add(first)

    def surest_against(self, pk: int) -> int | None:
        """Return the surest of what contradicts a memory and is surer than it; None if there is none."""
        sure = {other: confidence for other in self.others.get(pk, ()) if (confidence := self.sure(other))}
        own, surest = self.sure(pk), max(sure, key=sure.__getitem__, default=None)
        return surest if surest is not None and own is not None and sure[surest] > own else None

    def sure(self, pk: int) -> Certainty | None:
        if pk in self.shown_pks:
            return None
        # Looked up once: it may change meanwhile, and is not found any more then.
        if pk not in self.places and len(places := self.scoped.places(np.array([pk], np.int64))):
            self.places[pk] = int(places[0])
        place = self.places.get(pk)
        if place is None:
            return None
        columns, row = self.scoped.view.columns, self.scoped.rows[place]
        return float(columns.confidence[row]), max(float(columns.since[row]), float(columns.created[row])), pk


@dataclass(frozen=True, slots=True)
class PlacedMemory:
    """Hold a memory in its place. One that was `brought` there has the score of what it contradicts."""

    pk: int
    score: float
    brought: bool = False


def place_contradictions(
    pks: Sequence[int], scores: Sequence[float], most: int, surest_against: Callable[[int], int | None]
) -> list[PlacedMemory]:
    """Return all of these, best first, each of the first `most` right behind the surest memory that contradicts it.

    What stands close behind it anyway stays where it is. What is brought brings nothing itself: that may have nothing
    to do with the question, and would displace answers. Each place depends only on what is before and close behind it,
    so that pages make up one long answer.
    """
    positions = {pk: number for number, pk in enumerate(pks)}
    placed: dict[int, PlacedMemory] = {}
    for number, pk in enumerate(pks):
        if pk in placed:
            continue
        stronger = surest_against(pk) if number < most else None
        if (
            stronger is not None
            and stronger not in placed
            and not number <= positions.get(stronger, -1) <= number + CLOSE
        ):
            placed[stronger] = PlacedMemory(stronger, scores[number], brought=True)
        placed[pk] = PlacedMemory(pk, scores[number])
    return [*placed.values()]


def with_contradictions(
    app: App,
    scoped: ScopedView,
    ranked: Ranked,
    most: int,
    shown_pks: Collection[int],
    commit: Commit | None,
    *,
    bring: bool = True,
) -> tuple[Ranked, list[Pair]]:
    """Return the ranking with the surest memory against each of its first `most`, and the pairs at odds.

    `ranked` has to go on for `CLOSE` places behind these, if there are so many. With `bring` False nothing is brought,
    nor is anything already `told`. Sends the queries of `contradictions_of`.
    """
    most = min(most, LOOKED_AT)
    odds = Contradictions(app, scoped, scoped.values_at("pk", ranked.places[:most]).tolist(), shown_pks, commit)
    if not odds.pairs or not bring:
        return ranked, odds.pairs
    pks: list[int] = scoped.values_at("pk", ranked.places).tolist()
    odds.places |= zip(pks, ranked.places.tolist(), strict=True)
    pairs = place_contradictions(pks, ranked.scores.tolist(), most, odds.surest_against)
    is_brought = any(placed.brought for placed in pairs)
    return (arranged(ranked, pairs, [odds.places[placed.pk] for placed in pairs]) if is_brought else ranked), odds.pairs


def hits_with_contradictions(
    app: App, scoped: ScopedView, hits: Sequence[Hit], shown_pks: Collection[int], commit: Commit | None
) -> tuple[list[Hit], list[Pair]]:
    """Return the same of hits that summaries answer with."""
    known = {hit.memory.pk: hit for hit in hits}
    odds = Contradictions(app, scoped, list(known), shown_pks, commit)
    if not odds.pairs:
        return [*hits], []
    pairs = place_contradictions(list(known), [hit.formula_score for hit in hits], len(hits), odds.surest_against)
    rows = cached_rows(app, [placed.pk for placed in pairs if placed.brought], commit)
    known |= {
        placed.pk: Hit(
            app, rows[placed.pk], placed.score, partial(dict, {PART: placed.score}), calibration=hits[0].calibration
        )
        for placed in pairs
        if placed.brought and placed.pk in rows
    }
    return [known[placed.pk] for placed in pairs if placed.pk in known], odds.pairs


def arranged(ranked: Ranked, pairs: Sequence[PlacedMemory], places: Sequence[int]) -> Ranked:
    """Return what was found, with its `places`. A brought memory has one part alone."""
    positions = {place: number for number, place in enumerate(ranked.places.tolist())}
    # The last column is of what was brought.
    columns = [-1 if placed.brought else positions[place] for placed, place in zip(pairs, places, strict=True)]
    parts = np.pad(ranked.parts[:, ranked.columns], ((0, 1), (0, 1)), constant_values=np.nan)[:, columns]
    scores = np.array([placed.score for placed in pairs])
    brought = np.array([placed.brought for placed in pairs])
    parts[-1] = np.where(brought, scores, np.nan)
    names, numbers = [*ranked.names, PART], np.arange(len(places))
    return replace(ranked, places=np.array(places), scores=scores, names=names, parts=parts, columns=numbers)


def tag_hits(app: App, recall: Recall, now: datetime) -> None:
    """Tag each hit: at odds with another of them or of a page before, what `tags_of` says of it, and `standing`.

    `standing` applies to the request, whether or not it answers it. No query.

    Of two hits on this page that are at odds and fit about equally well, the less confident is lowered to the other.
    """
    hits = recall.hits
    if recall.at_odds and (pairs := pairs_among(recall.at_odds, {hit.memory.pk for hit in hits})):
        put_surest_first(hits, pairs, recall.band)
    at_odds, policy = ends_of(recall.at_odds), app.policy
    for hit in hits:
        hit.trust = tags_of(hit.memory, policy, now, at_odds) + [STANDING] * hit.standing


def tags_of(memory: Memory, policy: AppPolicy, now: datetime, at_odds: Collection[int]) -> list[str]:
    """Return the trust tags of a memory. `at_odds` are pks of memories that contradict another one shown. No query.

    `uncertain`: less than sure; `stale`: not confirmed for long; `unconfirmed`: never; `unreviewed`: said by somebody
    whom nobody has reviewed.
    """
    if memory.source == Source.DOCUMENT:
        # Nobody confirms what is quoted.
        return [UNREVIEWED] if memory.needs_review(policy) else []
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
    """Return those of these memories that contradict another of them, or one of `others`. Two queries at most."""
    own = set(pks)
    pairs = contradictions_of(app, sorted(own))
    beside = ends_of(pairs) - own
    visible = own.union(others.filter(pk__in=beside).values_list("pk", flat=True)) if beside else own
    return ends_of(pairs_among(pairs, visible)) & own


def ends_of(pairs: Sequence[Pair]) -> set[int]:
    """Return both ends of all pairs."""
    return {pk for pair in pairs for pk in pair}


def put_surest_first(hits: list[Hit], pairs: Sequence[Pair], band: float) -> None:
    """Among hits at odds, directly or through others, lower each to the score of the surest, or newest of equals.

    So it stands right behind it. What fits much less than the best of them stays behind it, however sure it is: they
    are in order band by band.
    """
    group = {hit.memory.pk: hit.memory.pk for hit in hits}
    for first, second in pairs:
        old, new = group[second], group[first]
        group = {pk: new if item == old else item for pk, item in group.items()}
    place = {id(hit): (number, 0) for number, hit in enumerate(hits)}
    for value in set(group.values()):
        at_odds = [hit for hit in hits if group[hit.memory.pk] == value]
        best = max(hit.formula_score for hit in at_odds)
        newest = sorted(
            at_odds,
            key=lambda hit: (max(hit.memory.valid_from or hit.memory.created_at, hit.memory.created_at), hit.memory.pk),
            reverse=True,
        )
        surest = sorted(newest, key=lambda hit: (band_of(best - hit.formula_score, band), -hit.memory.confidence))
        for stronger, hit in pairwise(surest):
            hit.lower_to(stronger, CONFLICTING)
            # Of equal scores it is the later one.
            place[id(hit)] = max(place[id(hit)], (place[id(stronger)][0], place[id(stronger)][1] + 1))
    hits.sort(key=lambda hit: (-hit.score, place[id(hit)]))

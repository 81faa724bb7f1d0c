"""Find what contradicts a hit, place the surer one first, and tag hits with what a reader should know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import numpy as np
from django.db.models import Q, QuerySet

from memories.models import Link, LinkKind, Memory, Source
from memories.models.memory import MemoryQuerySet
from memories.retrieve.hits import Hit, Recall, rows_of
from memories.retrieve.ranking import Ranked, band_of
from memories.retrieve.scoped_view import Reading
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
Sure = tuple[float, float, int]
"""How sure a memory is: its confidence, and of equals the one that began to hold, or was written, later."""
asked_of: Latest[Commit] = Latest(1_024)
"""As of which commit each app was asked about the last time, by its number."""


def contradictions_of(app: App, pks: Sequence[int], commit: Commit | None = None) -> list[Pair]:
    """What contradicts these memories or is contradicted by them, among them or not. One query; as of a commit for the
    second time two, and from then on none, where nothing in the app contradicts anything.
    """
    if not pks or (commit and is_known_of(app, commit) and not any_contradiction.as_of(commit, app)):
        return []
    either = padded(pks)
    return contradictions(app, *either, *either)


@Prepared
def contradictions(app: App, *twice: int) -> QuerySet[Link, Pair]:
    """Those from or to some memories, whose pks are given twice: for either end. As a parameter the kind would have
    SQLite plan each time anew, for the index of contradictions alone.
    """
    half = len(twice) // 2
    links = Link.objects.for_app(app).filter(kind=Literal(LinkKind.CONTRADICTS))
    links = links.filter(Q(from_memory__in=twice[:half]) | Q(to_memory__in=twice[half:]))
    return links.order_by().values_list("from_memory", "to_memory")


def is_known_of(app: App, commit: Commit) -> bool:
    """Whether this was asked as of the commit before. Where something is written between any two searches, it would not
    pay to look at the whole app.
    """
    is_known = asked_of.get(app.pk) == commit
    if not is_known:
        asked_of.put(app.pk, commit)
    return is_known


@Prepared
def any_contradiction(app: App) -> QuerySet[Link, tuple[int]]:
    return Link.objects.for_app(app).filter(kind=Literal(LinkKind.CONTRADICTS)).order_by().values_list("pk")[:1]


def among(pairs: Sequence[Pair], pks: Collection[int]) -> list[Pair]:
    """The pairs both ends of which are these."""
    return [pair for pair in pairs if pair[0] in pks and pair[1] in pks]


class Odds:
    """What is at odds with some memories of a reading, and how sure each is that may be shown."""

    def __init__(
        self, app: App, reading: Reading, pks: Sequence[int], told: Collection[int], commit: Commit | None
    ) -> None:  # fmt: skip
        """What was `told` already is not told again for being surer. The queries of `contradictions_of`."""
        self.reading, self.told = reading, told
        self.pairs = contradictions_of(app, pks, commit)
        self.others: dict[int, set[int]] = defaultdict(set)
        self.places: dict[int, int] = {}
        for one, other in self.pairs:
            self.others[one].add(other)
            self.others[other].add(one)

    def surest_against(self, pk: int) -> int | None:
        """The surest of what contradicts it and is surer."""
        sure = {other: told for other in self.others.get(pk, ()) if (told := self.sure(other))}
        own, surest = self.sure(pk), max(sure, key=sure.__getitem__, default=None)
        return surest if surest is not None and own is not None and sure[surest] > own else None

    def sure(self, pk: int) -> Sure | None:
        if pk in self.told or (place := self.place_of(pk)) is None:
            return None
        columns, row = self.reading.view.columns, self.reading.rows[place]
        return float(columns.confidence[row]), max(float(columns.since[row]), float(columns.created[row])), pk

    def place_of(self, pk: int) -> int | None:
        """Where in the reading it is. Asked for once: it may be changed meanwhile, and is not found any more then."""
        if pk not in self.places and len(found := self.reading.places(np.array([pk], np.int64))):
            self.places[pk] = int(found[0])
        return self.places.get(pk)


@dataclass(frozen=True, slots=True)
class Placed:
    """A memory in its place; `brought` to it by what it contradicts, whose score it has."""

    pk: int
    score: float
    brought: bool = False


def placed(
    pks: Sequence[int], scores: Sequence[float], most: int, surest_against: Callable[[int], int | None]
) -> list[Placed]:  # fmt: skip
    """All of these, best first, and right before each of the first `most` whatever is the surest against it.

    What stands close behind it anyway stays where it is, and what is brought brings nothing itself: that may have
    nothing to do with the question any more, and would leave no room for what answers it. How one is placed depends on
    what is before and close behind it alone, so that pages make up one long answer.
    """
    at = {pk: number for number, pk in enumerate(pks)}
    found: dict[int, Placed] = {}
    for number, pk in enumerate(pks):
        if pk in found:
            continue
        surer = surest_against(pk) if number < most else None
        if surer is not None and surer not in found and not number <= at.get(surer, -1) <= number + CLOSE:
            found[surer] = Placed(surer, scores[number], brought=True)
        found[pk] = Placed(pk, scores[number])
    return [*found.values()]


def with_the_surer(
    app: App, reading: Reading, ranked: Ranked, most: int, told: Collection[int], commit: Commit | None, *,
    bring: bool = True,
) -> tuple[Ranked, list[Pair]]:  # fmt: skip
    """The ranking with whatever is the surest against one of its first `most`, and the pairs that are at odds.

    `ranked` has to go on for `CLOSE` places behind these, if there are so many. What was `told` already is not brought,
    nor is anything unless it says so. The queries of `contradictions_of`.
    """
    most = min(most, LOOKED_AT)
    odds = Odds(app, reading, reading.at("pk", ranked.places[:most]).tolist(), told, commit)
    if not odds.pairs or not bring:
        return ranked, odds.pairs
    pks: list[int] = reading.at("pk", ranked.places).tolist()
    odds.places |= zip(pks, ranked.places.tolist(), strict=True)
    found = placed(pks, ranked.scores.tolist(), most, odds.surest_against)
    is_brought = any(one.brought for one in found)
    return (arranged(ranked, found, [odds.places[one.pk] for one in found]) if is_brought else ranked), odds.pairs


def hits_with_the_surer(
    app: App, reading: Reading, hits: Sequence[Hit], told: Collection[int], commit: Commit | None
) -> tuple[list[Hit], list[Pair]]:  # fmt: skip
    """The same of hits that summaries answer with."""
    known = {hit.row.pk: hit for hit in hits}
    odds = Odds(app, reading, list(known), told, commit)
    if not odds.pairs:
        return [*hits], []
    found = placed(list(known), [hit.score for hit in hits], len(hits), odds.surest_against)
    rows = rows_of(app, [one.pk for one in found if one.brought], commit)
    known |= {
        one.pk: Hit(app, rows[one.pk], one.score, partial(dict, {PART: one.score}))
        for one in found
        if one.brought and one.pk in rows
    }
    return [known[one.pk] for one in found if one.pk in known], odds.pairs


def arranged(ranked: Ranked, found: Sequence[Placed], places: Sequence[int]) -> Ranked:
    """What was found, with its `places`. The parts of what was brought say that alone."""
    at = {place: number for number, place in enumerate(ranked.places.tolist())}
    # The last column is of what was brought.
    columns = [-1 if one.brought else at[place] for one, place in zip(found, places, strict=True)]
    parts = np.pad(ranked.parts[:, ranked.columns], ((0, 1), (0, 1)), constant_values=np.nan)[:, columns]
    scores = np.array([one.score for one in found])
    brought = np.array([one.brought for one in found])
    parts[-1] = np.where(brought, scores, np.nan)
    return Ranked(np.array(places), scores, [*ranked.names, PART], parts, np.arange(len(places)), ranked.combined)


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

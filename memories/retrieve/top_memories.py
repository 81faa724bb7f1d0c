"""Select what is told without a question: the memories with the highest values in some columns.

The app's index knows what the order asks for; the database would read and sort all memories.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from memories.index.similarity import Rows
from memories.models import Memory
from memories.providers.embeddings import Embedder
from memories.retrieve.contradictions import Contradictions, pairs_among, place_contradictions
from memories.retrieve.hits import cached_rows
from memories.retrieve.pipeline import index_of
from memories.retrieve.scoped_view import Scope, ScopedView, scoped_view
from memories.retrieve.standing import standing_places
from memsite.tenancy.models import App

BESIDE_TEXT = 60
"""Characters of a line beside the memory's own."""
LEAST_BESIDE, MOST_OF_A_LINE, SPARE = 24, 1 / 3, 24
"""Characters that no line does without, the share of a block that one line takes at most (`inject`), and the memories
beyond those that fill the block: some of what comes before them may be unfit to be shown.
"""


@dataclass(frozen=True, slots=True)
class TopMemories:
    """Hold memories, the highest first, and how many there were to choose from.

    Those `at_odds` (pks) contradict another of them, or what was told before. Those `standing` came first.
    """

    memories: list[Memory]
    total: int
    at_odds: set[int]
    standing: set[int]


def top_memories(
    app: App,
    scope: Scope,
    embedder: Embedder,
    order: Sequence[str],
    most: int,
    *,
    least_confidence: float,
    shorter_than: int,
    shown_pks: Collection[int] = (),
    standing: int = 0,
) -> TopMemories:
    """Return the `most` memories with the highest values in the columns that `order` names, the first column first.

    Of standing statements as many as have so many characters come before all others.
    What is less confident, or already `told` (pks), is left out. What is not `shorter_than` so many characters only
    counts in the total. The surest memory that contradicts one of them stands right before it: nobody is told what is
    outdated without what is true now.
    """
    scoped = scoped_view(index_of(app, embedder).view(), scope)
    fitting = scoped.column("confidence") >= least_confidence
    if shown_pks:
        fitting &= ~np.isin(scoped.pks, [*shown_pks])
    short = np.flatnonzero(fitting & (scoped.column("length") < shorter_than))
    first = short[np.isin(short, standing_places(scoped))] if standing else short[:0]
    if len(first):
        first = highest(scoped, first, order, most)
        first = first[np.cumsum(scoped.values_at("length", first) + BESIDE_TEXT) <= standing]
    rest = highest(scoped, short[~np.isin(short, first)], order, most - len(first))
    chosen = filling(scoped, np.concatenate([first, rest]), shorter_than)
    pks = scoped.values_at("pk", chosen).tolist()
    shown_first = set(pks[: len(first)])
    odds = Contradictions(app, scoped, pks, shown_pks, None)
    if odds.pairs:
        pks = [placed.pk for placed in place_contradictions(pks, [0.0] * len(pks), len(pks), odds.surest_against)][
            :most
        ]
    rows = cached_rows(app, pks)
    at_odds = {pk for pair in pairs_among(odds.pairs, {*pks, *shown_pks}) for pk in pair}
    return TopMemories([rows[pk] for pk in pks if pk in rows], int(np.count_nonzero(fitting)), at_odds, shown_first)


def filling(scoped: ScopedView, places: Rows, characters: int) -> Rows:
    """Return the first of these places, as many as fill a block of so many characters, and some to spare.

    Reading and rendering rows takes longer than all else about a greeting.
    """
    lengths = np.minimum(scoped.values_at("length", places), characters * MOST_OF_A_LINE)
    return places[: int(np.searchsorted(np.cumsum(lengths + LEAST_BESIDE), characters)) + SPARE]


def highest(scoped: ScopedView, places: Rows, order: Sequence[str], most: int) -> Rows:
    """Return the first `most` (at least one) of these places, the highest first.

    Each column is compared only where the ones before could not decide: sorting all by all columns would take ten times
    as long.
    """
    sure: list[Rows] = []
    for name in order:
        surplus = len(places) + sum(map(len, sure)) - most
        if surplus <= 0:
            break
        values = scoped.values_at(name, places)
        last = np.partition(values, surplus)[surplus]
        sure.append(places[values > last])
        places = places[values == last]
    chosen = np.concatenate([*sure, places])
    return chosen[np.lexsort([scoped.values_at(name, chosen) for name in reversed(order)])][::-1][:most]

"""What is known without a question: the foremost of all that a caller may be told, in an order of columns.

From the app's index, which knows of each memory what the order asks for: the database would read and sort them all.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from memories.models import Memory
from memories.providers.embeddings import Embedder
from memories.retrieve.contradictions import Odds, among, placed
from memories.retrieve.hits import own, rows_of
from memories.retrieve.pipeline import index_of
from memories.retrieve.scoped_view import Reading, Rows, Scope, scoped_view
from memsite.tenancy.models import App


@dataclass(frozen=True, slots=True)
class Standing:
    """Memories, the foremost first, and how many there were to choose from.

    Those `at_odds` (pks) contradict another of them, or what was told before.
    """

    memories: list[Memory]
    total: int
    at_odds: set[int]


def foremost(
    app: App, scope: Scope, embedder: Embedder, order: Sequence[str], most: int, *,
    least_confidence: float, shorter_than: int, told: Collection[int] = (),
) -> Standing:  # fmt: skip
    """The `most` with the highest values in the columns that `order` names, the first column first.

    What is less sure, and what was `told` (pks), is none of them; what is not `shorter_than` so many characters only
    counts. Right before what something surer contradicts stands the surest of that, whatever its own columns say:
    nobody is told what is outdated without what is true now.
    """
    reading = scoped_view(index_of(app, embedder).view(), scope)
    fitting = reading.column("confidence") >= least_confidence
    if told:
        fitting &= ~np.isin(reading.pks, [*told])
    short = np.flatnonzero(fitting & (reading.column("length") < shorter_than))
    pks = reading.at("pk", highest(reading, short, order, most)).tolist()
    odds = Odds(app, reading, pks, told, None)
    if odds.pairs:
        pks = [one.pk for one in placed(pks, [0.0] * len(pks), len(pks), odds.surest_against)][:most]
    rows = rows_of(app, pks)
    at_odds = {pk for pair in among(odds.pairs, {*pks, *told}) for pk in pair}
    return Standing([own(app, rows[pk]) for pk in pks if pk in rows], int(np.count_nonzero(fitting)), at_odds)


def highest(reading: Reading, places: Rows, order: Sequence[str], most: int) -> Rows:
    """The first `most` (at least one) of these places in this order, the highest first.

    Of what the next column has to tell apart only what the ones before could not: to sort all by all of them would take
    ten times as long.
    """
    sure: list[Rows] = []
    for name in order:
        surplus = len(places) + sum(map(len, sure)) - most
        if surplus <= 0:
            break
        values = reading.at(name, places)
        last = np.partition(values, surplus)[surplus]
        sure.append(places[values > last])
        places = places[values == last]
    chosen = np.concatenate([*sure, places])
    return chosen[np.lexsort([reading.at(name, chosen) for name in reversed(order)])][::-1][:most]

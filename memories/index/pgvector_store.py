"""The vectors of a large app, in the database: pgvector is asked for the nearest. Their signs stay at hand.

What the signs say of any, the database says exactly of the nearest: of those that its index finds where most of the app
may be shown, else of those that the signs find among what may be shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memories.index import similarity as near
from memories.index.columns import Columns
from memories.index.similarity import Cosines, EstimatedCosines, ExactCosines, Floats, IndexedCosines, Rows
from memories.index.vector_store import Places, Sample
from memories.models.pgvector_table import TABLE, halfvec_of, written
from memories.models.vector import by_number
from memories.providers.embeddings import Vectors
from memsite.db.prepared import fetch_all

NEAREST = 200
"""Asked of the index, of those that may be shown: as many as ranking looks at."""
LEAST_SHARE = 0.2
"""Of the app. Where less may be shown, the index would find five times what is wanted, and more."""
EXACT_ROWS = 3_000
READ_AT_ONCE = 2_000
SPREADS = 4
"""By which the signs of vectors at an angle may differ from what the angle says: one in 30,000 differs more."""
BY_ID = f"""
SELECT memory_id, 1 - (near <=> %s::halfvec) FROM {TABLE} WHERE memory_id = ANY(%s) AND model = %s AND app_id = %s
AND vector_dims(near) = %s
"""  # noqa: S608
# One statement for all: on a connection of a pool nothing is to stay behind. The scan goes on until there are enough.
# A copy of another length, which can be there where the index is gone, would be an error and not a distance.
BY_INDEX = """
SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', %s, true),
       set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true);
SELECT memory_id, 1 - ({near} <=> %s::halfvec({dim})) FROM {table} WHERE app_id = %s AND model = %s
AND vector_dims(near) = {dim} ORDER BY {near} <=> %s::halfvec({dim}) LIMIT %s
"""
DATA = """
SELECT memory_id, data FROM memories_vector WHERE memory_id = ANY(%s) AND model = %s AND app_id = %s AND dim = %s
"""
Numbers = NDArray[np.int64]


class PgvectorStore:
    """Ask pgvector for vectors. For rows that went after the view was made, the signs speak: they have no vector."""

    def __init__(self, app_pk: int, model: str, dim: int, columns: Columns, sample: Sample) -> None:
        self.app_pk, self.model, self.dim, self.columns, self.sample = app_pk, model, dim, columns, sample
        self.those = (model, app_pk, dim)

    def measure(self, query: Vectors, rows: Rows, places: Places) -> Cosines:
        if len(rows) <= EXACT_ROWS:
            return ExactCosines(self.cosines(query, rows))
        usual = self.sample.usual(query, self.columns, self.of)
        share = len(rows) / max(1, int(np.count_nonzero(self.columns.embedded)))
        if usual and share >= LEAST_SHARE:
            indexed, nearest = self.listed(query, int(NEAREST / min(1.0, share)), rows, places)
            # Among memories of two kinds that have little in common, such as two languages, the index may stay with
            # those of the wrong kind.
            is_likely = partial(self.sample.is_likely, query, self.columns, self.of, rows)
            if len(indexed) >= NEAREST / 2 and is_likely(len(nearest), float(nearest.min())):
                return IndexedCosines(self.columns.signs, query, rows, usual, indexed, nearest)
        differing = near.differences(self.columns.signs, query, rows)

        def measured(some: Rows) -> Floats:
            return self.cosines(query, rows[some])

        return EstimatedCosines(differing, near.difference_counts(differing, len(query)), usual, measured, closer=False)

    def listed(self, query: Vectors, most: int, rows: Rows, places: Places) -> tuple[Rows, Floats]:
        """Return the places in these rows of what the index finds, rising, and their cosines."""
        pks, alike = self.by_index(query, most)
        indexed, exact = places(pks), dict(zip(pks.tolist(), alike.tolist(), strict=True))
        indexed.sort()
        return indexed, np.array([exact[pk] for pk in self.columns.pk[rows[indexed]].tolist()], np.float32)

    def nearest(self, query: Vectors, rows: Rows, depth: int) -> tuple[Rows, Floats]:
        if len(rows) > EXACT_ROWS:
            rows = near.likely(self.columns.signs, query, rows)
        alike = self.cosines(query, rows)
        best = near.top(alike, depth)
        return rows[best], alike[best]

    def of(self, rows: Rows) -> Vectors:
        """Return exactly what was embedded; zeros where there is none, or none that can be read."""
        whole = np.zeros((len(rows), self.dim), np.float32)
        for start in range(0, len(rows), READ_AT_ONCE):
            pks = self.columns.pk[rows[start : start + READ_AT_ONCE]]
            places = {pk: start + offset for offset, pk in enumerate(pks.tolist())}
            known, vectors = by_number(fetch_all(DATA, [pks.tolist(), *self.those]), self.dim)
            whole[[places[pk] for pk in known]] = vectors
        return whole

    def cosines_of(self, query: Vectors, rows: Rows) -> Floats:
        counts = near.difference_counts(near.hamming(self.columns.signs, near.signs_of(query)), len(query))
        usual = self.sample.usual(query, self.columns, self.of) or near.moments(counts, near.estimates(len(query)))
        estimated: Floats = near.scaled(counts, usual)[near.disagreeing(self.columns.signs, query, rows)]
        return estimated

    def worth_comparing(self, chosen: Rows, rows: Rows, floor: float) -> Rows:
        """Return the places where the signs do not speak against it: other comparisons would read everything."""
        signs = self.columns.signs[rows]
        share = math.acos(max(-1.0, min(1.0, floor))) / math.pi
        most = self.dim * share + SPREADS * math.sqrt(self.dim * share * (1 - share))
        may_be = np.zeros(len(rows), bool)
        for own in self.columns.signs[chosen]:
            may_be |= near.hamming(signs, own) <= most
        return np.flatnonzero(may_be)

    def cosines(self, query: Vectors, rows: Rows) -> Floats:
        """Return the cosines of some rows, in their order; exact where there is a vector."""
        embedded = self.columns.embedded[rows]
        cosines = np.where(embedded, near.estimates(len(query))[near.differences(self.columns.signs, query, rows)], 0)
        pks = self.columns.pk[rows]
        exact = numbered(fetch_all(BY_ID, [written(query), pks.tolist(), *self.those]))
        order = np.argsort(exact[0])
        places = np.minimum(np.searchsorted(exact[0], pks, sorter=order), max(0, len(order) - 1))
        if len(order):
            known = exact[0][order[places]] == pks
            cosines[known] = exact[1][order[places[known]]]
        return cosines.astype(np.float32)

    def by_index(self, query: Vectors, most: int) -> tuple[Numbers, Floats]:
        """Return the nearest of the whole app; `hnsw.ef_search` is as many."""
        sql = BY_INDEX.format(near=halfvec_of(self.dim), dim=self.dim, table=TABLE)
        vector = written(query)
        with connection.cursor() as cursor:
            cursor.execute(sql, [str(most), vector, self.app_pk, self.model, vector, most])
            cursor.nextset()
            return numbered(cursor.fetchall())


def numbered(rows: Sequence[tuple[int, Any]]) -> tuple[Numbers, Floats]:
    """Return pks and cosines. A text without words has the zero vector, which is near nothing."""
    pks = np.fromiter((pk for pk, _ in rows), np.int64, len(rows))
    alike = np.fromiter((cosine for _, cosine in rows), np.float32, len(rows))
    return pks, np.nan_to_num(alike)

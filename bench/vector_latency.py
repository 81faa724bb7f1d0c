"""The nearest of so many vectors: ours beside what numpy and SQLite do, and beside the least it could take."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import scratch
from bench.synthetic import unit_vectors
from memories.index.similarity import Rows, nearest, sign_bits
from memories.providers.embeddings import Vectors

DIM, DEPTH, SEED = 384, 10, 0
QUERIES = 40
FILTERS = (0.05, 0.5)
LIMIT = "reading the matrix once"

Contender = Callable[[Vectors], Any]


@dataclass(frozen=True, slots=True)
class Taken:
    """Median milliseconds, and recall@10 of what may miss something."""

    milliseconds: float
    recall: float | None = None


def measure_vectors(size: int) -> dict[str, Taken]:
    """By contender."""
    vectors, queries = unit_vectors(size, QUERIES, DIM, SEED)
    signs = sign_bits(vectors)
    allowed: dict[str, Rows] = {title(None): np.arange(size)}
    allowed |= {title(share): filtered(size, share) for share in FILTERS}
    ours = {name: partial(nearest_of, vectors, signs, rows) for name, rows in allowed.items()}
    with blobs(vectors) as read_blobs:
        seconds = take_turns({**plain_contenders(vectors, read_blobs), **ours}, queries)
    results = {
        name: fmean(recall_at_10(vectors, query, rows, ours[name](query)) for query in queries)
        for name, rows in allowed.items()
    }
    return {name: Taken(1e3 * median(taken), results.get(name)) for name, taken in seconds.items()}


def plain_contenders(vectors: Vectors, read_blobs: Callable[[], bytes]) -> dict[str, Contender]:
    return {
        LIMIT: lambda query: vectors.max(),
        "`np.vecdot`": lambda query: np.vecdot(vectors, query),
        "`X @ q`": lambda query: vectors @ query,
        "every BLOB from SQLite, then `X @ q`": lambda query: (
            np.frombuffer(read_blobs(), "<f4").reshape(-1, DIM) @ query
        ),
    }


def nearest_of(vectors: Vectors, signs: NDArray[np.uint64], rows: Rows, query: Vectors) -> Rows:
    return nearest(vectors, signs, query, rows, DEPTH)[0]


def title(share: float | None) -> str:
    return "our `nearest`, the 10 best" + (f" of {share:.0%}" if share else "")


def filtered(size: int, share: float) -> Rows:
    return np.flatnonzero(np.random.default_rng(SEED + 1).random(size) < share)


@contextmanager
def blobs(vectors: Vectors) -> Iterator[Callable[[], bytes]]:
    """Make a table of the vectors in a file of its own; return a function that reads all of them."""
    file = Path(scratch.name) / f"blobs-{len(vectors)}.sqlite3"
    database = sqlite3.connect(file)
    with database:
        database.execute("CREATE TABLE vector (id INTEGER PRIMARY KEY, data BLOB)")
        database.executemany("INSERT INTO vector (data) VALUES (?)", ((row.tobytes(),) for row in vectors))
    try:
        yield lambda: b"".join(data for (data,) in database.execute("SELECT data FROM vector ORDER BY id"))
    finally:
        database.close()
        file.unlink()


def take_turns(contenders: Mapping[str, Contender], queries: Vectors) -> dict[str, list[float]]:
    """Seconds of each contender for each query, after one round that does not count.

    The order is another each time: who comes after a hungry one finds nothing in the processor's cache.
    """
    names, orders = list(contenders), np.random.default_rng(SEED)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for query in (queries[0], *queries):
        for index in orders.permutation(len(names)):
            start = time.perf_counter()
            contenders[names[index]](query)
            seconds[names[index]].append(time.perf_counter() - start)
    return {name: taken[1:] for name, taken in seconds.items()}


def recall_at_10(vectors: Vectors, query: Vectors, rows: Rows, results: Rows) -> float:
    """Share of the exact ten best among `found`."""
    exact = rows[np.argsort(-(vectors[rows] @ query), kind="stable")[:DEPTH]]
    return len(set(exact.tolist()) & set(results.tolist())) / len(exact)

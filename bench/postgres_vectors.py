"""The nearest vectors by pgvector's HNSW beside our index in the process: time and recall, with a filter and without.

    make bench-postgres SIZES="10000 50000"

One client, on a PostgreSQL of its own. A filter lets through one row in twenty.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import psycopg

from bench.synthetic import unit_vectors
from memories.index.similarity import Rows, nearest, sign_bits
from memories.providers.embeddings import Vectors

DIM, QUERIES, SHOWN, SEED, RARE = 384, 100, 10, 7, 0.05
SIZES = ("10000",)
SCANS = (("off", 40), ("strict_order", 40), ("relaxed_order", 100))
"""`hnsw.iterative_scan` and `hnsw.ef_search`."""
Found = Callable[[Vectors], Sequence[int]]


def main(sizes: Sequence[str]) -> None:
    with psycopg.connect(os.environ["TEST_DATABASE_URL"], autocommit=True) as database:
        for size in map(int, sizes):
            measure(database, size)


def measure(database: psycopg.Connection, size: int) -> None:
    rows, queries = unit_vectors(size, QUERIES, DIM, SEED)
    is_rare = np.random.default_rng(SEED).random(size) < RARE
    seconds = load(database, rows, is_rare)
    print(f"{size:,} vectors: index made in {seconds:.0f} s, {index_megabytes(database)} MB")
    signs = sign_bits(rows)
    for name, allowed, where in (("all", np.arange(size), "TRUE"), ("5 %", np.flatnonzero(is_rare), "rare")):
        for scan, ef in SCANS:
            database.execute(f"SET hnsw.iterative_scan = {scan}; SET hnsw.ef_search = {ef}".encode())
            tell(f"pgvector, {scan}, {ef}", name, queries, rows, allowed, in_postgres(database, where))
        tell("in the process", name, queries, rows, allowed, in_process(rows, signs, allowed))


def load(database: psycopg.Connection, rows: Vectors, is_rare: np.ndarray) -> float:
    """Seconds that the index took."""
    database.execute("CREATE EXTENSION IF NOT EXISTS vector; DROP TABLE IF EXISTS near")
    database.execute(f"CREATE TABLE near (id int, rare boolean, v halfvec({DIM}))".encode())
    with database.cursor().copy("COPY near FROM STDIN") as copy:
        for number, (vector, rare) in enumerate(zip(rows, is_rare, strict=True)):
            copy.write_row((number, bool(rare), written(vector)))
    started = time.perf_counter()
    database.execute("SET max_parallel_maintenance_workers = 0; SET maintenance_work_mem = '512MB'")
    database.execute("CREATE INDEX near_index ON near USING hnsw (v halfvec_cosine_ops)")
    database.execute("ANALYZE near; SET enable_seqscan = off")
    return time.perf_counter() - started


def written(vector: Vectors) -> str:
    return "[" + ",".join(f"{value:.6g}" for value in vector) + "]"


def index_megabytes(database: psycopg.Connection) -> int:
    row = database.execute("SELECT pg_relation_size('near_index') / 1048576").fetchone()
    assert row is not None
    return int(row[0])


def in_postgres(database: psycopg.Connection, where: str) -> Found:
    query = f"SELECT id FROM near WHERE {where} ORDER BY v <=> %s::halfvec LIMIT {SHOWN}".encode()  # noqa: S608
    return lambda item: [number for (number,) in database.execute(query, [written(item)]).fetchall()]


def in_process(rows: Vectors, signs: np.ndarray, allowed: Rows) -> Found:
    return lambda item: nearest(rows, signs, item, allowed, SHOWN)[0].tolist()


def tell(what: str, filtered: str, queries: Vectors, rows: Vectors, allowed: Rows, results: Found) -> None:
    taken, right = [], 0
    for query in queries:
        best = allowed[np.argsort(-(rows[allowed] @ query), kind="stable")[:SHOWN]]
        started = time.perf_counter()
        answer = results(query)
        taken.append(time.perf_counter() - started)
        right += len(set(answer) & set(best.tolist()))
    recall, milliseconds = right / (SHOWN * len(queries)), 1_000 * float(np.median(taken))
    print(f"  {filtered:4} {what:28} recall {recall:.3f}, {milliseconds:6.2f} ms")


if __name__ == "__main__":
    main(sys.argv[1:] or SIZES)

"""How long a search takes and what it could take at least. Writes "Latency" of bench/results/benchmarks.md.

    .venv/bin/python -m bench.latency [--requests 10000] [--sizes 1000,10000,100000]

Contenders take turns, query by query and in changing order, so that what else the machine does meets all of them alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bench import vector_latency
from bench.kept_vectors import KeptVectors
from bench.options import make_database, parser
from bench.page import circumstances, table, write_section
from bench.progress import progress
from bench.request_latency import EMBEDDING, REQUEST, measure_requests
from bench.search_latency import Seconds
from bench.vector_latency import LIMIT, Taken, measure_vectors
from memories.providers.embeddings import MiniLMEmbedder


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", type=sizes, default=[1_000, 10_000, 100_000], help="numbers of vectors")
    options.add_argument("--requests", type=int, default=10_000, help="memories of the app that requests are sent to")
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    model = MiniLMEmbedder()
    requested = measure_requests(given.requests, model, KeptVectors(model, given.cache))
    measured = {size: measure_vectors(size) for size in progress(given.sizes, "size")}
    body = render(given.requests, requested, measured, facts)
    write_section("Latency", body)
    print(body)


def sizes(text: str) -> list[int]:
    return [int(size) for size in text.split(",")]


def render(size: int, requested: Seconds, measured: Mapping[int, Mapping[str, Taken]], facts: str) -> str:
    requests = (
        f"**Whole requests**: `POST /api/v1/memories/search` in an app of {size:,} memories, through all that the "
        "server does but its socket (key, policy, search, counts written, JSON), its question embedded with "
        f"all-MiniLM-L6-v2, beside that embedding alone. Milliseconds of {len(requested[REQUEST])} questions of 14 "
        "tokens, in turns, one at a time; in brackets how many times the embedding."
    )
    vectors = (
        f"**The nearest vectors**: median milliseconds over {vector_latency.QUERIES} queries among so many clustered "
        f"unit vectors × {vector_latency.DIM}, float32, seeded; in brackets how many times the limit, which is reading "
        "the matrix once (`X.max()`); r is recall@10 against the exact order."
    )
    tables = [requests, request_table(requested), vectors, vector_table(measured)]
    return "\n\n".join([f"Measured {facts}", *tables])


def request_table(requested: Seconds) -> str:
    percentiles = {name: np.percentile(np.array(taken) * 1e3, [50, 95]) for name, taken in requested.items()}
    limit = percentiles[EMBEDDING]
    rows = [
        [name, *[f"{taken:.1f} ({taken / of_limit:.2f}×)" for taken, of_limit in zip(both, limit, strict=True)]]
        for name, both in percentiles.items()
    ]
    return table(["", "p50", "p95"], rows)


def vector_table(measured: Mapping[int, Mapping[str, Taken]]) -> str:
    names = next(iter(measured.values()))
    rows = [[name, *[cell(of_size[name], of_size[LIMIT]) for of_size in measured.values()]] for name in names]
    return table(["", *[f"{size:,}" for size in measured]], rows)


def cell(taken: Taken, limit: Taken) -> str:
    text = f"{taken.milliseconds:.2f} ({taken.milliseconds / limit.milliseconds:.2f}×)"
    return text if taken.recall is None else f"{text}, r {taken.recall:.3f}"


def spread(seconds: Sequence[float], digits: int = 1) -> str:
    """Milliseconds, p50 / p95."""
    middle, late = np.percentile(np.array(seconds) * 1e3, [50, 95])
    return f"{middle:.{digits}f}" if len(seconds) == 1 else f"{middle:.{digits}f} / {late:.{digits}f}"


if __name__ == "__main__":
    main()

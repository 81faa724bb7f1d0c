"""Searches beside those of mcp-memory-service, over HTTP, and of mem0, in process. Writes "Beside others" of
docs/benchmarks.md.

    .venv/bin/python -m bench.beside [--sizes 10000,100000] [--seconds 10]

Both servers have the same texts and are asked the same questions, by clients on the same machine, in turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import numpy as np

from bench.beside.clients import Door, Load, ask_all, ask_each_once
from bench.latency import sizes, spread
from bench.options import make_database, parser
from bench.page import circumstances, table, write_section
from bench.promises.site import LOOK_EVERY_SECONDS, PATIENCE_SECONDS, ROOT, Site, free_port
from bench.search_latency import DIM, QUESTION_WORDS, SEED, STOP_WORDS, TEXT_WORDS, fill_app, search, timed
from bench.synthetic import texts_of
from memories.providers.embeddings import HashEmbedder

PEERS = Path(".venv/peers/bin/python")
QUESTIONS, CLIENTS, ROUNDS, SHOWN = 200, 8, 3, 10
APP, OURS, THEIRS = "beside", "Memsite", "mcp-memory-service"
STORES = ("faiss", "qdrant")
Loads = dict[tuple[str, int], list[Load]]
"""By server and number of clients."""


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", type=sizes, default=[10_000, 100_000], help="numbers of memories")
    options.add_argument("--store-size", type=int, default=10_000, help="memories in mem0's stores")
    options.add_argument("--seconds", type=float, default=10.0, help="of each load")
    options.add_argument("--peers", type=Path, default=PEERS, help="the Python of the other systems' environment")
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    served = {size: serve_both(given.peers, size, given.seconds) for size in given.sizes}
    local = search_beside(given.peers, given.store_size)
    body = render(served, given.store_size, local, facts)
    write_section("Beside others", body)
    print(body)


# --- servers


def serve_both(peers: Path, size: int, seconds: float) -> Loads:
    """Of some rounds, in turns."""
    texts, questions = texts_of(size, TEXT_WORDS, SEED), asked()
    loads: Loads = {}
    with (
        tempfile.TemporaryDirectory(prefix="memsite-beside-") as folder,
        ours(Path(folder) / "ours", texts) as our_door,
        theirs(peers, Path(folder), texts) as their_door,
    ):
        doors = {
            OURS: (our_door, [json.dumps({"query": text, "limit": SHOWN}).encode() for text in questions]),
            THEIRS: (their_door, [json.dumps({"query": text, "n_results": SHOWN}).encode() for text in questions]),
        }
        for door, bodies in doors.values():
            found = [json.loads(answer)["results"] for answer in ask_each_once(door, bodies)]
            assert sum(map(bool, found)) > QUESTIONS / 2, "hardly anything is found"
        for _ in range(ROUNDS):
            for name, (door, bodies) in doors.items():
                for clients in (1, CLIENTS):
                    load = ask_all(door, bodies, clients, seconds / ROUNDS)
                    loads.setdefault((name, clients), []).append(load)
    return loads


@contextmanager
def ours(folder: Path, texts: Sequence[str]) -> Iterator[Door]:
    """As `manage.py serve` starts it: two web processes, a worker."""
    with Site(folder) as site:
        (key,) = site.new_app(APP)
        run(
            [*site.python, str(ROOT / "bench/beside/fill_site.py"), APP],
            texts,
            {**site.environment, "PYTHONPATH": str(ROOT)},
        )
        yield Door(site.port, "/api/v1/memories/search", {"Authorization": f"Bearer {key}"})


@contextmanager
def theirs(peers: Path, folder: Path, texts: Sequence[str]) -> Iterator[Door]:
    database, port = folder / "theirs.db", free_port()
    environment = {
        "MCP_MEMORY_ALLOW_HASH_EMBEDDINGS": "1",
        "MCP_MEMORY_BASE_DIR": str(folder),
        "MCP_MEMORY_SQLITE_PATH": str(database),
        "MCP_ALLOW_ANONYMOUS_ACCESS": "true",
    }
    run([str(peers), str(ROOT / "bench/beside/fill_peer.py"), str(database)], texts, environment)
    command = [str(peers), "-m", "uvicorn", "mcp_memory_service.web.app:app", "--port", str(port), "--log-level=error"]
    log = (folder / "theirs.log").open("wb")
    with log, subprocess.Popen(command, env={**os.environ, **environment}, stdout=log, stderr=log) as server:  # noqa: S603
        try:
            wait_for(f"http://127.0.0.1:{port}/api/health")
            yield Door(port, "/api/search")
        finally:
            server.terminate()


def run(command: Sequence[str], lines: Sequence[str], environment: dict[str, str]) -> str:
    """What it prints. CalledProcessError if it fails."""
    done = subprocess.run(  # noqa: S603  # our own
        command, input="\n".join(lines), env={**os.environ, **environment},
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def wait_for(address: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            if httpx.get(address, timeout=5).is_success:
                return
        except httpx.HTTPError:
            time.sleep(LOOK_EVERY_SECONDS)
    raise RuntimeError(f"{address} does not answer.")


def asked() -> list[str]:
    return texts_of(QUESTIONS, QUESTION_WORDS, SEED + 1, skipped=STOP_WORDS)


# --- in process


def search_beside(peers: Path, size: int) -> dict[str, list[float]]:
    """Seconds of each search, by what was searched."""
    embedder = HashEmbedder(DIM)
    app = fill_app(size, embedder, f"beside-{size}")
    questions = asked()
    search(app, questions[0], embedder)  # loads the index
    taken = {"Memsite, default search": [timed(partial(search, app, text, embedder)) for text in questions]}
    taken["Memsite, meaning alone"] = [timed(partial(search, app, text, embedder, mode="vector")) for text in questions]
    with tempfile.TemporaryDirectory(prefix="memsite-beside-") as folder:
        listed = Path(folder) / "questions.txt"
        listed.write_text("\n".join(questions))
        for store in STORES:
            command = [str(peers), str(ROOT / "bench/beside/mem0_search.py"), store, str(listed)]
            told = json.loads(run(command, texts_of(size, TEXT_WORDS, SEED), {}))
            taken[f"mem0 on {store}"] = told["search"]
    return taken


# --- what is told


def render(
    served: dict[int, Loads], store_size: int, local: dict[str, list[float]], facts: str
) -> str:  # fmt: skip
    over_http = (
        f"**Servers**: whole searches over HTTP, {QUESTIONS} questions again and again, so that their vectors are "
        f"kept; hashing vectors of {DIM} dimensions on both sides, texts of {TEXT_WORDS} words. Requests a second of "
        f"{CLIENTS} clients at a time, and milliseconds (p50 / p95) that one client alone waits; median of {ROUNDS} "
        "rounds, in turns. Clients and servers share the machine. Memsite is asked as `manage.py serve` starts it "
        "(two web processes), by meaning, words and neighbours, ranked, its counts written; mcp-memory-service 12.2 "
        "as it starts (one process), by meaning."
    )
    in_process = (
        f"**In process**: milliseconds, p50 / p95, of {QUESTIONS} questions to {store_size:,} memories; mem0 2.2 with "
        "the same kind of vectors, its search by meaning for one user."
    )
    head = ["", *[f"{size:,}: a second | {size:,}: alone" for size in served]]
    names = dict.fromkeys(name for name, _ in next(iter(served.values())))
    rows = [[name, *[server_cells(loads, name) for loads in served.values()]] for name in names]
    rows.append(["times as many", *[ratio_cells(loads) for loads in served.values()]])
    lines = [[name, spread(seconds)] for name, seconds in local.items()]
    head = [cell for one in head for cell in one.split(" | ")]
    rows = [[cell for one in row for cell in one.split(" | ")] for row in rows]
    return "\n\n".join([f"Measured {facts}", over_http, table(head, rows), in_process, table(["", "a search"], lines)])


def server_cells(loads: Loads, name: str) -> str:
    alone = [wait for load in loads[name, 1] for wait in load.waits]
    return f"{per_second(loads, name):.0f} | {spread(alone)}"


def ratio_cells(loads: Loads) -> str:
    ours_, theirs_ = (per_second(loads, name) for name in (OURS, THEIRS))
    return f"**{ours_ / theirs_:.1f}×** | "


def per_second(loads: Loads, name: str) -> float:
    return float(np.median([load.per_second for load in loads[name, CLIENTS]]))


if __name__ == "__main__":
    main()

"""Compare searches with mcp-memory-service's, over HTTP, and with mem0's, in process.

Writes "Beside others" of bench/results/performance.md.

    .venv/bin/python -m bench.beside [--sizes 10000,100000] [--store-size 10000] [--seconds 10]

Both servers have the same texts and are asked the same questions, by clients on the same machine, in turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx

from bench.beside.clients import Endpoint, ask_all, ask_each_once
from bench.beside.report import (
    ALIKE,
    BY_MEANING,
    CLIENTS,
    DEFAULT,
    OURS,
    THEIRS,
    Loads,
    Local,
    local_table,
    served_table,
)
from bench.hashing import DIM
from bench.latency import sizes
from bench.options import make_database, parser
from bench.page import PERFORMANCE, circumstances, write_section
from bench.promises.site import LOOK_EVERY_SECONDS, PATIENCE_SECONDS, ROOT, Site
from bench.search_latency import QUESTION_WORDS, SEED, STOP_WORDS, TEXT_WORDS, fill_app, search, store, timed
from bench.synthetic import texts_of
from memories.providers.embeddings import Embedder, HashEmbedder
from memories.store import Candidate
from memsite.tenancy.models import App
from tools.ports import free_port

PEERS = Path(".venv/peers/bin/python")
QUESTIONS, ROUNDS, SHOWN, WRITES = 200, 3, 10, 30
APP = "beside"
STORES = ("faiss", "qdrant")
CONNECTIONS = {OURS: 8, BY_MEANING: 8, THEIRS: 1}
"""So many, one after the other, lead to each of a server's processes, which have caches of their own."""


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", type=sizes, default=[10_000, 100_000], help="numbers of memories")
    options.add_argument("--store-size", type=int, default=10_000, help="memories in mem0's stores")
    options.add_argument("--seconds", type=float, default=10.0, help="of each load")
    options.add_argument("--peers", type=Path, default=PEERS, help="the Python of the other systems' environment")
    given = options.parse_args()
    make_database()
    facts = f"{circumstances(given.note)} The others run on Python {python_of(given.peers)}."
    served = {size: serve_both(given.peers, size, given.seconds) for size in given.sizes}
    local = work_beside(given.peers, given.store_size)
    body = render(served, given.store_size, local, facts)
    write_section("Beside others", body, PERFORMANCE)
    print(body)


# --- servers


def serve_both(peers: Path, size: int, seconds: float) -> Loads:
    """Of some rounds, in turns."""
    texts, questions = texts_of(size, TEXT_WORDS, SEED), questions_asked()
    loads: Loads = {}
    with (
        tempfile.TemporaryDirectory(prefix="memsite-beside-") as folder,
        ours(Path(folder) / "ours", texts) as our_endpoint,
        theirs(peers, Path(folder), texts) as their_endpoint,
    ):
        endpoints = {
            OURS: (our_endpoint, [json.dumps({"query": text, "limit": SHOWN}).encode() for text in questions]),
            BY_MEANING: (
                our_endpoint,
                [json.dumps({"query": text, "limit": SHOWN, "mode": "vector"}).encode() for text in questions],
            ),
            THEIRS: (their_endpoint, [json.dumps({"query": text, "n_results": SHOWN}).encode() for text in questions]),
        }
        for name, (endpoint, bodies) in endpoints.items():
            for _ in range(CONNECTIONS[name]):
                results = [json.loads(answer)["results"] for answer in ask_each_once(endpoint, bodies)]
                assert sum(map(bool, results)) > QUESTIONS / 2, "hardly anything is found"
        for _ in range(ROUNDS):
            for name, (endpoint, bodies) in endpoints.items():
                for clients in (1, CLIENTS):
                    load = ask_all(endpoint, bodies, clients, seconds / ROUNDS)
                    loads.setdefault((name, clients), []).append(load)
    return loads


@contextmanager
def ours(folder: Path, texts: Sequence[str]) -> Iterator[Endpoint]:
    """As `manage.py serve` starts it: two web processes, a worker."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "bench/beside/settings")])
    with Site(folder, PYTHONPATH=paths, DJANGO_SETTINGS_MODULE="hashing_settings") as site:
        (key,) = site.new_app(APP)
        run([*site.python, str(ROOT / "bench/beside/fill_site.py"), APP], texts, site.environment)
        yield Endpoint(site.port, "/api/v1/memories/search", {"Authorization": f"Bearer {key}"})


@contextmanager
def theirs(peers: Path, folder: Path, texts: Sequence[str]) -> Iterator[Endpoint]:
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
            yield Endpoint(port, "/api/search")
        finally:
            server.terminate()


def run(command: Sequence[str], lines: Sequence[str], environment: dict[str, str]) -> str:
    """Return what the command prints. Raise CalledProcessError if it fails."""
    done = subprocess.run(  # noqa: S603  # our own
        command, input="\n".join(lines), env={**os.environ, **environment},
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def python_of(peers: Path) -> str:
    """Its version."""
    return run([str(peers), "-c", "import platform; print(platform.python_version())"], [], {}).strip()


def wait_for(address: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            if httpx.get(address, timeout=5).is_success:
                return
        except httpx.HTTPError:
            time.sleep(LOOK_EVERY_SECONDS)
    raise RuntimeError(f"{address} does not answer.")


def questions_asked() -> list[str]:
    return texts_of(QUESTIONS, QUESTION_WORDS, SEED + 1, skipped=STOP_WORDS)


# --- in process


def work_beside(peers: Path, size: int) -> Local:
    """Search for each question, then write some texts, with mem0 stored halfway.

    Half of it is done with ours before mem0 stores its texts, half after that.
    """
    embedder = HashEmbedder(DIM)
    app = fill_app(size, embedder, f"beside-{size}")
    questions = questions_asked()
    search(app, questions[0], embedder)  # loads the index
    before = work(app, embedder, questions[::2], range(0, WRITES, 2))
    theirs = {f"mem0 on {provider}": mem0_on(provider, peers, size, questions) for provider in STORES}
    after = work(app, embedder, questions[1::2], range(1, WRITES, 2))
    ours = {
        name: {step: seconds + after[name][step] for step, seconds in taken.items()} for name, taken in before.items()
    }
    return ours | theirs


def work(app: App, embedder: Embedder, questions: Sequence[str], numbers: range) -> dict[str, dict[str, list[float]]]:
    taken: dict[str, dict[str, list[float]]] = {}
    for name, mode in ((DEFAULT, "auto"), (ALIKE, "vector")):
        taken[name] = {"search": [timed(partial(search, app, text, embedder, mode=mode)) for text in questions]}
    for name, dedupe in ((DEFAULT, True), (ALIKE, False)):
        fresh = [
            Candidate(content=f"{text} {mark(number, dedupe)}")
            for text, number in zip(questions, numbers, strict=False)
        ]
        taken[name]["write"] = [timed(partial(store, app, [item], embedder, dedupe=dedupe)) for item in fresh]
    return taken


def mark(number: int, dedupe: bool) -> str:
    """Return a word that no other text has, so that no two texts say the same."""
    return f"{'looked' if dedupe else 'fresh'}{number}"


def mem0_on(provider: str, peers: Path, size: int, questions: Sequence[str]) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory(prefix="memsite-beside-") as folder:
        listed = Path(folder) / "questions.txt"
        listed.write_text("\n".join(questions))
        command = [str(peers), str(ROOT / "bench/beside/mem0_search.py"), provider, str(listed), str(WRITES)]
        taken: dict[str, list[float]] = json.loads(run(command, texts_of(size, TEXT_WORDS, SEED), {}))
        return taken


# --- what is told


def render(served: Mapping[int, Loads], store_size: int, local: Local, facts: str) -> str:
    over_http = (
        f"**Servers**: whole searches over HTTP, {QUESTIONS} questions again and again, so that their vectors are "
        f"kept; hashing vectors of {DIM} dimensions on both sides, texts of {TEXT_WORDS} words. Two loads: requests a "
        f"second of {CLIENTS} clients at a time, and milliseconds (p50 / p95) that one client alone waits; {ROUNDS} "
        "rounds of each, in turns, and the median. Clients and servers share the machine. Memsite is asked as "
        "`manage.py serve` starts it (two web processes), by meaning, words and neighbours, ranked, its counts "
        "written twice a second, and in its second row by meaning alone (`mode: vector`), as mcp-memory-service 12.2 "
        "searches, which is asked as it starts (one process). Neither of them logs a request."
    )
    in_process = (
        f"**In process**: milliseconds, p50 / p95, of {QUESTIONS} questions to {store_size:,} memories, and of "
        f"{WRITES} writes of one memory, committed, half of Memsite's before mem0's and half after; in brackets how "
        "many times the median of the second row. mem0 2.2 with the same kind of vectors searches by meaning for one "
        "user, and writes what it is given (`infer=False`). Memsite by default searches by meaning, words and "
        "neighbours, and looks before a write whether it is known, or what it contradicts; its second row searches by "
        "meaning alone and writes without looking."
    )
    parts = [f"Measured {facts}", over_http, served_table(served), in_process, local_table(local)]
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()

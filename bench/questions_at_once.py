"""Measure how many questions a second are embedded for one client and for eight.

Writes "Questions at once" of bench/results/performance.md.

    .venv/bin/python -m bench.questions_at_once [--questions 400] [--rounds 5]

The embedder is the one that the server uses, all-MiniLM-L6-v2 in the process: what comes while it is at work is
embedded together. No question comes twice. Asked in one process, and as whole searches of a server.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import numpy as np

from bench.beside.clients import Endpoint, ask_each_once
from bench.options import parser
from bench.page import PERFORMANCE, circumstances, table, write_section
from bench.promises.site import PATIENCE_SECONDS, Site, answer_of
from bench.request_latency import QUESTION
from bench.search_latency import STOP_WORDS
from bench.synthetic import texts_of
from memories.index.app_embedder import current_embedder
from memories.providers.embeddings import Embedder
from memories.providers.embeddings.in_process import QUESTIONS_AT_ONCE

CLIENTS, BATCH, SEED = 8, 32, 5
ALONE = "one client"
CROWD = f"{CLIENTS} clients"
BATCHES = f"in batches of {BATCH}, all known before"
MEMORIES = 100
PerSecond = dict[str, list[float]]
"""Questions a second, by who asks; one of each round."""
Loads = dict[str, Callable[[Sequence[str]], object]]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--questions", type=int, default=400, help="of each load")
    options.add_argument("--rounds", type=int, default=5, help="in which the loads take turns")
    given = options.parse_args()
    facts = circumstances(given.note)
    in_process = measure(current_embedder(), given.questions, given.rounds)
    body = render(in_process, measure_served(given.questions, given.rounds), given.questions, facts)
    write_section("Questions at once", body, PERFORMANCE)
    print(body)


def measure(embedder: Embedder, questions: int, rounds: int) -> PerSecond:
    ask(embedder, CLIENTS, ["loads the model"])
    loads: Loads = {
        ALONE: partial(ask, embedder, 1),
        CROWD: partial(ask, embedder, CLIENTS),
        BATCHES: partial(embed_all, embedder),
    }
    return take_turns(loads, questions_of(questions * rounds * len(loads)), rounds)


def measure_served(questions: int, rounds: int) -> PerSecond:
    """Of a server as `manage.py serve` starts it, whose app is small: what a search costs beside, is little."""
    with (
        tempfile.TemporaryDirectory(prefix="memsite-at-once-") as folder,
        Site(Path(folder), MEMSITE_EMBEDDER="minilm") as site,
    ):
        (key,) = site.new_app("asked")
        endpoint = Endpoint(site.port, "/api/v1/memories/search", {"Authorization": f"Bearer {key}"})
        remember(site, endpoint)
        loads: Loads = {ALONE: partial(post, endpoint, 1), CROWD: partial(post, endpoint, CLIENTS)}
        # Others than in the process.
        fresh = [f"{text}, then" for text in questions_of(questions * rounds * len(loads))]
        return take_turns(loads, fresh, rounds)


def remember(site: Site, endpoint: Endpoint) -> None:
    """And let each process load its model, and find what is remembered."""
    memories = [{"content": text} for text in texts_of(MEMORIES, 12, SEED + 1)]
    address = f"{site.url}/api/v1/memories/batch"
    answer_of(httpx.post(address, json={"memories": memories}, headers=endpoint.headers, timeout=PATIENCE_SECONDS))
    for round_ in range(CLIENTS):
        post(endpoint, CLIENTS, [f"loads the model {round_} {number}" for number in range(CLIENTS)])


def take_turns(loads: Loads, questions: Sequence[str], rounds: int) -> PerSecond:
    """Yield the contestants, in the other order in every second round."""
    fresh = iter(np.array_split(questions, rounds * len(loads)))
    per_second: PerSecond = {name: [] for name in loads}
    for number in range(rounds):
        for name in loads if number % 2 else reversed(loads):
            texts = next(fresh).tolist()
            began = time.perf_counter()
            loads[name](texts)
            per_second[name].append(len(texts) / (time.perf_counter() - began))
    return per_second


def questions_of(count: int) -> list[str]:
    """As long as questions are; no two alike."""
    words = texts_of(count, 3, SEED, skipped=STOP_WORDS)
    return [QUESTION.format(*text.split()) + f" {number}" for number, text in enumerate(words)]


def ask(embedder: Embedder, clients: int, texts: Sequence[str]) -> None:
    share(clients, texts, partial(ask_each, embedder))


def ask_each(embedder: Embedder, texts: Sequence[str]) -> None:
    for text in texts:
        embedder.embed_query(text)


def post(endpoint: Endpoint, clients: int, texts: Sequence[str]) -> None:
    share(clients, texts, lambda some: ask_each_once(endpoint, [json.dumps({"query": text}).encode() for text in some]))


def share(clients: int, texts: Sequence[str], work: Callable[[Sequence[str]], object]) -> None:
    """Each client asks for its share of them, one after the other."""
    with ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(work, texts[number::clients]) for number in range(clients)]:
            done.result()


def embed_all(embedder: Embedder, texts: Sequence[str]) -> None:
    for start in range(0, len(texts), BATCH):
        embedder.embed_documents(texts[start : start + BATCH])


def render(in_process: PerSecond, served: PerSecond, questions: int, facts: str) -> str:
    rounds = len(in_process[ALONE])
    about = (
        f"Questions a second that are embedded with all-MiniLM-L6-v2, {questions} of about 16 tokens for each load, "
        f"none of them twice; median of {rounds} rounds, in turns. The ratio is that of a round to one client's, "
        f"median (lowest–highest); the goal for {CROWD} is 2×. What comes while the model runs is embedded together."
    )
    ours = (
        f"**One process**: the model runs for {QUESTIONS_AT_ONCE} of them at a time here, so that each of two web "
        "processes has half of the cores. The last row is the most that batches could give."
    )
    theirs = (
        "**The server**: whole searches over HTTP, as `manage.py serve` starts it (two web processes), in an app of "
        f"{MEMORIES} memories. Clients and server share the machine."
    )
    head = ["", "a second", "ratio"]
    tables = [ours, table(head, rows_of(in_process)), theirs, table(head, rows_of(served))]
    return "\n\n".join([f"Measured {facts}", about, *tables])


def rows_of(per_second: PerSecond) -> list[list[object]]:
    alone, rows = np.array(per_second[ALONE]), list[list[object]]()
    for name, results in per_second.items():
        ratios = np.array(results) / alone
        spread = f"{np.median(ratios):.2f}× ({ratios.min():.2f}–{ratios.max():.2f})"
        rows.append([name, f"{np.median(results):.0f}", spread])
    return rows


if __name__ == "__main__":
    main()

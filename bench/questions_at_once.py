"""How many questions a second are embedded for one client and for eight. Writes "Questions at once" of
docs/performance.md.

    .venv/bin/python -m bench.questions_at_once [--questions 400] [--rounds 5]

The embedder is the one that the server uses, all-MiniLM-L6-v2 in the process: what comes while it is at work is
embedded together. No question comes twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from bench.options import parser
from bench.page import PERFORMANCE, circumstances, table, write_section
from bench.request_latency import QUESTION
from bench.search_latency import STOP_WORDS
from bench.synthetic import texts_of
from memories.providers.embeddings import Embedder
from memories.providers.embeddings.minilm import QUESTIONS_AT_ONCE
from memories.retrieve.serving import current_embedder

CLIENTS, BATCH, SEED = 8, 32, 5
ALONE = "one client"
CROWD = f"{CLIENTS} clients"
BATCHES = f"in batches of {BATCH}, all known before"
PerSecond = dict[str, list[float]]
"""Questions a second, by who asks; one of each round."""


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--questions", type=int, default=400, help="of each load")
    options.add_argument("--rounds", type=int, default=5, help="in which the loads take turns")
    given = options.parse_args()
    facts = circumstances(given.note)
    body = render(measure(current_embedder(), given.questions, given.rounds), given.questions, facts)
    write_section("Questions at once", body, PERFORMANCE)
    print(body)


def measure(embedder: Embedder, questions: int, rounds: int) -> PerSecond:
    """The order is another one in every second round."""
    loads: dict[str, Callable[[Sequence[str]], object]] = {
        ALONE: partial(ask, embedder, 1),
        CROWD: partial(ask, embedder, CLIENTS),
        BATCHES: partial(embed_all, embedder),
    }
    fresh = iter(np.array_split(questions_of(questions * rounds * len(loads)), rounds * len(loads)))
    ask(embedder, CLIENTS, ["loads the model"])
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
    """Each client asks for its share of them, one after the other."""
    with ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(ask_each, embedder, texts[number::clients]) for number in range(clients)]:
            done.result()


def ask_each(embedder: Embedder, texts: Sequence[str]) -> None:
    for text in texts:
        embedder.embed_query(text)


def embed_all(embedder: Embedder, texts: Sequence[str]) -> None:
    for start in range(0, len(texts), BATCH):
        embedder.embed_documents(texts[start : start + BATCH])


def render(per_second: PerSecond, questions: int, facts: str) -> str:
    alone = np.array(per_second[ALONE])
    rows = []
    for name, found in per_second.items():
        ratios = np.array(found) / alone
        spread = f"{np.median(ratios):.2f}× ({ratios.min():.2f}–{ratios.max():.2f})"
        rows.append([name, f"{np.median(found):.0f}", spread])
    told = (
        f"Questions a second that are embedded with all-MiniLM-L6-v2, {questions} of about 16 tokens for each load, "
        f"none of them twice; median of {len(alone)} rounds, in turns. The ratio is that of a round to one client's, "
        f"median (lowest–highest); the goal for {CROWD} is 2×. What comes while the model runs is embedded together; "
        f"it runs for {QUESTIONS_AT_ONCE} of them at a time here, so that each of two web processes has half of the "
        "cores. The last row is the most that batches could give."
    )
    return "\n\n".join([f"Measured {facts}", told, table(["", "a second", "ratio"], rows)])


if __name__ == "__main__":
    main()

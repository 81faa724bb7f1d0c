"""Run in mem0's own environment: how long its search and its write take on a local store. Prints JSON, in seconds.

python mem0_search.py faiss questions.txt 30 < texts
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from hashlib import blake2b
from pathlib import Path
from typing import Any
from uuid import uuid4

DIM, SHOWN = 384, 10
USER = "bench"


class Hashing:
    """As ours: each word adds to one dimension."""

    config = None

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        counts = [0.0] * DIM
        for word in text.split():
            counts[int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "little") % DIM] += 1
        length = sum(count * count for count in counts) ** 0.5
        return [count / length for count in counts]


def make(provider: str, folder: Path) -> Any:
    from mem0 import Memory

    unused = {"provider": "openai", "config": {"api_key": "none"}}
    store = {"path": str(folder / "store"), "embedding_model_dims": DIM, "collection_name": "bench"}
    if provider == "qdrant":
        store["on_disk"] = True
    memory = Memory.from_config(
        {
            "vector_store": {"provider": provider, "config": store},
            "llm": unused,
            "embedder": unused,
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = Hashing()
    return memory


def measure(provider: str, texts: list[str], questions: list[str], writes: int, folder: Path) -> dict[str, list[float]]:
    memory, hashing = make(provider, folder), Hashing()
    payloads = [
        {"data": text, "user_id": USER, "hash": "", "created_at": "2026-01-01T00:00:00+00:00"} for text in texts
    ]
    memory.vector_store.insert(
        vectors=[hashing.embed(text) for text in texts], payloads=payloads, ids=[str(uuid4()) for _ in texts]
    )
    taken: dict[str, list[float]] = {"search": [], "write": []}
    for question in questions:
        began = time.perf_counter()
        match = memory.search(question, filters={"user_id": USER}, top_k=SHOWN)
        taken["search"].append(time.perf_counter() - began)
        assert match["results"], "nothing is found"
    for number, question in enumerate(questions[:writes]):
        began = time.perf_counter()
        memory.add(f"{question} fresh{number}", user_id=USER, infer=False)
        taken["write"].append(time.perf_counter() - began)
    return taken


if __name__ == "__main__":
    os.environ |= {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}
    questions = Path(sys.argv[2]).read_text().splitlines()
    with tempfile.TemporaryDirectory() as scratch:
        taken = measure(sys.argv[1], sys.stdin.read().splitlines(), questions, int(sys.argv[3]), Path(scratch))
    print(json.dumps(taken))

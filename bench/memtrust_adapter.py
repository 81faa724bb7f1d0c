"""Memsite behind the interface of memtrust-cli, run by that program's own Python: `bench.memtrust` starts it.

python bench/memtrust_adapter.py ADDRESS KEY NOTES      prints the harness's result as JSON
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

import httpx
from memtrust.adapters.base import (
    BackendAPIError,
    ConflictSignal,
    MemoryBackendAdapter,
    MemoryRecord,
    QueryResult,
    StoreResult,
)
from memtrust.evals.scale_stress import run_scale_stress_eval


class Memsite(MemoryBackendAdapter):  # type: ignore[misc]  # not installed beside ours
    """A note is stored by `POST /memories` and found by `POST /memories/search`."""

    name = "memsite"
    env_var = ""

    def __init__(self, address: str, key: str) -> None:
        self.http = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {key}"}, timeout=60)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        try:
            answer = self.http.post(path, json=body)
            answer.raise_for_status()
        except httpx.HTTPError as error:
            raise BackendAPIError(self.name, str(error)) from error
        return answer.json()

    def store(
        self, session_id: str, content: str, metadata: dict[str, str] | None = None, mode: str | None = None
    ) -> Any:
        timer = self._timed()
        output = self.post("memories", {"content": content, "user_id": session_id, "metadata": metadata or {}})
        return StoreResult(memory_id=output["id"], latency_ms=timer.elapsed_ms(), raw=output)

    def query(self, session_id: str, query: str, top_k: int = 5) -> Any:
        timer = self._timed()
        output = self.post("memories/search", {"query": query, "limit": top_k, "user_id": session_id})
        records = [
            MemoryRecord(
                memory_id=hit["id"], content=hit["content"], score=hit["score"], created_at=hit["created_at"],
                metadata={}, raw=hit,
            )
            for hit in output["results"]
        ]  # fmt: skip
        return QueryResult(
            records=records, conflict_signal=ConflictSignal.NOT_APPLICABLE, latency_ms=timer.elapsed_ms(), raw=output
        )

    def delete(self, session_id: str, memory_id: str) -> Any:
        raise NotImplementedError("the evaluation of scale deletes nothing")

    def update(self, session_id: str, memory_id: str, content: str) -> Any:
        raise NotImplementedError("the evaluation of scale updates nothing")


if __name__ == "__main__":
    print(json.dumps(asdict(run_scale_stress_eval(Memsite(sys.argv[1], sys.argv[2]), int(sys.argv[3])))))

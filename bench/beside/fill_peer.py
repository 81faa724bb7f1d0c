"""Run in mcp-memory-service's own environment: fills its database from lines on stdin.

    python fill_peer.py database.db < texts

Without a model it makes hashing vectors, of as many dimensions as ours: what is measured is the server, not a model.
"""

from __future__ import annotations

import asyncio
import sys

AT_ONCE = 500


async def fill(path: str, texts: list[str]) -> None:
    from mcp_memory_service.models.memory import Memory
    from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
    from mcp_memory_service.utils.hashing import generate_content_hash

    storage = SqliteVecMemoryStorage(path)
    await storage.initialize()
    for start in range(0, len(texts), AT_ONCE):
        memories = [
            Memory(content=text, content_hash=generate_content_hash(text), tags=["bench"])
            for text in texts[start : start + AT_ONCE]
        ]
        for is_stored, output in await storage.store_batch(memories):
            if not is_stored:
                raise RuntimeError(output)


if __name__ == "__main__":
    asyncio.run(fill(sys.argv[1], sys.stdin.read().splitlines()))

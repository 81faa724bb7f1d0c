"""Another process holds SQLite's write lock: who reads is answered as ever, and of those who write some at once."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field

import httpx

from bench.promises.site import Site

LONGEST_SECONDS = 1.0


@dataclass(slots=True)
class Outcome:
    writers: Counter[int] = field(default_factory=Counter)
    """How they were answered, while the lock was held; they sent again what was refused."""
    readers: Counter[int] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    """Of readers, in seconds."""
    afterwards: int = 0
    """How a write was answered when the lock was free."""

    @property
    def holds(self) -> bool:
        return self.writers.keys() == {503} and self.readers.keys() <= {200, 503} and self.afterwards == 201

    @property
    def is_quick(self) -> bool:
        return max(self.waits) < LONGEST_SECONDS


def hold_lock(site: Site, writers: int, readers: int, seconds: float) -> Outcome:
    (key,) = site.new_app("locked")
    with httpx.Client(base_url=f"{site.url}/api/v1/", headers={"Authorization": f"Bearer {key}"}) as client:
        body = {"content": "Whales sing"}
        client.post("memories", json=body, timeout=None).raise_for_status()
        with closing(sqlite3.connect(site.folder / "memsite.sqlite3", isolation_level=None, timeout=60)) as other:
            other.execute("BEGIN IMMEDIATE")
            outcome = asyncio.run(ask(site, key, writers, readers, seconds))
        outcome.afterwards = client.post("memories", json={"content": "Bears sleep"}, timeout=None).status_code
    return outcome


async def ask(site: Site, key: str, writers: int, readers: int, seconds: float) -> Outcome:
    """For so long; each at least once."""
    outcome, until = Outcome(), time.monotonic() + seconds
    async with site.client(key) as client, asyncio.TaskGroup() as group:
        for _ in range(writers):
            group.create_task(write(client, outcome, until))
        for _ in range(readers):
            group.create_task(read(client, outcome, until))
    return outcome


async def write(client: httpx.AsyncClient, outcome: Outcome, until: float) -> None:
    while True:
        answer = await client.post("memories", json={"content": "Nobody hears this"})
        outcome.writers[answer.status_code] += 1
        if time.monotonic() >= until:
            return
        await asyncio.sleep(float(answer.headers.get("Retry-After", 1)))


async def read(client: httpx.AsyncClient, outcome: Outcome, until: float) -> None:
    while not outcome.waits or time.monotonic() < until:
        started = time.perf_counter()
        answer = await client.post("memories/search", json={"query": "whales"})
        outcome.readers[answer.status_code] += 1
        outcome.waits.append(time.perf_counter() - started)

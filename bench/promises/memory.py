"""Requests of all kinds for as long as it takes: the memory of the web processes stays what it was after the first.

What they are about stays as much as it was: an app at its limit of memories, so that nothing but the requests adds up.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path

from bench.promises.mingle import ACTS, LATEST, REFUSED, Guest
from bench.promises.site import Site

APP = "memory"
MEMORIES = 2_000
"""The app's limit. With so many, what each thread keeps of the database is full soon."""
GUESTS, SAMPLES = 8, 20
FIRST_SHARE = 0.1
"""Of the requests, after which memory is taken for grown: what is kept of the last ones is full by then."""
MOST_GROWTH = 0.05


@dataclass(slots=True)
class Outcome:
    """`resident` are the bytes of each web process, by its id, after each of the `SAMPLES` shares of the requests."""

    statuses: Counter[int] = field(default_factory=Counter)
    resident: dict[int, list[int]] = field(default_factory=dict)
    restarted: bool = False

    @property
    def growth(self) -> dict[int, float]:
        """Of each process, the most that it had after the first requests, in shares of what it had then."""
        first = round(FIRST_SHARE * SAMPLES) - 1
        return {pid: max(output[first:]) / output[first] - 1 for pid, output in self.resident.items()}

    @property
    def holds(self) -> bool:
        return not self.restarted and all(status < 500 or status in REFUSED for status in self.statuses)

    @property
    def is_flat(self) -> bool:
        return max(self.growth.values()) <= MOST_GROWTH


def keep_asking(site: Site, requests: int, memories: int = MEMORIES, seed: int = 7) -> Outcome:
    """So many requests by some that ask at the same time, to an app that has as many memories as it may."""
    (key,) = site.new_app(APP, capture_summaries=True, tiered=True, memory_limit=memories)
    outcome = Outcome(resident={pid: [] for pid in site.parts()["web"]})
    asyncio.run(ask_all(site, key, requests, memories, seed, outcome))
    outcome.restarted = outcome.resident.keys() != set(site.parts()["web"])
    return outcome


async def ask_all(site: Site, key: str, requests: int, limit: int, seed: int, outcome: Outcome) -> None:
    memories, sessions = deque[str](maxlen=LATEST), deque[str](maxlen=LATEST)
    guests = [Guest(seed + number, memories, sessions) for number in range(GUESTS)]
    async with site.client(key) as agent:
        filled = [{"content": f"Gate {number} of the warehouse is closed"} for number in range(limit)]
        for start in range(0, limit, 100):
            await agent.post("memories/batch", json={"memories": filled[start : start + 100]})
        memories.append((await agent.post("memories", json={"content": "Whales sing"})).json()["id"])
        sessions.append((await agent.post("sessions", json={})).json()["id"])

        async def act(guest: Guest, acts: int) -> None:
            for _ in range(acts):
                method, path, body = guest.pick(ACTS)(guest)
                answer = await agent.request(method, path, json=body)
                outcome.statuses[answer.status_code] += 1
                if answer.status_code == 201 and path in ("memories", "sessions"):
                    (memories if path == "memories" else sessions).append(answer.json()["id"])

        for _ in range(SAMPLES):
            await asyncio.gather(*(act(guest, -(-requests // (SAMPLES * GUESTS))) for guest in guests))
            for pid, output in outcome.resident.items():
                output.append(resident_bytes(pid))


def resident_bytes(pid: int) -> int:
    """0 of a process that is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    output = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")), "0")
    return int(output) * 1024

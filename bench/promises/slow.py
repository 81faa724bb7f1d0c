"""Many connections send the header of a request, one byte of its body, and no more: all others are answered as ever."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

import httpx

from bench.promises.site import PATIENCE_SECONDS, Site

GUESTS = 8
LONGEST_SECONDS = 1.0
HEADER = (
    "POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    "{}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    strangers: Counter[int]
    """How those were answered that came without a key; 0 where the connection ended without an answer."""
    known: Counter[int]
    """And those with a good one."""
    statuses: Counter[int]
    """Of whoever sends whole requests meanwhile: 503 where the machine is too busy to read what has come at once."""
    waits: list[float]
    """Theirs, in seconds, sorted."""

    @property
    def p99(self) -> float:
        return self.waits[int(0.99 * (len(self.waits) - 1))]

    @property
    def holds(self) -> bool:
        are_refused = self.strangers.keys() <= {401} and self.known.keys() <= {408, 503}
        return are_refused and self.statuses[201] > 0 and self.statuses.keys() <= {200, 201, 503}

    @property
    def is_quick(self) -> bool:
        return self.p99 < LONGEST_SECONDS


def send_slowly(site: Site, strangers: int, known: int) -> Outcome:
    (key,) = site.new_app("slow")
    return asyncio.run(send_beside_guests(site, key, strangers, known))


async def send_beside_guests(site: Site, key: str, strangers: int, known: int) -> Outcome:
    """Guests come before the others, and stay until all of these are answered."""
    over, statuses, waits = asyncio.Event(), Counter[int](), list[float]()
    guests = [asyncio.create_task(visit(site, key, number, over, statuses, waits)) for number in range(GUESTS)]
    halves = [HEADER.format("")] * strangers + [HEADER.format(f"Authorization: Bearer {key}\r\n")] * known
    answers = await asyncio.gather(*(send_half(site, half) for half in halves))
    over.set()
    await asyncio.gather(*guests)
    return Outcome(Counter(answers[:strangers]), Counter(answers[strangers:]), statuses, sorted(waits))


async def send_half(site: Site, half: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    answer = b""
    with suppress(ConnectionError):
        writer.write(half.encode())
        answer = await asyncio.wait_for(reader.readline(), PATIENCE_SECONDS)
    writer.close()
    return int(answer.split()[1]) if answer else 0


async def visit(
    site: Site, key: str, number: int, over: asyncio.Event, statuses: Counter[int], waits: list[float]
) -> None:  # fmt: skip
    """Store something, and search for it."""
    async with site.client(key) as client:
        count = 0
        while not (count and over.is_set()):
            count += 1
            text = f"Door {number}-{count} is closed"
            for path, body in (("memories", {"content": text, "dedupe": False}), ("memories/search", {"query": text})):
                started = time.perf_counter()
                answer: httpx.Response = await client.post(path, json=body)
                statuses[answer.status_code] += 1
                waits.append(time.perf_counter() - started)

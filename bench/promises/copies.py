"""Each create is sent many times at once, with one Idempotency-Key: it happens once, and all are answered alike."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import dataclass

import httpx

from bench.promises.site import Site

IN_FLIGHT = 64
"""Requests that are under way at a time."""
LOOK_AGAIN_SECONDS = 0.02
CONTENT = "Copy {} of the archive is on tape"


@dataclass(frozen=True, slots=True)
class Outcome:
    keys: int
    requests: int
    statuses: Counter[int]
    created: int
    """Memories there in the end."""
    unlike: int
    """Keys with answers that differ from each other, or after the restart."""

    @property
    def holds(self) -> bool:
        return self.created == self.keys and not self.unlike and set(self.statuses) == {201}


def send_copies(site: Site, keys: int, copies: int, seed: int = 7) -> Outcome:
    """Send each message again with its key; the site is restarted in between, and each key is then sent once more."""
    (key,) = site.new_app("copies")
    order = [number for number in range(keys) for _ in range(copies)]
    # Copies of a key are near each other, so that they meet.
    chance = random.Random(seed)  # noqa: S311
    order.sort(key=lambda number: number + chance.uniform(0, 3))
    half = len(order) // 2
    answers: dict[int, list[bytes]] = {number: [] for number in range(keys)}
    statuses: Counter[int] = Counter()
    asyncio.run(send_all(site, key, order[:half], answers, statuses))
    site.restart()
    asyncio.run(send_all(site, key, [*order[half:], *range(keys)], answers, statuses))
    unlike = sum(len(set(bodies)) != 1 for bodies in answers.values())
    return Outcome(keys, len(order) + keys, statuses, len(site.everything(key, "memories")), unlike)


async def send_all(
    site: Site, key: str, numbers: list[int], answers: dict[int, list[bytes]], statuses: Counter[int]
) -> None:
    space = asyncio.Semaphore(IN_FLIGHT)

    async with site.client(key) as client:

        async def send_number(number: int) -> None:
            async with space:
                answer = await send(client, number)
            statuses[answer.status_code] += 1
            answers[number].append(answer.content)

        await asyncio.gather(*(send_number(number) for number in numbers))


async def send(client: httpx.AsyncClient, number: int) -> httpx.Response:
    """Asked again while a twin is at work (409) or too many wait for the database (503), as the API's rules say."""
    body = {"content": CONTENT.format(number), "dedupe": False}
    while True:
        answer = await client.post("memories", json=body, headers={"Idempotency-Key": f"copy-{number}"})
        if answer.status_code not in (409, 503):
            return answer
        await asyncio.sleep(LOOK_AGAIN_SECONDS)

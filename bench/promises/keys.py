"""Exactly as many writes as the policy says; revoked keys open nothing; replacing a key fails no request."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from http import HTTPStatus

import httpx

from bench.promises.site import Site, answer_of

MINUTE = 60
MOST_TRIES = 5
CONNECTIONS = 40
WARM = 100
"""Answers before the key is revoked."""


@dataclass(frozen=True, slots=True)
class Limited:
    limit: int
    statuses: Counter[int]
    stored: int

    @property
    def holds(self) -> bool:
        return self.statuses.keys() <= {201, 429} and self.statuses[201] == self.stored == self.limit


@dataclass(frozen=True, slots=True)
class Revoked:
    seconds: float
    """From the answer of the revocation to the last answer that the key was still given."""
    after: Counter[int]

    @property
    def holds(self) -> bool:
        return set(self.after) == {401}

    @property
    def is_quick(self) -> bool:
        return self.seconds < 1


@dataclass(frozen=True, slots=True)
class Rotated:
    statuses: Counter[int]
    rotations: int

    @property
    def holds(self) -> bool:
        return set(self.statuses) == {200}


def hit_limit(site: Site, requests: int, limit: int) -> Limited:
    """All at once, to all processes. Tried anew if that took a minute: then the first writes count no more."""
    for number in range(MOST_TRIES):
        (key,) = site.new_app(f"limited-{number}", writes_per_minute=limit)
        started = time.monotonic()
        statuses = asyncio.run(post_all(site, key, requests))
        if time.monotonic() - started < MINUTE:
            return Limited(limit, statuses, len(site.everything(key, "memories")))
    raise RuntimeError("The machine is too slow: so many requests take longer than a minute.")


async def post_all(site: Site, key: str, requests: int) -> Counter[int]:
    async with site.client(key, CONNECTIONS) as client:

        async def post(number: int) -> int:
            body = {"content": f"Crate {number} has arrived", "dedupe": False}
            answer = await client.post("memories", json=body)
            while answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE:  # busy: nothing was counted or stored
                await asyncio.sleep(float(answer.headers["Retry-After"]))
                answer = await client.post("memories", json=body)
            return answer.status_code

        return Counter(await asyncio.gather(*(post(number) for number in range(requests))))


def revoke(site: Site, rounds: int) -> Revoked:
    """Asked by many connections, so that each process is asked, before and after."""
    return asyncio.run(revoke_in_use(site, rounds))


async def revoke_in_use(site: Site, rounds: int) -> Revoked:
    (key,) = site.new_app("revoked")
    prefix = key.split("_")[1]
    revoked_at = float("inf")
    last = 0.0
    answered = 0
    after: Counter[int] = Counter()
    is_under_way, is_over = asyncio.Event(), asyncio.Event()

    async def ask(client: httpx.AsyncClient) -> None:
        nonlocal last, answered
        while not is_over.is_set():
            asked_at = time.perf_counter()
            status = (await client.get("memories")).status_code
            if asked_at > revoked_at:
                after[status] += 1
            if status == 200:
                last = time.perf_counter()
                answered += 1
            if answered >= WARM:
                is_under_way.set()
            if after.total() >= rounds:
                is_over.set()

    clients = [site.client(key, 1) for _ in range(8)]
    asking = [asyncio.create_task(ask(client)) for client in clients]
    await is_under_way.wait()
    async with site.client(site.operator_key) as operator:
        answer_of(await operator.delete(f"keys/{prefix}"))
    revoked_at = time.perf_counter()
    await asyncio.gather(*asking)
    for client in clients:
        await client.aclose()
    return Revoked(max(0.0, last - revoked_at), after)


def rotate(site: Site, rotations: int) -> Rotated:
    return asyncio.run(rotate_in_use(site, rotations))


async def rotate_in_use(site: Site, rotations: int) -> Rotated:
    """As docs/api.md has it: a second key, then nobody asks with the first one any more, then it is revoked."""
    keys = site.new_app("rotated")
    statuses: Counter[int] = Counter()
    waiting: Counter[str] = Counter()
    """Requests that are not answered yet, by their key."""
    is_over = asyncio.Event()

    async def ask(client: httpx.AsyncClient) -> None:
        while not is_over.is_set():
            key = keys[-1]
            waiting[key] += 1
            statuses[(await client.get("memories", headers={"Authorization": f"Bearer {key}"})).status_code] += 1
            waiting[key] -= 1
            question.set()

    question = asyncio.Event()
    clients = [site.client("", 1) for _ in range(8)]
    # One that is not answered at all ends the others.
    async with asyncio.TaskGroup() as asking, site.client(site.operator_key) as operator:
        for client in clients:
            asking.create_task(ask(client))
        for _ in range(rotations):
            old = keys[-1]
            keys.append(answer_of(await operator.post("apps/rotated/agents/a0/keys", json={}))["api_key"])
            before = statuses.total()
            # However often the others ask meanwhile: one may wait for a process that is busy with something else.
            while waiting[old] or statuses.total() < before + 10 * len(clients):
                question.clear()
                await question.wait()
            answer_of(await operator.delete(f"keys/{old.split('_')[1]}"))
        is_over.set()
    for client in clients:
        await client.aclose()
    return Rotated(statuses, rotations)

"""Agents that write and search through the balancer while hosts come and go: what was acknowledged, and when.

They ask as the client library does, with its timeouts and repeats. What fails all the same is sent again with the same
`Idempotency-Key` until it is acknowledged, and counts as failed.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import httpx

from memsite_client import AsyncMemsite, MemsiteError, ProblemError
from tools.hosts.network import address_of, inside
from tools.hosts.stand import Stand

# Names are of the hosts themselves: this process is of none.
URL = f"http://{address_of('balancer')}"
WRITERS, SEARCHERS = 4, 2
PAUSE_SECONDS = 0.05
AGAIN_SECONDS = 0.25
LEARNT_SECONDS = 120
MEMORY, STATEMENT = "Shelf {} is empty", "The probe {} takes {} seconds to answer"


class Over(Exception):
    """The load has ended, and this request was not answered."""


@dataclass(slots=True)
class Log:
    acknowledged: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often each text was, by kind."""
    answered: dict[str, list[float]] = field(default_factory=lambda: {"write": [], "search": []})
    """When, by what was asked."""
    slowest: dict[str, float] = field(default_factory=lambda: {"write": 0.0, "search": 0.0})
    """From the first try to the acknowledgement."""
    failed: Counter[str] = field(default_factory=Counter)
    """Requests that failed after the library's repeats."""
    moments: dict[str, float] = field(default_factory=dict)
    """When a statement was acknowledged, by the name of its probe."""
    ended: float = 0.0
    unanswered: int = 0
    """Requests that were not yet answered when the load ended: whether they were done, nobody knows."""

    def silence(self, kind: str) -> tuple[float, float]:
        """Return the longest time without an answer to anybody, and when it began after the first one, in seconds."""
        moments = [*sorted(moment for moment in self.answered[kind] if moment < self.ended), self.ended]
        return max((later - earlier, earlier - moments[0]) for earlier, later in pairwise(moments))


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a load."""

    writes: int
    searches: int
    lost: list[str]
    twice: list[str]
    unlearnt: list[str]
    """Of statements no memory was made, or more than one."""
    log: Log

    @property
    def holds(self) -> bool:
        return bool(self.writes) and not (self.lost or self.twice or self.unlearnt)


class Load:
    """Runs in a thread of its own, on the clients' host, in an app of its own."""

    def __init__(self, stand: Stand, name: str, *, statements: bool = True) -> None:
        self.stand, self.name, self.statements = stand, name, statements
        self.log = Log()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run, name=f"load-{name}", daemon=True)
        self.key = new_app(stand, name)

    def run(self) -> None:
        with inside("clients"):
            asyncio.run(self.work())

    async def work(self) -> None:
        writers = (self.write_on(number) for number in range(WRITERS))
        tasks = (*writers, *(self.search_on() for _ in range(SEARCHERS)))
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, BaseException) and not isinstance(outcome, Over):
                raise outcome

    async def write_on(self, number: int) -> None:
        async with AsyncMemsite(URL, self.key) as client:
            body = {"external_id": f"{self.name}-{number}", "user_id": f"user-{number}"}
            session = await self.until_done("write", lambda: client.create("sessions", body, f"session-{number}"))
            count = 0
            while not self.stop.is_set():
                count += 1
                for what, path, text in writes(str(session["id"]), f"{self.name[0]}{number}x{count}", self.statements):
                    await self.write(client, what, path, text)
                    await asyncio.sleep(PAUSE_SECONDS)

    async def write(self, client: AsyncMemsite, what: tuple[str, str], path: str, body: Any) -> None:
        key = ":".join(what)
        await self.until_done("write", lambda: client.create(path, body, key))
        self.log.acknowledged[what] += 1
        if what[0] == "message":
            self.log.moments[what[1].split()[2]] = time.monotonic()

    async def search_on(self) -> None:
        async with AsyncMemsite(URL, self.key) as client:
            while not self.stop.is_set():
                await self.until_done("search", lambda: client.search_memories("which shelf is empty", limit=5))
                await asyncio.sleep(PAUSE_SECONDS)

    async def until_done(self, kind: str, ask: Callable[[], Awaitable[Any]]) -> Any:
        begun = time.monotonic()
        while True:
            try:
                answer = await ask()
            except MemsiteError as error:
                if self.stop.is_set():
                    self.log.unanswered += 1
                    raise Over from error
                self.log.failed[described(error)] += 1
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            now = time.monotonic()
            self.log.answered[kind].append(now)
            self.log.slowest[kind] = max(self.log.slowest[kind], now - begun)
            return answer

    def check(self) -> Found:
        """Compare what is stored with what was acknowledged. Waits until all that was said is learnt."""
        with inside("clients"):
            wait_until_learnt(self.key)
            memories = [str(row["content"]) for row in everything(self.key, "memories")]
            resources = [row for row in everything(self.key, "resources") if row["role"] == "user"]
        stored = Counter(("memory", text) for text in memories)
        stored.update(("message", str(row["raw_content"])) for row in resources)
        learnt = {name: [text for text in memories if f"probe {name} " in text] for name in self.log.moments}
        return Found(
            self.log.acknowledged.total(),
            len(self.log.answered["search"]),
            [": ".join(what) for what in self.log.acknowledged if not stored[what]],
            [": ".join(what) for what in self.log.acknowledged if stored[what] > 1],
            [f"{name}: {texts}" for name, texts in learnt.items() if len(texts) != 1],
            self.log,
        )


@contextmanager
def under_load(stand: Stand, name: str, *, statements: bool = True) -> Iterator[Load]:
    load = Load(stand, name, statements=statements)
    load.thread.start()
    try:
        yield load
    finally:
        load.log.ended = time.monotonic()
        load.stop.set()
        load.thread.join()


def writes(session: str, name: str, statements: bool) -> Iterable[tuple[tuple[str, str], str, Any]]:
    """Yield (kind and text, path, body) of one of each kind."""
    shelf, statement = MEMORY.format(name), STATEMENT.format(name, 3)
    yield ("memory", shelf), "memories", {"content": shelf, "dedupe": False}
    if statements:
        yield (
            ("message", statement),
            f"sessions/{session}/messages",
            {"messages": [{"role": "user", "content": statement}]},
        )


def described(error: MemsiteError) -> str:
    return str(error.status) if isinstance(error, ProblemError) else str(error).split(": ")[-1][:60]


def new_app(stand: Stand, name: str) -> str:
    """Return an agent's key of a new app."""
    with inside("clients"), client_of(stand.operator_key) as operator:
        policy = {"writes_per_minute": 1_000_000}
        answer_of(operator.post("apps", json={"app_id": name, "name": name, "policy": policy}))
        return str(answer_of(operator.post(f"apps/{name}/agents", json={"name": "agent"}))["api_key"])


def client_of(key: str, url: str = URL) -> httpx.Client:
    # A web host answers to the balancer's name only.
    headers = {"Authorization": f"Bearer {key}", "Host": address_of("balancer")}
    return httpx.Client(base_url=f"{url}/api/v1/", headers=headers, timeout=60)


def answer_of(response: httpx.Response) -> dict[str, Any]:
    if not response.is_success:
        raise RuntimeError(f"{response.request.url} answered {response.status_code}: {response.text[:500]}")
    answer: dict[str, Any] = response.json()
    return answer


def everything(key: str, path: str) -> list[dict[str, Any]]:
    """Return all pages of a list. Call it on the clients' host."""
    rows: list[dict[str, Any]] = []
    with client_of(key) as client:
        address: str | None = f"{path}?limit=200"
        while address:
            page = answer_of(client.get(address))
            rows += page["results"]
            address = page["next"]
    return rows


def wait_until_learnt(key: str, seconds: float = LEARNT_SECONDS) -> None:
    until = time.monotonic() + seconds
    while any(row["status"] not in ("done", "dead") for row in everything(key, "extractions")):
        if time.monotonic() > until:
            return
        time.sleep(0.5)

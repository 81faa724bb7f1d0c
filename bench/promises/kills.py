"""Web and worker processes are killed with -9 while agents write: what was acknowledged is there, once."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

from bench.promises.site import Site

WRITERS = 6
MOST_BETWEEN = 40
"""Writes that are acknowledged between two kills, at most."""
LOOK_EVERY_SECONDS = 0.01
TRY_AGAIN_SECONDS = 0.05
PARTS = ("web", "web", "web", "worker", "all")
"""What is killed: as often one of the web processes as everything else."""
CHILDREN, RESTART = "children", "restart"
ROUND = ("web", "worker", "beat", CHILDREN)
"""What dies while the site goes on, which has to start it again by itself."""
LONGEST_SILENCE_SECONDS = 15.0
SAID = "The probe {} takes {} seconds to answer"
MEMORY = "Shelf {} is empty"
"""Nothing that is learnt from what is said has these words."""


@dataclass(slots=True)
class Written:
    """Texts that were acknowledged, and those of which nobody can say whether they arrived, by kind."""

    acknowledged: Counter[tuple[str, str]] = field(default_factory=Counter)
    unsure: set[tuple[str, str]] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)
    """Answers that no server should give."""


@dataclass(frozen=True, slots=True)
class Outcome:
    kills: Counter[str]
    restarts: int
    acknowledged: int
    unsure: int
    lost: list[str]
    doubled: list[str]
    broken: list[str]
    integrity: list[str]
    dead_work: int
    silence: float
    """Seconds that passed at most between two answers, but for restarts that we asked for."""

    @property
    def holds(self) -> bool:
        return not (self.lost or self.doubled or self.broken or self.integrity or self.dead_work)

    @property
    def is_quick(self) -> bool:
        return self.silence < LONGEST_SILENCE_SECONDS


def drawn(kills: int, seed: int = 7) -> list[str]:
    """So many parts to kill."""
    return random.Random(seed).choices(PARTS, k=kills)  # noqa: S311


def drawn_rounds(kills: int, seed: int = 7) -> list[str]:
    """Yield so many parts, each in turn in a random order.

    Between two turns the site is started anew: whoever dies ten times in ten minutes ends it.
    """
    chance = random.Random(seed)  # noqa: S311
    parts: list[str] = []
    for start in range(0, kills, len(ROUND)):
        parts += [RESTART, *chance.sample(ROUND, k=len(ROUND))[: kills - start]]
    return parts[1:]


def kill_under_load(site: Site, parts: Sequence[str], seed: int = 7) -> Outcome:
    """One process of each of the parts after the other. The site is running, and is running again in the end."""
    (key,) = site.new_app("kills")
    written = Written()
    listening = Listening(site)
    done, restarts = asyncio.run(load_and_kill(site, key, parts, random.Random(seed), written, listening))  # noqa: S311
    results = stored(site, key)
    lost = [f"{kind}: {text}" for kind, text in written.acknowledged if not results[kind, text]]
    doubled = [f"{kind}: {text}" for (kind, text), times in results.items() if times > 1]
    work = Counter(row["status"] for row in site.everything(key, "extractions"))
    problems = integrity(site)
    count = len(written.acknowledged)
    return Outcome(
        done, restarts, count, len(written.unsure), lost, doubled, written.broken, problems, work["dead"],
        listening.longest,
    )  # fmt: skip


async def load_and_kill(
    site: Site, key: str, parts: Sequence[str], chance: random.Random, written: Written, listening: Listening
) -> tuple[Counter[str], int]:
    """How many processes of each part were killed, and how often the whole site was started again."""
    stop = asyncio.Event()
    async with site.client(key) as client:
        writers = [asyncio.create_task(write_on(client, number, stop, written)) for number in range(WRITERS)]
        listener = asyncio.create_task(listening.listen(stop))
        killed: Counter[str] = Counter()
        restarts = 0
        for part in parts:
            if part == RESTART:
                await asyncio.to_thread(site.wait_until_ready)
                await listening.look()
                restarts += await start_unheard(site, listening)
                continue
            goal = len(written.acknowledged) + chance.randint(1, MOST_BETWEEN)
            while len(written.acknowledged) < goal or not kill(site, part, chance):
                if not site.is_running():
                    restarts += await start_unheard(site, listening)
                await asyncio.sleep(LOOK_EVERY_SECONDS)
            killed[part] += 1
        # One that was killed whole a moment ago may seem to run.
        if parts[-1] != "all" and site.is_running():
            await asyncio.to_thread(site.wait_until_ready)
        await listening.look()
        listening.is_meant = True
        # The last one killed may have been all of it; what is under way is answered by its successor.
        await asyncio.to_thread(start_again, site)
        restarts += 1
        stop.set()
        await asyncio.gather(listener, *writers)
    return killed, restarts


def kill(site: Site, part: str, chance: random.Random) -> bool:
    if part == CHILDREN:
        return site.is_running() and site.kill_children()
    return site.kill(part, chance.choice)


async def start_unheard(site: Site, listening: Listening) -> int:
    """Count one restart, during which the site is meant to be silent."""
    listening.is_meant = True
    await asyncio.to_thread(start_again, site)
    listening.begin()
    return 1


class Listening:
    """Asks all the time, on a new connection each time, and knows how long nobody answered."""

    def __init__(self, site: Site) -> None:
        self.url = f"{site.url}/healthz"
        self.longest = 0.0
        self.begin()

    def begin(self) -> None:
        """Count a silence from here on."""
        self.last = time.monotonic()
        self.is_meant = False

    async def listen(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            await self.look()
            await asyncio.sleep(TRY_AGAIN_SECONDS)

    async def look(self) -> None:
        with suppress(httpx.TransportError):
            async with httpx.AsyncClient(timeout=1) as client:
                if (await client.get(self.url)).is_success and not self.is_meant:
                    now = time.monotonic()
                    self.longest = max(self.longest, now - self.last)
                    self.last = now


def start_again(site: Site) -> None:
    """Whatever is left of it ends first."""
    site.stop()
    site.start()


async def write_on(client: httpx.AsyncClient, number: int, stop: asyncio.Event, written: Written) -> None:
    """Memories, messages and turns in turns, each until it is acknowledged, as a careful client would."""
    session = ""
    count = 0
    while not stop.is_set():
        if not session:
            session = await open_session(client, number, stop)
            continue
        count += 1
        for what, method, path, body in writes(session, f"p{number}x{count}", count):
            await write(client, what, method, path, body, written, stop)


def writes(session: str, name: str, count: int) -> Iterable[tuple[tuple[str, str], str, str, Any]]:
    """(kind and text, how to send it) for one of each kind."""
    shelf, statement = MEMORY.format(name), SAID.format(name, count)
    yield ("memory", shelf), "POST", "memories", {"content": shelf, "dedupe": False}
    messages = {"messages": [{"role": "user", "content": statement}]}
    yield ("message", statement), "POST", f"sessions/{session}/messages", messages
    turn = {"user_input": statement, "llm_output": "Noted."}
    yield ("turn", statement), "PUT", f"sessions/{session}/turns/{count}", turn


async def open_session(client: httpx.AsyncClient, number: int, stop: asyncio.Event) -> str:
    while not stop.is_set():
        try:
            answer = await client.post("sessions", json={"external_id": f"writer-{number}"})
        except httpx.TransportError:
            await asyncio.sleep(TRY_AGAIN_SECONDS)
            continue
        if answer.is_success:
            return str(answer.json()["id"])
        await asyncio.sleep(TRY_AGAIN_SECONDS)
    return ""


async def write(
    client: httpx.AsyncClient, what: tuple[str, str], method: str, path: str, body: Any, written: Written,
    stop: asyncio.Event,
) -> None:  # fmt: skip
    """Sent again with the same key until it is answered. 409: its first try was killed, and holds the key for now."""
    key = {"Idempotency-Key": ":".join(what)}
    while True:
        try:
            answer = await client.request(method, path, json=body, headers=key)
        except httpx.TransportError:
            if stop.is_set():
                written.unsure.add(what)
                return
            await asyncio.sleep(TRY_AGAIN_SECONDS)
            continue
        if answer.is_success:
            written.acknowledged[what] += 1
        elif answer.status_code == 409:
            written.unsure.add(what)
        elif answer.status_code == 503:
            await asyncio.sleep(TRY_AGAIN_SECONDS)
            continue
        else:
            written.broken.append(f"{answer.status_code}: {answer.text[:200]}")
        return


def stored(site: Site, key: str) -> Counter[tuple[str, str]]:
    """How often each text is there."""
    counter = Counter(("memory", row["content"]) for row in site.everything(key, "memories"))
    resources = [row for row in site.everything(key, "resources") if row["role"] == "user"]
    counter.update(("message", row["raw_content"]) for row in resources if row["turn_number"] is None)
    for session in site.everything(key, "sessions"):
        turns = site.everything(key, f"sessions/{session['id']}/turns")
        counter.update(("turn", row["user_input"]) for row in turns)
    return counter


def integrity(site: Site) -> list[str]:
    """Return what SQLite finds wrong; nothing where there is no such file."""
    database = site.folder / "memsite.sqlite3"
    if not database.exists():
        return []
    with closing(sqlite3.connect(database)) as copy:
        problems = [text for (text,) in copy.execute("PRAGMA integrity_check") if text != "ok"]
        problems += [f"{table}: a row points to nothing" for table, *_ in copy.execute("PRAGMA foreign_key_check")]
    return problems

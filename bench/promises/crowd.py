"""Many agents write at once while somebody looks at the pages and upkeep is under way: nobody waits long.

Who gets 503 asks again after the seconds that it names, as clients do. A wait begins with the first request.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx

from bench.promises.site import PATIENCE_SECONDS, ROOT, Site

LONGEST_ROUND_SECONDS = 300
LONGEST_SECONDS = 5
LOOK_EVERY_SECONDS = 1.0
MOST_REPEATS = 20
APP = "crowd"
DATABASE, BACKUPS = "memsite.sqlite3", "backups-by-hand"
PAGES = ("/", "/memories", "/sessions", "/events")
LOGIN, PASSWORD = "watcher", "seven-green-bottles"
CONTENT = "Gate {} of the warehouse is closed at {}"


@dataclass(frozen=True, slots=True)
class Outcome:
    posts: int
    seconds: float
    statuses: Counter[int]
    """Of posts and pages."""
    waits: list[float]
    """Of posts, in seconds, sorted."""
    pages: int
    rounds: int
    """Of upkeep."""
    lost: int
    not_backed_up: int
    """Of those acknowledged before a backup began that was made meanwhile, and put back elsewhere."""

    def quantile(self, share: float) -> float:
        return self.waits[min(len(self.waits) - 1, int(share * len(self.waits)))]

    @property
    def holds(self) -> bool:
        return not (self.lost or self.not_backed_up) and max(self.statuses) < 400 and self.rounds > 0

    @property
    def is_quick(self) -> bool:
        return self.quantile(0.99) < LONGEST_SECONDS


def write_together(site: Site, writers: int, posts: int) -> Outcome:
    keys = site.new_app(APP, writers)
    statuses: Counter[int] = Counter()
    acknowledged: dict[str, float] = {}
    started = time.perf_counter()
    with compacting(site) as rounds:
        pages, before = asyncio.run(write_and_look(site, keys, posts, statuses, acknowledged))
        seconds = time.perf_counter() - started
    lost = acknowledged.keys() - {row["content"] for row in site.everything(keys[0], "memories")}
    gone = before - put_back(site)
    waits = sorted(acknowledged.values())
    return Outcome(writers * posts, seconds, statuses, waits, pages, rounds[0], len(lost), len(gone))


@contextmanager
def compacting(site: Site) -> Iterator[list[int]]:
    """Upkeep in a process of its own, under way; in the end, the list has how many rounds there were.

    Before it begins it makes the login of who looks on.
    """
    rounds: list[int] = []
    program = subprocess.Popen(  # noqa: S603  # our own
        [*site.python, str(Path(__file__).with_name("compacting.py")), APP, LOGIN, PASSWORD],
        env={**site.environment, "PYTHONPATH": str(ROOT)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        if program.stdout:
            program.stdout.readline()
        yield rounds
    finally:
        output, _ = program.communicate(timeout=LONGEST_ROUND_SECONDS)
    if program.returncode:
        raise RuntimeError("Upkeep has failed.")
    rounds.append(int(output))


async def write_and_look(
    site: Site, keys: list[str], posts: int, statuses: Counter[int], acknowledged: dict[str, float]
) -> tuple[int, set[str]]:  # fmt: skip
    """How many pages were looked at, and what was acknowledged before the backup began."""
    over = asyncio.Event()
    looking = asyncio.create_task(look(site, over, statuses))
    backing_up = asyncio.create_task(back_up(site, acknowledged, len(keys) * posts // 4))
    async with asyncio.TaskGroup() as group:
        for number, key in enumerate(keys):
            group.create_task(write(site, key, number, posts, statuses, acknowledged))
    over.set()
    return await looking, await backing_up


async def back_up(site: Site, acknowledged: dict[str, float], least: int) -> set[str]:
    """By the command, once so many were acknowledged, while more are written. Nothing where there is no such file."""
    while len(acknowledged) < least:
        await asyncio.sleep(LOOK_EVERY_SECONDS / 10)
    before = set(acknowledged)
    if not (site.folder / DATABASE).exists():
        return set()
    await asyncio.to_thread(site.manage, "backup", "--to", str(site.folder / BACKUPS))
    return before


def put_back(site: Site) -> set[str]:
    """Return what the newest backup has, once it was verified and restored into a data directory of its own."""
    made = sorted((site.folder / BACKUPS).glob("memsite-*"))
    if not made:
        return set()
    with tempfile.TemporaryDirectory(prefix="memsite-restored-") as folder:
        site.manage_each(["verify", str(made[-1])], ["restore", str(made[-1])], MEMSITE_DATA_DIR=folder)
        with closing(sqlite3.connect(Path(folder) / DATABASE)) as copy:
            return {text for (text,) in copy.execute("SELECT content FROM memories_memory")}


def content(number: int, count: int) -> str:
    return CONTENT.format(f"{number}-{count}", f"{count % 24}:00")


async def write(
    site: Site, key: str, number: int, posts: int, statuses: Counter[int], acknowledged: dict[str, float]
) -> None:  # fmt: skip
    async with site.client(key) as client:
        for count in range(posts):
            body: dict[str, Any] = {"content": content(number, count), "dedupe": False}
            started = time.perf_counter()
            answer = await repeated(partial(client.post, "memories", json=body))
            statuses[answer.status_code] += 1
            if answer.is_success:
                acknowledged[body["content"]] = time.perf_counter() - started


async def repeated(ask: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    """Return the first answer that is not 503, or the last one."""
    answer = await ask()
    for _ in range(MOST_REPEATS):
        if answer.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
            break
        await asyncio.sleep(int(answer.headers.get("Retry-After", 1)))
        answer = await ask()
    return answer


async def look(site: Site, over: asyncio.Event, statuses: Counter[int]) -> int:
    """As somebody does who has the desk open, and looks at it all the time."""
    count = 0
    async with httpx.AsyncClient(base_url=site.url, timeout=PATIENCE_SECONDS) as browser:
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', (await browser.get("/login")).text)
        form = {"username": LOGIN, "password": PASSWORD, "csrfmiddlewaretoken": token[1] if token else ""}
        signed_in = await repeated(partial(browser.post, "/login", data=form))
        if signed_in.status_code != 302:
            raise RuntimeError(f"Cannot sign in: {signed_in.status_code}")
        while not (count and over.is_set()):
            for page in PAGES:
                answer = await browser.get(page, follow_redirects=True)
                statuses[answer.status_code] += 1
                count += 1
            await pause(over, LOOK_EVERY_SECONDS)
    return count


async def pause(over: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(over.wait(), seconds)
    except TimeoutError:
        return

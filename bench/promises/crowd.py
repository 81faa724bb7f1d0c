"""Many agents write at once while somebody looks at the pages and upkeep is under way: nobody waits long."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.promises.site import PATIENCE_SECONDS, ROOT, Site

LONGEST_ROUND_SECONDS = 300
LONGEST_SECONDS = 5
LOOK_EVERY_SECONDS = 1.0
APP = "crowd"
PAGES = ("/", "/memories", "/sessions", "/events")
LOGIN, PASSWORD = "watcher", "seven-green-bottles"
CONTENT = "Door {} of the warehouse is closed at {}"
MAKE_LOGIN = (
    f"from django.contrib.auth.models import User; User.objects.create_superuser({LOGIN!r}, password={PASSWORD!r})"
)


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

    def quantile(self, share: float) -> float:
        return self.waits[min(len(self.waits) - 1, int(share * len(self.waits)))]

    @property
    def holds(self) -> bool:
        return not self.lost and max(self.statuses) < 400 and self.rounds > 0

    @property
    def is_quick(self) -> bool:
        return self.quantile(0.99) < LONGEST_SECONDS


def write_together(site: Site, writers: int, posts: int) -> Outcome:
    keys = site.new_app(APP, writers)
    site.manage("shell", "--no-imports", "-c", MAKE_LOGIN)
    statuses: Counter[int] = Counter()
    waits: list[float] = []
    started = time.perf_counter()
    with compacting(site) as rounds:
        pages = asyncio.run(write_and_look(site, keys, posts, statuses, waits))
        seconds = time.perf_counter() - started
    sent = {content(number, count) for number in range(writers) for count in range(posts)}
    lost = sent - {row["content"] for row in site.everything(keys[0], "memories")}
    return Outcome(len(sent), seconds, statuses, sorted(waits), pages, rounds[0], len(lost))


@contextmanager
def compacting(site: Site) -> Iterator[list[int]]:
    """Upkeep in a process of its own; in the end, the list has how many rounds there were."""
    rounds: list[int] = []
    program = subprocess.Popen(  # noqa: S603  # our own
        [sys.executable, "-W", "ignore", str(Path(__file__).with_name("compacting.py")), APP],
        env={**site.environment, "PYTHONPATH": str(ROOT)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield rounds
    finally:
        told, _ = program.communicate(timeout=LONGEST_ROUND_SECONDS)
    if program.returncode:
        raise RuntimeError("Upkeep has failed.")
    rounds.append(int(told))


async def write_and_look(
    site: Site, keys: list[str], posts: int, statuses: Counter[int], waits: list[float]
) -> int:  # fmt: skip
    """How many pages were looked at."""
    over = asyncio.Event()
    looking = asyncio.create_task(look(site, over, statuses))
    async with asyncio.TaskGroup() as group:
        for number, key in enumerate(keys):
            group.create_task(write(site, key, number, posts, statuses, waits))
    over.set()
    return await looking


def content(number: int, count: int) -> str:
    return CONTENT.format(f"{number}-{count}", f"{count % 24}:00")


async def write(
    site: Site, key: str, number: int, posts: int, statuses: Counter[int], waits: list[float]
) -> None:  # fmt: skip
    async with site.client(key) as client:
        for count in range(posts):
            body = {"content": content(number, count), "dedupe": False}
            started = time.perf_counter()
            answer = await client.post("memories", json=body)
            waits.append(time.perf_counter() - started)
            statuses[answer.status_code] += 1


async def look(site: Site, over: asyncio.Event, statuses: Counter[int]) -> int:
    """As somebody does who has the desk open, and looks at it all the time."""
    count = 0
    async with httpx.AsyncClient(base_url=site.url, timeout=PATIENCE_SECONDS) as browser:
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', (await browser.get("/login")).text)
        form = {"username": LOGIN, "password": PASSWORD, "csrfmiddlewaretoken": token[1] if token else ""}
        signed_in = await browser.post("/login", data=form)
        if signed_in.status_code != 302:
            raise RuntimeError(f"Cannot sign in: {signed_in.status_code}")
        while not over.is_set():
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

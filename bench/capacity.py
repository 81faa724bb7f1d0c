"""What a host carries, by the processor time of each kind of request, and whether its apps wait for one another.

Writes "Capacity" of bench/results/performance.md.

    make bench-capacity [SIZE=10000 REQUESTS=200 APPS=64]

A site on a PostgreSQL of its own. Processor time is the processes' own (/proc, Linux): what else runs on the machine
makes it longer by what caches lose, not by waiting.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

import httpx
import psycopg
from django.conf import settings
from django.db import connection
from django.db.backends.signals import connection_created

from bench.conversations import make_app
from bench.options import make_database, parser
from bench.page import PERFORMANCE, circumstances, table, write_section
from bench.partitions import client_of, parsed
from bench.promises.site import PATIENCE_SECONDS, Site, answer_of
from bench.request_latency import QUESTION
from bench.search_latency import QUESTION_WORDS, SEED, STOP_WORDS, TEXT_WORDS, fill_app
from bench.synthetic import texts_of
from memories.index.app_embedder import current_embedder
from memories.models import Extraction
from memsite.tenancy.keys import create_key
from memsite.tenancy.models import Agent, App, AppPolicy

HOST_CORES, DATABASE_CORES = 8, 16
WEB, WORKER, DATABASE = "web", "worker", "database"
SEARCH, CONTEXT, WRITE, TURN = "a search", "a context", "a write", "a turn, with its extraction"
IDLE_SECONDS, LOOK_EVERY_SECONDS = 10.0, 0.1
WARM_UP = 20
COUNTS = "counts of accesses"
"""Written by a thread of their own, in a transaction for each app: who they wait for is of the same one."""
TICKS = os.sysconf("SC_CLK_TCK")
BLOCKED = """
SELECT a.application_name, b.application_name, a.wait_event, left(a.query, 60)
FROM pg_stat_activity a, unnest(pg_blocking_pids(a.pid)) AS holder JOIN pg_stat_activity b ON b.pid = holder
WHERE a.wait_event_type = 'Lock'
"""
SAMPLE_EVERY_SECONDS = 0.002
SPARE_CONNECTIONS = 20

Seconds = dict[str, float]
"""Of processor time, by who took them."""


@dataclass(frozen=True, slots=True)
class Apart:
    """What 64 apps that write at once wait for: samples of waits, and what was waited for."""

    requests: int
    samples: int
    within: Counter[str]
    """By kind of lock: one app's own sessions, for one another."""
    between: Counter[str]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--size", type=int, default=10_000, help="memories of the app")
    options.add_argument("--requests", type=int, default=200, help="of each kind")
    options.add_argument("--apps", type=int, default=64, help="that write at once")
    given = options.parse_args()
    make_database()
    facts = circumstances(given.note)
    embedding = seconds_of_embedding(given.requests)
    with patch.object(settings, "MEMSITE", replace(settings.MEMSITE, embedder="hash", relations="rules")):
        app = fill_app(given.size, current_embedder(), "capacity")
        AppPolicy.objects.filter(app=app).update(writes_per_minute=1_000_000)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        measured = measure(app, given.requests)
        apart = write_at_once(given.apps, max(1, given.requests // 10))
    body = render(measured, embedding, apart, given.size, given.requests, given.apps, facts)
    write_section("Capacity", body, PERFORMANCE)
    print(body)


def seconds_of_embedding(count: int) -> float:
    """Of one question, in this process, by the model that is the default."""
    embedder = current_embedder()
    embedder.embed_query("loads the model")
    began = time.process_time()
    for text in texts_of(count, QUESTION_WORDS, SEED + 7):
        embedder.embed_query(text)
    return (time.process_time() - began) / count


# --- processor time


def measure(app: App, count: int) -> dict[str, Seconds]:
    """Seconds of a request of each kind."""
    key = create_key(Agent.objects.for_app(app).get(), ["read", "write"]).text
    url = os.environ["TEST_DATABASE_URL"]
    environment = {"MEMSITE_EMBEDDER": "hash", "MEMSITE_RELATIONS": "rules", "MEMSITE_DATABASE_URL": url}
    with (
        tempfile.TemporaryDirectory(prefix="memsite-capacity-") as folder,
        Site(Path(folder), lambda _: True, **environment) as site,
        httpx.Client(headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE_SECONDS) as client,
    ):
        api = f"{site.url}/api/v1"
        session = answer_of(client.post(f"{api}/sessions", json={}))["id"]
        words = texts_of(2 * (count + WARM_UP), 3, SEED + 2, skipped=STOP_WORDS)
        questions = iter([QUESTION.format(*text.split()) + f" {n}" for n, text in enumerate(words)])
        facts = iter(texts_of(3 * (count + WARM_UP), TEXT_WORDS, SEED + 5))
        turns = iter(range(1, count + WARM_UP + 1))
        kinds: dict[str, Callable[[], Any]] = {
            SEARCH: lambda: client.post(f"{api}/memories/search", json={"query": next(questions)}),
            CONTEXT: lambda: client.post(f"{api}/context", json={"query": next(questions), "session_id": session}),
            WRITE: lambda: client.post(f"{api}/memories", json={"content": next(facts)}),
            TURN: lambda: client.put(
                f"{api}/sessions/{session}/turns/{next(turns)}",
                json={"user_input": f"I live in {next(facts).split()[0]}.", "llm_output": next(facts)},
            ),
        }
        assert site.process is not None
        processes = Processes(site.process.pid)
        for ask in kinds.values():  # indexes are loaded, statements prepared
            for _ in range(WARM_UP):
                answer_of(ask())
        wait_for_worker()
        idle, began = processes.seconds(), time.monotonic()
        time.sleep(IDLE_SECONDS)
        waited = time.monotonic() - began
        idle = {who: (now - idle[who]) / waited for who, now in processes.seconds().items()}
        return {kind: seconds_of(processes, idle, ask, count) for kind, ask in kinds.items()}


def seconds_of(processes: Processes, idle: Seconds, ask: Callable[[], Any], count: int) -> Seconds:
    before, began = processes.seconds(), time.monotonic()
    for _ in range(count):
        answer_of(ask())
    wait_for_worker()
    time.sleep(1)  # counts are written a moment later
    waited = time.monotonic() - began
    return {who: max(0, now - before[who] - idle[who] * waited) / count for who, now in processes.seconds().items()}


def wait_for_worker() -> None:
    """Until what was said is extracted."""
    until = time.monotonic() + PATIENCE_SECONDS
    while Extraction.objects.open().exists():  # of whatever app
        assert time.monotonic() < until, "the worker does not come to an end"
        time.sleep(LOOK_EVERY_SECONDS)


class Processes:
    """Those of a site and its database, which is on this machine."""

    def __init__(self, site: int) -> None:
        (folder,) = parse_qs(urlsplit(os.environ["TEST_DATABASE_URL"]).query)["host"]
        self.site, self.postmaster = site, int(Path(folder, "postmaster.pid").read_text().split()[0])
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            self.own = cursor.fetchone()[0]

    def seconds(self) -> Seconds:
        """Those of processes that have ended are their parent's."""
        values = dict.fromkeys((WEB, WORKER, DATABASE), 0.0)
        for root, name in ((self.site, ""), (self.postmaster, DATABASE)):
            for pid, command in descendants(root):
                if pid != self.own:
                    values[name or (WEB if "granian" in command else WORKER)] += processor_seconds(pid)
        return values


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """Yield it and all that it has started, with what they were started as."""
    with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
        yield pid, Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from descendants(int(child))


def processor_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


# --- apps beside one another


def write_at_once(count: int, rounds: int) -> Apart:
    """Each app has a client that stores, tells a turn, searches and deletes; locks are looked at meanwhile."""
    keys = [new_app(f"beside-{number}") for number in range(count)]
    thread_local = threading.local()

    def name_connection(connection: Any, **_: Any) -> None:
        name = getattr(thread_local, "app", COUNTS)
        connection.connection.execute("SELECT set_config('application_name', %s, false)", [name])

    def run(number: int) -> int:
        thread_local.app = f"beside-{number}"
        try:
            return sum(ask_round(keys[number], number, turn) for turn in range(1, rounds + 1))
        finally:
            connection.close()

    connection.pool.resize(1, count + SPARE_CONNECTIONS)  # type: ignore[attr-defined]  # PostgreSQL's
    connection_created.connect(name_connection)
    try:
        with looking_at_locks() as apart, ThreadPoolExecutor(count) as pool:
            requests = sum(pool.map(run, range(count)))
    finally:
        connection_created.disconnect(name_connection)
    return replace(apart, requests=requests, samples=apart.within.pop("samples"))


def new_app(name: str) -> str:
    app = make_app(name)
    AppPolicy.objects.filter(app=app).update(writes_per_minute=1_000_000)
    return create_key(Agent.objects.for_app(app).get(), ["read", "write"]).text


def ask_round(key: str, number: int, turn: int) -> int:
    """How many requests."""
    client = client_of(key)
    session = parsed(client, "post", "sessions", {"external_id": "s"})["id"]
    uid = parsed(client, "post", "memories", {"content": f"Heron {turn} of {number} stands in the reeds"})["id"]
    parsed(client, "put", f"sessions/{session}/turns/{turn}", {"user_input": f"I like tea number {turn}."})
    parsed(client, "post", "memories/search", {"query": "Who stands in the reeds?"})
    parsed(client, "post", "context", {"query": "Who stands in the reeds?", "session_id": session})
    parsed(client, "patch", f"memories/{uid}", {"importance": 5})
    parsed(client, "delete", f"memories/{uid}", {})
    return 7


@contextmanager
def looking_at_locks() -> Iterator[Apart]:
    apart, ended = Apart(0, 0, Counter(), Counter()), threading.Event()

    def look() -> None:
        with psycopg.connect(os.environ["TEST_DATABASE_URL"], autocommit=True) as server:
            while not ended.wait(SAMPLE_EVERY_SECONDS):
                apart.within["samples"] += 1
                for waiting, holding, event, query in server.execute(BLOCKED).fetchall():
                    is_own = waiting == holding or COUNTS in (waiting, holding)
                    counts = apart.within if is_own else apart.between
                    counts[event if is_own else f"{event}: {query}"] += 1

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield apart
    finally:
        ended.set()
        thread.join()


# --- what is told


def carried(seconds: Seconds, embedding: float) -> tuple[float, str]:
    """Return the requests a second of a host and its database, and which of the two ends it."""
    host = HOST_CORES / (seconds[WEB] + seconds[WORKER] + embedding)
    database = DATABASE_CORES / max(seconds[DATABASE], 1e-9)
    return min(host, database), "host" if host <= database else "database"


def render(
    measured: dict[str, Seconds], embedding: float, apart: Apart, size: int, count: int, apps: int, facts: str
) -> str:
    text = (
        f"Processor time of a request in an app of {size:,} memories on PostgreSQL, in milliseconds, {count} of each "
        f"kind one after the other, without what the processes take while nobody asks. From it, how many a second "
        f"{HOST_CORES} cores for web processes and workers and {DATABASE_CORES} for the database carry at most, and "
        f"whose cores end it. Vectors are hashing ones; the default model takes {1_000 * embedding:.1f} ms more for "
        "each question or text, on the host, and is counted in the last two columns."
    )
    rows = []
    for kind, seconds in measured.items():
        most, limit = carried(seconds, embedding)
        times = [f"{1_000 * seconds[who]:.2f}" for who in (WEB, WORKER, DATABASE)]
        rows.append([kind, *times, f"{most:,.0f}", limit])
    waits = ", ".join(f"{name} {n}" for name, n in sorted(apart.within.items())) or "none"
    beside = (
        f"**Apps beside one another**: {apps} apps wrote at once, {apart.requests:,} requests (sessions, memories, "
        f"turns, searches, contexts, changes, deletions), and locks were looked at {apart.samples:,} times. Sessions "
        f"of one app, and what writes its counts, waited for one another in {waits}; sessions of different apps in "
        f"{sum(apart.between.values())}{': ' if apart.between else ''}{'; '.join(sorted(apart.between))}."
    )
    head = ["", f"{WEB}, ms", f"{WORKER}, ms", f"{DATABASE}, ms", "a second, at most", "ended by the cores of"]
    return "\n\n".join([f"Measured {facts}", text, table(head, rows), beside])


if __name__ == "__main__":
    main()

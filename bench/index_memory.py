"""Several web processes and hosts on one PostgreSQL: what an index takes together, and how soon another host finds.

    .venv/bin/python -m tools.postgres .venv/bin/python -W ignore -m bench.index_memory --sizes 100000 1000000

Each process is a server of its own with MiniLM; those with one data directory are of one host. The memories are some
hundred, and copies of them by SQL: what is measured is the memory of processes, not what is found.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from django.db import connection

from bench.options import make_database, parser
from bench.page import PERFORMANCE, circumstances, table, write_section
from bench.search_latency import fill_app
from memories.index.app_embedder import current_embedder
from memories.index.index_cache import LEAST_ROWS
from memsite.tenancy.keys import create_key
from memsite.tenancy.models import Agent, AppPolicy
from tools.ports import free_port

PROCESSES, SEARCHES, WRITES, TEMPLATES = 4, 30, 100, 500
PATIENCE_SECONDS = 900.0
# Everything else is as in the copied row.
COPIED = """
INSERT INTO memories_memory ({names}) SELECT {values}
FROM memories_memory m, generate_series(%(first)s::bigint, %(last)s) AS copy
WHERE m.id > %(start)s AND m.id <= %(start)s + %(templates)s
"""
STORED = "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND is_generated = 'NEVER'"
# Made anew afterwards, which takes less time.
INDEXES = """
SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN ('memories_memory', 'memories_vector')
AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname)
"""
VECTORS = """
INSERT INTO memories_vector ({names}) SELECT {values}
FROM memories_memory m JOIN memories_vector v ON v.memory_id = %(start)s + 1 + (m.id - %(start)s - 1) %% %(templates)s
WHERE m.id > %(start)s + %(templates)s
"""


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--sizes", type=int, nargs="+", default=[500, 100_000])
    given = options.parse_args()
    make_database()
    rows = []
    for size in given.sizes:
        figures, delays = measure(fill(size), size)
        rows.append([f"{size:,} memories", *figures])
        body = f"{circumstances(given.note)}\n\n{render(rows, sorted(delays), size)}"
        write_section("Several processes and hosts", body, PERFORMANCE)
        print(body)


def render(rows: Sequence[Sequence[object]], delays: Sequence[float], size: int) -> str:
    head = ["", "one process", "four that started at once", "four, restarted", "first search, s"]
    median, most = statistics.median(delays), delays[int(0.95 * len(delays))]
    return f"""Megabytes of web processes with one data directory on PostgreSQL, what they share counted once (PSS),
with MiniLM loaded and after {SEARCHES} searches each. The one alone keeps no files (`MEMSITE_KEEP_INDEXES=false`); in
brackets four such processes, and its first search.

{table(head, rows)}

**Another host**, with a data directory of its own, has found what one host had written {median:.0f} ms after that one
answered (p50; p95 {most:.0f}, {delays[-1]:.0f} at most) in {len(delays)} writes to the app of {size:,}, its search
included."""


def fill(size: int) -> str:
    """Return the key of an agent whose app has so many memories."""
    app = fill_app(TEMPLATES, current_embedder(), f"app-{size}")
    AppPolicy.objects.filter(app=app).update(memory_limit=2 * size)
    with connection.cursor() as cursor:
        cursor.execute("SELECT min(id) - 1 FROM memories_memory WHERE app_id = %s", [app.pk])
        (start,) = cursor.fetchone()
        cursor.execute("SET session_replication_role = replica; SET maintenance_work_mem = '1GB'")
        cursor.execute(INDEXES)
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name}")
        # What was computed of a row is that of its copies.
        cursor.execute("ALTER TABLE memories_memory ALTER words DROP EXPRESSION IF EXISTS")
        values = {"start": start, "templates": TEMPLATES, "first": 1, "last": size // TEMPLATES - 1}
        number = f"copy * {TEMPLATES} + m.id"
        changed = {
            "id": number,
            "uid": "gen_random_uuid()",
            "change_number": f"{number} - {start}",
            "external_id": "NULL",
        }
        cursor.execute(statement(COPIED, "memories_memory", "m", changed), values)
        cursor.execute(statement(VECTORS, "memories_vector", "v", {"memory_id": "m.id"}, without="id"), values)
        for _, definition in indexes:
            cursor.execute(definition)
        cursor.execute(
            "UPDATE tenancy_app SET memory_count = %s, change_number = %s WHERE id = %s", [size, size, app.pk]
        )
        for name in ("memories_memory", "memories_vector"):
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [name, start + 2 * size])
        cursor.execute("RESET session_replication_role")
        for name in ("memories_memory", "memories_vector"):
            cursor.execute(f"VACUUM ANALYZE {name}")
    connection.close()
    return create_key(Agent.objects.create(app=app, name="agent"), ["read", "write"]).text


def statement(sql: str, name: str, alias: str, changed: dict[str, str], without: str = "") -> str:
    with connection.cursor() as cursor:
        cursor.execute(STORED, [name])
        names = [column for (column,) in cursor.fetchall() if column != without]
    return sql.format(names=", ".join(names), values=", ".join(changed.get(name, f"{alias}.{name}") for name in names))


def measure(key: str, size: int) -> tuple[list[object], list[float]]:
    """Return the cells of a table's row, and the milliseconds until another host found what was written."""
    with TemporaryDirectory() as ours, TemporaryDirectory() as theirs:
        with host(theirs, 1, MEMSITE_KEEP_INDEXES="false") as (alone,):
            first, apart = search_all([alone], key)[0], memory_of([alone])
        with host(ours, PROCESSES) as processes:
            search_all(processes, key, at_once=True)
            wait_until(lambda: size < LEAST_ROWS or any(Path(ours, "indexes").glob("*.index")))
            time.sleep(10)
            search_all(processes, key)
            at_once = memory_of(processes)
        with host(ours, PROCESSES) as processes, host(theirs, 1) as (other,):
            seconds = search_all(processes, key)[0]
            shared = memory_of(processes)
            search_all([other], key)
            delays = list(delays_between(processes[0], other, key))
    row: list[object] = [f"{apart:,.0f}", f"{at_once:,.0f}", f"{shared:,.0f} ({PROCESSES * apart:,.0f})"]
    return [*row, f"{seconds:.2f} ({first:.2f})"], delays


Process = tuple[str, int]
"""Its address, and its number."""


@contextmanager
def host(folder: str, count: int, **settings: str) -> Iterator[list[Process]]:
    web = ["--interface", "wsgi", "--no-ws", "--log-level", "error", "--blocking-threads", "4"]
    environment = {**os.environ, "MEMSITE_DATA_DIR": folder, **settings}
    with ExitStack() as running:
        processes = []
        for _ in range(count):
            port = free_port()
            command = [sys.executable, "-W", "ignore", "-m", "granian", *web, "--port", str(port)]
            process = running.enter_context(
                subprocess.Popen([*command, "memsite.config.wsgi:application"], env=environment)  # noqa: S603
            )
            running.callback(process.terminate)
            processes.append((f"http://127.0.0.1:{port}", process.pid))
        for url, _ in processes:
            wait_until(lambda url=url: answers(url))
        yield processes


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").is_success
    except httpx.TransportError:
        return False


def wait_until(holds: Any) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.1)


def post(process: Process, path: str, key: str, body: dict[str, Any]) -> Any:
    headers = {"Authorization": f"Bearer {key}"}
    answer = httpx.post(f"{process[0]}/api/v1/{path}", json=body, headers=headers, timeout=PATIENCE_SECONDS)
    return answer.raise_for_status().json()


def search_all(processes: Sequence[Process], key: str, *, at_once: bool = False) -> list[float]:
    """Return the seconds of each one's first search; some more follow."""

    def ask(process: Process) -> float:
        began = time.perf_counter()
        post(process, "memories/search", key, {"query": "what is known"})
        seconds = time.perf_counter() - began
        for number in range(SEARCHES):
            post(process, "memories/search", key, {"query": f"babace fohagu {number}"})
        return seconds

    with ThreadPoolExecutor(len(processes) if at_once else 1) as pool:
        return list(pool.map(ask, processes))


def memory_of(processes: Sequence[Process]) -> float:
    """Return their megabytes together, what they share counted once."""
    return sum(pss for _, parent in processes for pss in map(pss_of, [parent, *children_of(parent)])) / 1024


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def pss_of(pid: int) -> int:
    """Return its kilobytes, of what others have too its share."""
    match = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    assert match
    return int(match[1])


def delays_between(writer: Process, other: Process, key: str) -> Iterator[float]:
    for number in range(WRITES):
        text = f"Whale number {number} sings at {time.time_ns()}"
        post(writer, "memories", key, {"content": text})
        written = time.perf_counter()
        while True:
            hits = post(other, "memories/search", key, {"query": text})["results"]
            if any(hit["content"] == text for hit in hits):
                break
        yield 1_000 * (time.perf_counter() - written)


if __name__ == "__main__":
    main()

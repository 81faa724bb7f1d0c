"""bench/results/benchmarks.md and bench/results/performance.md: each script writes its own section of one of them."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).resolve().parent / "results"
BENCHMARKS, PERFORMANCE = RESULTS / "benchmarks.md", RESULTS / "performance.md"
TITLES = {
    BENCHMARKS: """# Benchmark results

Written by `make bench`, never by hand. [bench/README.md](../README.md) explains how to run it, and
[docs/benchmarks.md](../../docs/benchmarks.md) sums it up. Results beside other systems, on PostgreSQL and for growing
apps are in [performance.md](performance.md).
""",
    PERFORMANCE: """# Performance results

Memsite beside other memory systems, on SQLite and on PostgreSQL, with few memories and with many, under one client and
under eight. [docs/performance.md](../../docs/performance.md) sums it up and compares it with the goals. Recall, the
latency of each step, the dashboard and upkeep are in [benchmarks.md](benchmarks.md).

Written by `make bench-performance`, never by hand; a missing section has not been measured yet. Its parts write a
section each: `make bench-beside`, `make bench-growth`, `make bench-pgvector`, `make bench-at-once`,
`make bench-import` and `make bench-proxy`.
`make bench-partitions`, `make bench-capacity` and `make bench-index` are separate. `SIZES=1000 STORE=1000 SECONDS=1
QUESTIONS=20` gives a quick look; `NOTE="quiet"` adds a remark for readers.
""",
}


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Markdown; the first column is text, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write_section(title: str, body: str, page: Path = BENCHMARKS) -> None:
    """Put the section in the place of the one of that title, or at the end."""
    text = page.read_text() if page.exists() else TITLES.get(page, TITLES[BENCHMARKS])
    section = f"## {title}\n\n{body.strip()}\n"
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    if pattern.search(text):
        text = pattern.sub(lambda item: section + ("\n" if item.end() < len(text) else ""), text)
    else:
        text = f"{text.rstrip()}\n\n{section}"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text)


def circumstances(note: str) -> str:
    """When and on what it was measured, as one paragraph."""
    threads = os.environ.get("OMP_NUM_THREADS", "as many as there are cores")
    facts = [
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"{processor()}, {os.cpu_count()} cores",
        f"OMP_NUM_THREADS {threads}",
        f"Python {platform.python_version()}, NumPy {np.__version__}, SQLite {sqlite3.sqlite_version}",
        f"load average before {os.getloadavg()[0]:.1f}",
        note,
    ]
    return "; ".join(fact for fact in facts if fact) + "."


def processor() -> str:
    """Linux tells its name; elsewhere the architecture has to do."""
    path = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.+)$", path.read_text(), re.MULTILINE) if path.exists() else []
    return names[0] if names else platform.machine()

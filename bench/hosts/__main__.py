"""Breaks one host after the other while agents write, and prints what came of it: `make hosts-promises`.

    sudo .venv/bin/python -m bench.hosts [--only web,cut] [--write bench/results/promises.md]

Takes about ten minutes; exits with 1 if a promise does not hold.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from bench.hosts.faults import FAULTS, Result
from bench.page import circumstances, write_section
from tools.hosts.stand import Stand

TITLE = "Several hosts"
INTRODUCTION = (
    "`make hosts-promises`: balancer, two web hosts, worker, two databases, PgBouncer and Redis, each in a network "
    "namespace of one machine. Four writers and two searchers ask through the balancer as the client library does. "
    "*Silent*: the longest time in which nobody's write, or nobody's search, was answered, and what is promised. "
    "*Slowest*: from a request's first try to its answer. *Failed*: after the library's repeats; sent again with the "
    "same key until answered."
)
HEAD = "| fault | writes | lost | twice | silent, s | slowest, s | failed | beside |\n|---|---|---|---|---|---|---|---|"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default=",".join(FAULTS), type=names, help=f"of {', '.join(FAULTS)}")
    options.add_argument("--write", type=Path, help="put the table into this page, in the place of the last one")
    options.add_argument("--note", default="", help="what else a reader of the figures should know")
    given = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print(circumstances(given.note), flush=True)
    all_hold, rows = True, {}
    with tempfile.TemporaryDirectory(prefix="memsite-hosts-", ignore_cleanup_errors=True) as folder:
        begun = time.monotonic()
        with Stand(Path(folder), MEMSITE_EMBEDDER="hash", MEMSITE_LOG_LEVEL="WARNING") as stand:
            print(f"Eight hosts are there after {time.monotonic() - begun:.0f} s.", flush=True)
            for name in given.only:
                title, fault = FAULTS[name]
                begun = time.monotonic()
                result = fault(stand)
                all_hold = all_hold and result.holds
                rows[name] = row(title, result)
                verdict = "holds" if result.holds else "DOES NOT HOLD"
                print(f"{name}: {verdict} ({time.monotonic() - begun:.0f} s)\n{rows[name]}", flush=True)
                print("\n".join(details(result)), flush=True)
            traces = tracebacks(Path(folder))
            print(f"{len(traces)} tracebacks in the logs.", *traces[:5], sep="\n", flush=True)
    if given.write:
        write_table(given.write, rows.values())
    return 0 if all_hold else 1


def names(text: str) -> list[str]:
    chosen = text.split(",")
    if not FAULTS.keys() >= set(chosen):
        raise argparse.ArgumentTypeError(f"some of {', '.join(FAULTS)}, with commas")
    return chosen


def row(title: str, result: Result) -> str:
    check, log = result.check, result.check.log
    failed = ", ".join(f"{count} × {what}" for what, count in sorted(log.failed.items())) or "0"
    return (
        f"| {title} | {check.writes:,} | {len(check.lost)} | {len(check.twice)} | {result.silence:.1f} "
        f"(≤ {result.most_silent:.0f}) | {max(log.slowest.values()):.1f} | {failed} | {result.note} |"
    )


def details(result: Result) -> list[str]:
    log = result.check.log
    silences = ", ".join("{} {:.1f} s from {:.0f} s on".format(kind, *log.silence(kind)) for kind in log.answered)
    problems = (*result.check.lost[:3], *result.check.twice[:3], *result.check.unlearnt[:3])
    return [f"  silent: {silences}; {result.check.searches:,} searches", *(f"  {problem}" for problem in problems)]


def tracebacks(folder: Path) -> list[str]:
    """Return the last lines of those in Memsite's logs, with their hosts."""
    lines = []
    for log in sorted(folder.glob("*-*.log")):
        text = log.read_text(errors="replace")
        lines += [f"{log.stem}: {part[:1500]}" for part in text.split("Traceback (most recent call last)")[1:]]
    return lines


def write_table(page: Path, rows: Iterable[str]) -> None:
    """Put the rows into the page's section, each in the place of an earlier one of its fault."""
    lines = (line for line in page.read_text().splitlines() if line.startswith("| "))
    rows_of_fault = {line[2:].split(" | ")[0]: line for line in lines} | {
        line[2:].split(" | ")[0]: line for line in rows
    }
    listed = [rows_of_fault[title] for title, _ in FAULTS.values() if title in rows_of_fault]
    write_section(TITLE, "\n".join((INTRODUCTION, "", circumstances(""), "", HEAD, *listed)), page)


if __name__ == "__main__":
    sys.exit(main())

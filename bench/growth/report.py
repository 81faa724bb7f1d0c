"""What is told of the figures: what each step costs on each database, how it grows, and whether goals are met."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from bench.growth.steps import (
    AFTER,
    ASKED,
    CAPACITY,
    ELSEWHERE,
    FIRST,
    FOLLOWING,
    FOUND,
    REQUEST,
    START,
    UNDISTURBED,
    UNSYNCED,
    WRITE,
)
from bench.hashing import DIM
from bench.latency import spread
from bench.page import table
from bench.search_latency import QUESTION_WORDS, STOP_WORDS, TEXT_WORDS, Seconds

Measured = Mapping[int, Mapping[str, Seconds]]
"""Seconds by size, database and step."""
Value = Callable[[Measured, int, str], str]
"""Of a goal, by size and database."""


ALIKE = (
    "such as all-MiniLM-L6-v2 has of turns of conversations (LoCoMo, REALTALK) and of questions about them, drawn by "
    "the hash of a text: each of a turn with half of what lies between two others added"
)
HASHING = f"hashing ones of {DIM} dimensions"
"""What vectors there are."""


def render(measured: Measured, facts: str, vectors: str) -> str:
    base, *_ = next(iter(measured.values())).values()
    text = (
        f"Texts of {TEXT_WORDS} and questions of {QUESTION_WORDS} words, as frequent as in a language but for the "
        f"{STOP_WORDS} most frequent ones, which no question has; half of the memories are turns of sessions. Vectors "
        f"are {vectors}; a vector is made within 0.1 ms, which is included in writes; those of questions are kept. "
        f"Milliseconds, p50 / p95, one at a time: {len(base[REQUEST])} requests (`POST "
        "/api/v1/memories/search`, through all that the server does but its socket) and searches, "
        f"{len(base[WRITE])} writes without looking what is known and as many with it, "
        f"{len(base[START])} starts of sessions, {len(base[FIRST])} loads; in "
        "brackets how many times SQLite's median. Indexes of 10,000 memories and more are kept beside an SQLite "
        "database; the file is in the system's cache. A write's transaction is from before it begins to after its "
        "commit; statements and commit are what of that is waited for the database; then it brings the index of its "
        "process up to date, as somebody has searched. Between two of these writes are searches, which leave little of "
        "what a write needs in the processor's cache; others follow right upon each other. All databases have what is "
        "written on disk before they answer (`synchronous=FULL`; `fsync`), but where a write waits for no disk "
        "(`synchronous=NORMAL`). PostgreSQL is on a socket of the same machine, with the vectors in the process, and "
        f"then with the same app's in pgvector, whose index is made and held in {CAPACITY}."
    )
    tables = [step_table(size, of_size) for size, of_size in measured.items()]
    return "\n\n".join([f"Measured {facts}", text, *tables, "The goals, and how it grows:", goal_table(measured)])


def step_table(size: int, of_size: Mapping[str, Seconds]) -> str:
    base, *_ = of_size.values()
    rows = [
        [step, *[cell(seconds.get(step, ()), base[step], seconds is base) for seconds in of_size.values()]]
        for step in base
    ]
    return table([f"{size:,} memories", *of_size], rows)


def cell(seconds: Sequence[float], base: Sequence[float], is_base: bool) -> str:
    if not seconds:
        return "–"
    return spread(seconds) if is_base else f"{spread(seconds)} ({median(seconds) / median(base):.1f}×)"


def goal_table(measured: Measured) -> str:
    """Return a column for each size, and a row for each goal and database that was measured."""
    databases = dict.fromkeys(name for of_size in measured.values() for name in of_size)
    rows = [
        [f"{goal}: {name}", *[value(measured, size, name) if name in measured[size] else "–" for size in measured]]
        for goal, value in GOALS.items()
        for name in databases
    ]
    output = [row for row in rows if set(row[1:]) != {"–"}]
    return table(["", *[f"{size:,}" for size in measured]], output)


def after_a_write(measured: Measured, size: int, database: str, step: str = AFTER) -> str:
    seconds = measured[size][database]
    both = np.percentile(seconds[step], (50, 95)) / np.percentile(seconds[UNDISTURBED], (50, 95))
    return " / ".join(f"{ratio:.2f}×" for ratio in both)


def asked_by_a_write(measured: Measured, size: int, database: str, step: str = ASKED) -> str:
    seconds = measured[size][database].get(step)
    return spread(seconds, 2) if seconds else "–"


def loading(measured: Measured, size: int, database: str) -> str:
    return f"{median(measured[size][database][FIRST]):.2f} s"


def finding(measured: Measured, size: int, database: str) -> str:
    seconds = measured[size][database].get(FOUND)
    return f"{median(seconds):.2f} s" if seconds else "–"


def beside_sqlite(measured: Measured, size: int, database: str) -> str:
    base, *_ = measured[size].values()
    return f"{median(measured[size][database][REQUEST]) / median(base[REQUEST]):.2f}×"


def beside_the_smallest(measured: Measured, size: int, database: str) -> str:
    smallest = measured[min(item for item in measured if database in measured[item])]
    return f"{median(measured[size][database][REQUEST]) / median(smallest[database][REQUEST]):.2f}×"


def median(seconds: Sequence[float]) -> float:
    return float(np.median(seconds))


GOALS: Mapping[str, Value] = {
    "a search right after a write, beside the undisturbed one, p50 / p95 (at most 1.2×)": after_a_write,
    "a search right after a write of another process, beside it": partial(after_a_write, step=ELSEWHERE),
    "statements and commit of a write between searches, ms, p50 / p95 (at most 1)": asked_by_a_write,
    "statements and commit of a write right after another, ms, p50 / p95 (at most 1)": partial(
        asked_by_a_write, step=FOLLOWING
    ),
    "of one between searches that waits for no disk, ms, p50 / p95": partial(asked_by_a_write, step=UNSYNCED),
    "the first search, from the database (below 1.5 s at 100,000)": loading,
    "the first search, where the index is kept on the disk (below 1.5 s at 100,000)": finding,
    "a whole request, beside SQLite's (at most 2× at 10,000)": beside_sqlite,
    "a whole request, beside that in the smallest app": beside_the_smallest,
}

"""What is told of the servers' loads and of the searches and writes in process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bench.beside.clients import Load
from bench.latency import spread
from bench.page import table

OURS, THEIRS = "Memsite", "mcp-memory-service"
BY_MEANING = "Memsite, by meaning alone"
CLIENTS = 8
DEFAULT, ALIKE = "Memsite, by default", "Memsite, as little as mem0 does"
Loads = dict[tuple[str, int], list[Load]]
"""By server and number of clients."""
Local = Mapping[str, Mapping[str, Sequence[float]]]
"""Seconds, by system and by what was done: "search", "write"."""


def served_table(served: Mapping[int, Loads]) -> str:
    names = dict.fromkeys(name for name, _ in next(iter(served.values())))
    head = ["", *[f"{size:,}: {what}" for size in served for what in ("a second", "alone")]]
    rows = [[name, *[cell for loads in served.values() for cell in server_cells(loads, name)]] for name in names]
    for name in names:
        if name != THEIRS:
            times = [cell for loads in served.values() for cell in ratio_cells(loads, name)]
            rows.append([f"{name}: times as fast", *times])
    return table(head, rows)


def server_cells(loads: Loads, name: str) -> list[str]:
    return [f"{per_second(loads, name):.0f}", spread(waits_alone(loads, name))]


def ratio_cells(loads: Loads, name: str) -> list[str]:
    more = per_second(loads, name) / per_second(loads, THEIRS)
    sooner = np.median(waits_alone(loads, THEIRS)) / np.median(waits_alone(loads, name))
    return [f"**{more:.1f}×**", f"**{sooner:.1f}×**"]


def per_second(loads: Loads, name: str) -> float:
    return float(np.median([load.per_second for load in loads[name, CLIENTS]]))


def waits_alone(loads: Loads, name: str) -> list[float]:
    return [wait for load in loads[name, 1] for wait in load.waits]


def local_table(local: Local) -> str:
    """Beside each its median's share of what Memsite takes for as much."""
    steps = ("search", "write")
    rows = [[name, *[local_cell(taken[step], local[ALIKE][step]) for step in steps]] for name, taken in local.items()]
    return table(["", *[f"a {step}" for step in steps]], rows)


def local_cell(seconds: Sequence[float], alike: Sequence[float]) -> str:
    return f"{spread(seconds)} ({np.median(seconds) / np.median(alike):.1f}×)"

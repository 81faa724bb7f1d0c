"""Clients that ask a server as fast as it answers, and how long that takes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection
from itertools import cycle, islice

PATIENCE_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Door:
    """Where a server of this machine is asked, and with what."""

    port: int
    path: str
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Load:
    """`waits` are the seconds that each answer took."""

    seconds: float
    waits: list[float]

    @property
    def per_second(self) -> float:
        return len(self.waits) / self.seconds


def ask_all(door: Door, bodies: Sequence[bytes], clients: int, seconds: float) -> Load:
    """Each client on a connection of its own, one request after the other, until the time is over."""
    started = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        asked = [pool.submit(ask_on, door, bodies[number::clients], started + seconds) for number in range(clients)]
        waits = [wait for one in asked for wait in one.result()]
    return Load(time.perf_counter() - started, waits)


def ask_on(door: Door, bodies: Sequence[bytes], until: float) -> list[float]:
    waits: list[float] = []
    connection = HTTPConnection("127.0.0.1", door.port, timeout=PATIENCE_SECONDS)
    try:
        for body in cycle(bodies):
            began = time.perf_counter()
            if began >= until:
                return waits
            ask(connection, door, body)
            waits.append(time.perf_counter() - began)
    finally:
        connection.close()
    return waits


def ask(connection: HTTPConnection, door: Door, body: bytes) -> bytes:
    """RuntimeError if it is not answered as it should."""
    connection.request("POST", door.path, body, {"Content-Type": "application/json", **door.headers})
    answer = connection.getresponse()
    told = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{door.path} answered {answer.status}: {told[:300]!r}")
    return told


def ask_each_once(door: Door, bodies: Sequence[bytes]) -> list[bytes]:
    """What is answered: caches know them all after it."""
    connection = HTTPConnection("127.0.0.1", door.port, timeout=PATIENCE_SECONDS)
    try:
        return [ask(connection, door, body) for body in islice(bodies, None)]
    finally:
        connection.close()

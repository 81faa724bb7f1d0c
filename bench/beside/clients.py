"""Clients that ask a server as fast as it answers, and how long that takes.

They share the machine with the server: what they do themselves is as little as may be, and is done before they ask.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle

PATIENCE_SECONDS = 300
AT_ONCE = 2**16
"""Bytes that are read at a time: an answer and more."""
END_OF_HEAD = b"\r\n\r\n"
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server of this machine is asked, and with what."""

    port: int
    path: str
    headers: dict[str, str] = field(default_factory=dict)

    def request(self, body: bytes) -> bytes:
        """As it is sent."""
        headers = {
            "Host": f"127.0.0.1:{self.port}",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **self.headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"POST {self.path} HTTP/1.1\r\n{head}\r\n".encode() + body


@dataclass(frozen=True, slots=True)
class Load:
    """`waits` are the seconds that each answer took."""

    seconds: float
    waits: list[float]

    @property
    def per_second(self) -> float:
        return len(self.waits) / self.seconds


def ask_all(endpoint: Endpoint, bodies: Sequence[bytes], clients: int, seconds: float) -> Load:
    """Each client on a connection of its own, one request after the other, until the time is over."""
    requests = [*map(endpoint.request, bodies)]
    started = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        question = [
            pool.submit(ask_on, endpoint, requests[number::clients], started + seconds) for number in range(clients)
        ]  # fmt: skip
        waits = [wait for item in question for wait in item.result()]
    return Load(time.perf_counter() - started, waits)


def ask_on(endpoint: Endpoint, requests: Sequence[bytes], until: float) -> list[float]:
    waits: list[float] = []
    with connected(endpoint) as connection:
        for request in cycle(requests):
            began = time.perf_counter()
            if began >= until:
                return waits
            ask(connection, request)
            waits.append(time.perf_counter() - began)
    return waits


@contextmanager
def connected(endpoint: Endpoint) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", endpoint.port), PATIENCE_SECONDS) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection


def ask(connection: socket.socket, request: bytes) -> bytes:
    """Return the answer's body. Raise RuntimeError if the request fails."""
    connection.sendall(request)
    output = received(connection)
    while END_OF_HEAD not in output:
        output += received(connection)
    head, _, body = output.partition(END_OF_HEAD)
    status, length = STATUS.match(head), LENGTH.search(head)
    if status is None or status[1] != b"200" or length is None:
        raise RuntimeError(f"The answer is {head!r} {body[:300]!r}")
    while len(body) < int(length[1]):
        body += received(connection)
    return body


def received(connection: socket.socket) -> bytes:
    some = connection.recv(AT_ONCE)
    if not some:
        raise RuntimeError("The server hung up.")
    return some


def ask_each_once(endpoint: Endpoint, bodies: Sequence[bytes]) -> list[bytes]:
    """Return the answer to each question; all caches know them afterwards."""
    with connected(endpoint) as connection:
        return [ask(connection, endpoint.request(body)) for body in bodies]

"""A connection is good for the next request, whatever the last one was answered; or it is said that it ends."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPResponse

import pytest

from memsite.http.middleware import SHORT_BODY_BYTES
from tests.serving import Server

A_MOMENT = 0.2
"""Seconds in which a server answers that waits for nothing more."""
BODY = json.dumps({"content": "Whales sing"}).encode()


def connected(server: Server) -> closing[HTTPConnection]:
    return closing(HTTPConnection(server.url.removeprefix("http://"), timeout=30))


@pytest.fixture
def connection(server: Server) -> Iterator[HTTPConnection]:
    with connected(server) as connection:
        yield connection


def begun(connection: HTTPConnection, key: str, path: str, **headers: str) -> None:
    """A request but for its body."""
    connection.putrequest("POST", f"/api/v1/{path}")
    for name, value in {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers}.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()


def answered(connection: HTTPConnection) -> HTTPResponse:
    answer = connection.getresponse()
    answer.read()
    return answer


LATE = [
    ("sessions/01a21e70-bf99-7733-a69a-6f06f0f0ac8b/end", True, 404),
    ("memories/changes", True, 405),
    ("memories", True, 201),
]
HALF_SENT = [
    ("memories", False, len(BODY), 401),
    ("sessions", False, len(BODY), 401),
    ("nothing", True, len(BODY), 404),
    ("memories", True, 10**9, 413),
]


def test_a_body_that_comes_late_leaves_a_connection_that_can_be_used(server: Server) -> None:
    """Wait once, for all connections."""
    key = server.new_app()
    with ExitStack() as stack:
        connections = [stack.enter_context(connected(server)) for _ in LATE]
        for connection, (path, is_known, _) in zip(connections, LATE, strict=True):
            begun(connection, key if is_known else "mst_nobodys", path, Content_Length=str(len(BODY)))
        time.sleep(A_MOMENT)
        for connection, row in zip(connections, LATE, strict=True):
            connection.send(BODY)
            answer = answered(connection)
            assert (answer.status, answer.getheader("Connection")) == (row[-1], None), row
            connection.request("GET", "/healthz")
            assert answered(connection).status == 200, row


def test_address_key_and_size_are_judged_before_a_byte_is_waited_for(server: Server) -> None:
    """More connections than the server has threads; none sends more than the first byte of its body."""
    key = server.new_app()
    with ExitStack() as stack:
        rows = HALF_SENT * 5
        connections = [stack.enter_context(connected(server)) for _ in rows]
        for connection, (path, is_known, length, _) in zip(connections, rows, strict=True):
            begun(connection, key if is_known else "mst_nobodys", path, Content_Length=str(length))
            connection.send(BODY[:1])
        for connection, row in zip(connections, rows, strict=True):
            answer = answered(connection)
            assert (answer.status, answer.getheader("Connection")) == (row[-1], "close"), row


def test_a_long_body_that_nobody_wants_ends_the_connection(server: Server, connection: HTTPConnection) -> None:
    begun(connection, "mst_nobodys", "memories", Content_Length=str(100 * SHORT_BODY_BYTES))
    connection.send(b" " * (SHORT_BODY_BYTES + 1))
    answer = answered(connection)
    assert (answer.status, answer.getheader("Connection")) == (401, "close")


@pytest.mark.parametrize(
    "header", [{"Transfer_Encoding": "chunked"}, {"Expect": "100-continue", "Content_Length": "9"}]
)
def test_a_body_that_waits_to_be_wanted_or_has_no_end_is_not_waited_for(
    server: Server, connection: HTTPConnection, header: dict[str, str]
) -> None:
    begun(connection, "mst_nobodys", "memories", **header)
    answer = answered(connection)
    assert (answer.status, answer.getheader("Connection")) == (401, "close")

"""A body without a length: each line is stored the moment it is complete, not when the body ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from http.client import HTTPConnection
from io import RawIOBase
from queue import Queue
from selectors import EVENT_READ, DefaultSelector
from typing import Any

import httpx
import pytest
from django.utils import timezone

from memories.api import bodies
from memories.api.bodies import CHUNK_BYTES, LiveBody
from memories.models import Import, Memory
from memsite.tenancy.models import ApiKey, App, AppStatus
from memsite_client import Memsite
from tests.api.checks import assert_problem
from tests.conftest import Caller
from tests.serving import Server


class Sender:
    """A connection: `read(1)` waits for what is sent."""

    def __init__(self) -> None:
        self.sent: Queue[bytes] = Queue()
        self.left = b""

    def send(self, data: bytes) -> None:
        self.sent.put(data)

    def read(self, size: int) -> bytes:
        if not self.left:
            self.left = self.sent.get(timeout=60)
        data, self.left = self.left[:size], self.left[size:]
        return data

    readline = read


def test_a_line_is_passed_on_while_the_next_is_not_sent_yet() -> None:
    sender = Sender()
    pieces = iter(LiveBody(sender))
    for number in range(3):
        sender.send(b"line %d\n" % number)
        assert next(pieces) == b"line %d\n" % number
    sender.send(b"the end")
    sender.send(b"")
    assert b"".join(pieces) == b"the end"


def test_what_came_in_meanwhile_is_passed_on_together_and_in_order() -> None:
    sender = Sender()
    for number in range(500):
        sender.send(b"%d\n" % number)
    sender.send(b"")
    assert b"".join(LiveBody(sender)) == b"".join(b"%d\n" % number for number in range(500))


def test_a_long_line_is_passed_on_in_pieces() -> None:
    sender = Sender()
    sender.send(b"x" * (CHUNK_BYTES + 10))
    sender.send(b"")
    pieces = list(LiveBody(sender))
    assert max(map(len, pieces)) <= CHUNK_BYTES + 10
    assert b"".join(pieces) == b"x" * (CHUNK_BYTES + 10)


def test_a_broken_connection_is_an_error_after_what_came_before() -> None:
    class Broken(Sender):
        def read(self, size: int) -> bytes:
            data = super().read(size)
            if data == b"!":
                raise ConnectionError
            return data

    sender = Broken()
    sender.send(b"before\n!")
    pieces = iter(LiveBody(sender))
    assert next(pieces) == b"before\n"
    with pytest.raises(ConnectionError):
        next(pieces)


def test_a_stream_without_a_length_is_stored(alice: Caller) -> None:
    session = alice.start_session()["id"]
    sender = Sender()
    text = {"type": "text", "text": "[MEMORY:timing:jellyfin] Takes 60s to start"}
    line = {"type": "assistant", "message": {"id": "m", "content": [text]}, "parent_tool_use_id": None}
    sender.send(json.dumps(line).encode() + b"\n")
    sender.send(b"")
    assert stream(alice, session, sender).json()["created"] == 1
    assert Memory.objects.get().content == "Takes 60s to start"


def test_half_of_the_threads_may_be_kept_by_streams(alice: Caller, settings: Any) -> None:
    settings.MEMSITE = replace(settings.MEMSITE, web_threads=3)
    session = alice.start_session()["id"]
    with bodies.streams.one():
        refused = stream(alice, session, sent(said("jellyfin takes 60s", 1)))
        assert "nothing of it was stored" in assert_problem(refused, 503)["detail"]
        assert refused["Retry-After"] == "1"
        known = send(alice, f"sessions/{session}/stream", Slow([said("caddy takes 5s", 2)], lambda: None))
        assert known.json()["created"] == 1, "its length is known"
    assert Memory.objects.count() == 1
    for _ in range(2):
        assert stream(alice, session, sent(said("jellyfin takes 60s", 1))).json()["lines"] == 1


def sent(line: bytes) -> Sender:
    sender = Sender()
    sender.send(line)
    sender.send(b"")
    return sender


def stream(caller: Caller, session: str, body: Sender) -> Any:
    return caller.client.generic(
        "POST", f"/api/v1/sessions/{session}/stream", content_type="application/x-ndjson", CONTENT_LENGTH="",
        HTTP_TRANSFER_ENCODING="chunked", **{"wsgi.input": body},  # type: ignore[arg-type]
    )  # fmt: skip


def test_others_are_answered_while_many_stream(server: Server) -> None:
    """Eight threads has the server: as many streams as it has would keep everybody else out."""
    key = server.new_app()
    with Memsite(server.url, key) as memsite:
        session = memsite.start_session()["id"]
    streams = [open_stream(server, key, session, said("jellyfin takes 60s", 1)) for _ in range(8)]
    refused = answered(streams, 4)
    assert [stream.getresponse().status for stream in refused] == [503] * 4
    assert httpx.get(f"{server.url}/healthz", timeout=60).status_code == 200
    kept = [stream for stream in streams if stream not in refused]
    for stream in kept:
        stream.send(b"0\r\n\r\n")
    assert [json.load(stream.getresponse())["lines"] for stream in kept] == [1] * 4
    for stream in streams:
        stream.close()


def open_stream(server: Server, key: str, session: str, line: bytes) -> HTTPConnection:
    """A request whose body has begun with `line`, and has not ended."""
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=30)
    connection.putrequest("POST", f"/api/v1/sessions/{session}/stream")
    for name, value in (
        ("Authorization", f"Bearer {key}"),
        ("Content-Type", "application/x-ndjson"),
        ("Transfer-Encoding", "chunked"),
    ):
        connection.putheader(name, value)
    connection.endheaders()
    connection.send(b"%x\r\n%s\r\n" % (len(line), line))
    return connection


def answered(connections: list[HTTPConnection], how_many: int) -> list[HTTPConnection]:
    """The first `how_many` that are answered though nothing more was sent; waits 30 s for each at most."""
    with DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection.sock, EVENT_READ, connection)
        found: list[HTTPConnection] = []
        while len(found) < how_many:
            ready = selector.select(30)
            assert ready, f"{len(found)} were answered"
            for waiting, _ in ready:
                selector.unregister(waiting.fileobj)
                found.append(waiting.data)
    return found


class Slow(RawIOBase):
    """A body that comes in pieces; before each but the first one something happens."""

    def __init__(self, pieces: list[bytes], happens: Callable[[], object]) -> None:
        super().__init__()
        self.pieces, self.happens, self.length = iter(pieces), happens, sum(map(len, pieces))
        self.has_begun = False

    def read(self, size: int = -1) -> bytes:
        if self.has_begun:
            self.happens()
        self.has_begun = True
        return next(self.pieces, b"")


def spoil(alice: Caller, how: str) -> None:
    """What makes a key no good any more."""
    now = timezone.now()
    if how == "app":
        App.objects.filter(pk=alice.app.pk).update(status=AppStatus.UNINSTALLED)
    else:
        ApiKey.objects.filter(agent=alice.agent).update(**{how: now})


@pytest.mark.parametrize("how", ["revoked_at", "expires_at", "app"])
def test_a_stream_ends_with_its_key_and_keeps_what_came_before(
    alice: Caller, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(bodies, "LOOK_EVERY_SECONDS", 0)
    session = alice.start_session()["id"]
    body = Slow([said("jellyfin takes 60s", 1), said("caddy takes 5s", 2)], lambda: spoil(alice, how))
    answer = send(alice, f"sessions/{session}/stream", body)
    assert_problem(answer, 401)
    assert [memory.content for memory in Memory.objects.all()] == ["jellyfin takes 60s"]


def test_a_file_is_not_taken_in_whose_key_is_no_good_at_its_end(
    alice: Caller, operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "LOOK_EVERY_SECONDS", 0)
    file = b"".join(operator.get("/api/v1/apps/acme/export").streaming_content)
    body = Slow([file[:100], file[100:]], lambda: ApiKey.objects.filter(agent=None).update(revoked_at=timezone.now()))
    answer = send(operator, "apps/acme/import", body)
    assert_problem(answer, 401)
    assert not Import.objects.exists()


def said(marked: str, number: int) -> bytes:
    text = {"type": "text", "text": f"[MEMORY:timing:it] {marked}"}
    line = {"type": "assistant", "message": {"id": f"m{number}", "content": [text]}, "parent_tool_use_id": None}
    return json.dumps(line).encode() + b"\n"


def send(caller: Any, path: str, body: Slow) -> Any:
    client = getattr(caller, "client", caller)
    return client.generic(
        "POST", f"/api/v1/{path}", content_type="application/x-ndjson", CONTENT_LENGTH=str(body.length),
        **{"wsgi.input": body},
    )  # fmt: skip

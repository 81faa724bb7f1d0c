"""`/sessions/{id}/stream`: stream-json as an agent writes it, each line stored the moment it is complete."""

from __future__ import annotations

import io
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

from memories.api import streaming
from memories.api.streaming import CHUNK_BYTES, LiveBody
from memories.models import Import, Memory
from memories.services import MemoryAgent
from memsite.tenancy.models import ApiKey, App, AppStatus
from memsite_client import Memsite
from sessions.checkpoints import NoTurnLeft
from sessions.models import MAX_TURN, AgentSession, Resource, Turn
from tests.api.checks import RESULT, all_memories, assert_problem, assistant, ndjson, tool_result, user
from tests.conftest import Caller
from tests.serving import Server

MARKER = "[MEMORY:timing:jellyfin] Takes 60s to start"
NOTHING = {"created": 0, "reinforced": 0, "contradicted": 0, "echoed": 0, "rejected": 0, "events": 0}


@pytest.fixture
def session(alice: Caller) -> str:
    return str(alice.start_session(tier=2)["id"])


def read(caller: Caller, session: str, body: bytes | str) -> dict[str, Any]:
    answer = caller.stream(session, body)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def test_a_stream_becomes_a_turn_its_texts_memories_and_events(alice: Caller, session: str) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "uptime"}}
    body = ndjson(
        {"type": "system", "subtype": "init", "session_id": "c1", "model": "m", "cwd": "/", "tools": []},
        user("Is it up?"),
        assistant(f"{MARKER}\n[EVENT:info:jellyfin] It is up"),
        {**assistant("", "a2"), "message": {"id": "m2", "role": "assistant", "content": [call]}},
        tool_result("up 3 days"),
        RESULT,
    )
    report = read(alice, session, body)
    assert report == {**NOTHING, "created": 1, "events": 1, "lines": 6, "turns": [1], "errors": [], "error_count": 0}
    turn = alice.get(f"sessions/{session}/turns/1").json()
    assert turn["user_input"] == "Is it up?"
    assert turn["llm_output"] == f"{MARKER}\n[EVENT:info:jellyfin] It is up"
    assert turn["tool_calls"] == [
        {"id": "toolu_1", "name": "Bash", "input": {"command": "uptime"}, "result": "up 3 days", "is_error": False}
    ]
    assert turn["internal_state"]["result"] == "success"
    (memory,) = all_memories(alice)
    assert (memory["content"], memory["turn_number"], memory["tier"]) == ("Takes 60s to start", 1, 2)


@pytest.mark.parametrize(
    "line",
    [
        user(MARKER),
        tool_result(MARKER),
        {"type": "system", "subtype": "init", "session_id": MARKER, "tools": [MARKER]},
        {"type": "system", "subtype": "hook", "output": MARKER},
        {"type": "progress", "text": MARKER},
        assistant(MARKER, parent_tool_use_id="toolu_9"),
        {
            "type": "assistant",
            "message": {"id": "m", "role": "assistant", "content": [{"type": "thinking", "thinking": MARKER}]},
        },
        {**RESULT, "result": MARKER},
    ],
    ids=["user", "tool result", "init", "hook", "unknown type", "sub-agent", "thinking", "result"],
)
def test_only_text_of_the_main_agent_makes_memories(alice: Caller, session: str, line: Any) -> None:
    report = read(alice, session, ndjson(line, assistant("Nothing to note.", "z"), RESULT))
    assert (report["created"], report["error_count"]) == (0, 0)
    assert all_memories(alice) == []


def test_a_bad_line_is_named_by_its_number_and_loses_no_other(alice: Caller, session: str) -> None:
    lines = [json.dumps(assistant(f"[MEMORY:timing:svc{n}] Takes {n}0s to start", f"a{n}")) for n in range(1, 4)]
    body = "\n".join([lines[0], "{not json", lines[1], '["a list"]', "", lines[2], json.dumps(RESULT)])
    report = read(alice, session, body)
    assert [error["line"] for error in report["errors"]] == [2, 4]
    assert (report["created"], report["lines"], report["error_count"]) == (3, 7, 2)


def test_a_reason_never_quotes_the_line(alice: Caller, session: str) -> None:
    report = read(alice, session, "my secret password\n")
    assert "secret" not in json.dumps(report)


def test_a_stream_sent_twice_changes_nothing(alice: Caller, session: str) -> None:
    body = ndjson(user("Is it up?"), assistant(MARKER), RESULT)
    read(alice, session, body)
    again = read(alice, session, body)
    assert again == {**NOTHING, "lines": 3, "turns": [], "errors": [], "error_count": 0}
    assert (Turn.objects.count(), Resource.objects.count(), Memory.objects.count()) == (1, 2, 1)
    assert all_memories(alice)[0]["confidence"] == 0.7


def test_a_stream_sent_again_with_more_adds_only_what_is_new(alice: Caller, session: str) -> None:
    first = ndjson(user("Is it up?"), assistant(MARKER), RESULT)
    read(alice, session, first)
    more = ndjson(user("And now?", "u2"), assistant("[MEMORY:timing:dns] Takes 5s", "a2"), RESULT)
    report = read(alice, session, first + more)
    assert (report["created"], report["turns"]) == (1, [2])


def test_each_result_line_ends_a_turn(alice: Caller, session: str) -> None:
    body = ndjson(user("one", "u1"), RESULT, user("two", "u2"), RESULT)
    assert read(alice, session, body)["turns"] == [1, 2]


def test_a_stream_that_breaks_off_keeps_what_came(alice: Caller, session: str) -> None:
    body = ndjson(user("Is it up?"), assistant(MARKER)) + '{"type": "assistant", "mess'
    report = read(alice, session, body)
    assert (report["created"], report["turns"], [e["line"] for e in report["errors"]]) == (1, [1], [3])


def test_partial_messages_whose_line_never_came_are_kept_once(alice: Caller, session: str) -> None:
    def event(**inner: Any) -> dict[str, Any]:
        return {"type": "stream_event", "event": inner, "parent_tool_use_id": None}

    parts = [
        event(type="message_start", message={"id": "msg_p"}),
        event(type="content_block_start", index=0, content_block={"type": "text", "text": ""}),
        *(
            event(type="content_block_delta", index=0, delta={"type": "text_delta", "text": text})
            for text in ("[MEMORY:tim", "ing:jellyfin] Takes ", "60s to start")
        ),
    ]
    assert read(alice, session, ndjson(*parts))["created"] == 1
    assert [memory["content"] for memory in all_memories(alice)] == ["Takes 60s to start"]


def test_deltas_followed_by_their_whole_line_count_once(alice: Caller, session: str) -> None:
    def event(**inner: Any) -> dict[str, Any]:
        return {"type": "stream_event", "event": inner, "parent_tool_use_id": None}

    line = assistant(MARKER)
    line["message"]["id"] = "msg_p"
    body = ndjson(
        event(type="message_start", message={"id": "msg_p"}),
        event(type="content_block_start", index=0, content_block={"type": "text", "text": ""}),
        event(type="content_block_delta", index=0, delta={"type": "text_delta", "text": MARKER}),
        line,
        RESULT,
    )
    report = read(alice, session, body)
    assert (report["created"], report["reinforced"], len(all_memories(alice))) == (1, 0, 1)


def test_a_stream_needs_no_content_length(alice: Caller, session: str) -> None:
    body = ndjson(user("Is it up?"), assistant(MARKER), RESULT).encode()
    answer = alice.client.generic(
        "POST",
        f"/api/v1/sessions/{session}/stream",
        body,
        content_type="application/x-ndjson",
        CONTENT_LENGTH="",
        HTTP_TRANSFER_ENCODING="chunked",
        **{"wsgi.input": io.BytesIO(body)},
    )
    assert answer.status_code == 200
    assert answer.json()["created"] == 1


def test_a_stream_may_be_longer_than_any_other_body(alice: Caller, session: str) -> None:
    filler = json.dumps({"type": "progress", "text": "x" * 1_000_000}) + "\n"
    report = read(alice, session, filler * 9 + ndjson(assistant(MARKER), RESULT))
    assert (report["lines"], report["created"], report["error_count"]) == (11, 1, 0)


def test_a_line_longer_than_any_line_is_reported_and_passed_over(alice: Caller, session: str) -> None:
    long = b'{"type":"progress","text":"' + b"x" * (8 * 1024 * 1024) + b'"}\n'
    report = read(alice, session, long + ndjson(assistant(MARKER), RESULT).encode())
    assert ([error["line"] for error in report["errors"]], report["created"]) == ([1], 1)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\n\n\n",
        b"\xff\xfe\xfd\n",
        b"\x00\n",
        b"[" * 100_000 + b"\n",
        b'{"type": NaN}\n',
        b'{"type": "assistant", "message": {"content": "\\ud800"}}\n',
        b'{"type": "assistant", "message": null}\n',
        b'{"type": "result", "subtype": 5, "usage": []}\n',
        b'{"type": "result", "subtype": "success", "num_turns": 1' + b"0" * 400 + b"}\n",
        b"\r\n" * 1000,
    ],
    ids=range(11),
)
def test_no_body_however_odd_breaks_the_stream(alice: Caller, session: str, body: bytes) -> None:
    report = read(alice, session, body + ndjson(assistant(MARKER), RESULT).encode())
    assert report["created"] == 1


def test_at_most_a_thousand_bad_lines_are_listed_and_all_are_counted(alice: Caller, session: str) -> None:
    report = read(alice, session, "bad\n" * 1500)
    assert (len(report["errors"]), report["error_count"], report["lines"]) == (1000, 1500, 1500)


def test_text_with_nul_and_surrogates_is_stored_readable(alice: Caller, session: str) -> None:
    line = json.dumps(assistant("[MEMORY:timing] Takes \u0000 five \ud800 seconds"))
    assert read(alice, session, line)["created"] == 1
    assert all_memories(alice)[0]["content"] == "Takes \ufffd five \ufffd seconds"


def test_a_session_of_someone_else_takes_no_stream(alice: Caller, bob: Caller, charlie: Caller, session: str) -> None:
    for outsider in (bob, charlie):
        assert_problem(outsider.stream(session, ndjson(assistant(MARKER))), 404)
    assert not Resource.objects.exists()


def test_after_the_highest_turn_number_a_stream_is_refused_and_nothing_breaks(alice: Caller, session: str) -> None:
    assert alice.put(f"sessions/{session}/turns/{MAX_TURN}", {"user_input": "x"}).status_code == 201
    body = ndjson(assistant(MARKER), RESULT)
    error = assert_problem(alice.stream(session, body), 409)
    assert error["detail"] == "The session has no turn numbers left: go on in another session."
    assert all_memories(alice) == []
    alice.remember("Whales sing")
    assert [hit["content"] for hit in alice.post("memories/search", {"query": "whales"}).json()["results"]]
    other = str(alice.start_session()["id"])
    assert read(alice, other, body)["turns"] == [1]


def test_a_stream_takes_the_last_number_and_keeps_what_came_before_the_end_of_numbers(
    alice: Caller, session: str
) -> None:
    alice.put(f"sessions/{session}/turns/{MAX_TURN - 1}", {"user_input": "x"})
    assert_problem(alice.stream(session, ndjson(assistant("Whales sing.", "a"), RESULT, assistant(MARKER, "b"))), 409)
    assert alice.get(f"sessions/{session}/turns/{MAX_TURN}").json()["llm_output"] == "Whales sing."
    assert all_memories(alice) == []


def test_a_number_that_was_taken_meanwhile_is_not_passed_over_beyond_the_highest(alice: Caller, session: str) -> None:
    row = AgentSession.objects.get(uid=session)
    capture = MemoryAgent(alice.app, alice.agent, "agent:alice").capture_stream(row)
    alice.put(f"sessions/{session}/turns/{MAX_TURN - 1}", {"user_input": "x"})
    capture.take(capture.reader.feed(ndjson(assistant("Whales sing.")).encode()))
    alice.put(f"sessions/{session}/turns/{MAX_TURN}", {"user_input": "y"})
    with pytest.raises(NoTurnLeft):
        capture.finish_exchange()
    assert Turn.objects.count() == 2


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
    with streaming.streams.counted():
        refused = stream(alice, session, sent(say("jellyfin takes 60s", 1)))
        assert "nothing of it was stored" in assert_problem(refused, 503)["detail"]
        assert refused["Retry-After"] == "1"
        known = send(alice, f"sessions/{session}/stream", Slow([say("caddy takes 5s", 2)], lambda: None))
        assert known.json()["created"] == 1, "its length is known"
    assert Memory.objects.count() == 1
    for _ in range(2):
        assert stream(alice, session, sent(say("jellyfin takes 60s", 1))).json()["lines"] == 1


def sent(line: bytes) -> Sender:
    sender = Sender()
    sender.send(line)
    sender.send(b"")
    return sender


def stream(caller: Caller, session: str, body: Sender) -> Any:
    return caller.client.generic(
        "POST",
        f"/api/v1/sessions/{session}/stream",
        content_type="application/x-ndjson",
        CONTENT_LENGTH="",
        HTTP_TRANSFER_ENCODING="chunked",
        **{"wsgi.input": body},  # type: ignore[arg-type]
    )


def test_others_are_answered_while_many_stream(server: Server) -> None:
    """Eight threads has the server: as many streams as it has would keep everybody else out."""
    key = server.new_app()
    with Memsite(server.url, key) as memsite:
        session = memsite.start_session()["id"]
    streams = [open_stream(server, key, session, say("jellyfin takes 60s", 1)) for _ in range(8)]
    refused = answered(streams, 4)
    assert [stream.getresponse().status for stream in refused] == [503] * 4
    assert httpx.get(f"{server.url}/healthz", timeout=60).status_code == 200
    retained = [stream for stream in streams if stream not in refused]
    for stream in retained:
        stream.send(b"0\r\n\r\n")
    assert [json.load(stream.getresponse())["lines"] for stream in retained] == [1] * 4
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
        results: list[HTTPConnection] = []
        while len(results) < how_many:
            ready = selector.select(30)
            assert ready, f"{len(results)} were answered"
            for waiting, _ in ready:
                selector.unregister(waiting.fileobj)
                results.append(waiting.data)
    return results


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
    monkeypatch.setattr(streaming, "LOOK_EVERY_SECONDS", 0)
    session = alice.start_session()["id"]
    body = Slow([say("jellyfin takes 60s", 1), say("caddy takes 5s", 2)], lambda: spoil(alice, how))
    answer = send(alice, f"sessions/{session}/stream", body)
    assert_problem(answer, 401)
    assert [memory.content for memory in Memory.objects.all()] == ["jellyfin takes 60s"]


def test_a_file_is_not_taken_in_whose_key_is_no_good_at_its_end(
    alice: Caller, operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "LOOK_EVERY_SECONDS", 0)
    file = b"".join(operator.get("/api/v1/apps/acme/export").streaming_content)
    body = Slow([file[:100], file[100:]], lambda: ApiKey.objects.filter(agent=None).update(revoked_at=timezone.now()))
    answer = send(operator, "apps/acme/import", body)
    assert_problem(answer, 401)
    assert not Import.objects.exists()


def say(marked: str, number: int) -> bytes:
    text = {"type": "text", "text": f"[MEMORY:timing:it] {marked}"}
    line = {"type": "assistant", "message": {"id": f"m{number}", "content": [text]}, "parent_tool_use_id": None}
    return json.dumps(line).encode() + b"\n"


def send(caller: Any, path: str, body: Slow) -> Any:
    client = getattr(caller, "client", caller)
    return client.generic(
        "POST",
        f"/api/v1/{path}",
        content_type="application/x-ndjson",
        CONTENT_LENGTH=str(body.length),
        **{"wsgi.input": body},
    )

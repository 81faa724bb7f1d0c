"""The bridge between stdio and `/mcp` by itself: whatever comes in, it answers who waits and lives on."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pytest_httpserver import HTTPServer

from memsite_client.configuration import Server
from memsite_client.mcp_stdio import VERSION, Bridge
from tests.serving import ROOT

Answer = Callable[[httpx.Request], httpx.Response]
LISTING = {"jsonrpc": "2.0", "id": 4, "method": "tools/list"}


def echo(request: httpx.Request) -> httpx.Response:
    message = json.loads(request.content)
    return httpx.Response(200, json={"jsonrpc": "2.0", "id": message.get("id"), "result": {"heard": message}})


def tell(*lines: Any, answer: Answer = echo) -> list[Any]:
    """What the bridge writes, with a server that answers like this."""
    out = io.StringIO()
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    Bridge(Server("http://127.0.0.1:9", "mst_x"), transport=httpx.MockTransport(answer)).run(texts, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_half_a_character_is_replaced() -> None:
    message = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "st\ud800", "_meta": {}}}
    first, second = tell(message, LISTING)
    assert (first["id"], first["result"]["heard"]["params"]["name"]) == (3, "st?")
    assert second["id"] == 4


def test_what_cannot_be_sent_is_told_and_the_bridge_lives_on() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        if json.loads(request.content)["id"] == "odd":
            raise RuntimeError("unexpected")
        return echo(request)

    unsendable = {"jsonrpc": "2.0", "id": 2, "method": "x", "params": {"_meta": {VERSION: "\u00fc\n\u4e16"}}}
    odd, other, last = tell({"jsonrpc": "2.0", "id": "odd", "method": "x"}, unsendable, LISTING, answer=fail)
    assert (odd["id"], odd["error"]["code"]) == ("odd", -32000)
    assert (other["id"], other["error"]["code"]) == (2, -32000)
    assert last["id"] == 4


def test_what_is_nested_too_deep_is_no_json() -> None:
    first, second = tell("[" * 200_000, LISTING)
    assert (first["id"], first["error"]["code"], second["id"]) == (None, -32700, 4)


def test_a_name_that_comes_twice_is_told_and_not_sent_on() -> None:
    twice = '{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "store", "name": "search"}}'
    first, second = tell(twice, LISTING)
    assert (first["id"], first["error"]["code"], second["id"]) == (3, -32700, 4)
    assert '"name" twice' in first["error"]["message"]


def test_odd_bytes_and_characters_do_not_end_the_command(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/mcp").respond_with_json({"jsonrpc": "2.0", "id": 4, "result": {}})
    lines = [b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "x"}', b"\xff", json.dumps(LISTING).encode()]
    environment = {**os.environ, "MEMSITE_URL": httpserver.url_for("").rstrip("/"), "MEMSITE_API_KEY": "mst_x"}
    done = subprocess.run(
        [sys.executable, "-m", "memsite_client", "mcp"],
        cwd=ROOT,
        env=environment,
        input=b"\n".join(lines),
        capture_output=True,
        check=False,
        timeout=60,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, b"")
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, -32700, None]


def test_an_answer_without_an_id_gets_that_of_its_request() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        return httpx.Response(400, json={"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "No."}})

    messages = [{"jsonrpc": "2.0", "id": uid, "method": "x"} for uid in (3, "three", True)]
    assert [answer["id"] for answer in tell(*messages, answer=refuse)] == [3, "three", None]


@pytest.mark.parametrize("message", [{"id": 5, "result": {}}, {"id": 5, "error": {}}, {"method": "x", "params": []}])
@pytest.mark.parametrize("code", [400, 500])
def test_who_does_not_wait_gets_no_answer(message: Any, code: int) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        return httpx.Response(code, json={"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "No."}})

    assert tell(message, answer=refuse) == []
    assert tell(message, answer=lambda _: httpx.Response(code)) == []


def test_a_ping_needs_no_server() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("away")

    ping = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
    assert tell(ping, answer=fail) == [{"jsonrpc": "2.0", "id": "p", "result": {}}]

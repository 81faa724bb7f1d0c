"""What clients that ask a server as fast as it answers say of it, and what is made of that."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from runpy import run_path
from threading import Thread
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import pytest

from bench.beside import clients
from bench.beside.__main__ import render
from bench.beside.clients import Endpoint, Load, ask_all, ask_each_once
from bench.beside.report import ALIKE, DEFAULT, OURS, THEIRS, ratio_cells
from bench.hashing import DIM, hashing
from bench.promises.site import ROOT
from memories.index.app_embedder import current_embedder
from memories.providers import embeddings
from memories.providers.embeddings import HashEmbedder

FOUND = b"found"
BODIES = [json.dumps({"query": f"question {number}"}).encode() for number in range(6)]


class Answering(BaseHTTPRequestHandler):
    """Knows one key, and a connection may ask it again and again."""

    protocol_version = "HTTP/1.1"
    heard: list[bytes]

    def do_POST(self) -> None:
        self.heard.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200 if (self.path, self.headers["X-Key"]) == ("/search", "k") else 403)
        self.send_header("Content-Length", str(len(FOUND)))
        self.end_headers()
        # In two parts: whoever reads gets them one by one.
        for some in (FOUND[:2], FOUND[2:]):
            self.wfile.write(some)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is told."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    Answering.heard = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def endpoint(server: ThreadingHTTPServer, key: str = "k") -> Endpoint:
    return Endpoint(server.server_port, "/search", {"X-Key": key})


def test_each_is_asked_once(server: ThreadingHTTPServer) -> None:
    assert ask_each_once(endpoint(server), BODIES) == [FOUND] * len(BODIES)
    assert Answering.heard == BODIES


def test_every_answer_counts_and_every_question_is_asked(
    server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = perf_counter()

    def clock() -> float:
        """The time is over once each was asked twice, however slow the machine is; or a minute is."""
        return float(min(map(Answering.heard.count, BODIES)) > 1 or perf_counter() > began + 60)

    monkeypatch.setattr(clients, "time", SimpleNamespace(perf_counter=clock))
    load = ask_all(endpoint(server), BODIES, clients=2, seconds=0.5)
    assert len(load.waits) == len(Answering.heard)
    assert set(Answering.heard) == set(BODIES)
    assert load.per_second == pytest.approx(len(load.waits) / load.seconds)


def test_an_answer_that_is_none_ends_it(server: ThreadingHTTPServer) -> None:
    with pytest.raises(RuntimeError, match="403"):
        ask_all(endpoint(server, "another"), BODIES, clients=2, seconds=60)


def test_a_server_that_hangs_up_ends_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as other:
        hung_up = other.submit(lambda: listening.accept()[0].close())
        with pytest.raises((RuntimeError, ConnectionError)):
            ask_each_once(Endpoint(listening.getsockname()[1], "/search"), BODIES)
        hung_up.result()


def test_it_tells_how_many_times_as_fast() -> None:
    loads = {
        (OURS, 1): [Load(1.0, [0.004] * 100)],
        (OURS, 8): [Load(1.0, [0.004] * 300), Load(2.0, [0.004] * 400), Load(1.0, [0.004] * 100)],
        (THEIRS, 1): [Load(1.0, [0.04] * 20)],
        (THEIRS, 8): [Load(1.0, [0.04] * 25)] * 3,
    }
    assert ratio_cells(loads, OURS) == ["**8.0×**", "**10.0×**"]
    local = {
        DEFAULT: {"search": [0.004] * 10, "write": [0.009] * 3},
        ALIKE: {"search": [0.001] * 10, "write": [0.003] * 3},
        "mem0 on faiss": {"search": [0.002] * 10, "write": [0.3] * 3},
    }
    output = render({1_000: loads, 10_000: loads}, 10_000, local, "today")
    assert "|  | 1,000: a second | 1,000: alone | 10,000: a second | 10,000: alone |" in output
    assert "| Memsite | 200 | 4.0 / 4.0 | 200 | 4.0 / 4.0 |" in output
    assert "| mcp-memory-service | 25 | 40.0 / 40.0 | 25 | 40.0 / 40.0 |" in output
    assert "| Memsite: times as fast | **8.0×** | **10.0×** | **8.0×** | **10.0×** |" in output
    assert "| mem0 on faiss | 2.0 / 2.0 (2.0×) | 300.0 / 300.0 (100.0×) |" in output
    assert f"| {DEFAULT} | 4.0 / 4.0 (4.0×) | 9.0 / 9.0 (3.0×) |" in output


def test_both_sides_have_vectors_of_as_many_dimensions(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with hashing() as embedder:
        ours = (embedder.dim, embedder.name)
    # These settings put another one in its place, for all of a process.
    monkeypatch.setattr(embeddings, "HashEmbedder", HashEmbedder)
    served = run_path(str(ROOT / "bench/beside/settings/hashing_settings.py"))
    assert served["INSTALLED_APPS"] == settings.INSTALLED_APPS
    # Of another name than that of the tests, which is kept.
    settings.MEMSITE = replace(settings.MEMSITE, embedder="hash", embedder_model="of these settings")
    theirs = (current_embedder().dim, current_embedder().name)
    assert theirs == ours == (DIM, f"hash-{DIM}") == (384, "hash-384")


def test_measuring_leaves_the_embedder_as_it_was() -> None:
    with hashing():
        pass
    assert current_embedder().dim != DIM

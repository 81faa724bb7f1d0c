"""What clients that ask a server as fast as it answers say of it, and what is made of that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from bench.beside.__main__ import render
from bench.beside.clients import Door, Load, ask_all, ask_each_once
from bench.beside.report import ALIKE, DEFAULT, OURS, THEIRS, ratio_cells
from bench.hashing import DIM, hashing
from bench.promises.site import ROOT
from memories.retrieve.serving import current_embedder

BODIES = [json.dumps({"query": f"question {number}"}).encode() for number in range(6)]


@pytest.fixture
def heard(httpserver: HTTPServer) -> list[bytes]:
    bodies: list[bytes] = []

    def answer(request: Request) -> Response:
        bodies.append(request.get_data())
        return Response(b"found", status=200 if request.headers.get("X-Key") == "k" else 403)

    httpserver.expect_request("/search", method="POST").respond_with_handler(answer)
    return bodies


def door(server: HTTPServer, key: str = "k") -> Door:
    return Door(server.port, "/search", {"X-Key": key})


def test_each_is_asked_once(httpserver: HTTPServer, heard: list[bytes]) -> None:
    assert ask_each_once(door(httpserver), BODIES) == [b"found"] * len(BODIES)
    assert heard == BODIES


def test_every_answer_counts_and_every_question_is_asked(httpserver: HTTPServer, heard: list[bytes]) -> None:
    load = ask_all(door(httpserver), BODIES, clients=2, seconds=0.5)
    assert len(load.waits) == len(heard)
    assert set(heard) == set(BODIES)
    assert load.per_second == pytest.approx(len(heard) / load.seconds)


def test_an_answer_that_is_none_ends_it(httpserver: HTTPServer, heard: list[bytes]) -> None:
    with pytest.raises(RuntimeError, match="answered 403"):
        ask_all(door(httpserver, "another"), BODIES, clients=2, seconds=0.5)


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
    told = render({1_000: loads, 10_000: loads}, 10_000, local, "today")
    assert "|  | 1,000: a second | 1,000: alone | 10,000: a second | 10,000: alone |" in told
    assert "| Memsite | 200 | 4.0 / 4.0 | 200 | 4.0 / 4.0 |" in told
    assert "| mcp-memory-service | 25 | 40.0 / 40.0 | 25 | 40.0 / 40.0 |" in told
    assert "| Memsite: times as fast | **8.0×** | **10.0×** | **8.0×** | **10.0×** |" in told
    assert "| mem0 on faiss | 2.0 / 2.0 (2.0×) | 300.0 / 300.0 (100.0×) |" in told
    assert f"| {DEFAULT} | 4.0 / 4.0 (4.0×) | 9.0 / 9.0 (3.0×) |" in told


PROGRAM = """
import django
django.setup()
from memories.retrieve.serving import current_embedder
print(current_embedder().dim, current_embedder().name)
"""


def test_both_sides_have_vectors_of_as_many_dimensions(tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "bench/beside/settings")])
    ours = {"DATA_DIR": str(tmp_path), "SECRET_KEY": "only for tests", "EMBEDDER": "hash"}
    told = {f"MEMSITE_{name}": value for name, value in ours.items()}
    told |= {"DJANGO_SETTINGS_MODULE": "hashing_settings", "PYTHONPATH": paths}
    done = subprocess.run(  # noqa: S603  # our own
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=os.environ | told, capture_output=True, text=True, check=True
    )
    with hashing() as embedder:
        assert done.stdout.split() == [str(DIM), embedder.name] == ["384", f"hash-{embedder.dim}"]
    assert current_embedder().dim != DIM, "as it was"

"""mem0's own client, unchanged but for its host: from an environment of its own, for what it brings along."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.serving import ROOT, Server

PYTHON = Path(sys.prefix) / "compat" / "bin" / "python"
pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason="`make .venv/compat.stamp` installs mem0's client")


@pytest.fixture
def saw(db: None, server: Server, tmp_path: Path) -> dict[str, Any]:
    command = [str(PYTHON), "tests/compat/mem0_client.py", f"{server.url}/compat/mem0", server.new_app()]
    environment = {"MEM0_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


def test_the_client_works_unchanged(saw: dict[str, Any]) -> None:
    learnt = [result["memory"] for result in saw["added"]["results"]]
    assert len(learnt) == 2
    assert "vegan" in learnt[0]
    assert saw["added"]["status"] == "SUCCEEDED"
    (verbatim,) = saw["verbatim"]["results"]
    assert verbatim["memory"] == "Whales sing at night"
    assert (saw["all"]["count"], saw["all"]["next"]) == (3, None)
    assert {result["user_id"] for result in saw["all"]["results"]} == {"alice"}
    assert (len(saw["page"]["results"]), saw["page"]["count"]) == (1, 3)
    assert saw["page"]["next"].endswith("page=3&page_size=1")
    best = saw["found"]["results"][0]
    assert best["memory"] == "Whales sing at night"
    assert 0 < best["score"] <= 1
    assert sorted(result["memory"] for result in saw["of_run"]["results"]) == sorted(learnt)
    assert {result["run_id"] for result in saw["of_run"]["results"]} == {"r1"}
    assert {json.dumps(result["metadata"]) for result in saw["of_run"]["results"]} == {'{"source": "chat"}'}
    assert saw["got"]["id"] == verbatim["id"]
    assert (saw["updated"]["memory"], saw["updated"]["metadata"]) == ("Whales sing at dawn", {"a": 1})
    assert [(item["event"], item["old_memory"], item["new_memory"]) for item in saw["history"]] == [
        ("ADD", None, "Whales sing at night"),
        ("UPDATE", "Whales sing at night", "Whales sing at dawn"),
    ]
    counts = {(result["type"], result["name"]): result["total_memories"] for result in saw["users"]["results"]}
    assert counts == {("user", "alice"): 3, ("user", "bob"): 1, ("run", "r1"): 2}
    assert saw["deleted"] == {"message": "Memory deleted successfully!"}
    assert saw["errors"] == [
        "MemoryNotFoundError",
        "MemoryNotFoundError",
        "ValidationError",
        "ValidationError",
        "ValueError",
    ]
    assert saw["left"] == [0, 1, 0]

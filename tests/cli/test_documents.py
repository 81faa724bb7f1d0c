"""`memsite documents`."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from memsite_client import Memsite
from tests.cli.conftest import run, run_json
from tests.serving import ROOT, Server

ROUTER = "# Network\n\nThe router hands out addresses from 10.0.0.0/24.\n"


@pytest.fixture
def _worker(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits has the worker's part done."""

    def read(_: float) -> None:
        command = [sys.executable, "manage.py", "run_job", "documents"]
        environment = {**os.environ, **server.environment}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)  # noqa: S603

    monkeypatch.setattr(import_module("memsite_client.cli.documents").time, "sleep", read)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "router.md"
    path.write_text(ROUTER)
    return path


@pytest.mark.usefixtures("_worker")
def test_a_file_is_added_found_shown_and_deleted(memsite: Memsite, file: Path) -> None:
    row = run_json("documents", "add", str(file), "--tag", "net")
    assert (row["status"], row["passages"], row["tags"]) == ("ready", 1, ["net"])
    assert "from router.md, Network" in run("search", "which addresses does the router hand out").stdout
    assert "10.0.0.0/24" in run("documents", "show", row["id"]).stdout
    assert run("documents", "delete", row["id"]).stdout == "Deleted.\n"
    assert run("documents", "list").stderr == "There are none.\n"


@pytest.mark.usefixtures("_worker")
def test_a_file_that_cannot_be_read_ends_with_the_reason(memsite: Memsite, file: Path) -> None:
    file.write_bytes(b"\x00\x01")
    assert "It is no PDF, DOCX" in run("documents", "add", str(file), code=3).stderr


def test_a_file_takes_the_place_of_another(memsite: Memsite, file: Path) -> None:
    first = run_json("documents", "add", str(file), "--no-wait")
    file.write_text("# Other\n\nText.\n")
    again = run_json("documents", "add", str(file), "--no-wait", "--id", first["id"])
    assert (again["id"], again["status"]) == (first["id"], "waiting")
    assert "router.md  waiting" in run("documents", "list").stdout

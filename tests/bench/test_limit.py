"""The limit under several processes, scaled down, and what the report says of it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.limit import Held, render

ROOT = Path(__file__).resolve().parents[2]
HELD = Held(memories=400, limit=100, processes=2, seconds=3.2, looks=9, most=100, live=100, counted=100, created=400)
PROGRAM = """
from bench.limit import make_database, overfill

make_database()
held = overfill(120, 30, 3)
assert held.is_exact, held
assert (held.most, held.created) == (30, 120), held
"""


@pytest.mark.long
def test_three_processes_never_overfill_an_app() -> None:
    # On a file of its own, whatever the other tests are on: what forks shares a server's connections.
    environment = {name: value for name, value in os.environ.items() if name != "TEST_DATABASE_URL"}
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)  # noqa: S603
    assert done.returncode == 0, done.stderr


def test_one_too_many_is_told() -> None:
    assert HELD.is_exact
    assert render(HELD, "now").endswith("| yes |")
    for wrong in (replace(HELD, most=101), replace(HELD, live=99), replace(HELD, counted=101)):
        assert not wrong.is_exact
        assert render(wrong, "now").endswith("| NO |")

"""Real processes on one database: an app's limit holds, and what many sessions say is known once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from django.db import connection

from tests.databases import database_like_the_tests

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "memsite.config.settings",
        "MEMSITE_SECRET_KEY": "of a test",
        "MEMSITE_DATA_DIR": str(tmp_path_factory.mktemp("crowd")),
        "MEMSITE_EMBEDDER": "hash",
        "MEMSITE_LLM": "rules",
        "MEMSITE_LOG_LEVEL": "ERROR",
        "PYTHONPATH": str(ROOT),
    }
    if connection.vendor == "postgresql":
        environment["MEMSITE_DATABASE_URL"] = database_like_the_tests(f"crowd_{token_hex(8)}")
    command = [sys.executable, str(ROOT / "tests/memories/capture/crowding.py")]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603  # our own program
    assert run.returncode == 0, run.stderr[-2000:]
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


def test_eight_processes_that_write_never_exceed_the_limit_of_their_app(facts: dict[str, Any]) -> None:
    """Each of them also looks after each of its writes, and ends with an error if there are more."""
    limit = facts["limit"]
    assert limit["ended"] == [0] * 8
    assert limit["written"] == 8 * 18
    assert limit["live"] == limit["counted"] == 50


def test_what_twenty_sessions_say_to_four_processes_is_one_memory_as_sure_as_that_makes_it(
    facts: dict[str, Any],
) -> None:
    fact = facts["fact"]
    assert fact["ended"] == [0] * 4
    assert fact["statuses"] == ["done"] * 20
    ((content, status, confidence),) = fact["memories"]
    assert (content, status) == ("The team's staging cluster runs in Frankfurt", "active")
    assert fact["actions"] == ["created"] + ["reinforced"] * 19
    assert confidence == pytest.approx(0.9 + 19 * 0.004)

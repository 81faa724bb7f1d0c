"""Real processes, really killed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scale import scaled

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]
KILLS = scaled(200, least=40)


def test_killed_workers_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "memsite.config.settings",
        "MEMSITE_SECRET_KEY": "of a test",
        "MEMSITE_DATA_DIR": str(tmp_path),
        "MEMSITE_EMBEDDER": "hash",
        "MEMSITE_LOG_LEVEL": "ERROR",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, str(ROOT / "tests/memsite/jobs/killing.py"), str(KILLS)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)  # noqa: S603  # our own program
    assert run.returncode == 0, run.stderr[-2000:]
    output = json.loads(run.stdout)
    assert output["killed"] >= KILLS
    assert set(output["ended"]) == {0}
    assert (output["runs"], output["done"]) == (1, 1)
    assert output["added"] == output["counted"] == output["batches"] >= 90

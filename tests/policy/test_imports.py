"""Each part can be the first that is imported: a worker, a command or a script begins anywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module", ["memories.agent", "memories.tasks", "memsite.json_body"])
def test_a_module_can_be_imported_first(module: str) -> None:
    code = f"import django; django.setup(); import {module}"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(  # noqa: S603  # our own interpreter and code
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]

"""Each part can be the first that is imported: a worker, a command or a script begins anywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


FIRST = """
import os, sys, django
django.setup()
for module in ("memories.agent", "memories.tasks", "memsite.json_body"):
    child = os.fork()
    if child == 0:
        __import__(module)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"{module} cannot be imported first.")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Each module is imported by a copy of one process.")
def test_each_part_can_be_imported_first() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(  # noqa: S603  # our own interpreter and code
        [sys.executable, "-c", FIRST], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]

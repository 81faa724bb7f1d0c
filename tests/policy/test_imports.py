"""What a new process does first: a worker, a command or a script begins anywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = ("memories.services", "memories.tasks", "memsite.http.json_body")
DESCRIPTION = """
from concurrent.futures import ThreadPoolExecutor
from drf_spectacular.views import SpectacularAPIView
with ThreadPoolExecutor(4) as pool:
    made = list(pool.map(lambda _: SpectacularAPIView.generator_class().get_schema(None, public=True), range(4)))
assert all(one["paths"].keys() == made[0]["paths"].keys() for one in made)
"""
ADDRESSES = "import sys, memsite.config.urls; assert 'mcp' not in sys.modules"
CODE = {module: f"import {module}" for module in MODULES} | {"description": DESCRIPTION, "addresses": ADDRESSES}
EACH_IN_A_COPY = """
import json, os, sys, traceback
import django
django.setup()
for name, code in json.loads(sys.argv[1]).items():
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        told = ""
        try:
            exec(code, {})
        except BaseException:
            told = traceback.format_exc()
        os.write(write, json.dumps({name: told[-500:]}).encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    print(open(read).read())
"""


@pytest.fixture(scope="module")
def wrong() -> dict[str, str]:
    """What went wrong with each code in a copy of a process that has done nothing yet."""
    if not hasattr(os, "fork"):
        pytest.skip("Each code is run by a copy of one process.")
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(  # noqa: S603  # our own interpreter and code
        [sys.executable, "-c", EACH_IN_A_COPY, json.dumps(CODE)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    return {name: value for line in done.stdout.splitlines() for name, value in json.loads(line).items()}


def test_each_part_can_be_imported_first(wrong: dict[str, str]) -> None:
    assert {name: wrong[name] for name in MODULES} == dict.fromkeys(MODULES, "")


def test_a_new_server_is_asked_for_its_description_by_several_at_once(wrong: dict[str, str]) -> None:
    """Only the first time goes wrong."""
    assert wrong["description"] == ""


def test_the_addresses_are_known_without_the_sdk_of_mcp(wrong: dict[str, str]) -> None:
    """It takes a second to load, and a thread loads it: two at once may wait for each other."""
    assert wrong["addresses"] == ""

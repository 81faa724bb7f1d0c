"""What is logged of libraries: never more than was asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

# For each level in a process of its own, which has loaded no library yet.
SAY = """
import logging.config, os, sys
from memsite.ops.logs import logging_config
for level in sys.argv[1:]:
    if child := os.fork():
        print(level, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=sys.stderr, flush=True)
        continue
    logging.config.dictConfig(logging_config(level, "json"))
    import psycopg  # sets the level of its own log where nobody has
    for name in ("memsite", "psycopg.pool", "django.request", "httpx"):
        for how in ("info", "warning", "error", "critical"):
            getattr(logging.getLogger(name), how)(f"{name} {how}")
    break
"""
LEVELS = ("info", "ERROR", "critical")


@pytest.fixture(scope="module")
def texts() -> dict[str, list[str]]:
    """What is said at each level."""
    command = [sys.executable, "-c", SAY, *LEVELS]
    output, lines = {}, list[str]()
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines():  # noqa: S603
        if line in (f"{level} 0" for level in LEVELS):
            output[line.split()[0]], lines = lines, []
        else:
            lines.append(line.split('"event": "')[1].split('"')[0])
    return output


@pytest.mark.parametrize(
    ("level", "memsite", "psycopg", "django", "httpx"),
    [("info", 4, 3, 2, 3), ("ERROR", 2, 2, 2, 2), ("critical", 1, 1, 1, 1)],
)
def test_libraries_say_no_more_than_was_asked_for(
    texts: dict[str, list[str]], level: str, memsite: int, psycopg: int, django: int, httpx: int
) -> None:
    lines = texts[level]
    names = ("memsite", "psycopg.pool", "django.request", "httpx")
    assert [sum(line.startswith(name) for line in lines) for name in names] == [memsite, psycopg, django, httpx]

"""What is logged of libraries: never more than was asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

SAY = """
import logging.config, sys
from memsite.logs import logging_config
logging.config.dictConfig(logging_config(sys.argv[1], "json"))
import psycopg  # sets the level of its own log where nobody has
for name in ("memsite", "psycopg.pool", "django.request", "httpx"):
    for level in ("info", "warning", "error", "critical"):
        getattr(logging.getLogger(name), level)(f"{name} {level}")
"""


def said(level: str) -> list[str]:
    command = [sys.executable, "-c", SAY, level]
    told = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return [line.split('"event": "')[1].split('"')[0] for line in told.stderr.splitlines()]


@pytest.mark.parametrize(
    ("level", "memsite", "psycopg", "django", "httpx"),
    [("info", 4, 3, 2, 3), ("ERROR", 2, 2, 2, 2), ("critical", 1, 1, 1, 1)],
)
def test_libraries_say_no_more_than_was_asked_for(
    level: str, memsite: int, psycopg: int, django: int, httpx: int
) -> None:
    lines = said(level)
    names = ("memsite", "psycopg.pool", "django.request", "httpx")
    assert [sum(line.startswith(name) for line in lines) for name in names] == [memsite, psycopg, django, httpx]

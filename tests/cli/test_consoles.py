"""Consoles of legacy encodings: the command prints what they can show, and `--json` in ASCII."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from memsite_client import Memsite
from tests.serving import ROOT
from tests.tables import each_row

TEXT = "Zoë’s café → “日本” costs 5 € … ✓"
ENCODINGS = {
    "cp1252": "Zoë’s café -> “??” costs 5 € … ?",
    "cp437": 'Zoë\'s café -> "??" costs 5 ? ... ?',
    "gbk": "Zoe’s café → “日本” costs 5 ? … ?",
    "utf-8": TEXT,
}


def memsite_on(encoding: str, *arguments: str) -> bytes:
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "memsite_client", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, b""), done.stderr
    return done.stdout


def test_a_console_shows_what_it_can(memsite: Memsite, key: str, home: Path) -> None:
    uid = memsite.create_memory(content=TEXT)["id"]

    @each_row("encoding, printed_as", ENCODINGS.items())
    def on_each(encoding: str, printed_as: str) -> None:
        assert memsite_on(encoding, "show", uid).decode(encoding).splitlines()[0] == printed_as

    on_each()


def test_json_is_ascii_where_the_console_is_not_of_unicode(memsite: Memsite, key: str, home: Path) -> None:
    uid = memsite.create_memory(content=TEXT)["id"]
    printed = memsite_on("cp437", "show", uid, "--json")
    document: dict[str, Any] = json.loads(printed)
    assert printed.isascii()
    assert document["content"] == TEXT


def test_a_wrong_byte_in_an_argument_is_no_traceback(home: Path) -> None:
    command = [sys.executable.encode(), b"-m", b"memsite_client", b"show", b"\xff"]
    environment = {**os.environ, "PYTHONIOENCODING": "cp437:strict"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)  # noqa: S603
    assert (done.returncode, b"Traceback" in done.stderr) == (2, False)

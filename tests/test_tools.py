"""What stands around a command for as long as it runs, goes with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from tools import ENDED, call

AROUND = """
from tools import call
import sys
try:
    code = call([sys.executable, "-c", {command!r}])
    print("ended", code, flush=True)
finally:
    print("cleaned", flush=True)
"""
WAITS = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"


def test_it_has_the_commands_exit_code() -> None:
    told = subprocess.run([sys.executable, "-c", AROUND.format(command="raise SystemExit(7)")], capture_output=True)  # noqa: S603  # our own
    assert told.stdout.split() == [b"ended", b"7", b"cleaned"]


def test_whoever_ends_it_ends_the_command_and_what_stands_around() -> None:
    program = [sys.executable, "-c", AROUND.format(command=WAITS)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  # our own
        assert process.stdout
        inner = int(process.stdout.readline())
        process.terminate()
        assert process.stdout.read().split() == ["cleaned"]
        assert process.wait() == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(inner, 0)


def test_who_is_ended_while_the_command_is_begun_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []

    class Ended(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            begun.append(self)
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(subprocess, "Popen", Ended)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit, match=str(ENDED)):
            call([sys.executable, "-c", WAITS])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert [process.returncode for process in begun] == [-signal.SIGTERM]

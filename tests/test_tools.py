"""What stands around a command for as long as it runs, goes with it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools import ENDED, call, ports

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


def test_a_port_that_is_free_is_none_that_is_given_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", ports.free_port())) as server:
        taken = server.getsockname()[1]
        monkeypatch.setattr(ports, "CHOICE", range(taken, taken + 1))
        with pytest.raises(RuntimeError, match="No port is free"):
            ports.free_port()
    assert ports.free_port() == taken
    ephemeral = Path("/proc/sys/net/ipv4/ip_local_port_range")
    if ephemeral.exists():
        assert taken < int(ephemeral.read_text().split()[0])

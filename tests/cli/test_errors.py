"""Whatever goes wrong is one line on stderr and an exit code that a script can tell apart."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from memsite_client import Memsite
from memsite_client.cli.base import CODES
from memsite_client.errors import MemsiteError, ProblemError
from tests.cli.conftest import run
from tests.serving import Server
from tests.tables import each_row
from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
ID = "00000000-0000-7000-8000-000000000000"
COMMANDS = [
    ("search", "x"),
    ("store", "x"),
    ("list",),
    ("show", ID),
    ("context",),
    ("history", ID),
    ("delete", "-y", ID),
]


def one_line(text: str) -> str:
    assert text.startswith("memsite: ")
    assert text.count("\n") == 1
    return text


def command_line(*arguments: str, stdout: IO[bytes] | int) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "memsite_client", *arguments]
    return subprocess.run(command, cwd=ROOT, stdout=stdout, stderr=subprocess.PIPE, check=False, timeout=60)  # noqa: S603


@each_row("command", COMMANDS)
def test_a_server_that_is_away(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSITE_URL", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("MEMSITE_API_KEY", "mst_some_key")
    monkeypatch.setattr("time.sleep", lambda _: None)
    output = one_line(run(*command, code=5).stderr)
    assert "cannot be reached" in output
    assert "memsite status" in output


@each_row("command", COMMANDS)
def test_no_key(command: tuple[str, ...]) -> None:
    assert "memsite login" in one_line(run(*command, code=4).stderr)


@each_row("command", COMMANDS)
def test_a_wrong_key(command: tuple[str, ...], key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSITE_API_KEY", "mst_wrong_key")
    assert "unknown, expired or revoked" in one_line(run(*command, code=4).stderr)


def test_what_the_server_refuses_is_told_in_its_words(key: str) -> None:
    assert "category" in one_line(run("store", "x", "--category", "Not A Category", code=3).stderr)
    assert "nothing with this id" in one_line(run("show", ID, code=3).stderr)


@each_row(
    "command, text",
    [
        (("show", "x"), "`memsite list` shows some."),
        (("link", ID, "x"), "`memsite list` shows some."),
        (("feedback", "night-check-1", "1", "Hello"), "not its `external_id`"),
        (("context", "--session", "night-check-1"), "not its `external_id`"),
        (("list", "--session", "night-check-1"), "not its `external_id`"),
        (("webhooks", "test", "x"), "`memsite webhooks list` shows some."),
        (("webhooks", "replay", "x"), "`memsite webhooks log` shows some."),
        (("bridges", "remove", "x"), "`memsite bridges list` shows some."),
    ],
)
def test_who_names_no_id_is_told_where_one_is_found(command: tuple[str, ...], text: str) -> None:
    assert text in " ".join(run(*command, code=2).stderr.split())


@each_row(
    "command",
    [
        ("nonsense",),
        ("show", "x"),
        ("store",),
        ("store", "x", "--importance", "9"),
        ("store", "x", "--metadata", "[1]"),
        ("list", "-n", "0"),
    ],
)
def test_wrong_usage(command: tuple[str, ...], key: str) -> None:
    assert "Usage: memsite" in run(*command, code=2).stderr


def test_stdin_that_is_no_text(key: str) -> None:
    assert "UTF-8" in one_line(run("store", "-", stdin=b"\xff\xfe", code=1).stderr)


@pytest.mark.parametrize("command", [("status",), ("list",), ("context",)], ids=lambda command: command[0])
def test_an_output_that_cannot_be_written(command: tuple[str, ...], memsite: Memsite) -> None:
    memsite.create_memory("Whales sing")
    with Path("/dev/full").open("wb") as full:
        done = command_line(*command, stdout=full)
    assert (done.returncode, one_line(done.stderr.decode())) == (1, f"memsite: {os.strerror(errno.ENOSPC)}\n")


def test_an_output_that_nobody_reads_any_more(memsite: Memsite) -> None:
    memsite.create_memory("Whales sing")
    reader, writer = os.pipe()
    os.close(reader)
    done = command_line("list", stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_folder_that_is_gone_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "not there any more" in one_line(run("install", "claude-code", "--project", code=1).stderr)


def test_who_has_a_key_for_another_server_only_is_told_for_which_there_is_none(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("login", stdin=key)
    monkeypatch.delenv("MEMSITE_API_KEY")
    output = one_line(run("--url", "http://127.0.0.1:1", "list", code=4).stderr)
    assert "no key for http://127.0.0.1:1:" in output


def test_an_address_that_is_none(key: str) -> None:
    assert "no address" in one_line(run("--url", "localhost:8000", "list", code=4).stderr)


def test_every_error_of_the_server_has_its_code() -> None:
    def kinds(error: type[MemsiteError]) -> list[type[MemsiteError]]:
        return [error, *(kind for child in error.__subclasses__() for kind in kinds(child))]

    listed = tuple(kind for kind, _ in CODES)
    servers = [kind for kind in kinds(MemsiteError)[1:] if kind.__module__ == "memsite_client.errors"]
    assert [kind for kind in servers if not issubclass(kind, listed)] == []
    assert CODES[-1][0] is ProblemError, "the more special ones come first"


def test_the_command_itself(server: Server, key: str) -> None:
    """As a process: with its exit code, and quiet when nobody reads on."""
    command = [sys.executable, "-m", "memsite_client"]
    done = subprocess.run([*command, "show", ID], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stdout) == (3, "")
    one_line(done.stderr)
    with subprocess.Popen(  # noqa: S603
        [*command, "search", "--help"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""

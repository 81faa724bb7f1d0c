"""The command `memsite` in this process, at a real server, with a home of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memsite_client import Memsite
from memsite_client.cli import cli
from tests.authorities import trust_one_authority
from tests.cli.hooks import end_forks
from tests.serving import Server

Run = Callable[..., Result]


@pytest.fixture(scope="package", autouse=True)
def _one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        trust_one_authority(tmp_path_factory.mktemp("authority"), patch)
        yield


@pytest.fixture(scope="package", autouse=True)
def _no_process_stays() -> Iterator[None]:
    yield
    end_forks()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one; nothing of the environment leads anywhere else."""
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "MEMSITE_URL",
        "MEMSITE_API_KEY",
        "MEMSITE_SESSION_ID",
        "NO_COLOR",
    ):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def key(db: None, server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of an app of its own, known to the command."""
    key = server.new_app()
    monkeypatch.setenv("MEMSITE_URL", server.url)
    monkeypatch.setenv("MEMSITE_API_KEY", key)
    return key


@pytest.fixture
def memsite(server: Server, key: str) -> Any:
    with Memsite(server.url, key) as client:
        yield client


def run(*arguments: str, stdin: str | bytes | None = None, code: int = 0, color: bool = False) -> Result:
    """What `memsite` does; it has to end with this exit code, and never with a traceback."""
    result = CliRunner().invoke(cli, arguments, input=stdin, color=color, prog_name="memsite")
    assert result.exit_code == code, (result.output, result.stderr, result.exception)
    assert "Traceback" not in result.output
    return result


def run_json(*arguments: str, **options: Any) -> Any:
    return json.loads(run(*arguments, "--json", **options).stdout)

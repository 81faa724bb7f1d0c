"""`memsite login logout status version completion`, and the package that has them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import memsite
import memsite_client
from tests.cli.conftest import run, run_json
from tests.serving import Server
from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def unknown_key(key: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A key that the environment does not tell."""
    monkeypatch.delenv("MEMSITE_URL")
    monkeypatch.delenv("MEMSITE_API_KEY")
    return key


def test_login_keeps_address_and_key_for_the_owner_only(server: Server, unknown_key: str, home: Path) -> None:
    run("login", "--url", server.url + "/api/v1/", stdin=unknown_key + "\n")
    file = home / ".config" / "memsite" / "config.json"
    assert json.loads(file.read_text()) == {"url": server.url, "api_key": unknown_key}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    run("store", "Whales sing")
    assert run_json("status")["ok"] is True
    run("logout")
    assert not file.exists()
    assert run("logout").stdout == "Nothing was kept.\n"


def test_login_keeps_no_key_that_does_not_work(server: Server, home: Path) -> None:
    output = run("login", "--url", server.url, stdin="mst_wrong_key\n", code=4).stderr
    assert "Nothing was kept." in output
    assert not (home / ".config").exists()


def test_login_keeps_nothing_for_a_server_that_is_away_unless_told_so(home: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    run("login", "--url", url, stdin="mst_key\n", code=5)
    assert not (home / ".config").exists()
    run("login", "--url", url, "--unchecked", stdin="mst_key\n")
    assert (home / ".config" / "memsite" / "config.json").exists()


def test_login_that_finds_no_server_says_how_to_name_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSITE_URL", f"http://127.0.0.1:{free_port()}")
    assert "memsite login --url URL" in run("login", stdin="mst_key\n", code=5).stderr


def test_login_without_a_key(server: Server) -> None:
    assert "no key" in run("login", "--url", server.url, stdin="\n", code=4).stderr


def test_status_tells_what_is_wrong(server: Server, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    output = run("status").stdout
    assert server.url in output
    assert key not in output
    monkeypatch.setenv("MEMSITE_API_KEY", "mst_wrong_key")
    assert "unknown" in run("status", code=4).stdout
    monkeypatch.setenv("MEMSITE_API_KEY", server.operator_key)
    assert "is for an agent's key" in run("status", code=4).stdout
    monkeypatch.setenv("MEMSITE_URL", f"http://127.0.0.1:{free_port()}")
    assert "cannot be reached" in run("status", code=5).stdout
    monkeypatch.delenv("MEMSITE_API_KEY")
    assert "none" in run("status", code=4).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_for_the_shell(shell: str) -> None:
    assert "_MEMSITE_COMPLETE" in run("completion", shell).stdout


def test_version_names_client_and_server(key: str) -> None:
    assert run("version").stdout == f"client  {memsite_client.__version__}\nserver  {memsite.__version__}\n"


def test_version_says_why_the_server_is_unknown(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSITE_URL", f"http://127.0.0.1:{free_port()}")
    assert "cannot be reached" in run("version").stdout


def test_the_shell_completes_commands_and_options() -> None:
    environment = {**os.environ, "_MEMSITE_COMPLETE": "bash_complete", "COMP_WORDS": "memsite sea", "COMP_CWORD": "1"}
    output = subprocess.run(
        [sys.executable, "-m", "memsite_client"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    ).stdout
    assert output == "plain,search\n"


def test_the_package_for_machines_without_the_server_has_all_of_it() -> None:
    alone = tomllib.loads((ROOT / "memsite_client" / "pyproject.toml").read_text())
    source = ROOT / "memsite_client"
    # Whoever has installed it from this checkout has a `build` in it.
    folders = [path.parent for path in source.rglob("__init__.py") if not path.is_relative_to(source / "build")]
    assert sorted(alone["tool"]["setuptools"]["packages"]) == sorted(
        ".".join(folder.relative_to(ROOT).parts) for folder in folders
    )
    assert alone["project"]["scripts"] == dict.fromkeys(("memsite", "memsite-client"), "memsite_client.__main__:main")

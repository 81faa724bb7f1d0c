"""`memsite install claude-code`: what is ours is put in and taken out, what is others' stays."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from memsite_client.hosts import HOSTS
from memsite_client.hosts import TIMEOUTS as ALL_TIMEOUTS
from memsite_client.installer import is_ours
from tests.cli.conftest import run

TIMEOUTS = {event: ALL_TIMEOUTS[event] for event in HOSTS["claude-code"].events}
ROOT = Path(__file__).resolve().parents[2]
OTHERS: dict[str, Any] = {
    "model": "opus",
    "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "say done", "timeout": 5}]}],
    },
    "zusätzlich": "Ünïcödé ✓",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MEMSITE_URL", "http://127.0.0.1:1")
    return folder


@pytest.fixture
def user_settings(project: Path, home: Path) -> Path:
    return home / ".claude" / "settings.json"


def install(*options: str, code: int = 0) -> Any:
    return run("install", "claude-code", *options, code=code)


def hooks_in(path: Path) -> dict[str, list[str]]:
    """The commands of each event."""
    settings = json.loads(path.read_text())
    return {
        event: [entry["command"] for group in groups for entry in group["hooks"]]
        for event, groups in settings["hooks"].items()
    }


def test_every_event_is_hooked_with_time_enough(user_settings: Path) -> None:
    install()
    hooks = hooks_in(user_settings)
    assert hooks.keys() == TIMEOUTS.keys()
    for event, (command,) in hooks.items():
        assert command.endswith(f"hook {event}")
        assert is_ours({"command": command})
    entries = json.loads(user_settings.read_text())["hooks"]["Stop"][0]["hooks"][0]
    assert (entries["type"], entries["timeout"]) == ("command", TIMEOUTS["Stop"])


def test_in_a_checkout_the_hooks_work_from_any_folder(project: Path, user_settings: Path, tmp_path: Path) -> None:
    """The command of a checkout is on no PATH, and what it imports is installed nowhere: see the Makefile."""
    memsite = tmp_path / "bin" / "memsite"
    memsite.parent.mkdir()
    memsite.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from memsite_client.__main__ import main\nmain()\n"
    )
    memsite.chmod(0o755)
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}
    subprocess.run(["bin/memsite", "install", "claude-code"], cwd=tmp_path, env=environment, check=True)  # noqa: S607
    (command,) = hooks_in(user_settings)["Stop"]
    subprocess.run(command, shell=True, cwd=project, env=environment, input=b"{}", check=True)  # noqa: S602
    assert command == f"{memsite} hook Stop"


def test_a_project_gets_the_command_by_name(project: Path, user_settings: Path) -> None:
    install("--project")
    assert hooks_in(project / ".claude" / "settings.json")["Stop"] == ["memsite hook Stop"]
    assert not user_settings.exists()


def test_what_others_wrote_stays(user_settings: Path) -> None:
    user_settings.parent.mkdir()
    user_settings.write_text(json.dumps(OTHERS))
    install()
    after = json.loads(user_settings.read_text())
    assert {**after, "hooks": None} == {**OTHERS, "hooks": None}
    assert after["hooks"]["PreToolUse"] == OTHERS["hooks"]["PreToolUse"]
    assert after["hooks"]["Stop"][0] == OTHERS["hooks"]["Stop"][0]
    assert "Ünïcödé ✓" in user_settings.read_text(encoding="utf-8")
    install("--remove")
    assert json.loads(user_settings.read_text()) == OTHERS


def test_twice_is_once(user_settings: Path) -> None:
    install()
    before = user_settings.read_bytes()
    assert "nothing to change" in install().stdout
    assert user_settings.read_bytes() == before
    assert list(user_settings.parent.iterdir()) == [user_settings], "no copies of what did not change"


def test_hooks_of_an_older_installation_are_replaced(user_settings: Path) -> None:
    user_settings.parent.mkdir()
    old = {"type": "command", "command": "/old/venv/bin/memsite hook Stop"}
    shared = {"hooks": [{"type": "command", "command": "say done"}, old]}
    user_settings.write_text(json.dumps({"hooks": {"Stop": [shared]}}))
    install()
    commands = hooks_in(user_settings)["Stop"]
    assert len(commands) == 2
    assert commands[0] == "say done"
    assert not commands[1].startswith("/old/")


def test_remove_leaves_nothing_of_ours(user_settings: Path) -> None:
    install()
    install("--remove")
    assert not user_settings.exists()
    assert install("--remove").stdout.count("nothing to change") == 2


def test_what_was_there_before_is_kept_beside(user_settings: Path) -> None:
    user_settings.parent.mkdir()
    user_settings.write_text(json.dumps(OTHERS))
    user_settings.chmod(0o600)
    output = install().stdout
    (copy,) = user_settings.parent.glob("settings.json.*.bak")
    assert str(copy) in output
    assert "an app of its own" in output
    assert json.loads(copy.read_text()) == OTHERS
    assert {stat.S_IMODE(path.stat().st_mode) for path in (copy, user_settings)} == {0o600}


def test_a_link_stays_a_link(user_settings: Path, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles.json"
    dotfiles.write_text(json.dumps(OTHERS))
    user_settings.parent.mkdir()
    user_settings.symlink_to(dotfiles)
    install()
    assert user_settings.is_symlink()
    assert "Stop" in hooks_in(dotfiles)


NOT_UNDERSTOOD = (
    "{",
    "[]",
    '{"hooks": []}',
    '{"hooks": {"Stop": {}}}',
    '{"hooks": {"Stop": ["x"]}}',
    '{"hooks": {"Stop": [{"hooks": 5}]}}',
    "\udcff",
)


@pytest.mark.parametrize("text", NOT_UNDERSTOOD)
def test_what_is_not_understood_is_left_as_it_is(user_settings: Path, text: str) -> None:
    user_settings.parent.mkdir()
    user_settings.write_bytes(text.encode(errors="surrogateescape"))
    before = user_settings.read_bytes()
    output = install(code=1).stderr
    assert output.startswith("memsite: ")
    assert str(user_settings) in output
    assert user_settings.read_bytes() == before


def test_an_empty_file_is_none(user_settings: Path) -> None:
    user_settings.parent.mkdir()
    user_settings.write_text("")
    install()
    assert "Stop" in hooks_in(user_settings)


def test_a_file_that_cannot_be_written_is_told(user_settings: Path) -> None:
    user_settings.parent.write_text("a file where a folder should be")
    assert install(code=1).stderr.startswith("memsite: ")


def test_claudes_own_folder_may_lie_elsewhere(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    install()
    assert "Stop" in hooks_in(tmp_path / "elsewhere" / "settings.json")


def test_a_missing_key_is_told(user_settings: Path) -> None:
    assert "memsite login" in install().stderr


def test_one_place_at_a_time(project: Path) -> None:
    install("--project", "--user", code=2)


@pytest.mark.parametrize(
    ("command", "is_so"),
    [
        ("memsite hook Stop", True),
        ("'/my venv/bin/memsite' hook Stop", True),
        ("/usr/bin/python3 -m memsite_client hook Stop", True),
        ("memsite hook Other", False),
        ("memsite-other hook Stop", False),
        ("hook Stop", False),
        ("say 'memsite hook Stop", False),
        (None, False),
        (5, False),
    ],
)
def test_ours_is_known_by_its_words(command: object, is_so: bool) -> None:
    assert is_ours({"type": "command", "command": command}) is is_so
    assert not is_ours("memsite hook Stop")


# --- MCP


@pytest.fixture
def speaking_mcp(project: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """A server that has something at `/mcp`: a stranger is refused there."""
    httpserver.expect_request("/mcp").respond_with_json({"error": "no key"}, status=401)
    monkeypatch.setenv("MEMSITE_URL", httpserver.url_for(""))
    monkeypatch.setenv("MEMSITE_API_KEY", "mst_secret_key")
    return httpserver.url_for("/mcp")


def test_a_server_that_speaks_mcp_is_added_for_the_user(speaking_mcp: str, home: Path) -> None:
    file = home / ".claude.json"
    before = {"numStartups": 7, "mcpServers": {"other": {"type": "stdio", "command": "x"}}}
    file.write_text(json.dumps(before))
    install()
    servers = json.loads(file.read_text())["mcpServers"]
    assert servers["other"] == before["mcpServers"]["other"]  # type: ignore[index]
    headers = {"Authorization": "Bearer mst_secret_key"}
    assert servers["memsite"] == {"type": "http", "url": speaking_mcp, "headers": headers}
    install("--remove")
    assert json.loads(file.read_text()) == before


def test_no_key_is_written_where_others_read(speaking_mcp: str, project: Path) -> None:
    install("--project")
    written = "".join(path.read_text() for path in project.rglob("*.json"))
    assert "mst_secret_key" not in written
    assert "Bearer ${MEMSITE_API_KEY}" in written
    install("--project", "--remove")
    assert list(project.rglob("*.json")) == []


def test_a_file_of_ours_with_a_key_is_for_the_user_only(speaking_mcp: str, home: Path) -> None:
    install()
    assert stat.S_IMODE((home / ".claude.json").stat().st_mode) == 0o600


def test_a_server_without_mcp_is_not_added(
    project: Path, httpserver: HTTPServer, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpserver.expect_request("/mcp").respond_with_data("not here", status=404)
    monkeypatch.setenv("MEMSITE_URL", httpserver.url_for(""))
    monkeypatch.setenv("MEMSITE_API_KEY", "mst_secret_key")
    install()
    assert not (home / ".claude.json").exists()


def test_mcp_servers_that_are_not_understood_stay_as_they_are(speaking_mcp: str, home: Path) -> None:
    (home / ".claude.json").write_text('{"mcpServers": []}')
    install(code=1)
    assert (home / ".claude.json").read_text() == '{"mcpServers": []}'
    assert not (home / ".claude" / "settings.json").exists(), "all or nothing"

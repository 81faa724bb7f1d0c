"""What is handed to others' programs: the plugin of Claude Code, the bundle of Claude Desktop, the registry's entry."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import memsite_client
from memsite_client.hosts import HOSTS, TIMEOUTS
from tests.serving import ROOT, Server
from tools.mcpb import build

PLUGIN = ROOT / "integrations" / "claude-code"
MANIFEST = ROOT / "integrations" / "mcpb" / "manifest.json"


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def run_script(path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": path, "HOME": "/nowhere"}
    command = ["/bin/sh", str(PLUGIN / "scripts" / "memsite"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603


def test_the_marketplace_lists_the_plugin_where_it_lies() -> None:
    marketplace = read(ROOT / ".claude-plugin" / "marketplace.json")
    [plugin] = marketplace["plugins"]
    assert (marketplace["name"], marketplace["owner"].keys()) == ("memsite", {"name"})
    assert (ROOT / plugin["source"] / ".claude-plugin" / "plugin.json").is_file()


def test_all_that_is_handed_out_has_the_version_of_the_client() -> None:
    server = read(ROOT / "server.json")
    versions = [read(PLUGIN / ".claude-plugin" / "plugin.json")["version"], read(MANIFEST)["version"]]
    assert {*versions, server["version"], server["packages"][0]["version"]} == {memsite_client.__version__}


def test_the_plugin_has_the_hooks_that_install_writes() -> None:
    hooks = read(PLUGIN / "hooks" / "hooks.json")["hooks"]
    entries = {event: groups[0]["hooks"][0] for event, groups in hooks.items()}
    assert {event: entry["timeout"] for event, entry in entries.items()} == {
        event: TIMEOUTS[event] for event in HOSTS["claude-code"].events
    }
    launcher = '"${CLAUDE_PLUGIN_ROOT}/scripts/memsite"'
    assert all(entry["command"] == f"{launcher} hook {event}" for event, entry in entries.items())


def test_the_plugin_starts_the_command_that_is_installed(tmp_path: Path) -> None:
    memsite = tmp_path / "memsite"
    memsite.write_text('#!/bin/sh\necho "$@"\n')
    memsite.chmod(0o755)
    assert run_script(f"{tmp_path}:/usr/bin:/bin", "hook", "Stop").stdout == "hook Stop\n"


def test_without_the_command_the_plugin_says_so_once_and_disturbs_nobody() -> None:
    done = run_script("/usr/bin:/bin", "hook", "SessionStart")
    assert (done.returncode, "Install memsite-client" in json.loads(done.stdout)["systemMessage"]) == (0, True)
    done = run_script("/usr/bin:/bin", "hook", "UserPromptSubmit")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert run_script("/usr/bin:/bin", "mcp").returncode == 1


@pytest.mark.parametrize("path", sorted((PLUGIN / "commands").glob("*.md")), ids=lambda path: path.stem)
def test_each_command_of_the_plugin_says_what_it_does(path: Path) -> None:
    assert re.match(r"---\n(?:[\w-]+: .+\n)*description: .+\n(?:[\w-]+: .+\n)*---\n\n\S", path.read_text())


def test_the_bundle_answers_by_itself(db: None, server: Server, tmp_path: Path) -> None:
    path = build(tmp_path / "dist")
    with zipfile.ZipFile(path) as bundle:
        bundle.extractall(tmp_path / "bundle")
        manifest = json.loads(bundle.read("manifest.json"))
    config, given = manifest["server"]["mcp_config"], {"url": server.url, "api_key": server.new_app()}
    environment = {name: given[text[len("${user_config.") : -1]] for name, text in config["env"].items()}
    arguments = [part.replace("${__dirname}", str(tmp_path / "bundle")) for part in config["args"]]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-I", "-S", *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **environment},
        input='{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n',
        capture_output=True,
        text=True,
        check=False,
    )
    assert "search" in [tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]], done.stderr
    assert not Path(tmp_path / "bundle" / "server" / "lib" / "click").exists()


def test_the_bundle_is_the_same_each_time(tmp_path: Path) -> None:
    assert build(tmp_path / "one").read_bytes() == build(tmp_path / "two").read_bytes()


def test_the_registrys_entry_has_what_its_schema_asks_for() -> None:
    entry = read(ROOT / "server.json")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert 1 <= len(entry["description"]) <= 100
    [package] = entry["packages"]
    assert (package["registryType"], package["identifier"]) == ("pypi", "memsite-client")
    assert package["transport"] == {"type": "stdio"}
    assert {variable["name"] for variable in package["environmentVariables"]} == {"MEMSITE_URL", "MEMSITE_API_KEY"}

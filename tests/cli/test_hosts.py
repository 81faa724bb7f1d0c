"""Programs of coding agents: what `memsite install` writes for each, and their hooks by payloads as they send them."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from memsite_client import Memsite
from memsite_client.hosts import HOSTS, SAID, names_of_events
from memsite_client.project import project_of
from tests.cli.conftest import run, run_json
from tests.cli.hooks import PATIENT, ROOT, hook
from tests.tables import each_row, each_row_of, load_tables

CONTEXT = "<memory-context>known</memory-context>"
RECORDED = load_tables("hosts")["test_each_event_is_read_and_answered_as_its_host_has_it"]["rows"]
OTHERS = [name for name in HOSTS if name != "claude-code"]
TRANSCRIPT = """\
{"type":"user.message","data":{"content":"When do bears sleep?"}}
{"type":"assistant.message","data":{"content":"All winter.","toolRequests":[]}}
{"type":"assistant.turn_end","data":{}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MEMSITE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("MEMSITE_API_KEY", "mst_secret_key")
    return folder


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- payloads


def test_every_event_of_every_host_has_a_recorded_payload() -> None:
    others = {name for name in names_of_events() if ":" in name}
    assert {row[0] for row in RECORDED} == others


@each_row_of("hosts")
def test_each_event_is_read_and_answered_as_its_host_has_it(
    project: Path,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    payload: dict[str, Any],
    sent: dict[str, Any],
    printed: Any,
) -> None:
    httpserver.clear()
    monkeypatch.setenv("MEMSITE_URL", httpserver.url_for(""))
    answer = {"hookSpecificOutput": {"hookEventName": sent["hook_event_name"], "additionalContext": CONTEXT}}
    httpserver.expect_request("/api/v1/hooks/claude-code").respond_with_json(answer)
    (project / "events.jsonl").write_text(TRANSCRIPT)
    text = json.dumps(payload).replace("TRANSCRIPT", str(project / "events.jsonl"))
    done = hook(name, text, "--verbose", patience=PATIENT)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (json.loads(done.stdout) if done.stdout else None) == printed
    [(request, _)] = httpserver.log
    assert request.json.items() >= {**sent, "client": name.partition(":")[0]}.items()
    folder = payload.get("cwd") or payload.get("workspace_roots", [str(ROOT)])[0]
    assert request.json["user_id"] == project_of(folder)


def test_a_host_is_answered_also_where_the_server_is_away(project: Path) -> None:
    payload = next(row[1] for row in RECORDED if row[0] == "cursor:beforeSubmitPrompt")
    assert json.loads(hook("cursor:beforeSubmitPrompt", payload, patience=PATIENT).stdout) == {"continue": True}


def test_what_is_said_in_a_project_is_known_to_every_agent_that_works_in_a_clone_of_it(
    memsite: Memsite, tmp_path: Path
) -> None:
    for name, url in (
        ("one", "git@github.com:acme/app.git"),
        ("two", "https://github.com/acme/app"),
        ("other", "x:y/z"),
    ):
        clone(tmp_path / name, url)
    memsite.create_memory("Bears sleep all winter", user_id=project_of(str(tmp_path / "one")))
    start = {"session_id": "a", "source": "startup", "hook_event_name": "SessionStart"}

    def greeting(number: int, folder: str, *options: str) -> bytes:
        event = {**start, "session_id": str(number), "cwd": str(tmp_path / folder)}
        return hook("codex:SessionStart", event, *options, patience=PATIENT).stdout

    assert b"Bears sleep" in greeting(1, "two")
    assert greeting(2, "other") == b""
    assert greeting(3, "two", "--shared") == b""


def test_a_session_stays_with_its_project_where_its_agent_goes_on_elsewhere(memsite: Memsite, tmp_path: Path) -> None:
    for folder in ("one", "other"):
        clone(tmp_path / folder, f"git@github.com:acme/{folder}.git")
        prompt = {"session_id": "s", "turn_id": folder, "cwd": str(tmp_path / folder), "prompt": f"I work in {folder}"}
        hook("codex:UserPromptSubmit", prompt, "--verbose", patience=PATIENT)
    (session,) = memsite.list_sessions()
    assert (session["user_id"], session["environment"]["client"]) == ("project:github.com/acme/one", "codex")
    assert len(list(memsite.list_resources())) == 2


@each_row("host", ["cursor", "windsurf", "gemini", "codex"])
def test_prompt_and_answer_of_a_turn_are_both_heard(memsite: Memsite, host: str) -> None:
    before = len(list(memsite.list_resources()))
    for name, payload, sent, _ in RECORDED:
        if name.startswith(host) and sent["hook_event_name"] in (SAID, "UserPromptSubmit", "Stop"):
            assert hook(name, payload, "--verbose", patience=PATIENT).stderr == b""
    heard = [(row["role"], row["raw_content"]) for row in memsite.list_resources()][::-1]
    assert heard[-2:] == [("user", "When do bears sleep?"), ("assistant", "All winter.")]
    assert len(heard) == before + 2


# --- projects


def clone(folder: Path, url: str) -> None:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n')


@each_row_of("hosts")
def test_all_forms_of_a_remote_are_one_project(tmp_path: Path, url: str, project: str) -> None:
    shutil.rmtree(tmp_path / "clone", ignore_errors=True)
    clone(tmp_path / "clone", url)
    (tmp_path / "clone" / "src").mkdir()
    assert project_of(str(tmp_path / "clone" / "src")) == project


def test_a_work_tree_is_of_the_project_that_it_was_made_from(tmp_path: Path) -> None:
    clone(tmp_path / "app", "git@github.com:acme/app.git")
    own = tmp_path / "app" / ".git" / "worktrees" / "fix"
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    (tmp_path / "fix").mkdir()
    (tmp_path / "fix" / ".git").write_text(f"gitdir: {own}\n")
    assert project_of(str(tmp_path / "fix")) == "project:github.com/acme/app"


def test_without_a_remote_a_project_is_its_folder(tmp_path: Path) -> None:
    (tmp_path / "app" / ".git").mkdir(parents=True)
    (tmp_path / "app" / "src").mkdir()
    assert project_of(str(tmp_path / "app" / "src")) == f"project:{tmp_path}/app"
    long = tmp_path / ("x" * 200)
    assert len(project_of(str(long))) == 200


# --- install, uninstall, doctor


@each_row("name", HOSTS)
def test_install_is_put_in_once_and_taken_out_exactly(project: Path, home: Path, name: str) -> None:
    before = files_in(home)
    run("install", name)
    installed = files_in(home)
    assert installed != before
    run("install", name)
    assert files_in(home) == installed
    run("uninstall", name)
    assert files_in(home) == before
    assert not (home / ".codex").exists()


SETTINGS = """{
   "model" : "m", "hooks": {"enabled": true, "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
   "mcpServers": {"other": {"command": "x"}}, "mcp": {"other": {"command": ["x"]}}, "mcp_servers": {}
}"""
ELSE = {".toml": '# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "x"', ".md": "# Mine\n\nBe brief."}


@each_row("name", HOSTS)
def test_what_others_wrote_stays_byte_by_byte(project: Path, home: Path, name: str) -> None:
    run("install", name)
    for path in files_in(home):
        (home / path).write_text(ELSE.get(Path(path).suffix, SETTINGS))
    before = files_in(home)
    run("install", name)
    assert all(b"memsite" in text for path, text in files_in(home).items() if path in before)
    run("uninstall", name)
    assert files_in(home) == before
    for path in before:
        (home / path).unlink()


@each_row("name", OTHERS)
def test_no_key_is_written_into_any_file(project: Path, home: Path, name: str) -> None:
    run("install", name)
    run("install", name, "--project")
    assert not any(b"mst_secret_key" in text for text in [*files_in(home).values(), *files_in(project).values()])


def test_each_host_gets_its_hooks_in_its_own_form(project: Path, home: Path) -> None:
    for name in HOSTS:
        run("install", name)
    codex = json.loads((home / ".codex/hooks.json").read_text())["hooks"]["Stop"][0]["hooks"][0]
    cursor = json.loads((home / ".cursor/hooks.json").read_text())
    gemini = json.loads((home / ".gemini/settings.json").read_text())
    copilot = json.loads((home / ".copilot/hooks/memsite.json").read_text())["hooks"]["agentStop"][0]
    windsurf = json.loads((home / ".codeium/windsurf/hooks.json").read_text())["hooks"]["pre_user_prompt"][0]
    opencode = json.loads((home / ".config/opencode/opencode.json").read_text())["mcp"]["memsite"]
    assert (codex["type"], codex["timeout"], codex["command"].split()[-1]) == ("command", 15, "codex:Stop")
    assert (cursor["version"], cursor["hooks"]["sessionStart"][0]["timeout"]) == (1, 10)
    assert gemini["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 5000
    assert gemini["mcpServers"]["memsite"]["args"][-1] == "mcp"
    assert (copilot["type"], copilot["bash"], copilot["timeoutSec"]) == ("command", copilot["powershell"], 15)
    assert (windsurf["show_output"], windsurf["command"].split()[-1]) == (False, "windsurf:pre_user_prompt")
    assert (opencode["type"], opencode["command"][-1]) == ("local", "mcp")
    assert tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"]["memsite"]["args"][-1] == "mcp"
    assert "context" in (home / ".codeium/windsurf/memories/global_rules.md").read_text()


def test_a_shared_install_says_so_in_each_hook(project: Path, home: Path) -> None:
    run("install", "codex", "--shared")
    hooks = json.loads((home / ".codex/hooks.json").read_text())["hooks"]
    assert all(group["hooks"][0]["command"].endswith(" --shared") for groups in hooks.values() for group in groups)
    run("install", "codex")
    assert "--shared" not in (home / ".codex/hooks.json").read_text()


def test_what_is_no_toml_is_left_as_it_is(project: Path, home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text("[mcp_servers.memsite]\ncommand = 'mine'\n")
    assert "config.toml" in run("install", "codex", code=1).stderr
    assert list(files_in(home)) == [".codex/config.toml"]


def test_doctor_says_that_a_checkout_has_moved_and_what_mends_it(memsite: Memsite, home: Path) -> None:
    run("install", "cursor")
    path = home / ".cursor/hooks.json"
    hooks = json.loads(path.read_text())
    hooks["hooks"]["stop"] = [{"command": "/moved/.venv/bin/memsite hook cursor:afterAgentResponse"}]
    path.write_text(json.dumps(hooks))
    output = run("doctor", code=1).stdout
    assert "/moved/.venv/bin/memsite is gone: run `memsite install cursor` again" in output
    assert "/moved/.venv/bin/memsite is gone" in run("status").stdout


def test_doctor_names_the_server_and_the_project(memsite: Memsite, home: Path) -> None:
    rows = {row["what"]: row for row in run_json("doctor")}
    assert rows["server"]["ok"]
    assert rows["project"]["detail"].startswith("project:")


def test_a_prompt_that_is_only_heard_is_named_so_for_hosts_that_show_nothing() -> None:
    assert {name for name, host in HOSTS.items() if SAID in host.events.values()} == {"cursor", "windsurf"}

"""`memsite run` and `manage.py run_session` as processes, around a stand-in for Claude Code, at a real server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import pytest

from memsite_client import Memsite
from tests.api.checks import RESULT, assistant, ndjson
from tests.cli.conftest import run as run_here
from tests.cli.test_hook import tell as told_by_hook
from tests.memsite.managing import manage
from tests.serving import Server, asking
from tests.tables import each_row
from tools.ports import free_port

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = ROOT / "memories" / "management" / "commands" / "recordings"
CLAUDE = [sys.executable, str(ROOT / "tests" / "claude_stand_in.py"), "-p", "go", "--output-format", "stream-json"]
MARKER = "[MEMORY:timing:jellyfin] Takes 60s to start"


def start(*options: str, **plan: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "memsite_client", "run", *options, "--", *CLAUDE]
    return popen(command, plan)


def popen(command: list[str], plan: dict[str, Any], **more: str) -> subprocess.Popen[bytes]:
    file = Path(os.environ["HOME"], f"plan-{uuid4()}.json")
    file.write_text(json.dumps(plan))
    environment = {**os.environ, **more, "CLAUDE_PLAN": str(file)}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)  # noqa: S603


def run(*options: str, **plan: Any) -> tuple[int, bytes, str]:
    """(exit code, stdout, stderr)"""
    with start(*options, **plan) as process:
        out, error = process.communicate(timeout=120)
        return process.returncode, out, error.decode()


def until(condition: Callable[[], bool]) -> None:
    tick = Event()
    while not condition():
        tick.wait(0.05)


def contents(memsite: Memsite) -> list[str]:
    return [memory["content"] for memory in memsite.list_memories()]


def the_session(memsite: Memsite) -> Any:
    (session,) = memsite.list_sessions()
    return session


@pytest.mark.parametrize("name", ["ops-1", "ops-2", "ops-3", "assistant-1", "assistant-2"])
def test_recordings_pass_through_unchanged_and_are_learnt_from(memsite: Memsite, name: str) -> None:
    recording = RECORDINGS / f"{name}.jsonl"
    code, out, error = run("--tier", "3", "--verbose", say=[str(recording)], chunk=777)
    assert (code, out) == (0, recording.read_bytes())
    session = the_session(memsite)
    assert (session["tier"], session["status"], session["end_reason"]) == (3, "ended", "exit code 0")
    assert session["title"] == f"{Path(sys.executable).name} in {ROOT.name}"
    assert len(list(memsite.list_turns(session["id"]))) > 0
    assert "created" in error.splitlines()[-1]
    if name.startswith("ops"):
        assert contents(memsite)


def test_the_agent_is_told_its_task_where_it_is_and_what_is_known(memsite: Memsite, tmp_path: Path) -> None:
    memsite.create_memory("Must be started after WireGuard", category="dependency", subject="caddy")
    run("--tier", "2", "-e", "site=lab", "--title", "Night round", told=str(tmp_path / "told"))
    output = json.loads((tmp_path / "told").read_text())
    prompt = output["arguments"][output["arguments"].index("--append-system-prompt") + 1]
    positions = [
        prompt.index(part)
        for part in ("# Your task: investigate", "## Memory Recording", "## Environment", "- site: lab", "WireGuard")
    ]
    assert positions == sorted(positions)
    session = the_session(memsite)
    assert output["session"] == session["id"]
    assert (session["title"], session["environment"]["site"]) == ("Night round", "lab")


def test_what_is_said_is_known_before_the_agent_ends(memsite: Memsite, tmp_path: Path) -> None:
    over = tmp_path / "over"
    with start(say=[ndjson(assistant(MARKER))], until=str(over)) as process:
        until(lambda: contents(memsite) == ["Takes 60s to start"])
        assert the_session(memsite)["status"] == "active"
        over.touch()
        process.communicate(timeout=60)
    assert the_session(memsite)["status"] == "ended"


def test_our_hooks_inside_answer_prompts_and_leave_the_rest_to_us(
    memsite: Memsite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over, output = tmp_path / "over", tmp_path / "told"
    with start(until=str(over), ready=str(tmp_path / "ready"), told=str(output)) as process:
        until((tmp_path / "ready").exists)
        memsite.create_memory("Bears sleep all winter", category="wood")
        monkeypatch.setenv("MEMSITE_SESSION_ID", json.loads(output.read_text())["session"])
        assert told_by_hook("SessionStart") == ""
        assert "Bears sleep" in told_by_hook("UserPromptSubmit", prompt="When do bears sleep?")
        over.touch()
        process.communicate(timeout=60)
    assert the_session(memsite)["end_reason"] == "exit code 0"


def test_an_output_of_one_result_is_told_to_teach_nothing(memsite: Memsite) -> None:
    """`--output-format json` prints no more than that."""
    command = [sys.executable, "-m", "memsite_client", "run", "--", *CLAUDE[:-1], "json"]
    for say, is_told in (([ndjson(RESULT)], True), ([ndjson(assistant(MARKER), RESULT)], False), ([], False)):
        with popen(command, {"say": say}) as process:
            _, error = process.communicate(timeout=120)
        assert (b"nothing is learnt from its output: does the command have" in error) is is_told
    assert "learnt" not in run(say=[ndjson(RESULT)])[2]


def test_lines_of_no_use_cost_no_other(memsite: Memsite) -> None:
    garbage = bytes(range(256)).decode("latin-1") + "\n"
    huge = "x" * 9_000_000 + "\n"
    statement = [garbage, huge, ndjson(assistant(MARKER), RESULT)]
    code, out, error = run(say=statement)
    assert (code, out) == (0, "".join(statement).encode("latin-1"))
    assert contents(memsite) == ["Takes 60s to start"]
    assert "lines of its output could not be read" in error


@pytest.mark.parametrize(("plan", "code"), [({"code": 3}, 3), ({"kill": 9}, 137)])
def test_a_crash_loses_nothing(memsite: Memsite, plan: dict[str, int], code: int) -> None:
    assert run(say=[ndjson(assistant(MARKER))[:-1]], **plan)[0] == code
    assert contents(memsite) == ["Takes 60s to start"]
    assert the_session(memsite)["end_reason"] == f"exit code {code}"


def test_a_signal_reaches_the_agent_and_its_last_words_the_server(memsite: Memsite, tmp_path: Path) -> None:
    ready, over = tmp_path / "ready", tmp_path / "over"
    plan = {"say": [ndjson(assistant(MARKER))], "signals": [signal.SIGTERM], "ready": str(ready), "until": str(over)}
    with start(**plan, code=143) as process:
        until(ready.exists)
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        assert any(b"got 15" in line for line in process.stdout)
        over.touch()
        process.communicate(timeout=60)
    assert process.returncode == 143
    assert contents(memsite) == ["Takes 60s to start"]


def test_a_killed_wrapper_leaves_what_had_come_by_then(memsite: Memsite, tmp_path: Path) -> None:
    with start(say=[ndjson(assistant(MARKER))], until=str(tmp_path / "over")) as process:
        until(lambda: contents(memsite) == ["Takes 60s to start"])
        process.kill()
        process.wait(timeout=60)
        (tmp_path / "over").touch()
    run(say=[])
    assert contents(memsite) == ["Takes 60s to start"]
    assert len(list(memsite.list_sessions())) == 2
    assert {session["status"] for session in memsite.list_sessions()} == {"ended"}, "the next run ended it"


def test_a_reader_that_stops_reading_stops_the_agent(memsite: Memsite) -> None:
    with start(say=[ndjson(assistant(MARKER)), "x\n" * 2_000_000]) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=120) == 128 + signal.SIGPIPE
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    assert contents(memsite) == ["Takes 60s to start"]


def test_a_server_that_is_away_stops_nothing_and_gets_it_later(
    memsite: Memsite, monkeypatch: pytest.MonkeyPatch, home: Path, server: Server
) -> None:
    statement = ndjson(assistant(MARKER), RESULT)
    with monkeypatch.context() as away:
        away.setenv("MEMSITE_URL", f"http://127.0.0.1:{free_port()}")
        code, out, error = run(say=[statement], code=4)
    assert (code, out) == (4, statement.encode())
    assert "runs without memory" in error
    (about,) = home.rglob("runs/*.json")
    stored = json.loads(about.read_text())
    about.write_text(json.dumps({**stored, "target": server.url}))
    assert run(say=[ndjson(RESULT)])[0] == 0
    assert contents(memsite) == ["Takes 60s to start"]
    assert list(home.rglob("runs/*")) == []


def test_no_key_stops_nothing(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMSITE_API_KEY")
    code, out, error = run(say=["one\n"])
    assert (code, out) == (0, b"one\n")
    assert "memsite login" in error


@each_row(
    "options, reason",
    [
        (("--user", ""), "'' is no end user: 1 to 200 characters. Is a variable empty?"),
        (("--user", " "), "' ' is no end user"),
        (("--user", "x" * 201), "1 to 200 characters"),
        (("-e", f"note={'x' * 16_384}"), "-e: 16,384 characters at most"),
    ],
)
def test_what_the_server_would_never_take_ends_before_the_agent_starts(
    memsite: Memsite, options: tuple[str, ...], reason: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    done = run_here("run", *options, "--", *CLAUDE, code=2)
    assert (done.stdout, capfdbinary.readouterr().out) == ("", b"")
    assert reason in done.stderr
    assert list(memsite.list_sessions()) == []


def test_a_program_that_is_not_there(memsite: Memsite) -> None:
    command = [sys.executable, "-m", "memsite_client", "run", "--", "/nowhere/claude"]
    with popen(command, {}) as process:
        out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (127, b"")
    assert error.decode() == "memsite: There is no program /nowhere/claude.\n"
    assert the_session(memsite)["end_reason"] == "could not start"


# --- the same without a server


def run_session(server: Server, app: str, *options: str, **plan: Any) -> tuple[int, bytes, str]:
    command = [sys.executable, "manage.py", "run_session", "--app", app, *options, "--", *CLAUDE]
    with popen(command, plan, **server.environment) as process:
        out, error = process.communicate(timeout=120)
        return process.returncode, out, error.decode()


@pytest.fixture
def app(server: Server, memsite: Memsite) -> str:
    """The app of the key."""
    return server.last_app


def test_run_session_does_the_same_in_process(server: Server, memsite: Memsite, app: str, tmp_path: Path) -> None:
    memsite.create_memory("Must be started after WireGuard", category="dependency", subject="caddy")
    recording = RECORDINGS / "ops-1.jsonl"
    code, out, error = run_session(
        server,
        app,
        "--tier",
        "3",
        "-e",
        "site=lab",
        say=[str(recording)],
        chunk=777,
        told=str(tmp_path / "told"),
        code=6,
    )
    assert (code, out, error) == (6, recording.read_bytes(), "")
    prompt = json.loads((tmp_path / "told").read_text())["arguments"][-1]
    for part in ("# Your task: remediate", "- site: lab", "WireGuard"):
        assert part in prompt
    session = the_session(memsite)
    assert (session["tier"], session["status"], session["end_reason"]) == (3, "ended", "exit code 6")
    assert len(contents(memsite)) > 1


def test_run_session_needs_an_app_that_there_is_and_a_command(server: Server, app: str) -> None:
    """In this process, which is one of the server's for as long."""
    for of, words, reason in (
        ("nobodys", ["--", *CLAUDE], "There is no app nobodys."),
        (app, [], "Which command?"),
    ):
        out, error = StringIO(), StringIO()
        with asking(server.database_url), redirect_stdout(out), redirect_stderr(error):
            assert manage("run_session", "--app", of, *words) == 1
        assert out.getvalue() == ""
        assert reason in error.getvalue()


def test_run_session_without_its_database_stops_nothing(server: Server, app: str, tmp_path: Path) -> None:
    (tmp_path / "memsite.sqlite3").write_text("this is no database, but it is long enough to be looked at as one" * 99)
    environment = {**server.environment, "MEMSITE_DATA_DIR": str(tmp_path), "MEMSITE_DATABASE_URL": ""}
    broken = Server(server.url, server.operator_key, server.names, environment)
    code, out, error = run_session(broken, app, say=["one\n"], code=5)
    assert (code, out) == (5, b"one\n")
    assert "runs without memory" in error

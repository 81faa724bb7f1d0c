"""`memsite hook EVENT` as Claude Code runs it: a process with JSON on stdin, which must never disturb a session."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from threading import Event

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from memsite_client import Memsite
from memsite_client.claude.hook import seconds_for, silence_file
from memsite_client.hosts import HOSTS
from tests.cli.hooks import HASTY, PATIENT, hook, tell
from tests.cli.transcripts import OTHER, SESSION, Transcript
from tests.serving import Server
from tests.tables import each_row
from tools.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
EVENTS = list(HOSTS["claude-code"].events)


def assert_silence(done: subprocess.CompletedProcess[bytes]) -> None:
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    return Transcript(tmp_path / "projects" / f"{SESSION}.jsonl")


def heard(memsite: Memsite) -> list[tuple[str, str]]:
    rows = [(row["role"], row["raw_content"]) for row in memsite.list_resources()]
    return rows[::-1]


# --- a session


def test_a_session_with_its_transcript(memsite: Memsite, transcript: Transcript) -> None:
    where = {"transcript_path": str(transcript.path), "is_anew": True}
    memsite.create_memory("Whales sing at night", category="sea")
    assert "Whales sing at night" in tell("SessionStart", source="startup", **where)
    memsite.create_memory("Bears sleep all winter", category="wood")
    assert "Bears sleep all winter" in tell("UserPromptSubmit", prompt="When do bears sleep?", **where)
    transcript.user("When do bears sleep?")
    transcript.assistant("Let me think. [EVENT:info] thinking")
    transcript.assistant("Bears sleep all winter.")
    assert tell("Stop", last_assistant_message="Bears sleep all winter.", **where) == ""
    assert tell("PreCompact", trigger="auto", **where) == ""
    assert tell("SessionEnd", reason="other", **where) == ""
    (session,) = memsite.list_sessions()
    assert (session["external_id"], session["status"], session["title"]) == (SESSION, "ended", "shop")
    assert heard(memsite) == [
        ("user", "When do bears sleep?"),
        ("assistant", "Let me think. [EVENT:info] thinking"),
        ("assistant", "Bears sleep all winter."),
    ]
    assert next(memsite.list_memories(category="wood"))["priority"] > 1.0


def test_an_answer_that_the_transcript_tells_later_is_kept_once(memsite: Memsite, transcript: Transcript) -> None:
    where = {"transcript_path": str(transcript.path)}
    tell("UserPromptSubmit", prompt="Hello", **where)
    transcript.user("Hello")
    line = transcript.line("assistant", [{"type": "text", "text": "Hi there."}])
    transcript.write(line[:50])
    tell("Stop", last_assistant_message="Hi there.", **where)
    transcript.write(line[50:])
    transcript.user("Hello")
    tell("UserPromptSubmit", prompt="Hello again", **where)
    tell("SessionEnd", **where)
    statement = [("user", "Hello"), ("assistant", "Hi there."), ("user", "Hello"), ("user", "Hello again")]
    assert heard(memsite) == statement


def test_without_a_transcript_the_event_itself_counts(memsite: Memsite) -> None:
    tell("UserPromptSubmit", prompt="Hello", transcript_path="/nowhere/x.jsonl")
    tell("Stop", last_assistant_message="[MEMORY:timing:jellyfin] Takes 60s to start")
    assert [role for role, _ in heard(memsite)] == ["user", "assistant"]
    assert next(memsite.list_memories())["subject"] == "jellyfin"


def test_who_has_the_hooks_for_themself_and_for_the_project_is_heard_once(
    memsite: Memsite, transcript: Transcript
) -> None:
    """Claude Code then runs both, for they are called by other names."""
    turn = {"transcript_path": str(transcript.path), "prompt_id": "p1"}
    for _ in range(2):
        tell("UserPromptSubmit", prompt="Hello", **turn)
    transcript.user("Hello")
    for _ in range(2):
        tell("Stop", last_assistant_message="Hi there.", **turn)
    transcript.assistant("Hi there.")
    tell("UserPromptSubmit", prompt="Hello", **turn | {"prompt_id": "p2"})
    assert heard(memsite) == [("user", "Hello"), ("assistant", "Hi there."), ("user", "Hello")]


def test_what_a_forked_session_has_copied_was_said_in_the_other(memsite: Memsite, transcript: Transcript) -> None:
    tell("UserPromptSubmit", prompt="I prefer tea.", prompt_id="p1", transcript_path=str(transcript.path))
    transcript.user("I prefer tea.", promptId="p1")
    for number in range(250):
        transcript.assistant(f"Noted, {number}.")
    tell("Stop", transcript_path=str(transcript.path))
    tell("SessionEnd", transcript_path=str(transcript.path))
    fork = transcript.fork()
    fork.assistant("Said in the fork.")
    for _ in range(2):
        tell("Stop", session_id=OTHER, transcript_path=str(fork.path))
    forked = next(session for session in memsite.list_sessions() if session["external_id"] == OTHER)
    assert [row["raw_content"] for row in memsite.list_resources(session_id=forked["id"])] == ["Said in the fork."]


def test_what_is_no_prompt_of_the_users_is_not_said_by_them(memsite: Memsite, transcript: Transcript) -> None:
    """Claude Code tells hooks of its own notices as of prompts."""
    where, notice = {"transcript_path": str(transcript.path)}, "<task-notification>Build failed</task-notification>"
    assert tell("UserPromptSubmit", prompt=notice, **where) == ""
    tell("UserPromptSubmit", prompt=f"{notice}\nWhat now?", **where)
    transcript.user(notice, origin={"kind": "task-notification"})
    transcript.user(f"{notice}\nWhat now?")
    tell("Stop", **where)
    assert heard(memsite) == [("user", "What now?")]


def test_what_could_not_be_sent_is_sent_next_time(
    memsite: Memsite, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = {"session_id": SESSION, "transcript_path": str(transcript.path)}
    transcript.user("Hello")
    with monkeypatch.context() as away:
        away.setenv("MEMSITE_URL", f"http://127.0.0.1:{free_port()}")
        assert_silence(hook("Stop", where))
    tell("PreCompact", **where)
    assert heard(memsite) == [("user", "Hello")]


def test_what_the_server_will_never_take_does_not_block_the_rest(memsite: Memsite, transcript: Transcript) -> None:
    where = {"transcript_path": str(transcript.path)}
    transcript.user("x" * 8_388_000)
    transcript.user("Hello")
    too_much = hook("Stop", {"session_id": SESSION, **where, "of no use": "x" * 1000}, "--verbose", patience=PATIENT)
    assert b"413" in too_much.stderr
    tell("Stop", **where)
    assert heard(memsite) == [("user", "Hello")]


def test_what_is_too_long_takes_nothing_with_it(memsite: Memsite, transcript: Transcript) -> None:
    for text in ("Hello", "x" * 8_388_000):
        transcript.user(text)
    where = {"transcript_path": str(transcript.path)}
    tell("Stop", **where)
    assert heard(memsite) == [("user", "Hello")]


def test_a_field_of_another_kind_costs_nothing_that_was_said(memsite: Memsite, transcript: Transcript) -> None:
    transcript.user("Hello", uuid="x" * 300)
    where = {"session_id": SESSION, "transcript_path": str(transcript.path)}
    odd = {"cwd": 5, "reason": {"kind": "other"}, "prompt_id": 7, "hook_event_name": None}
    assert hook("SessionEnd", {**where, **odd}, "--verbose", patience=PATIENT).stderr == b""
    assert heard(memsite) == [("user", "Hello")]


def test_a_prompt_with_a_long_id_is_heard(memsite: Memsite) -> None:
    tell("UserPromptSubmit", prompt="When do bears sleep?", prompt_id="p" * 300)
    assert heard(memsite) == [("user", "When do bears sleep?")]


@pytest.mark.parametrize("sign", ["\0", "\ud800"])
def test_a_sign_that_no_server_takes_costs_nothing_that_was_said(
    memsite: Memsite, transcript: Transcript, sign: str
) -> None:
    where = {"transcript_path": str(transcript.path)}
    memsite.create_memory("Bears sleep all winter", category="wood")
    transcript.user("Hello")
    assert "Bears sleep" in tell("UserPromptSubmit", prompt=f"When do bears{sign} sleep?", **where)
    tell("Stop", last_assistant_message=f"In winter{sign}", **where)
    statement = [("user", "Hello"), ("user", "When do bears\ufffd sleep?"), ("assistant", "In winter\ufffd")]
    assert heard(memsite) == statement


def test_inside_of_memsite_run_only_prompts_are_answered(memsite: Memsite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSITE_SESSION_ID", memsite.start_session()["id"])
    memsite.create_memory("Bears sleep all winter", category="wood")
    assert tell("SessionStart") == ""
    assert "Bears sleep" in tell("UserPromptSubmit", prompt="When do bears sleep?")
    tell("Stop", last_assistant_message="In winter.")
    assert heard(memsite) == []
    assert len(list(memsite.list_sessions())) == 1


# --- whatever goes wrong


@pytest.fixture
def stand_in(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> HTTPServer:
    """A server that a test can make do anything."""
    monkeypatch.setenv("MEMSITE_URL", httpserver.url_for(""))
    monkeypatch.setenv("MEMSITE_API_KEY", "mst_key")
    return httpserver


GARBAGE = [
    b"",
    b"nonsense",
    b"[]",
    b"null",
    b'{"session_id": 5}',
    b"\xff\xfe\x00",
    b'{"session_id": "x"',
    b"[" * 100_000,
]


@each_row("event, stdin", product(EVENTS, GARBAGE))
def test_garbage_on_stdin(event: str, stdin: bytes) -> None:
    assert_silence(hook(event, stdin))


@each_row("event", EVENTS)
def test_garbage_on_stdin_of_a_new_process(event: str) -> None:
    assert_silence(hook(event, b"nonsense", is_anew=True))


@each_row("event", EVENTS)
def test_no_server(event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as place:
        assert_silence(hook(event, {"session_id": "x"}))
        place.setenv("MEMSITE_API_KEY", "mst_key")
        place.setenv("MEMSITE_URL", f"http://127.0.0.1:{free_port()}")
        assert_silence(hook(event, {"session_id": "x", "prompt": "Hello"}))
        place.setenv("MEMSITE_URL", "nonsense")
        assert_silence(hook(event, {"session_id": "x"}))


def test_a_server_that_is_confused(stand_in: HTTPServer) -> None:
    answers = [
        Response("{}", 401),
        Response("broken", 500),
        Response("<html>", 200),
        Response("[]", 200),
        Response("", 200),
        Response('{"hookSpecificOutput": null}', 200),
        Response("", 302, {"Location": "/elsewhere"}),
        Response(b"\xff\xfe", 200),
    ]
    for answer in answers:
        stand_in.expect_oneshot_request("/api/v1/hooks/claude-code").respond_with_response(answer)
        assert_silence(hook("UserPromptSubmit", {"session_id": "x", "prompt": "Hello"}))
    assert stand_in.oneshot_handlers == []


@pytest.fixture
def never() -> Iterator[Event]:
    """Set when the test is over."""
    event = Event()
    yield event
    event.set()


def test_a_server_that_does_not_answer_in_time(stand_in: HTTPServer, never: Event) -> None:
    answered = Event()

    def wait(_: Request) -> Response:
        never.wait(60)
        answered.set()
        return Response("{}")

    stand_in.expect_request("/api/v1/hooks/claude-code").respond_with_handler(wait)
    assert_silence(hook("SessionEnd", {"session_id": "x"}, patience=HASTY))
    assert not answered.is_set(), "it must not wait as long as the server does"
    never.set()


def test_a_server_that_answers_drop_by_drop(stand_in: HTTPServer, never: Event) -> None:
    """Each byte comes in time, the whole does not."""

    def drip() -> Iterator[bytes]:
        while not never.wait(0.05):
            yield b" "

    stand_in.expect_request("/api/v1/hooks/claude-code").respond_with_handler(lambda _: Response(drip()))
    assert_silence(hook("SessionEnd", {"session_id": "x"}, patience=HASTY))
    never.set()


def test_a_server_that_was_waited_for_in_vain_is_given_less_time(
    key: str, server: Server, httpserver: HTTPServer, never: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSITE_URL", httpserver.url_for(""))
    httpserver.expect_request("/api/v1/hooks/claude-code").respond_with_handler(lambda _: Response(str(never.wait(60))))
    question = {"session_id": "x", "prompt": "Hello"}
    assert seconds_for("UserPromptSubmit") == 4.0
    told_of_it = hook("UserPromptSubmit", question, "--verbose", patience=HASTY).stderr
    assert told_of_it == b"memsite: no answer within 1.3 seconds\n"
    assert [seconds_for(event) for event in ("UserPromptSubmit", "Stop", "SessionStart", "SessionEnd")] == [1.5] * 4
    assert_silence(hook("UserPromptSubmit", question, patience=HASTY))
    os.utime(silence_file(), (0, time.time() - 61))
    assert (seconds_for("UserPromptSubmit"), seconds_for("Stop")) == (4.0, 10.0)
    silence_file().touch()
    never.set()
    monkeypatch.setenv("MEMSITE_URL", server.url)
    tell("Stop")
    assert seconds_for("UserPromptSubmit") == 4.0


def test_the_end_of_a_session_tells_nothing_of_the_server(stand_in: HTTPServer, never: Event) -> None:
    stand_in.expect_request("/api/v1/hooks/claude-code").respond_with_handler(lambda _: Response(str(never.wait(60))))
    hook("SessionEnd", {"session_id": "x"})
    assert seconds_for("UserPromptSubmit") == 4.0


def test_stdin_that_never_ends() -> None:
    command = [sys.executable, "-m", "memsite_client", "hook", "SessionEnd"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # noqa: S603
        assert process.wait(timeout=30) == 0


def test_what_goes_wrong_is_told_to_those_who_ask() -> None:
    done = hook("Stop", {"session_id": "x"}, "--verbose")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"memsite login" in done.stderr


def test_an_event_that_there_is_not_is_told_by_the_help() -> None:
    done = hook("--help", b"")
    assert b"UserPromptSubmit" in done.stdout


def test_a_home_that_cannot_be_written_is_no_reason_to_fail(
    memsite: Memsite, home: Path, transcript: Transcript
) -> None:
    (home / ".local").write_text("a file where a folder should be")
    transcript.user("Hello")
    tell("Stop", transcript_path=str(transcript.path))
    tell("SessionEnd", transcript_path=str(transcript.path))
    assert heard(memsite) == [("user", "Hello")]


def test_a_hook_loads_little() -> None:
    code = """
import sys
sys.argv = ["memsite", "hook", "Stop"]
from memsite_client.__main__ import main
try:
    main()
except SystemExit:
    print(*sys.modules)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    loaded = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], cwd=ROOT, env=environment, input="{}", capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {
        "httpx",
        "click",
        "django",
        "asyncio",
        "dataclasses",
        "inspect",
        "memsite_client.wire",
        "memsite_client.cli",
    }
    assert "memsite_client.claude.hook" in loaded
    assert heavy & set(loaded) == set()


@each_row("arguments", [("Stop", "--bogus"), ("--bogus",), ("Stop", "more"), ("Bogus", "--verbose", "x")])
def test_wrong_usage_is_told_and_blocks_nothing(arguments: tuple[str, ...]) -> None:
    done = hook(arguments[0], "{}", *arguments[1:])
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Usage: memsite hook" in done.stderr

"""The wrapper by itself: an agent's program passes through it unharmed, whatever it prints and whatever memory does."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memsite_client import wrapper
from memsite_client.errors import InvalidRequest, MemsiteError, ServerAway
from memsite_client.wrapper import Run, recording
from memsite_client.wrapper.program import environment_here, new_session, speaks_stream_json, system_prompt, with_prompt
from memsite_client.wrapper.recording import Recording, deliver_stored, start_recording

STAND_IN = Path(__file__).resolve().parents[1] / "claude_stand_in.py"
CLAUDE = [sys.executable, str(STAND_IN), "-p", "go", "--output-format", "stream-json"]
Output = pytest.CaptureFixture[bytes]
SESSION = {"external_id": "run-1", "tier": 1}


class Memory:
    """A recorder that notes what it is asked, and fails where it is told to."""

    def __init__(self, **fails: Exception) -> None:
        self.fails, self.prompt = fails, "What is known."
        self.heard, self.calls = [b""], list[str]()

    def make(self, session: dict[str, Any]) -> Memory:
        return self

    def begin(self) -> str:
        return self.call("begin", self.prompt)

    def variables(self) -> Mapping[str, str]:
        return {"MEMSITE_SESSION_ID": "the session"}

    def record(self, chunks: Iterable[bytes]) -> Mapping[str, Any]:
        self.heard.append(b"")
        for chunk in chunks:
            self.heard[-1] += chunk
            self.call("chunk", None)
        return self.call("record", {"error_count": 0, "created": 1})

    def beat(self) -> None:
        self.call("beat", None)

    def end(self, reason: str) -> None:
        self.call(f"end: {reason}", None)

    def call(self, name: str, answer: Any) -> Any:
        self.calls.append(name)
        if error := self.fails.get(name.partition(":")[0]):
            raise error
        return answer


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def wrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warnings: list[str]) -> Callable[..., int]:
    """Runs the stand-in by a plan, with this memory; answers the exit code."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(recording, "FIRST_WAIT_SECONDS", 0.01)

    def wrap(memory: Memory, command: list[str] = CLAUDE, **plan: Any) -> int:
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        monkeypatch.setenv("CLAUDE_PLAN", str(tmp_path / "plan.json"))
        return Run(dict(SESSION), "here", memory.make, warnings.append, verbose=True)(command)

    return wrap


def keep(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "memsite" / "runs").iterdir())


# --- what passes through


OUTPUTS = {
    "lines": b'{"type": "system"}\n{"type": "result"}\n',
    "no newline": b'{"type": "system"}',
    "nothing": b"",
    "garbage": bytes(range(256)) * 50,
    "a huge line": b"x" * 3_000_000 + b"\nshort\n",
}


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS)
@pytest.mark.parametrize("chunk", [0, 1000])
def test_every_byte_passes_through_and_is_heard(
    wrap: Callable[..., int], capfdbinary: Output, output: bytes, chunk: int, tmp_path: Path
) -> None:
    (tmp_path / "output").write_bytes(output)
    memory = Memory()
    assert wrap(memory, say=[str(tmp_path / "output")], chunk=chunk) == 0
    assert capfdbinary.readouterr().out == output
    assert memory.heard[-1] == output
    assert memory.calls[0] == "begin"
    assert memory.calls[-1] == "end: exit code 0"
    assert keep(tmp_path) == []


@pytest.mark.parametrize(
    ("plan", "code"), [({"code": 0}, 0), ({"code": 3}, 3), ({"kill": 9}, 137), ({"kill": 15}, 143)]
)
def test_the_exit_code_is_the_programs(wrap: Callable[..., int], plan: dict[str, int], code: int) -> None:
    memory = Memory()
    assert wrap(memory, **plan) == code
    assert memory.calls[-1] == f"end: exit code {code}"


def test_stdin_is_the_programs(tmp_path: Path, wrap: Callable[..., int], capfdbinary: Output) -> None:
    (tmp_path / "question").write_bytes(b"a question")
    ours = os.dup(0)
    with (tmp_path / "question").open("rb") as file:
        os.dup2(file.fileno(), 0)
        try:
            wrap(Memory(), stdin=True)
        finally:
            os.dup2(ours, 0)
            os.close(ours)
    assert capfdbinary.readouterr().out == b"a question"


def test_it_is_told_what_is_known_and_where_it_belongs(wrap: Callable[..., int], tmp_path: Path) -> None:
    wrap(Memory(), told=str(tmp_path / "told"))
    output = json.loads((tmp_path / "told").read_text())
    assert output["arguments"][-2:] == ["--append-system-prompt", "What is known."]
    assert output["session"] == "the session"


def test_what_it_started_does_not_hold_us_up(
    wrap: Callable[..., int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(wrapper, "LAST_OUTPUT_SECONDS", 0.1)
    over = tmp_path / "over"

    def end() -> None:
        wait_for(lambda: b"one\n" in memory.heard)
        over.touch()

    memory, ender = Memory(), threading.Thread(target=end)
    ender.start()
    assert wrap(memory, say=["one\n"], child=True, until=str(over)) == 0
    ender.join()
    assert memory.heard[-1] == b"one\n"


@pytest.mark.parametrize(("command", "code"), [(["/nowhere/claude"], 127), (["/"], 126), (["a\0b"], 126)])
def test_a_program_that_cannot_be_started(
    wrap: Callable[..., int], warnings: list[str], command: list[str], code: int
) -> None:
    memory = Memory()
    assert wrap(memory, command) == code
    assert len(warnings) == 1
    assert memory.calls == ["begin", "end: could not start"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_signals_are_handed_down(wrap: Callable[..., int], capfdbinary: Output, tmp_path: Path, number: int) -> None:
    ready, over = tmp_path / "ready", tmp_path / "over"

    def send() -> None:
        wait_for(ready.exists)
        os.kill(os.getpid(), number)
        wait_for(lambda: b"got" in b"".join(memory.heard))
        over.touch()

    memory, sender = Memory(), threading.Thread(target=send)
    # What a shell starts with `&` is told to ignore interrupts, and these tests may be.
    before = signal.signal(number, signal.SIG_DFL)
    try:
        sender.start()
        assert wrap(memory, signals=[number], ready=str(ready), until=str(over), code=5) == 5
        sender.join()
        assert capfdbinary.readouterr().out == f"got {number}\n".encode()
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_what_is_ignored_stays_ignored(wrap: Callable[..., int]) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        wrap(Memory(), code=0)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


# --- what memory does


@pytest.mark.parametrize("fails", ["begin", "chunk", "record", "end"])
def test_the_agent_runs_whatever_memory_does(
    wrap: Callable[..., int], capfdbinary: Output, warnings: list[str], fails: str
) -> None:
    assert wrap(Memory(**{fails: OSError("the disk\nis on fire")}), say=["one\ntwo\n"], code=7) == 7
    assert capfdbinary.readouterr().out == b"one\ntwo\n"
    assert [text for text in warnings if "the disk is on fire" in text]
    assert all("\n" not in text for text in warnings)


def test_without_a_word_of_what_is_known_the_command_stays_as_it_is(wrap: Callable[..., int], tmp_path: Path) -> None:
    wrap(Memory(begin=OSError("away")), told=str(tmp_path / "told"))
    assert json.loads((tmp_path / "told").read_text())["arguments"] == CLAUDE[2:]


def test_a_prompt_longer_than_a_command_line_takes_is_left_out(
    wrap: Callable[..., int], warnings: list[str], tmp_path: Path
) -> None:
    memory = Memory()
    memory.prompt = "ä" * 200_000
    assert wrap(memory, told=str(tmp_path / "told")) == 0
    assert "too long" in warnings[0]


def test_a_connection_that_breaks_is_made_anew_from_the_beginning(wrap: Callable[..., int], tmp_path: Path) -> None:
    class Breaking(Memory):
        def call(self, name: str, answer: Any) -> Any:
            if name == "chunk" and len(self.heard) < 4:
                raise ConnectionError
            return super().call(name, answer)

    memory = Breaking()
    assert wrap(memory, say=["one\ntwo\n"]) == 0
    assert memory.heard[-1] == b"one\ntwo\n"
    assert keep(tmp_path) == []


def test_what_could_not_be_delivered_is_delivered_by_the_next_run(
    wrap: Callable[..., int], warnings: list[str], tmp_path: Path
) -> None:
    wrap(Memory(record=ConnectionError("away")), say=["one\n"])
    assert keep(tmp_path) == ["run-1.json", "run-1.ndjson"]
    assert "away" in warnings[0]
    assert "next run" in warnings[0]
    (tmp_path / "memsite" / "runs" / "run-1.json").rename(tmp_path / "memsite" / "runs" / "run-0.json")
    (tmp_path / "memsite" / "runs" / "run-1.ndjson").rename(tmp_path / "memsite" / "runs" / "run-0.ndjson")
    memory = Memory()
    wrap(memory, say=["two\n"])
    assert memory.heard[1:] == [b"two\n", b"one\n"]
    assert "end: delivered later" in memory.calls
    assert keep(tmp_path) == []


def test_what_the_server_refuses_is_kept_and_no_later_run_is_promised(
    wrap: Callable[..., int], warnings: list[str], tmp_path: Path
) -> None:
    wrap(Memory(record=InvalidRequest({"detail": "environment: Too long."})), say=["one\n"])
    assert keep(tmp_path) == ["run-1.json", "run-1.ndjson"]
    assert "environment: Too long.). It is kept in " in warnings[0]


def test_what_goes_elsewhere_or_is_still_written_is_left_alone(tmp_path: Path) -> None:
    elsewhere = start_recording(tmp_path, "elsewhere", {"external_id": "run-1"})
    elsewhere.close()
    running = start_recording(tmp_path, "here", {"external_id": "run-2"})
    (tmp_path / "run-3.ndjson").write_bytes(b"whose?")
    memory = Memory()
    assert deliver_stored(tmp_path, "here", memory.make) == 0
    running.close()
    assert deliver_stored(tmp_path, "here", memory.make) == 1
    assert (tmp_path / "run-1.ndjson").exists()


def test_a_run_that_the_server_refuses_keeps_no_other_from_being_delivered(tmp_path: Path) -> None:
    for name in ("run-1", "run-2", "run-3"):
        recording = start_recording(tmp_path, "here", {"external_id": name})
        recording.write(name.encode())
        recording.close()
    memory, refusing = Memory(), Memory(record=InvalidRequest({"detail": "environment: Too long."}))
    with pytest.raises(MemsiteError, match=r"run-2\.ndjson: environment: Too long\."):
        deliver_stored(tmp_path, "here", lambda item: refusing if item["external_id"] == "run-2" else memory)
    assert memory.heard[1:] == [b"run-1", b"run-3"]
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["run-2.json", "run-2.ndjson"]


def test_a_server_that_is_away_is_not_asked_for_each_of_them(tmp_path: Path) -> None:
    for name in ("run-1", "run-2"):
        start_recording(tmp_path, "here", {"external_id": name}).close()
    away = Memory(record=ServerAway("away"))
    with pytest.raises(ServerAway):
        deliver_stored(tmp_path, "here", away.make)
    assert away.calls == ["record"]


def test_a_disk_that_is_full_stops_nothing(
    wrap: Callable[..., int],
    capfdbinary: Output,
    warnings: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")

    def on_a_full_disk(folder: Path, target: str, session: dict[str, Any]) -> Recording:
        stored = start_recording(folder, target, session)
        stored.file.close()
        stored.file = open("/dev/full", "wb")  # noqa: PTH123, SIM115
        return stored

    monkeypatch.setattr(wrapper, "start_recording", on_a_full_disk)
    assert wrap(Memory(), say=["one\n"]) == 0
    assert capfdbinary.readouterr().out == b"one\n"
    assert "No space left" in warnings[0]


def test_nowhere_to_keep_it_stops_nothing(
    wrap: Callable[..., int], capfdbinary: Output, warnings: list[str], tmp_path: Path
) -> None:
    (tmp_path / "memsite").write_text("a file where a folder should be")
    assert wrap(Memory(), say=["one\n"], code=2) == 2
    assert capfdbinary.readouterr().out == b"one\n"
    assert "nothing is learnt" in warnings[0]


def test_signs_of_life_are_given_while_the_agent_thinks(
    wrap: Callable[..., int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(wrapper, "BEAT_SECONDS", 0.01)
    memory, over = Memory(beat=OSError()), tmp_path / "over"

    def end() -> None:
        wait_for(lambda: memory.calls.count("beat") > 2)
        over.touch()

    watcher = threading.Thread(target=end)
    watcher.start()
    wrap(memory, until=str(over))
    watcher.join()


def test_an_idle_connection_is_kept_open_between_lines_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "IDLE_SECONDS", 0.001)
    stored = Recording(tmp_path / "x")
    chunks = stored.chunks()
    assert next(chunks) == b"\n"
    stored.write(b"half a ")
    assert next(chunks) == b"half a "
    threading.Timer(0.05, stored.write, [b"line\n"]).start()
    assert next(chunks) == b"line\n"
    assert next(chunks) == b"\n"
    stored.complete()
    assert list(chunks) == []
    stored.close()


def test_what_is_written_while_a_reader_looks_for_more_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = Recording(tmp_path / "x")
    stored.write(b"first\n")
    chunks = stored.chunks()
    assert next(chunks) == b"first\n"

    def end_at_once(reading: int, size: int) -> int:
        """Just after the reader has seen how much there is, the last line comes and it is complete."""
        if not stored.is_complete:
            stored.write(b"last\n")
            stored.complete()
        return min(reading, size)

    monkeypatch.setattr(recording, "min", end_at_once, raising=False)
    assert list(chunks) == [b"last\n"]
    stored.close()


def test_lines_that_could_not_be_read_are_told(wrap: Callable[..., int], warnings: list[str]) -> None:
    class Unreadable(Memory):
        def record(self, chunks: Iterable[bytes]) -> Mapping[str, Any]:
            return {**super().record(chunks), "error_count": 3}

    wrap(Unreadable(), [*CLAUDE[:2], "-p", "go"])
    assert "3 lines" in warnings[0]
    assert "--output-format stream-json" in warnings[0]


def wait_for(condition: Callable[[], bool]) -> None:
    tick = threading.Event()
    while not condition():
        tick.wait(0.01)


# --- what it is told


@pytest.mark.parametrize(
    ("command", "texts"),
    [
        (["claude", "-p", "x"], ["claude", "-p", "x", "--append-system-prompt", "P"]),
        (["claude", "-p", "--", "x"], ["claude", "-p", "--append-system-prompt", "P", "--", "x"]),
        (["claude", "--append-system-prompt", "own", "-p"], ["claude", "-p", "--append-system-prompt", "own\n\nP"]),
        (["claude", "--append-system-prompt=own"], ["claude", "--append-system-prompt", "own\n\nP"]),
        (["claude", "--append-system-prompt"], ["claude", "--append-system-prompt", "P"]),
    ],
)
def test_the_prompt_comes_behind_the_options_and_after_the_users_own(command: list[str], texts: list[str]) -> None:
    assert with_prompt(command, "P") == texts
    assert with_prompt(command, "") == command


@pytest.mark.parametrize("form", ["{option} {file}", "{option}={file}"])
def test_a_prompt_of_the_users_own_may_lie_in_a_file(tmp_path: Path, form: str) -> None:
    file = tmp_path / "own.md"
    file.write_bytes(b"own \xff")
    options = form.format(option="--append-system-prompt-file", file=file).split()
    assert with_prompt(["claude", *options, "-p"], "P") == ["claude", "-p", "--append-system-prompt", "own \ufffd\n\nP"]
    both = ["claude", "--append-system-prompt", "a", *options]
    assert with_prompt(both, "P")[1:] == ["--append-system-prompt", "a\n\nown \ufffd\n\nP"]


def test_a_prompt_that_cannot_be_read_or_joined_stays_and_ours_is_left_out(
    tmp_path: Path, wrap: Callable[..., int], warnings: list[str]
) -> None:
    long = tmp_path / "long.md"
    long.write_text("x" * 130_000)
    for file in (tmp_path / "nowhere.md", tmp_path, long):
        command = [*CLAUDE, "--append-system-prompt-file", str(file)]
        assert with_prompt(command, "P") == command
    assert wrap(Memory(), command) == 0
    assert "runs without memory" in warnings[0]


def test_no_character_cuts_the_prompt_off() -> None:
    assert with_prompt(["claude"], "a\0b")[-1] == "a\ufffdb"


def test_the_prompt_has_the_task_the_place_and_what_is_known() -> None:
    text = system_prompt("# Task\n", {"host": "nas", "note": "two\nlines"}, "Known.")
    assert text == "# Task\n\n## Environment\n\n- host: nas\n- note: two lines\n\nKnown."
    assert system_prompt("", {}, "") == ""


def test_the_environment_says_where_and_when(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    here = environment_here({"site": "lab", "host": "mine"})
    assert here["folder"] == str(tmp_path)
    assert here["site"] == "lab"
    assert here["host"] == "mine", "what is said counts"
    assert {"system", "user", "time"} <= here.keys()


def test_a_folder_that_is_gone_stops_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    session = new_session(["claude"], 1, {})
    assert (session["title"], session["environment"]["folder"]) == ("claude", "")


def test_names_that_are_no_text_can_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run in such a folder was without memory, and what was kept of it could never be delivered."""
    monkeypatch.setattr(os, "getcwd", lambda: os.fsdecode(b"/srv/caf\xe9"))
    session = new_session([os.fsdecode(b"caf\xe9")], 1, {"note": os.fsdecode(b"\xff")}, title=None)
    assert (session["title"], session["environment"]["note"]) == ("caf? in caf?", "?")
    json.dumps(session, ensure_ascii=False).encode()


def test_each_session_has_a_name_of_its_own() -> None:
    item, two = (new_session(["claude"], 2, {}, title="x", user_id=None) for _ in range(2))
    assert item["external_id"] != two["external_id"]
    assert (item["tier"], item["title"]) == (2, "x")
    assert "user_id" not in item


def test_a_name_that_one_has_said_is_made_fit_to_be_sent() -> None:
    assert new_session(["claude"], 1, {}, title=f"{os.fsdecode(bytes([255]))}{'x' * 600}")["title"] == f"?{'x' * 499}"


@pytest.mark.parametrize(
    ("command", "folder", "title"),
    [
        (["claude", "-p", "The key is s3cret", "--api-key", "s3cret"], "/srv/site", "claude in site"),
        (["/opt/bin/claude"], "/", "claude"),
        (["./claude"], "/srv/site/", "claude in site"),
        (["c" * 255], f"/{'d' * 255}", f"{'c' * 255} in {'d' * 241}"),
    ],
)
def test_a_session_is_called_by_its_program_and_folder_and_by_no_argument(
    command: list[str], folder: str, title: str
) -> None:
    assert new_session(command, 1, {"folder": folder}, title=None)["title"] == title


@pytest.mark.parametrize(
    ("command", "is_so"),
    [
        (["claude", "--output-format", "stream-json"], True),
        (["claude", "--output-format=stream-json"], True),
        (["claude", "--output-format", "json"], False),
    ],
)
def test_a_command_that_says_what_it_hears_as_lines_is_known(command: list[str], is_so: bool) -> None:
    assert speaks_stream_json(command) is is_so

"""Programs that are started together, again when they die, and stopped together."""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path
from threading import Event

import pytest

from memories.management.commands.serve import JsonLines, Lines
from memsite.ops import supervision
from memsite.ops.supervision import Part, Supervisor, exit_code, keep_apart, pause_after

PATIENCE_SECONDS = 120
WAITS = "import signal; signal.pause()"
# Notes each start in a file; the last of them goes on, the others die.
DIES_AT_FIRST = """
import os, signal, sys
handle = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.write(handle, b"x")
if os.fstat(handle).st_size < 4:
    os.kill(os.getpid(), signal.SIGKILL)
print("goes on", flush=True)
signal.pause()
"""
# A child of it hears no SIGTERM, keeps the output open, and would live on.
HAS_A_CHILD = """
import os, signal, sys
ours, theirs = os.pipe()
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(theirs, b"!")
    signal.pause()
os.read(ours, 1)
if sys.argv[1] == "dies":
    raise SystemExit(3)
print("goes on", flush=True)
signal.pause()
"""
DEAF = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("goes on", flush=True)
signal.pause()
"""


class StoppedBy(Lines):
    """Prints, and asks for the end when a line has these words."""

    def __init__(self, *words: str, number: int = signal.SIGTERM) -> None:
        super().__init__(StringIO())
        self.words = list(words)
        self.number = number
        self.seen: list[str] = []

    def write(self, message: supervision.Message) -> None:
        text = message.data.decode() if isinstance(message.data, bytes) else message.data
        self.seen.append(f"{message.name}: {text}")
        self.words = [word for word in self.words if word not in text]
        if not self.words:
            self.words = ["\0"]
            os.kill(os.getpid(), self.number)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "FIRST_PAUSE_SECONDS", 0)
    monkeypatch.setattr(supervision, "APART_SECONDS", 0)


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """Whoever runs the tests in the background, or with `nohup`, has them ignore some of the signals."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in supervision.STOP_SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Of the processes that are started."""
    numbers: list[int] = []
    start = Supervisor._start

    def start_and_note(self: Supervisor, part: Part) -> None:
        start(self, part)
        if part.process:
            numbers.append(part.process.pid)

    monkeypatch.setattr(Supervisor, "_start", start_and_note)
    yield numbers
    assert numbers
    until = time.monotonic() + PATIENCE_SECONDS
    while any(map(has_living, numbers)):
        assert time.monotonic() < until
        time.sleep(0.01)


def has_living(group: int) -> bool:
    """Linux. Who was killed takes a moment to go."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its, *_ = stat.read_text().rpartition(")")[2].split()
            if int(its) == group and state != "Z":
                return True
    return False


def program(text: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", text, *arguments]


def starts_of(*seconds: float) -> list[float]:
    """When parts start that were to start then."""
    parts = [Part(str(number), (), None, "", starts_at=start) for number, start in enumerate(seconds)]
    keep_apart(parts)
    return [part.starts_at for part in parts]


@pytest.mark.parametrize(
    ("planned", "starts"),
    [
        ((1.0, 1.0, 1.0), [1.0, 3.0, 5.0]),
        ((1.0, 0.5), [1.0, 3.0]),
        ((30.0, 1.0, 1.5), [30.0, 1.0, 3.0]),
        ((1.0,), [1.0]),
    ],
)
def test_those_that_start_again_do_so_one_after_the_other_as_listed(
    planned: tuple[float, ...], starts: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervision, "APART_SECONDS", 2)
    assert starts_of(*planned) == starts


@pytest.mark.parametrize(("returncode", "code"), [(-9, 137), (0, 1), (3, 3)])
def test_a_part_that_ended_by_itself_is_a_failure(returncode: int, code: int) -> None:
    assert exit_code(returncode) == code


def test_one_that_dies_is_started_again_and_the_log_says_so_each_time(tmp_path: Path, groups: list[int]) -> None:
    printer = StoppedBy("goes on")
    supervisor = Supervisor(printer)
    supervisor.add("dies", program(DIES_AT_FIRST, str(tmp_path / "starts")))
    supervisor.add("waits", program(WAITS))
    assert supervisor.run() == 0
    lines = [line for line in printer.seen if "killed by signal 9" in line]
    assert [line.partition(" for ")[2].partition(" in")[0] for line in lines] == [
        "the 1st time",
        "the 2nd time",
        "the 3rd time",
    ]
    assert len(groups) == 5


def test_a_part_may_let_others_come_first(groups: list[int]) -> None:
    printer = StoppedBy("nice")
    supervisor = Supervisor(printer)
    supervisor.add("one", program("import os, signal; print('nice', os.nice(0), flush=True); signal.pause()"), None, 3)
    supervisor.run()
    assert any(line.endswith(f"nice {min(19, os.nice(0) + 3)}") for line in printer.seen)


def test_pauses_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "FIRST_PAUSE_SECONDS", 0.5)
    assert [pause_after(count) for count in range(1, 10)] == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_one_that_dies_too_often_ends_all_and_lends_its_code(groups: list[int]) -> None:
    printer = StoppedBy("\0")
    supervisor = Supervisor(printer)
    supervisor.add("short", program("print('good', 'bye', end=''); raise SystemExit(3)"))
    supervisor.add("long", program(WAITS))
    assert supervisor.run() == 3
    assert printer.seen.count("short: good bye") == supervision.MOST_DEATHS == len(groups) - 1


def test_deaths_of_long_ago_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    part = Part("one", [], None, "cyan")
    supervisor = Supervisor(StoppedBy())
    moments = iter(range(0, 50 * 67, 67))
    monkeypatch.setattr(supervision.time, "monotonic", lambda: next(moments))
    for _ in range(50):
        supervisor._count_death(part, 1)
    assert not supervisor.exit_code
    assert len(part.deaths) == supervision.MOST_DEATHS - 1


def test_a_program_that_is_not_there_is_tried_again_and_told() -> None:
    printer = StoppedBy("\0")
    supervisor = Supervisor(printer)
    supervisor.add("none", ["/nowhere/at-all"])
    assert supervisor.run() == supervision.COULD_NOT_START
    assert sum("cannot be started" in line for line in printer.seen) == supervision.MOST_DEATHS


def test_what_is_left_of_one_that_died_is_killed(groups: list[int]) -> None:
    supervisor = Supervisor(StoppedBy("\0"))
    supervisor.add("one", program(HAS_A_CHILD, "dies"))
    assert supervisor.run() == 3


@pytest.mark.parametrize("text", [DEAF, HAS_A_CHILD])
def test_who_does_not_end_when_asked_is_killed(monkeypatch: pytest.MonkeyPatch, text: str, groups: list[int]) -> None:
    monkeypatch.setattr(supervision, "STOP_SECONDS", 0.1)
    supervisor = Supervisor(StoppedBy("goes on"))
    supervisor.add("one", program(text, "lives"))
    assert supervisor.run() == 0


@pytest.mark.parametrize("number", supervision.STOP_SIGNALS)
def test_a_signal_before_the_first_start_is_heard(number: int, groups: list[int]) -> None:
    before = signal.getsignal(number)
    printer = StoppedBy("started", number=number)
    supervisor = Supervisor(printer)
    supervisor.add("long", program(WAITS))
    assert supervisor.run() == 0
    assert signal.getsignal(number) == before


def test_a_signal_that_is_to_be_ignored_stays_so(groups: list[int]) -> None:
    """`nohup` says so of a closed terminal."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    handlers = []

    class Noting(StoppedBy):
        def write(self, message: supervision.Message) -> None:
            handlers.append(signal.getsignal(signal.SIGHUP))
            super().write(message)

    supervisor = Supervisor(Noting("started"))
    supervisor.add("long", program(WAITS))
    assert supervisor.run() == 0
    assert set(handlers) == {signal.SIG_IGN}


def test_a_terminal_that_is_halted_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "LAST_LINES_SECONDS", 0.1)
    goes_on = Event()

    class Halted(Lines):
        def write(self, _: supervision.Message) -> None:
            goes_on.wait()

    supervisor = Supervisor(Halted(StringIO()))
    supervisor.add("talks", program("print('line\\n' * 100_000); raise SystemExit(3)"))
    try:
        assert supervisor.run() == 3
        assert supervisor.output.is_stuck
    finally:
        goes_on.set()


def test_output_has_no_colours_outside_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(supervision, "MOST_DEATHS", 1)
    supervisor = Supervisor(Lines(sys.stdout))
    supervisor.add("one", program("print('plain')"))
    supervisor.run()
    printed = capfd.readouterr().out
    assert "one    | plain" in printed
    assert "\x1b" not in printed


@pytest.mark.parametrize("kind", [Lines, JsonLines])
@pytest.mark.parametrize("why", [errno.EPIPE, errno.ENOSPC])
def test_what_nobody_can_read_ends_nothing(monkeypatch: pytest.MonkeyPatch, kind: type[Lines], why: int) -> None:
    monkeypatch.setattr(supervision, "MOST_DEATHS", 1)

    class Gone(StringIO):
        def write(self, _: str) -> int:
            raise OSError(why, "gone")

    supervisor = Supervisor(kind(Gone()))
    supervisor.add("one", program("print('line'); raise SystemExit(3)"))
    assert supervisor.run() == 3

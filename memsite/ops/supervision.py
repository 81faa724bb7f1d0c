"""Programs that make up a site: started together, started again when they die, stopped together.

Deaths are learnt from the kernel, which tells a parent of its children, and not from output that ends. Each program
leads a process group: what is left of that when the program is gone is killed before it starts again.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from queue import Full, Queue
from selectors import EVENT_READ, DefaultSelector
from threading import Thread

from django.core.management.base import CommandError
from honcho.colour import get_colours
from honcho.printer import Message, Printer

from memsite.ops.processes import die_with_parent

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STOP_SECONDS = 5.0
"""From the request to stop until whoever still runs is killed."""
MOST_DEATHS, WINDOW_MINUTES = 10, 10
"""A program that dies so often in so many minutes ends the site."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 30.0
APART_SECONDS = 2.0
"""Between two that start again: all at once they would take the processors from the one that answers first."""
LOOK_EVERY_SECONDS = 1.0
"""At the children, where no signal told of one."""
MOST_WAITING_LINES = 10_000
LAST_LINES_SECONDS = 2.0
CHUNK_BYTES, MOST_CHUNKS_LEFT = 65_536, 64
SYSTEM = "system"
LOCK = "serve.lock"
COULD_NOT_START = 126


@contextmanager
def alone(folder: Path, address: str) -> Iterator[None]:
    """Lock this data directory. CommandError if it is served already. The lock is gone with its process."""
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 1000).decode(errors="replace") or "another server"
            raise CommandError(f"{folder} is served already: {holder}. Stop that first.") from None
        with suppress(OSError):  # A full disk: what only reads is served all the same.
            os.truncate(handle, 0)
            since = datetime.now().astimezone().isoformat(" ", "seconds")
            os.write(handle, f"process {os.getpid()}, since {since}, at {address}".encode())
        yield
    finally:
        os.close(handle)


@dataclass(slots=True)
class Part:
    """One program: its process while it runs, when it starts again while it does not; how far others come first."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None
    colour: str
    niceness: int = 0
    process: subprocess.Popen[bytes] | None = None
    starts_at: float = 0.0
    deaths: deque[float] = field(default_factory=deque)
    unfinished: bytes = b""
    """What it printed after the last whole line."""


class Supervisor:
    """Runs parts until somebody asks it to stop (SIGINT, SIGTERM, a closed terminal), or one of them dies too often."""

    def __init__(self, printer: Printer) -> None:
        self.parts: list[Part] = []
        self.is_asked_to_stop = False
        self.exit_code = 0
        """128 and the signal of a part that was killed, as a shell has it; never 0 where a part ended the site."""
        self.output = Output(printer)
        self._colours = get_colours()
        self._selector = DefaultSelector()

    def add(
        self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None, niceness: int = 0
    ) -> None:
        self.parts.append(Part(name, command, environment, next(self._colours), niceness))
        self.output.printer.width = max(len(SYSTEM), *(len(part.name) for part in self.parts))

    def tell(self, text: str) -> None:
        self.output.put(SYSTEM, text, None)

    def run(self) -> int:
        """Return the exit code: 0 when it was asked to stop."""
        self.output.start()
        with self._woken_by_signals():
            while not self._must_stop():
                for part in self.parts:
                    if part.process is None and part.starts_at <= time.monotonic() and not self._must_stop():
                        self._start(part)
                self._wait(min((part.starts_at for part in self.parts if part.process is None), default=float("inf")))
                self._bury()
            # In order, and those that do not end in time with SIGKILL.
            self.tell("Memsite stops.")
            self._send_all(signal.SIGTERM)
            until = time.monotonic() + STOP_SECONDS
            while any(part.process for part in self.parts):
                self._wait(until)
                self._bury()
                if time.monotonic() >= until:
                    self._send_all(signal.SIGKILL)
                    until = time.monotonic() + LOOK_EVERY_SECONDS
        self.output.finish()
        return self.exit_code

    def _must_stop(self) -> bool:
        return self.is_asked_to_stop or bool(self.exit_code)

    def _start(self, part: Part) -> None:
        try:
            part.process = subprocess.Popen(  # noqa: S603  # our own commands
                part.command, env=part.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=partial(begin, os.getpid(), part.niceness),
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as error:
            self.tell(f"{part.name} cannot be started: {error}")
            self._count_death(part, COULD_NOT_START)
            return
        assert part.process.stdout is not None
        os.set_blocking(part.process.stdout.fileno(), False)
        self._selector.register(part.process.stdout, EVENT_READ, part)
        self.tell(f"{part.name} started (process {part.process.pid})")

    def _wait(self, until: float) -> None:
        """Wait for output, a signal, or the time; read the output."""
        seconds = min(LOOK_EVERY_SECONDS, max(0.0, until - time.monotonic()))
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                os.read(key.fd, CHUNK_BYTES)
            elif self._read(key.data) == b"":
                self._selector.unregister(key.fileobj)

    def _read(self, part: Part) -> bytes | None:
        """Return None where there is nothing now; empty when nothing will come any more."""
        assert part.process is not None
        assert part.process.stdout is not None
        try:
            chunk = os.read(part.process.stdout.fileno(), CHUNK_BYTES)
        except BlockingIOError:
            return None
        *lines, part.unfinished = (part.unfinished + chunk).split(b"\n")
        for line in lines:
            self.output.put(part.name, line, part.colour)
        return chunk

    def _bury(self) -> None:
        """Report who has died, and when it starts again, or end the site."""
        for part in self.parts:
            if part.process is not None and part.process.poll() is not None:
                returncode = part.process.returncode
                # Kills what is left of its group, and prints what it had still to say.
                assert part.process is not None
                assert part.process.stdout is not None
                send(part, signal.SIGKILL)
                for _ in range(MOST_CHUNKS_LEFT):
                    if not self._read(part):
                        break
                if part.unfinished:
                    self.output.put(part.name, part.unfinished, part.colour)
                with suppress(KeyError):
                    self._selector.unregister(part.process.stdout)
                part.process.stdout.close()
                part.process, part.unfinished = None, b""
                if self._must_stop():
                    self.tell(f"{part.name} ended")
                else:
                    self._count_death(part, returncode)

    def _count_death(self, part: Part, returncode: int) -> None:
        now = time.monotonic()
        part.deaths.append(now)
        while part.deaths[0] <= now - WINDOW_MINUTES * 60:
            part.deaths.popleft()
        count = len(part.deaths)
        how = f"was killed by signal {-returncode}" if returncode < 0 else f"ended with code {returncode}"
        event = f"{part.name} {how}, for the {ordinal(count)} time in {WINDOW_MINUTES} minutes"
        if count >= MOST_DEATHS:
            self.exit_code = exit_code(returncode)
            self.tell(f"{event}: Memsite ends.")
            return
        part.starts_at = now + pause_after(count)
        keep_apart([waiting for waiting in self.parts if waiting.process is None])
        self.tell(f"{event}. It starts again in {part.starts_at - now:.3g} s.")

    def _send_all(self, number: signal.Signals) -> None:
        for part in self.parts:
            if part.process is not None:
                if number == signal.SIGKILL:
                    self.tell(f"{part.name} does not end in time: it is killed.")
                send(part, number)

    @contextmanager
    def _woken_by_signals(self) -> Iterator[None]:
        def stop(number: int, _: object) -> None:
            self.is_asked_to_stop = True

        ours, theirs = os.pipe()
        for end in (ours, theirs):
            os.set_blocking(end, False)
        self._selector.register(ours, EVENT_READ, None)
        # `nohup` said that a closed terminal is to be ignored.
        numbers = [number for number in STOP_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, stop) for number in numbers}
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        waker = signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(waker)
            for signal_number, handler in before.items():
                signal.signal(signal_number, handler)
            self._selector.close()
            os.close(ours)
            os.close(theirs)


class Output:
    """Print in a thread of its own: a halted terminal (Ctrl-S) or slow reader keeps nobody from the processes.

    Of more than MOST_WAITING_LINES the newest are dropped.
    """

    def __init__(self, printer: Printer) -> None:
        self.printer = printer
        self._waiting: Queue[Message | None] = Queue(MOST_WAITING_LINES)
        self._thread = Thread(target=self._print, name="output", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, name: str, text: str | bytes, colour: str | None) -> None:
        with suppress(Full):
            self._waiting.put_nowait(Message("line", text, datetime.now(), name, colour))  # the clock's

    def finish(self) -> None:
        """Wait for the last lines, but not for a reader who does not read."""
        with suppress(Full):
            self._waiting.put(None, timeout=LAST_LINES_SECONDS)
        self._thread.join(LAST_LINES_SECONDS)

    @property
    def is_stuck(self) -> bool:
        return self._thread.is_alive()

    def _print(self) -> None:
        while (message := self._waiting.get()) is not None:
            self.printer.write(message)


def begin(parent_pid: int, niceness: int) -> None:
    """Set up this process, in which a part is about to start."""
    die_with_parent(parent_pid)
    os.nice(niceness)


def send(part: Part, number: signal.Signals) -> None:
    """Send a signal to its whole group."""
    assert part.process is not None
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(part.process.pid, number)


def keep_apart(waiting: Sequence[Part]) -> None:
    """Let each start well before or after those that come first in the list, as the web processes do."""
    taken: list[float] = []
    for part in waiting:
        for start in sorted(taken):
            if abs(part.starts_at - start) < APART_SECONDS:
                part.starts_at = start + APART_SECONDS
        taken.append(part.starts_at)


def pause_after(deaths: int) -> float:
    """Return seconds: twice as long each time."""
    return float(min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (deaths - 1)))


def exit_code(returncode: int) -> int:
    """Return what a shell would say; a part that ended by itself is a failure even when it ended with 0."""
    return 128 - returncode if returncode < 0 else returncode or 1


def ordinal(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"

"""The agent's program: started, its output passed on byte by byte, signals handed down, its exit code handed up."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Thread
from types import FrameType

READ_BYTES = 64 * 1024
NOT_EXECUTABLE, NOT_FOUND = 126, 127
# A terminal sends these to the program itself, too.
FROM_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
HANDED_DOWN = (*FROM_THE_TERMINAL, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)

Listener = Callable[[bytes], None]


class CannotStart(Exception):
    """`exit_code` is what a shell would say."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Program:
    """One run of it. Its stdin and stderr are ours; its stdout passes through us."""

    def __init__(self, command: Sequence[str], variables: Mapping[str, str]) -> None:
        """Raises CannotStart."""
        environment = {**os.environ, **variables}
        try:
            self.process = subprocess.Popen(list(command), stdout=subprocess.PIPE, env=environment)  # noqa: S603
        except FileNotFoundError as error:
            raise CannotStart(f"There is no program {command[0]}.", NOT_FOUND) from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CannotStart(f"{command[0]} cannot be started: {reason}.", NOT_EXECUTABLE) from error

    def pass_on(self, target: int, listener: Listener) -> Thread:
        """Copies its output to the file number `target` as it comes, and to `listener`, in a thread of its own."""
        thread = Thread(target=self.copy, args=(target, listener), name="output", daemon=True)
        thread.start()
        return thread

    def copy(self, target: int, listener: Listener) -> None:
        source = self.process.stdout
        assert source is not None
        # Where nobody reads us any more the pipe is closed, and the program feels it as it would without us.
        with source, suppress(BrokenPipeError):
            while data := os.read(source.fileno(), READ_BYTES):
                listener(data)
                write_all(target, data)

    def wait(self) -> int:
        """Its exit code as a shell says it: 128 and more for a signal."""
        code = self.process.wait()
        return 128 - code if code < 0 else code


class Signals:
    """What is sent to us is handed down to the program. In the main thread only."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.early: list[int] = []
        self.came_late = False
        """Whether one came after the program had ended: somebody wants us to end, too."""

    @contextmanager
    def handed_down(self) -> Iterator[None]:
        # What is ignored stays so, and the program inherits it: `nohup` means both of us.
        numbers = [number for number in HANDED_DOWN if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self.hand_down) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def go_to(self, program: Program) -> None:
        """Also those that came while it was being started."""
        self.process = program.process
        while self.early:
            self.process.send_signal(self.early.pop(0))

    def hand_down(self, number: int, _: FrameType | None) -> None:
        if self.process is None:
            self.early.append(number)
        elif self.process.returncode is not None:
            self.came_late = True
        elif number not in FROM_THE_TERMINAL or not is_in_the_foreground():
            self.process.send_signal(number)


def is_in_the_foreground() -> bool:
    """Whether a terminal's keys reach us, and the program with us."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def write_all(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]

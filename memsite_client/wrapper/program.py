"""The agent's program: its prompt, its output passed on, signals handed down, its exit code handed up."""

from __future__ import annotations

import getpass
import os
import platform
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Any
from uuid import uuid4

READ_BYTES = 64 * 1024
NOT_EXECUTABLE, NOT_FOUND = 126, 127
# A terminal sends these to the program itself, too.
FROM_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
HANDED_DOWN = (*FROM_THE_TERMINAL, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)

Listener = Callable[[bytes], None]
OPTION = "--append-system-prompt"
FILE_OPTION = "--append-system-prompt-file"
# A command line takes 128 KiB in one piece.
MOST_PROMPT_BYTES = 120_000
MOST_TITLE_CHARACTERS = 500
END_OF_OPTIONS = "--"


class CannotStart(Exception):
    """`exit_code` is what a shell would say."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Program:
    """One run of it. Its stdin and stderr are ours; its stdout passes through us."""

    def __init__(self, command: Sequence[str], variables: Mapping[str, str]) -> None:
        """Raise CannotStart."""
        environment = {**os.environ, **variables}
        try:
            self.process = subprocess.Popen(list(command), stdout=subprocess.PIPE, env=environment)  # noqa: S603
        except FileNotFoundError as error:
            raise CannotStart(f"There is no program {command[0]}.", NOT_FOUND) from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CannotStart(f"{command[0]} cannot be started: {reason}.", NOT_EXECUTABLE) from error

    def pass_on(self, target: int, listener: Listener) -> Thread:
        """Copy its output to the file number `target` as it comes, and to `listener`, in a thread of its own."""
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
                view = memoryview(data)
                while view:
                    view = view[os.write(target, view) :]

    def wait(self) -> int:
        """Return its exit code as a shell says it: 128 and more for a signal."""
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
        """Send signals to it, also those that came while it was being started."""
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
    """Tell whether a terminal's keys reach us, and the program with us."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def environment_here(more: Mapping[str, str]) -> dict[str, str]:
    """Return where and when it runs; `more` is what the caller says of it."""
    now = datetime.now().astimezone()
    here = {
        "host": socket.gethostname(),
        "system": f"{platform.system()} {platform.release()}",
        "user": "unknown",
        "folder": "",
        "time": f"{now:%Y-%m-%d %H:%M %Z, %A}",
    }
    with suppress(OSError, KeyError):
        here["user"] = getpass.getuser()
    # Somebody may have removed it meanwhile.
    with suppress(OSError):
        here["folder"] = os.getcwd()  # noqa: PTH109  # a text is wanted
    return {name: readable(value) for name, value in {**here, **more}.items()}


def readable(text: str) -> str:
    """Replace the bytes of a folder's or a program's name that are no UTF-8: no request can carry those."""
    return text.encode(errors="replace").decode()


def new_session(
    command: Sequence[str],
    tier: int,
    environment: Mapping[str, str],
    *,
    title: str | None = None,
    user_id: str | None = None,
) -> dict[str, Any]:
    """Return what to open the session with; its name is ours, so that opening it twice is opening it once."""
    here = environment_here(environment)
    if title is None:
        # "claude in site", without its arguments: keys and whole prompts stand among them.
        title = " in ".join(filter(None, (Path(command[0]).name, Path(here["folder"]).name)))
    title = readable(title)[:MOST_TITLE_CHARACTERS]
    session = {"external_id": f"run-{uuid4()}", "tier": tier, "title": title, "environment": here}
    return session if user_id is None else {**session, "user_id": user_id}


def system_prompt(task: str, environment: Mapping[str, Any], known: str) -> str:
    """Join the task of its tier, where it is and what is known. Parts that are empty are left out."""
    lines = [f"- {name}: {' '.join(str(value).split())}" for name, value in environment.items()]
    here = "\n".join(["## Environment", "", *lines]) if lines else ""
    return "\n\n".join(filter(None, (task.strip(), here, known.strip())))


def with_prompt(command: Sequence[str], prompt: str) -> list[str]:
    """Return the command with the prompt behind its options; one that it has already comes before ours.

    As it was, if its own cannot be read, or is too long for both: the program takes only one of them.
    """
    if not prompt:
        return list(command)
    end = command.index(END_OF_OPTIONS) if END_OF_OPTIONS in command else len(command)
    own, options = [], []
    words = iter(command[:end])
    for word in words:
        name, has_value, value = word.partition("=")
        if name not in (OPTION, FILE_OPTION):
            options.append(word)
            continue
        given = value if has_value else next(words, "")
        try:
            own.append(given if name == OPTION else Path(given).read_text(encoding="utf-8", errors="replace"))
        except (OSError, ValueError):
            return list(command)
    # NUL ends an argument: the rest would be cut off without a word.
    text = "\n\n".join(filter(None, [*own, prompt])).replace("\0", "\ufffd")
    return [*options, OPTION, text, *command[end:]] if fits(text) else list(command)


def fits(text: str) -> bool:
    return len(text.encode(errors="replace")) <= MOST_PROMPT_BYTES


def speaks_stream_json(command: Sequence[str]) -> bool:
    """Tell whether it was asked to; without it there is nothing to learn from."""
    return any(word.split("=")[-1] == "stream-json" for word in command)

"""Runs an agent's program with memory: told before it starts, heard while it speaks. `memsite run`, `run_session`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from memsite_client.cli.output import many
from memsite_client.configuration import state_folder
from memsite_client.wrapper.program import CannotStart, Program, Signals, fits, speaks_stream_json, with_prompt
from memsite_client.wrapper.recording import (
    REFUSALS,
    Delivery,
    MakeRecorder,
    Recorder,
    Recording,
    Session,
    deliver_stored,
    discard,
    start_recording,
)

BEAT_SECONDS = 300.0
DELIVERY_SECONDS = 60.0
# What the program has started may hold its output open after it has ended: nobody waits for that.
LAST_OUTPUT_SECONDS = 5.0
COUNTED = ("created", "reinforced", "contradicted", "events", "rejected")

Warn = Callable[[str], None]


class Run:
    """One run of a command. `target` names the server or app in what is kept for later."""

    def __init__(self, session: Session, target: str, make: MakeRecorder, warn: Warn, *, verbose: bool = False) -> None:
        self.session, self.target, self.make, self.warn, self.verbose = session, target, make, warn, verbose
        self.folder = state_folder() / "runs"
        self.recorder = make(session)
        self.signals = Signals()

    def __call__(self, command: Sequence[str]) -> int:
        """Return the program's exit code, as a shell says it."""
        prompt = self.attempt(self.recorder.begin, "runs without memory") or ""
        if not fits(prompt):
            self.warn("What is known is too long for a command line (runs without memory): lower the app's budgets.")
            prompt = ""
        wrapped = with_prompt(command, prompt)
        if prompt and wrapped == list(command):
            self.warn("The command's own system prompt cannot be read, or is too long with ours (runs without memory).")
        with self.signals.handed_down():
            try:
                program = Program(wrapped, self.recorder.variables())
            except CannotStart as error:
                self.warn(str(error))
                code, why = error.exit_code, "could not start"
            else:
                code = self.accompany(program, is_stream=speaks_stream_json(command))
                why = f"exit code {code}"
            self.attempt(lambda: self.recorder.end(why), "the session stays open")
        return code

    def accompany(self, program: Program, *, is_stream: bool) -> int:
        """Accompany it until it ends, and all of its output is delivered or kept."""
        self.signals.go_to(program)
        recording = self.attempt(
            lambda: start_recording(self.folder, self.target, self.session), "nothing is learnt from this run"
        )
        output = program.pass_on(sys.stdout.fileno(), recording.write if recording else lambda _: None)
        if recording is None:
            code = program.wait()
            output.join(LAST_OUTPUT_SECONDS)
            return code
        delivery = Delivery(recording, self.recorder)
        delivery.start()
        with beating(self.recorder):
            code = program.wait()
            output.join(LAST_OUTPUT_SECONDS)
            self.deliver_rest(recording, delivery, is_stream=is_stream)
        return code

    def deliver_rest(self, recording: Recording, delivery: Delivery, *, is_stream: bool) -> None:
        """Deliver the rest; what is not delivered in time, or before somebody loses patience, stays in its file."""
        recording.complete()
        is_delivered = delivery.finish(DELIVERY_SECONDS, lambda: self.signals.came_late)
        recording.close()
        if recording.error:
            self.warn(f"Not all of it could be kept: {recording.error.strerror}.")
        if not is_delivered:
            why = f" ({' '.join(str(delivery.error).split())})" if delivery.error else ""
            later = "It is kept in" if isinstance(delivery.error, REFUSALS) else "The next run delivers"
            self.warn(f"Not all of it was delivered{why}. {later} {recording.path}.")
            return
        discard(recording.path)
        self.tell(delivery.report or {}, is_stream=is_stream)
        self.attempt(lambda: deliver_stored(self.folder, self.target, self.make), "older runs stay kept")

    def tell(self, report: Mapping[str, Any], *, is_stream: bool) -> None:
        hint = "" if is_stream else ": does the command have --output-format stream-json --verbose?"
        if unread := report.get("error_count", 0):
            self.warn(f"{many(unread, 'line')} of its output could not be read{hint}")
        elif hint and report.get("lines") and not report.get("turns"):
            # `--output-format json` is a line that can be read, and in which nobody speaks.
            self.warn(f"nothing is learnt from its output{hint}")
        if self.verbose:
            self.warn(", ".join(f"{report.get(name, 0)} {name}" for name in COUNTED))

    def attempt(self, work: Callable[[], Any], otherwise: str) -> Any:
        """Return its answer; None if it fails, with a warning: the agent is more important than its memory."""
        try:
            return work()
        except Exception as error:
            self.warn(f"{' '.join(str(error).split()) or type(error).__name__} ({otherwise})")
            return None


@contextmanager
def beating(recorder: Recorder) -> Iterator[None]:
    """Send a sign of life now and then: an agent may think for a long time without a word."""
    over = Event()

    def beat() -> None:
        while not over.wait(BEAT_SECONDS):
            with suppress(Exception):
                recorder.beat()

    Thread(target=beat, name="heartbeat", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def warn_on_stderr(text: str) -> None:
    os.write(2, f"memsite: {text}\n".encode(errors="replace"))

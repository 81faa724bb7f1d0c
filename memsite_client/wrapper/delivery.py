"""Delivers a recording while it grows, and again from its beginning when the connection breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Event, Thread
from time import monotonic
from typing import Any, Protocol

from memsite_client.wrapper.recording import Recording

FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.5, 30.0
# After the program has ended, somebody waits for us.
LAST_TRIES = 3
LOOK_EVERY_SECONDS = 0.1


class Recorder(Protocol):
    """Where memory lives, for one session. Each method may raise anything: the agent runs all the same."""

    def begin(self) -> str:
        """Opens the session; answers what to tell the agent, "" for nothing."""

    def variables(self) -> Mapping[str, str]:
        """For the environment of the agent's program."""

    def record(self, chunks: Iterable[bytes]) -> Mapping[str, Any]:
        """Takes the program's output to its end; answers the server's report. What was taken before changes nothing.

        Opens the session if that did not work before.
        """

    def beat(self) -> None:
        """The session lives."""

    def end(self, reason: str) -> None: ...


class Delivery(Thread):
    def __init__(self, recording: Recording, recorder: Recorder) -> None:
        super().__init__(name="delivery", daemon=True)
        self.recording, self.recorder = recording, recorder
        self.report: Mapping[str, Any] | None = None
        self.error: Exception | None = None
        self.given_up = Event()

    def run(self) -> None:
        wait, tries_left = FIRST_WAIT_SECONDS, LAST_TRIES
        while self.report is None and tries_left and not self.given_up.is_set():
            tries_left -= self.recording.is_complete
            try:
                self.report = self.recorder.record(self.recording.chunks())
            except Exception as error:
                self.error = error
                self.given_up.wait(wait)
                wait = min(2 * wait, LONGEST_WAIT_SECONDS)

    def finish(self, seconds: float, is_impatient: Callable[[], bool]) -> bool:
        """Waits so long at most, or until somebody has no more patience; whether all of it was delivered."""
        ends_at = monotonic() + seconds
        while self.is_alive() and monotonic() < ends_at and not is_impatient():
            self.join(LOOK_EVERY_SECONDS)
        self.given_up.set()
        return self.report is not None

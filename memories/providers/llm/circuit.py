"""Leaves a service alone for a while when it keeps failing, so that nobody waits for it in vain."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Literal

from .provider import LLMError, LLMUnavailable

State = Literal["closed", "open", "half-open"]


class Circuit:
    """Opens after `failures` unavailable answers in a row, for `open_seconds`; then one call may try. Thread-safe."""

    def __init__(
        self,
        name: str,
        failures: int = 5,
        open_seconds: float = 30.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._name = name
        self._most_failures = failures
        self._open_seconds = open_seconds
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._opened_at: float | None = None
        self._on_trial = False

    def state(self) -> State:
        with self._lock:
            return self._state()

    def wait_seconds(self) -> float:
        """Until the service may be tried again; 0 unless open."""
        with self._lock:
            return self._left()

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Around one call. Raises LLMUnavailable instead of calling while open, or while another call tries."""
        trial = self._enter()
        try:
            yield
        except LLMUnavailable:
            self._failed()
            raise
        except LLMError:
            self._worked()
            raise
        except BaseException:
            # says nothing about the service
            self._left_early(trial)
            raise
        else:
            self._worked()

    def _state(self) -> State:
        if self._opened_at is None:
            return "closed"
        return "open" if self._left() > 0 else "half-open"

    def _left(self) -> float:
        if self._opened_at is None:
            return 0.0
        return max(self._opened_at + self._open_seconds - self._clock(), 0.0)

    def _enter(self) -> bool:
        """Is this the call on trial?"""
        with self._lock:
            state = self._state()
            if state == "closed":
                return False
            if state == "open" or self._on_trial:
                message = f"{self._name} is left alone after {self._failures} failures in a row"
                raise LLMUnavailable(message, wait_seconds=self._left())
            self._on_trial = True
            return True

    def _failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= self._most_failures:
                self._opened_at = self._clock()
            self._on_trial = False

    def _worked(self) -> None:
        with self._lock:
            self._failures = 0
            self._opened_at = None
            self._on_trial = False

    def _left_early(self, trial: bool) -> None:
        if trial:
            with self._lock:
                self._on_trial = False

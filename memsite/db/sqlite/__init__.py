"""Django's SQLite, with a few things mended: the engine of the settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from threading import Lock
from time import monotonic

from django.db import OperationalError

from memsite.config.conf import get_conf

LOCKED = "database is locked"
FREE_THREADS = 4
STUCK_SECONDS = 0.25
"""Where nobody has got the lock for so long, no more threads wait for it than may."""
VAIN_SECONDS = 5.0
"""So long after a wait that was in vain whoever comes next finds the lock still stuck, not for STUCK_SECONDS free."""

arrived: ContextVar[float | None] = ContextVar("arrived", default=None)
"""When the request came that is answered here, by the monotonic clock; None in a worker, a command, at upkeep."""


class Waiting:
    """The requests that wait. While the lock goes from one to the next, all of them may: it is theirs in a moment."""

    def __init__(self) -> None:
        self.count, self._lock = 0, Lock()
        self._moved_at, self._vain_at = 0.0, -inf

    @contextmanager
    def counted(self) -> Iterator[bool]:
        """Yield whether it is one too many, who may wait only while the lock is on the move."""
        if arrived.get() is None:
            yield False
            return
        with self._lock:
            self.count += 1
            if self.count == 1 and monotonic() > self._vain_at + VAIN_SECONDS:
                self._moved_at = monotonic()
            is_excess = self.count > most_waiting()
        try:
            yield is_excess
        except OperationalError:
            if monotonic() >= self.stuck_at:
                self._vain_at = monotonic()
            raise
        finally:
            with self._lock:
                self.count -= 1

    def moved(self) -> None:
        """Note that somebody got the lock."""
        self._moved_at, self._vain_at = monotonic(), -inf

    @property
    def stuck_at(self) -> float:
        """Return the moment when the lock is stuck, unless somebody gets it until then."""
        return self._moved_at + STUCK_SECONDS

    @property
    def is_stuck(self) -> bool:
        return self.count > 1 and monotonic() >= self.stuck_at

    def refuse_excess(self) -> None:
        """Raise OperationalError where a request that is about to write would be refused once it asks for the lock.

        So it embeds nothing, and reads no body, for an answer that is known already.
        """
        if self.is_stuck and self.count >= most_waiting():
            raise OperationalError(LOCKED)


def most_waiting() -> int:
    """Return how many threads may wait while the lock is stuck."""
    return max(1, get_conf().web_threads - FREE_THREADS)


WAITING = Waiting()

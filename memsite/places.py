"""Room for requests that keep a thread of the web server for long: some of them, so that others are answered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from memsite.conf import get_conf
from memsite.exceptions import Busy


class Places:
    """One in so many threads of this process, and one at least. Whoever finds no room is `told` so, with 503."""

    def __init__(self, one_in: int, told: str, error: type[Busy] = Busy) -> None:
        self.one_in, self.told, self.error = one_in, told, error
        self.taken, self.lock = 0, Lock()

    def take(self) -> None:
        with self.lock:
            if self.taken >= max(1, get_conf().web_threads // self.one_in):
                raise self.error(self.told)
            self.taken += 1

    def give_back(self) -> None:
        with self.lock:
            self.taken -= 1

    @contextmanager
    def one(self) -> Iterator[None]:
        self.take()
        try:
            yield
        finally:
            self.give_back()

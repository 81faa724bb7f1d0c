"""Questions of several threads, embedded together: eight in a batch take as long as five one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Condition

from .base import Vectors

MOST = 32


class Asked:
    """A text and, in the end, its vector or what went wrong."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_taken = self.is_done = False
        self.vector: Vectors | None = None
        self.error: Exception | None = None

    def answer(self) -> Vectors:
        if self.error is not None:
            raise self.error
        assert self.vector is not None, "who is done has a vector or an error"
        return self.vector


class Together:
    """Embeds at once where nobody is at it; what comes meanwhile waits, and goes together. Nobody waits for company.

    `embed` answers shape (n, dim); `at_once` is how many of its runs there may be at a time. For all threads.
    """

    def __init__(self, embed: Callable[[Sequence[str]], Vectors], at_once: int) -> None:
        self.embed, self.at_once = embed, at_once
        self.waiting: list[Asked] = []
        self.running = 0
        self.changed = Condition()

    def __call__(self, text: str) -> Vectors:
        """Shape (dim,). Raises what `embed` raises."""
        mine = Asked(text)
        with self.changed:
            self.waiting.append(mine)
        while batch := self.next_batch(mine):
            self.run(batch)
        return mine.answer()

    def next_batch(self, mine: Asked) -> list[Asked]:
        """Who is to be embedded now, by this thread; nobody once its own is done."""
        with self.changed:
            self.changed.wait_for(lambda: mine.is_done or (not mine.is_taken and self.running < self.at_once))
            if mine.is_done:
                return []
            batch, self.waiting = self.waiting[:MOST], self.waiting[MOST:]
            for one in batch:
                one.is_taken = True
            self.running += 1
            return batch

    def run(self, batch: Sequence[Asked]) -> None:
        try:
            for one, vector in zip(batch, self.embed([one.text for one in batch]), strict=True):
                one.vector = vector
        except Exception as error:
            for one in batch:
                one.error = error
        finally:
            with self.changed:
                for one in batch:
                    one.is_done = True
                self.running -= 1
                self.changed.notify_all()

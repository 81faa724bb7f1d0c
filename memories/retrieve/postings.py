"""Which rows of an app's index hold which words, as far as questions have asked: kept for the next ones."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np

from memories.retrieve.nearest import Rows

# Numbers of rows that are kept for each row of the index, and at least: 64 bytes beside the 1,600 of a memory.
KEPT_PER_ROW, LEAST_KEPT = 8, 2**16
# What a word costs beside its rows, in rows.
WORD_COST = 16


@dataclass(frozen=True, slots=True)
class Posting:
    """Of the first `asked` rows those that hold a word, rising: all of them if it is `whole`. Some may be dead by
    now.
    """

    rows: Rows
    asked: int
    whole: bool

    def and_then(self, rows: list[int], asked: int) -> Posting:
        """With those of the next rows that hold it."""
        return Posting(np.concatenate([self.rows, rows], dtype=np.intp) if rows else self.rows, asked, self.whole)


class Postings:
    """The last ones that were put in, by word. For all threads.

    A row never changes, and a memory that does gets another row: what was found of a row is true as long as it lives.
    """

    def __init__(self) -> None:
        self.kept: dict[str, Posting] = {}
        self.cost = 0
        self.is_damaged = False
        """Whether the database's index of words was found to be damaged. Once it is mended, all is read anew."""
        self.lock = Lock()

    def get(self, word: str) -> Posting | None:
        return self.kept.get(word)

    def put(self, word: str, posting: Posting) -> None:
        most = max(LEAST_KEPT, KEPT_PER_ROW * posting.asked)
        with self.lock:
            self.drop(word)
            self.kept[word] = posting
            self.cost += cost_of(posting)
            while self.cost > most and len(self.kept) > 1:
                self.drop(next(iter(self.kept)))

    def drop(self, word: str) -> None:
        dropped = self.kept.pop(word, None)
        self.cost -= cost_of(dropped) if dropped else 0


def cost_of(posting: Posting) -> int:
    return WORD_COST + len(posting.rows)

"""An app's memories as arrays: one row per memory, one array per property."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memories.models import Sentiment
from memories.providers.embeddings import Vectors
from memories.text.unspaced import parts_in
from memsite.tenancy.origin import Origin

NOBODY = 0
# What a memory's tone is called in its column; the first is none.
TONES = (Sentiment.NEUTRAL, Sentiment.FRUSTRATED, Sentiment.EXCITED, Sentiment.UNCERTAIN)

ORIGINS = ("", *Origin.values)


@dataclass(slots=True)
class Columns:
    """Arrays of one length. Codes stand for texts; 0 is none. `day` is an ordinal, `since` and `until` Unix seconds.

    `unreviewed` is who said it, as in `ORIGINS`, where nobody has reviewed it.

    `session` is that of a turn; what has none is a session of its own, and has its own number there, below zero.
    `session_number` counts these sessions from 0.

    `stated` memories are statements on their own, such as markers; others may be turns of a talk.
    """

    pk: NDArray[np.int64]
    alive: NDArray[np.bool_]
    active: NDArray[np.bool_]
    embedded: NDArray[np.bool_]
    owner: NDArray[np.int64]
    user: NDArray[np.int32]
    subject: NDArray[np.int32]
    session: NDArray[np.int64]
    session_number: NDArray[np.int32]
    turn: NDArray[np.int32]
    length: NDArray[np.int32]
    words: NDArray[np.int32]
    day: NDArray[np.int32]
    until: NDArray[np.float64]
    importance: NDArray[np.uint8]
    priority: NDArray[np.float32]
    created: NDArray[np.float64]
    confidence: NDArray[np.float64]
    updated: NDArray[np.float64]
    confirmed: NDArray[np.float64]
    stated: NDArray[np.bool_]
    agent: NDArray[np.int64]
    since: NDArray[np.float64]
    sentiment: NDArray[np.uint8]
    shared: NDArray[np.bool_]
    unreviewed: NDArray[np.uint8]
    look: NDArray[np.uint16]
    vectors: Vectors
    signs: NDArray[np.uint64]

    def head(self, size: int) -> Columns:
        return self.each(lambda column: column[:size])

    def each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Columns:
        return Columns(*[change(getattr(self, name)) for name in self.__slots__])

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in self.__slots__)


def grow(array: NDArray[Any], capacity: int) -> NDArray[Any]:
    larger = np.zeros((capacity, *array.shape[1:]), array.dtype, layout_of(array))
    larger[: len(array)] = array
    return larger


def layout_of(array: NDArray[Any]) -> Literal["C", "F"]:
    """Vectors are read row by row, sign bits word by word of all rows: 5 times as fast as the other way round."""
    return "F" if array.dtype == np.uint64 else "C"


def empty_columns(dim: int, *, away: bool = False) -> Columns:
    """Without the vectors themselves, where these are `away`."""

    def empty(kind: Any, *shape: int) -> NDArray[Any]:
        return np.zeros((0, *shape), kind)

    return Columns(
        pk=empty(np.int64),
        alive=empty(np.bool_),
        active=empty(np.bool_),
        embedded=empty(np.bool_),
        owner=empty(np.int64),
        user=empty(np.int32),
        subject=empty(np.int32),
        session=empty(np.int64),
        session_number=empty(np.int32),
        turn=empty(np.int32),
        length=empty(np.int32),
        words=empty(np.int32),
        day=empty(np.int32),
        until=empty(np.float64),
        importance=empty(np.uint8),
        priority=empty(np.float32),
        created=empty(np.float64),
        confidence=empty(np.float64),
        updated=empty(np.float64),
        confirmed=empty(np.float64),
        stated=empty(np.bool_),
        agent=empty(np.int64),
        since=empty(np.float64),
        sentiment=empty(np.uint8),
        shared=empty(np.bool_),
        unreviewed=empty(np.uint8),
        look=empty(np.uint16),
        vectors=empty(np.float32, 0 if away else dim),
        signs=empty(np.uint64, -(-dim // 64)),
    )


class Codes:
    """Small numbers for texts, from 1; 0 is none. Only ever grows."""

    def __init__(self) -> None:
        self.names: list[str] = [""]
        self.numbers: dict[str, int] = {}

    def code(self, text: str | None) -> int:
        if not text:
            return NOBODY
        number = self.numbers.get(text)
        return self.take_in(text) if number is None else number

    def take_in(self, text: str) -> int:
        self.names.append(text)
        self.numbers[text] = len(self.names) - 1
        return self.numbers[text]


class Subjects(Codes):
    """Also by the words of their names. For all views of an index: each passes over those that it has not."""

    def __init__(self) -> None:
        super().__init__()
        self.by_word: dict[str, list[int]] = {}
        self.words_by_letter: dict[str, list[str]] = {}

    def take_in(self, text: str) -> int:
        number = super().take_in(text)
        for word in parts_in(text):
            if word not in self.by_word:
                self.words_by_letter.setdefault(word[0], []).append(word)
            self.by_word.setdefault(word, []).append(number)
        return number


class Sessions:
    """Small numbers for sessions, from 0. What has none is one of its own."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.count = 0

    @classmethod
    def of(cls, sessions: NDArray[np.int64], numbers: NDArray[np.int32]) -> Sessions:
        """Those that were given these numbers."""
        made = cls()
        shared = np.flatnonzero(sessions > NOBODY)
        several, first = np.unique(sessions[shared], return_index=True)
        made.numbers = dict(zip(several.tolist(), numbers[shared[first]].tolist(), strict=True))
        made.count = int(numbers.max(initial=-1)) + 1
        return made

    def numbers_of(self, sessions: NDArray[np.int64]) -> list[int]:
        numbers = list[int]()
        for session in sessions.tolist():
            number = self.numbers.setdefault(session, self.count) if session > NOBODY else self.count
            self.count += number == self.count
            numbers.append(number)
        return numbers

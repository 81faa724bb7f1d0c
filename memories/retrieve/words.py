"""The question's words against an app's memories: which hold which, and how much that tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.retrieve.order import counted, distinct
from memories.retrieve.reading import Floats, Reading, Rows

LEAST_BEST = 1e-6
"""A best score below this is none."""


@dataclass(frozen=True)
class Words:
    """`places` are, for each of the `names`, 32 at most, what holds it in the reading; `weight` (t,) is idf.

    `shares` (n,) is the weight of the words that each memory holds, `bm25` (n,) the score; of those that are not
    `holding` any, 0.
    """

    reading: Reading
    names: list[str]
    places: Sequence[Rows]
    weight: Floats
    shares: Floats
    bm25: Floats
    holding: Rows

    @cached_property
    def total(self) -> float:
        return float(self.weight.sum()) or 1.0

    @cached_property
    def best(self) -> float:
        return float(self.bm25[self.holding].max(initial=0))

    @cached_property
    def most_covered(self) -> float:
        """The best share of the question's weight that a memory holds."""
        return float(self.shares[self.holding].max(initial=0)) / self.total

    @cached_property
    def within_reach(self) -> float:
        """As `total`, but what nothing holds weighs no more than what one memory holds: in a small app it would
        outweigh all others together.
        """
        counts = np.array([max(1, len(where)) for where in self.places])
        return float(idf(len(self.bm25), counts).sum()) or 1.0

    @cached_property
    def bits(self) -> NDArray[np.uint32]:
        """Shape (n,): the words that each memory holds, a bit for each of the names."""
        bits = np.zeros(len(self.bm25), np.uint32)
        for number, where in enumerate(self.places):
            bits[where] |= bit_of(number)
        return bits

    @cached_property
    def by_session(self) -> tuple[NDArray[np.float64], float]:
        """BM25 of the sessions as one text each, by their numbers, and the best of them."""
        reading = self.reading
        size = len(reading.session_words)
        # Of most sessions nothing is looked at.
        topic = np.zeros(size)
        if not reading.has_sessions:
            session = reading.at("session_number", self.holding)
            weight = self.shares[self.holding] * (2.2 / (1 + 1.2 * norm_of(reading, session)))
            topic[session] = weight
            return topic, float(weight.max(initial=0))
        word = np.repeat(np.arange(len(self.places)), [len(where) for where in self.places])
        # One number for each pair of a word and a session: sorting all at once takes a third of one by one.
        pairs, said = counted(word * size + reading.at("session_number", np.concatenate(self.places)))
        word, session = np.divmod(pairs, size)
        weight = idf(reading.session_count, np.bincount(word, minlength=len(self.places)))
        np.add.at(topic, session, weight[word] * (said * 2.2 / (said + 1.2 * norm_of(reading, session))))
        return topic, float(topic[session].max(initial=0))

    def topics(self, sessions: NDArray[np.int32]) -> Floats:
        """How much some sessions, by their numbers, are about the words: their BM25 as shares of the best of all."""
        if not self.names:
            return np.zeros(len(sessions), np.float32)
        topic, best = self.by_session
        return (topic[sessions] / max(best, LEAST_BEST)).astype(np.float32)

    def work_out(self) -> None:
        """What ranking is going to ask for."""
        if self.names:
            for name in ("total", "best", "most_covered", "bits", "by_session"):
                getattr(self, name)

    def weight_of(self, bits: NDArray[np.uint32]) -> Floats:
        """What the words of these bits weigh together."""
        weight: Floats = self.weight @ ((bits & bits_of(len(self.names))[:, None]) != 0)
        return weight

    def held(self, rows: Rows) -> Floats:
        """Share of what is `within_reach` that each of these holds."""
        share: Floats = self.shares[rows] / np.float32(self.within_reach)
        return share

    def covered(self, rows: Rows) -> Floats:
        """Share of the question's weight that each of these holds."""
        share: Floats = self.shares[rows] / np.float32(self.total)
        return share


def norm_of(reading: Reading, sessions: NDArray[np.int32]) -> Floats:
    """BM25's, of some sessions, by their numbers: half of it is how long they are."""
    norm: Floats = np.float32(0.5) + np.float32(0.5) * reading.session_lengths(sessions)
    return norm


def bit_of(number: int) -> np.uint32:
    return np.uint32(1 << number)


@cache
def bits_of(count: int) -> NDArray[np.uint32]:
    """Of so many words, one each."""
    return np.left_shift(np.uint32(1), np.arange(count, dtype=np.uint32))


def idf(size: int, counts: NDArray[Any] | int) -> Floats:
    """Robertson and Spärck Jones, never negative: ln(1 + (N − n + ½) / (n + ½))."""
    weight: Floats = np.log(1 + (size - counts + 0.5) / (counts + 0.5)).astype(np.float32)
    return weight


def match_words(reading: Reading, names: list[str], places: Sequence[Rows]) -> Words:
    """`places` are, for each word, the memories that hold it, each once.

    BM25 over presence: a word counts once per text. Weights are the app's own: other apps' texts change nothing.
    """
    if not names:
        nothing = np.zeros(0, np.float32)
        return Words(reading, [], [], nothing, reading.nothing, reading.nothing, np.zeros(0, np.intp))
    counts = np.array([len(where) for where in places])
    weight, every = idf(reading.size, counts), np.concatenate(places)
    shares, bm25 = np.zeros(reading.size, np.float32), np.zeros(reading.size, np.float32)
    np.add.at(shares, every, np.repeat(weight, counts))
    holding = distinct(every, reading.size)
    bm25[holding] = shares[holding] * reading.length_discount(holding)
    return Words(reading, names, places, weight, shares, bm25, holding)

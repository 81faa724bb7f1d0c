"""The question's words against an app's memories: which hold which, and how much that tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memories.retrieve.reading import Floats, Reading, Rows

# BM25 over presence: a word counts once per text. Weights are the app's own: other apps' texts change nothing.
# Length is discounted less among turns of a chat than among long texts.
K1, B_CHAT, B_LONG = 1.2, 0.4, 0.75


@dataclass(frozen=True, slots=True)
class Words:
    """`held` has shape (t, n): 1 where the memory holds the word; `weight` (t,) is idf, `bm25` (n,) the score."""

    held: Floats
    weight: Floats
    bm25: Floats

    @property
    def total(self) -> float:
        return float(self.weight.sum()) or 1.0

    def covered(self, rows: Rows) -> Floats:
        """Share of the question's weight that each of these holds."""
        share: Floats = (self.weight @ self.held[:, rows]) / self.total
        return share


def idf(size: int, counts: Floats) -> Floats:
    """Robertson and Spärck Jones, never negative: ln(1 + (N − n + ½) / (n + ½))."""
    weight: Floats = np.log(1 + (size - counts + 0.5) / (counts + 0.5)).astype(np.float32)
    return weight


def match_words(reading: Reading, places: Sequence[Rows]) -> Words:
    """`places` are, for each word, the memories that hold it."""
    held = np.zeros((len(places), reading.size), np.float32)
    for number, where in enumerate(places):
        held[number, where] = 1
    weight = idf(reading.size, held.sum(1))
    mean = max(1.0, float(reading.words.mean())) if reading.size else 1.0
    b = B_LONG + (B_CHAT - B_LONG) * reading.chat
    norm = 1 - b + b * reading.words / mean
    bm25 = (weight @ held) * ((K1 + 1) / (1 + K1 * norm))
    return Words(held, weight, bm25.astype(np.float32))

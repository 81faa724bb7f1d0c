"""The tokenizer of SentencePiece's unigram model (Kudo 2018): of all ways to cut a word into pieces the likeliest.

The library `tokenizers` does the same in the same time, and takes 250 MB for 250,000 pieces, in each process; this
takes 15, beside the pieces themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

WORD_BEGINS = "▁"
UNKNOWN_COSTS = 10.0
"""A character that is no piece is so much less likely (its logarithm) than the least likely piece: as SentencePiece has
it."""
KEPT_WORDS = 8_192


class Unigram:
    """`pieces`: each with its log probability, its id being its place. For all threads."""

    def __init__(self, pieces: Sequence[tuple[str, float]], unknown: int) -> None:
        self.ids = {piece: number for number, (piece, _) in enumerate(pieces) if number != unknown}
        self.chances = [chance for _, chance in pieces]
        self.unknown = unknown
        self.unknown_chance = min(self.chances) - UNKNOWN_COSTS
        self.longest = max(map(len, self.ids))
        self.cut = lru_cache(KEPT_WORDS)(self.cut_anew)

    def __call__(self, text: str) -> Iterator[tuple[int, str]]:
        """Ids with their pieces; of characters in a row that are no pieces, one id."""
        for word in text.split():
            yield from self.cut(WORD_BEGINS + word)

    def cut_anew(self, word: str) -> tuple[tuple[int, str], ...]:
        """Viterbi: for each place the likeliest way to come there, and where its last piece begins."""
        best, begins = [0.0] + [-math.inf] * len(word), [0] * (len(word) + 1)
        for start in range(len(word)):
            before = best[start]
            if before + self.unknown_chance > best[start + 1]:
                best[start + 1], begins[start + 1] = before + self.unknown_chance, start
            for end in range(start + 1, min(start + self.longest, len(word)) + 1):
                number = self.ids.get(word[start:end])
                if number is not None and before + self.chances[number] > best[end]:
                    best[end], begins[end] = before + self.chances[number], start
        return tuple(self.joined(reversed(list(pieces_of(word, begins)))))

    def joined(self, pieces: Iterator[str]) -> Iterator[tuple[int, str]]:
        for number, same in groupby(pieces, lambda piece: self.ids.get(piece, self.unknown)):
            if number == self.unknown:
                yield number, "".join(same)
            else:
                yield from ((number, piece) for piece in same)


def pieces_of(word: str, begins: Sequence[int]) -> Iterator[str]:
    """The last first."""
    end = len(word)
    while end:
        yield word[begins[end] : end]
        end = begins[end]

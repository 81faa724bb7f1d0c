"""What tokenizers and networks of this process share: how much of a text is read, what is unreadable, padding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..surrogates import without_surrogates

# Prose takes 5 characters for a token: only a text that opens with thousands of characters in a few giant words is read
# differently, and 1 MB costs no more than 8 KB.
CHARACTERS_PER_TOKEN = 32
# Of letters that stand in no token: of MiniLM Chinese, Thai, much of Japanese. What is left of such texts is much the
# same in all, and a question would be near to whatever else cannot be read. Signs and emoji take nothing from it.
UNKNOWN_SHARE = 0.15


def opening(text: str, most_tokens: int) -> str:
    """The part of `text` that can reach the first `most_tokens` tokens, white space squeezed.

    Each word gives at least one token, so later words cannot matter. White space gives none: it is
    squeezed first, so a text of a million spaces and a word keeps the word.
    """
    words = text.split(maxsplit=most_tokens)[:most_tokens]
    return without_surrogates(" ".join(words)[: CHARACTERS_PER_TOKEN * most_tokens])


def is_unreadable(unread: Sequence[str], pieces: Sequence[str]) -> bool:
    """`pieces`: of a text; `unread`: those of them that are in no token."""
    # A word of too many letters is in none as well, though these are known.
    unknown = sum(letters_in(piece) for piece in unread if not piece.isascii())
    return unknown > UNKNOWN_SHARE * sum(map(letters_in, pieces))


def letters_in(text: str) -> int:
    return sum(map(str.isalpha, text))


def padded(batch: Sequence[list[int]], filler: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ids and mask, both (len(batch), longest)."""
    ids = np.full((len(batch), max(map(len, batch))), filler, dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return ids, mask

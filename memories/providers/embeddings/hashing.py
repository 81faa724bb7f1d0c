"""HashEmbedder: an embedder for tests, so simple that its numbers can be checked by hand."""

import re
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from .base import Thresholds, Vectors, normalise_rows
from .watching import watched

SUFFIXES = ("ing", "ed", "es", "s")


def stem(word: str) -> str:
    """`word` without its English ending, when at least three letters are left."""
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word.removesuffix(suffix)
    return word


class HashEmbedder:
    """Bag of words: each stem adds 1 at `crc32(stem) % dim`, then the row is L2-normalised.

    Two texts of distinct words that share k of m and n words have the cosine k / sqrt(m * n),
    unless two stems meet in one place. A text without words is the zero vector.
    """

    thresholds = Thresholds(same=0.9, related=0.5, relevant=0.2)
    in_process = True

    def __init__(self, dim: int = 64) -> None:
        self.dim = dim
        self.name = f"hash-{dim}"

    @property
    def known_dim(self) -> int:
        return self.dim

    def place(self, word: str) -> int:
        """The column a word counts in."""
        return crc32(stem(word.lower()).encode("utf-8", "replace")) % self.dim

    @watched
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        counts = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(counts, texts, strict=True):
            for word in re.findall(r"\w+", text):
                row[self.place(word)] += 1.0
        return normalise_rows(counts)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_documents([text])[0]
        return vector

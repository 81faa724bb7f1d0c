"""What every embedder promises: texts in, L2-normalised float32 rows out. And the one for tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from time import perf_counter
from typing import Any, Protocol, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

# shape (n_texts, dim) or (dim,), C-contiguous, every row L2-normalised, so a dot product is a cosine
Vectors = NDArray[np.float32]


CosineOrMany = TypeVar("CosineOrMany", float, Vectors)
USUAL = (0.12, 0.10)
"""Mean and spread of the cosines that all-MiniLM-L6-v2 gives a query with texts that have nothing to do with it."""


class EmbedderError(Exception):
    """No vectors this time. The message never holds the embedded text or a secret."""


class EmbedderUnavailable(EmbedderError):
    """Temporarily away: the same call may succeed later."""


class EmbedderMisconfigured(EmbedderError):
    """Will not work until somebody changes a setting or installs something."""


@dataclass(frozen=True)
class Thresholds:
    """Cosines that mean something for one embedder; models differ, so they belong to it.

    `same`: two texts say the same thing. `related`: they are about the same thing.
    `relevant`: the lowest cosine worth showing for a query. `usual`: mean and spread of the cosines of a query
    with texts that have nothing to do with it.
    """

    same: float
    related: float
    relevant: float
    usual: tuple[float, float] = USUAL

    def likened(self, cosine: CosineOrMany) -> CosineOrMany:
        """Return what all-MiniLM-L6-v2 would give to what has this cosine with a query: as many spreads above usual.

        For whatever weighs cosines against a number of its own, which would mean something else with each model.
        """
        if self.usual == USUAL:
            return cosine
        (mean, spread), (usual_mean, usual_spread) = self.usual, USUAL
        return usual_mean + (cosine - mean) * (usual_spread / spread)


class Embedder(Protocol):
    """Turns texts into vectors. Implementations may be called from several threads at once."""

    @property
    def name(self) -> str:
        """Stored beside each vector; vectors of two names are never compared."""

    @property
    def dim(self) -> int:
        """Length of a vector. A remote embedder sends one request the first time it is asked."""

    @property
    def known_dim(self) -> int:
        """The same, and 0 as long as it would have to be asked for."""

    @property
    def thresholds(self) -> Thresholds: ...

    @property
    def in_process(self) -> bool:
        """Whether it answers from within this process: in milliseconds, and waiting for nothing."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dim), in the order of `texts`; (0, dim) for none. Raises EmbedderError."""

    def embed_query(self, text: str) -> Vectors:
        """Shape (dim,). Raises EmbedderError."""


def normalise_rows(rows: NDArray[np.floating[Any]]) -> Vectors:
    """L2-normalise each row of shape (n, dim); zero rows stay zero.

    Norms are taken in float64: squares of large float32 values overflow float32.
    Raises EmbedderUnavailable when a number is NaN or infinite.
    """
    if not np.isfinite(rows).all():
        raise EmbedderUnavailable("the vectors hold numbers that are not finite")
    norms = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    return np.ascontiguousarray(rows / np.where(norms == 0.0, 1.0, norms), dtype=np.float32)


Watcher = Callable[[str, int, float, str], None]
"""Told the embedder's name, how many texts it was given, the seconds, and the outcome."""

watchers: list[Watcher] = []
FAILED = "failed"
OUTCOMES: dict[type[EmbedderError], str] = {EmbedderUnavailable: "unavailable", EmbedderMisconfigured: "misconfigured"}


class Named(Protocol):
    @property
    def name(self) -> str: ...


Itself = TypeVar("Itself", bound=Named)
Texts = TypeVar("Texts", bound=Sequence[str])


def watched(embed: Callable[[Itself, Texts], Vectors]) -> Callable[[Itself, Texts], Vectors]:
    """Around the one method of an embedder that does the work."""

    @wraps(embed)
    def embed_watched(self: Itself, texts: Texts) -> Vectors:
        begun, outcome = perf_counter(), FAILED
        try:
            vectors = embed(self, texts)
            outcome = "ok"
            return vectors
        except EmbedderError as error:
            outcome = OUTCOMES.get(type(error), FAILED)
            raise
        finally:
            seconds = perf_counter() - begun
            for tell in watchers:
                tell(self.name, len(texts), seconds, outcome)

    return embed_watched


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
        """Return the column a word counts in."""
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

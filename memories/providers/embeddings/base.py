"""What every embedder promises: texts in, L2-normalised float32 rows out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

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
        """What all-MiniLM-L6-v2 would make of what has this cosine with a query: as many spreads above what is usual.

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

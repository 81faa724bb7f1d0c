"""What all remote embedders share: prefixes, batches, and a strict look at the answer."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import ClassVar

import numpy as np

from ..errors import ServiceAway, ServiceRefused
from ..http import JsonApi
from ..outward import ORDINARY_NETWORKS
from ..patience import Patience
from ..surrogates import without_surrogates
from .bands import QUESTIONS, STATEMENTS, measured
from .base import (
    EmbedderError,
    EmbedderMisconfigured,
    EmbedderUnavailable,
    Thresholds,
    Vectors,
    normalise_rows,
)
from .families import USUAL, family_of
from .watching import watched

BATCH_TEXTS = 64
# Models read 2,048 to 8,192 tokens; some services refuse a longer text instead of cutting it.
MAX_CHARACTERS = 8_000
ASK_AGAIN_SECONDS = 300.0
"""After which a service is asked anew that was away while it was asked what its cosines mean."""


@contextmanager
def embedder_errors() -> Iterator[None]:
    """Says of an embedder what is said of a service."""
    try:
        yield
    except ServiceAway as error:
        raise EmbedderUnavailable(str(error)) from None
    except ServiceRefused as error:
        raise EmbedderMisconfigured(str(error)) from None


class RemoteEmbedder(ABC):
    """One HTTP service and one model. Sends nothing until it is asked for vectors or for `dim`; after the first answer
    of a model whose bands are not known by its name, it asks it for them, once.
    """

    provider: ClassVar[str]
    in_process = False

    @embedder_errors()
    def __init__(
        self,
        url: str,
        model: str,
        headers: Mapping[str, str] | None = None,
        patience: Patience | None = None,
        hints: Mapping[int, str] | None = None,
        networks: Collection[str] = ORDINARY_NETWORKS,
    ) -> None:
        self.name = f"{self.provider}/{model}"
        self._model = model
        self._api = JsonApi(url, headers, patience, hints, networks=networks)
        self._family = family_of(model)
        self._dim = 0
        self._bands = self._family.thresholds
        self._asking = Lock()
        self._ask_from = 0.0

    @abstractmethod
    def _ask(self, inputs: list[str]) -> object:
        """One request: what should be a list of vectors in the order of `inputs`, still unchecked."""

    def close(self) -> None:
        self._api.close()

    @property
    def thresholds(self) -> Thresholds:
        return self._bands or USUAL

    @property
    def dim(self) -> int:
        """Known after the first answer; asked before that, it embeds one word to find out."""
        if not self._dim:
            self._embed(["dimension"])
        return self._dim

    @property
    def known_dim(self) -> int:
        return self._dim

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One request per BATCH_TEXTS texts."""
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        prefixed = [self._family.document_prefix + sendable(text) for text in texts]
        return np.concatenate([self._embed(batch) for batch in in_batches(prefixed)])

    def embed_query(self, text: str) -> Vectors:
        """One request."""
        vector: Vectors = self._embed([self._family.query_prefix + sendable(text)])[0]
        return vector

    def _embed(self, inputs: list[str]) -> Vectors:
        vectors = self._answer(inputs)
        # One asks; the others do not wait for it.
        if self._bands is None and monotonic() >= self._ask_from and self._asking.acquire(blocking=False):
            try:
                self._bands = self._measured_bands()
            finally:
                self._asking.release()
        return vectors

    def _measured_bands(self) -> Thresholds | None:
        """The usual ones where it tells nothing apart, or does not take so many texts at once; None if it was away."""
        prefixed = [self._family.document_prefix + text for text in STATEMENTS]
        prefixed += [self._family.query_prefix + text for text in QUESTIONS]
        try:
            vectors = self._answer(prefixed)
        except EmbedderUnavailable:
            self._ask_from = monotonic() + ASK_AGAIN_SECONDS
            return None
        except EmbedderError:
            return USUAL
        return measured(vectors[: len(STATEMENTS)], vectors[len(STATEMENTS) :], USUAL) or USUAL

    @watched
    @embedder_errors()
    def _answer(self, inputs: list[str]) -> Vectors:
        vectors = checked_vectors(self._ask(inputs), len(inputs))
        self._check_dim(vectors.shape[1])
        return normalise_rows(vectors)

    def _check_dim(self, found: int) -> None:
        # Two threads may both see 0 here and write the same number: harmless.
        if self._dim not in (0, found):
            raise EmbedderMisconfigured(
                f"{self.name} answered with {found} dimensions after {self._dim}: was the model replaced?"
            )
        self._dim = found


def sendable(text: str) -> str:
    """The part of `text` that is sent. Never empty: OpenAI refuses an empty input."""
    return without_surrogates(text[:MAX_CHARACTERS]) or " "


def in_batches(inputs: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(inputs), BATCH_TEXTS):
        yield inputs[start : start + BATCH_TEXTS]


def checked_vectors(rows: object, count: int) -> Vectors:
    """Shape (count, dim), not yet normalised.

    Raises EmbedderUnavailable when the answer is not `count` rows of numbers that float32 can hold,
    EmbedderMisconfigured when the rows differ in length or are empty.
    """
    if not isinstance(rows, list) or len(rows) != count:
        raise EmbedderUnavailable(f"the answer does not hold {count} vectors")
    if not all(isinstance(row, list) for row in rows):
        raise EmbedderUnavailable("the answer holds something else than vectors")
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        raise EmbedderMisconfigured("the vectors of one answer differ in length or are empty")
    return as_float32(rows)


def as_float32(rows: list[list[object]]) -> Vectors:
    try:
        numbers = np.asarray(rows)
    except ValueError:
        raise EmbedderUnavailable("the answer holds something else than numbers") from None
    if numbers.ndim != 2 or numbers.dtype.kind not in "fi":
        raise EmbedderUnavailable("the answer holds something else than numbers")
    with np.errstate(over="ignore"):  # becomes infinite, and is refused as such
        return numbers.astype(np.float32)

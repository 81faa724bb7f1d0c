"""Vectors that are made while something else is being stored: what comes in bulk waits for its embedder alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from threading import Event
from types import TracebackType
from typing import Self

from memories.capture.embed import embed_candidates
from memories.providers.embeddings import Embedder
from memories.store import Candidate

TEXTS_AT_ONCE = 128
"""Whole batches of every embedder, and no longer than a second or two until a stop is seen."""


class EmbeddingPrefetch:
    """One thread that gives candidates their vectors, one lot after the other. It asks no database.

    After the context it makes no more vectors: what waits is dropped, and what is under way ends with the texts it is
    at.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.thread = ThreadPoolExecutor(1, "embed-ahead")
        self.is_over = Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.is_over.set()
        self.thread.shutdown(cancel_futures=True)

    def embed(self, candidates: Sequence[Candidate]) -> Future[None]:
        """Done when all have vectors, or are to be stored without because the embedder is away."""
        return self.thread.submit(copy_context().run, self.embed_all, candidates)

    def embed_all(self, candidates: Sequence[Candidate]) -> None:
        for some in by_length(candidates):
            if self.is_over.is_set() or not embed_candidates(some, self.embedder):
                return


def by_length(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """Some at a time, the short ones first: a batch takes as long as if all of it were as long as its longest text."""
    ordered = sorted(candidates, key=lambda candidate: len(candidate.content))
    for start in range(0, len(ordered), TEXTS_AT_ONCE):
        yield ordered[start : start + TEXTS_AT_ONCE]

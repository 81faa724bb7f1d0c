"""Embedders in this process: loaded on first use, once; texts in batches of like length; questions run together."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import ClassVar, Protocol

import numpy as np

from .base import Thresholds, Vectors
from .together import Together
from .watching import watched

BATCH_TEXTS = 32
# Bounds the memory of one run to about 60 MB; 32 texts of 256 tokens would take 250 MB and are no faster.
BATCH_TOKENS = 2_048
# Two processes answer requests, unless they are told otherwise: each may keep half of the cores busy.
QUESTIONS_AT_ONCE = max(1, (os.cpu_count() or 1) // 2)


class Model(Protocol):
    """Tokenizer and network, for several threads at once."""

    def tokenise(self, text: str) -> list[int]:
        """Token ids, as many as the model takes; none of a text that it cannot read."""

    def run(self, batch: Sequence[list[int]]) -> Vectors:
        """Shape (len(batch), dim). Rows are padded to the longest of this batch."""


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Positions of texts grouped by length, shortest first, so that little is padded."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        # the newcomer is the longest so far: the whole batch would be padded to it
        padded_tokens = (len(batch) + 1) * lengths[position]
        if batch and (len(batch) == BATCH_TEXTS or padded_tokens > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


class InProcessEmbedder(ABC):
    """Encoding and running are thread-safe. A text's vector may differ in the last bits (1e-7) with the texts it is
    batched with. It is zeros where too many of its letters are unknown to the model.

    Prefixes are put before each text, for models that were trained with them.
    """

    name: ClassVar[str]
    thresholds: ClassVar[Thresholds]
    document_prefix: ClassVar[str] = ""
    query_prefix: ClassVar[str] = ""
    dim: ClassVar[int] = 384
    known_dim: ClassVar[int] = dim
    in_process: ClassVar[bool] = True

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` holds the model's files; without it they are looked up in their package."""
        self._folder = folder
        self._model: Model | None = None
        self._lock = Lock()
        self._questions = Together(self.embed, QUESTIONS_AT_ONCE)

    @abstractmethod
    def load(self, folder: Path | None) -> Model:
        """Raises EmbedderMisconfigured when a file is missing or not the pinned one."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self.embed([self.document_prefix + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return self._questions(self.query_prefix + text)

    @watched
    def embed(self, texts: Sequence[str]) -> Vectors:
        """Without prefixes."""
        model = self._loaded()
        tokens = [model.tokenise(text) for text in texts]
        readable = [position for position, ids in enumerate(tokens) if ids]
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for batch in batches([len(tokens[position]) for position in readable]):
            positions = [readable[number] for number in batch]
            vectors[positions] = model.run([tokens[position] for position in positions])
        return vectors

    def _loaded(self) -> Model:
        if self._model is None:
            with self._lock:
                if self._model is None:  # another thread may have loaded it while this one waited
                    self._model = self.load(self._folder)
        return self._model

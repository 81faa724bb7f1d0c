"""all-MiniLM-L6-v2 in process: 384 dimensions, no network, about 3 ms for a short query."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from .base import Thresholds, Vectors
from .minilm_files import locate_model
from .minilm_model import DIM, Model, load_model
from .together import Together
from .watching import watched

BATCH_TEXTS = 32
# Bounds the memory of one run to about 60 MB; 32 texts of 256 tokens would take 250 MB and are no faster.
BATCH_TOKENS = 2_048
# Two processes answer requests, unless they are told otherwise: each may keep half of the cores busy.
QUESTIONS_AT_ONCE = max(1, (os.cpu_count() or 1) // 2)


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


class MiniLMEmbedder:
    """Loads on first use, once. Encoding and running are thread-safe; questions asked at a time are run together.

    A text's vector may differ in the last bits (1e-7) with the texts it is batched with. It is zeros where too many of
    its letters are unknown to the model, which knows English.
    """

    name = "all-MiniLM-L6-v2"
    dim = DIM
    # starting values, calibrated by the benchmark
    thresholds = Thresholds(same=0.85, related=0.45, relevant=0.25)
    in_process = True

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` holds the model's files; without it they are looked up in their package."""
        self._folder = folder
        self._model: Model | None = None
        self._lock = Lock()
        self._questions = Together(self.embed_documents, QUESTIONS_AT_ONCE)

    @watched
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        model = self._loaded()
        tokens = [model.tokenise(text) for text in texts]
        readable = [position for position, ids in enumerate(tokens) if ids]
        vectors = np.zeros((len(texts), DIM), dtype=np.float32)
        for batch in batches([len(tokens[position]) for position in readable]):
            positions = [readable[number] for number in batch]
            vectors[positions] = model.run([tokens[position] for position in positions])
        return vectors

    def embed_query(self, text: str) -> Vectors:
        return self._questions(text)

    def _loaded(self) -> Model:
        if self._model is None:
            with self._lock:
                if self._model is None:  # another thread may have loaded it while this one waited
                    self._model = load_model(self._folder or locate_model())
        return self._model

"""The tokenizer and the network of multilingual-e5-small: loading them, and running one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from .base import Vectors
from .multilingual_files import CENTRE, GRAPH_FILE, REMEDY, Leanings, Specials, read_contents, read_leanings, unpacked
from .onnx_session import load_session
from .packages import read_graph
from .tokens import is_unreadable, opening, padded
from .unigram import Unigram

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

LEAST_LEANING = 0.3
"""What English in conversations hardly reaches: there, nothing is taken away."""
MAX_TOKENS = 512  # what the model was trained for, the first and the last included


@dataclass(frozen=True)
class Model:
    """What is loaded once. `words` (vocabulary, blocks) is a view of the mapped file and keeps it mapped."""

    tokenizer: Unigram
    session: InferenceSession
    specials: Specials
    replaced: dict[int, str]
    words: NDArray[Any]
    languages: Vectors

    def tokenise(self, text: str) -> list[int]:
        """Token ids, at most MAX_TOKENS; none of a text that the model cannot read."""
        # What is composed of several characters, such as an accent of its own, is no entry of `replaced`.
        text = normalize("NFC", opening(text, MAX_TOKENS)).translate(self.replaced)
        told = list(islice(self.tokenizer(text), MAX_TOKENS - 2))
        unread = [piece for number, piece in told if number == self.specials.unknown]
        if is_unreadable(unread, [piece for _, piece in told]):
            return []
        return [self.specials.first, *(number for number, _ in told), self.specials.last]

    def run(self, batch: Sequence[list[int]]) -> Vectors:
        """Shape (len(batch), 384). Rows are padded to the longest of this batch."""
        ids, mask = padded(batch, self.specials.filler)
        needed, where = np.unique(ids, return_inverse=True)
        words = unpacked(self.words[needed])[where.reshape(ids.shape)]
        vectors: Vectors = self.session.run(None, {"attention_mask": mask, "words": words})[0]
        return leaning_less(vectors, self.languages)


def leaning_less(vectors: Vectors, languages: Vectors) -> Vectors:
    """Unit vectors (n, hidden), of which no more than LEAST_LEANING is the language that they are nearest to."""
    near = vectors @ languages.T
    nearest = near.argmax(axis=1)
    beyond = np.maximum(near.max(axis=1) - LEAST_LEANING, 0)
    left = vectors - beyond[:, None] * languages[nearest]
    unit: Vectors = left / np.linalg.norm(left, axis=1, keepdims=True)
    return unit


def load_model(folder: Path, leanings: Leanings | None = None) -> Model:
    """With the `leanings` that come along, unless they are told. Raises EmbedderMisconfigured when a file is missing or
    not the pinned one.
    """
    contents = read_contents(folder)
    leanings = leanings or read_leanings()
    tensors = contents.tensors | {CENTRE: leanings.centre}
    tokenizer = Unigram(contents.pieces, contents.specials.unknown)
    session = load_session(read_graph(GRAPH_FILE, REMEDY), tensors)
    return Model(tokenizer, session, contents.specials, contents.replaced, contents.words, leanings.languages)

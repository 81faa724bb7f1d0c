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
from .multilingual_files import CENTRE, GRAPH_FILE, REMEDY, Specials, read_centre, read_contents, unpacked
from .onnx_session import load_session
from .packages import read_graph
from .tokens import is_unreadable, opening, padded
from .unigram import Unigram

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MAX_TOKENS = 512  # what the model was trained for, the first and the last included


@dataclass(frozen=True)
class Model:
    """What is loaded once. `words` (vocabulary, blocks) is a view of the mapped file and keeps it mapped."""

    tokenizer: Unigram
    session: InferenceSession
    specials: Specials
    replaced: dict[int, str]
    words: NDArray[Any]

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
        return vectors


def load_model(folder: Path, centre: Vectors | None = None) -> Model:
    """With the `centre` that comes along, unless it is told. Raises EmbedderMisconfigured when a file is missing or not
    the pinned one.
    """
    contents = read_contents(folder)
    tensors = contents.tensors | {CENTRE: read_centre() if centre is None else centre}
    tokenizer = Unigram(contents.pieces, contents.specials.unknown)
    session = load_session(read_graph(GRAPH_FILE, REMEDY), tensors)
    return Model(tokenizer, session, contents.specials, contents.replaced, contents.words)

"""The tokenizer and the network of multilingual-e5-small: loading them, and running one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from .base import Vectors
from .multilingual_files import CENTRE, GRAPH_FILE, REMEDY, Contents, Specials, read_centre, read_contents, unpacked
from .onnx_session import load_session
from .packages import read_graph
from .tokens import is_unreadable, opening, padded

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MAX_TOKENS = 512  # what the model was trained for, the first and the last included
WORD_BEGINS = "▁"


@dataclass(frozen=True)
class Model:
    """What is loaded once. `words` (vocabulary, blocks) is a view of the mapped file and keeps it mapped."""

    tokenizer: Tokenizer
    session: InferenceSession
    specials: Specials
    replaced: dict[int, str]
    words: NDArray[Any]

    def tokenise(self, text: str) -> list[int]:
        """Token ids, at most MAX_TOKENS; none of a text that the model cannot read."""
        # What is composed of several characters, such as an accent of its own, is no entry of `replaced`.
        text = " ".join(normalize("NFC", opening(text, MAX_TOKENS)).translate(self.replaced).split())
        told = self.tokenizer.encode(text)
        if self.specials.unknown in told.ids and is_unreadable(text, told, self.specials.unknown):
            return []
        return [self.specials.first, *told.ids, self.specials.last]

    def run(self, batch: Sequence[list[int]]) -> Vectors:
        """Shape (len(batch), 384). Rows are padded to the longest of this batch."""
        ids, mask = padded(batch, self.specials.filler)
        needed, where = np.unique(ids, return_inverse=True)
        words = unpacked(self.words[needed])[where.reshape(ids.shape)]
        vectors: Vectors = self.session.run(None, {"attention_mask": mask, "words": words})[0]
        return vectors


def make_tokenizer(contents: Contents) -> Tokenizer:
    """SentencePiece's unigram model (Kudo 2018), as XLM-R has it."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram(contents.pieces, contents.specials.unknown, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(WORD_BEGINS, prepend_scheme="always", split=True)
    tokenizer.enable_truncation(MAX_TOKENS - 2)
    return tokenizer


def load_model(folder: Path, centre: Vectors | None = None) -> Model:
    """With the `centre` that comes along, unless it is told. Raises EmbedderMisconfigured when a file is missing or not
    the pinned one.
    """
    contents = read_contents(folder)
    tensors = contents.tensors | {CENTRE: read_centre() if centre is None else centre}
    session = load_session(read_graph(GRAPH_FILE, REMEDY), tensors)
    return Model(make_tokenizer(contents), session, contents.specials, contents.replaced, contents.words)

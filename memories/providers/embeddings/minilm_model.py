"""The tokenizer and the network of all-MiniLM-L6-v2: loading them, and running one batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .base import Vectors
from .minilm_files import (
    GRAPH_FILE,
    REMEDY,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    WORDS,
    map_verified,
    view_tensors,
)
from .onnx_session import load_session
from .packages import read_graph
from .tokens import is_unreadable, opening, padded

# onnxruntime and tokenizers are imported on first use: a server with a remote embedder, and every
# management command, does without them.
if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MAX_TOKENS = 256  # what the model was trained for, [CLS] and [SEP] included
UNKNOWN = "[UNK]"
FILLER = 0  # masked, so any token would do


@dataclass(frozen=True)
class Model:
    """What is loaded once. `words` (vocabulary, 384) is a view of the mapped file and keeps it mapped; `unknown` is the
    token of what has none.
    """

    tokenizer: "Tokenizer"
    session: "InferenceSession"
    words: Vectors
    unknown: int

    def tokenise(self, text: str) -> list[int]:
        """Token ids, at most MAX_TOKENS; none of a text that the model cannot read."""
        text = opening(text, MAX_TOKENS)
        told = self.tokenizer.encode(text)
        ids: list[int] = told.ids
        if self.unknown in ids:
            pieces = [text[start:end] for start, end in told.offsets]
            unread = [piece for piece, number in zip(pieces, ids, strict=True) if number == self.unknown]
            if is_unreadable(unread, pieces):
                return []
        return ids

    def run(self, batch: Sequence[list[int]]) -> Vectors:
        """Shape (len(batch), 384). Rows are padded to the longest of this batch."""
        ids, mask = padded(batch, FILLER)
        feeds = {"input_ids": ids, "attention_mask": mask, WORDS: self.words}
        vectors: Vectors = self.session.run(None, feeds)[0]
        return vectors


def load_tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(bytes(map_verified(path)))
    tokenizer.no_padding()  # the file asks for 128 tokens always
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    return tokenizer


def load_model(folder: Path) -> Model:
    """About 0.3 s. Raises EmbedderMisconfigured when a file is missing or not the pinned one."""
    tensors = view_tensors(map_verified(folder / WEIGHTS_FILE))
    words = tensors.pop(WORDS)
    tokenizer = load_tokenizer(folder / TOKENIZER_FILE)
    unknown = tokenizer.token_to_id(UNKNOWN)
    assert unknown is not None
    return Model(tokenizer, load_session(read_graph(GRAPH_FILE, REMEDY), tensors), words, unknown)

"""The tokenizer and the network of all-MiniLM-L6-v2: loading them, and running one batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..surrogates import without_surrogates
from .base import EmbedderMisconfigured, Vectors
from .minilm_files import (
    GRAPH_FILE,
    REMEDY,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    WORDS,
    map_verified,
    view_tensors,
)

# onnxruntime and tokenizers are imported on first use: a server with a remote embedder, and every
# management command, does without them.
if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

DIM = 384
MAX_TOKENS = 256  # what the model was trained for, [CLS] and [SEP] included
# 32 characters for each of the 256 tokens, where prose takes 5: only a text that opens with thousands
# of characters in a few giant words is read differently, and 1 MB costs no more than 8 KB.
MAX_CHARACTERS = 8_192
UNKNOWN = "[UNK]"
# Of letters that stand in no token: Chinese, Thai, much of Japanese. What is left of such texts is much the same in
# all, and a question would be near to whatever else cannot be read. Signs and emoji take nothing from what is read.
UNKNOWN_SHARE = 0.15


@dataclass(frozen=True)
class Model:
    """What is loaded once. `words` (vocabulary, DIM) is a view of the mapped file and keeps it mapped; `unknown` is the
    token of what has none.
    """

    tokenizer: "Tokenizer"
    session: "InferenceSession"
    words: Vectors
    unknown: int

    def tokenise(self, text: str) -> list[int]:
        """Token ids, at most MAX_TOKENS; none of a text that the model cannot read."""
        text = opening(text)
        told = self.tokenizer.encode(text)
        ids: list[int] = told.ids
        if self.unknown in ids and self.is_unreadable(text, ids, told.offsets):
            return []
        return ids

    def is_unreadable(self, text: str, ids: Sequence[int], spans: Sequence[tuple[int, int]]) -> bool:
        told = [text[start:end] for one, (start, end) in zip(ids, spans, strict=True) if one == self.unknown]
        # A word of too many letters is unknown as well, though these are not.
        unread = sum(letters_in(word) for word in told if not word.isascii())
        return unread > UNKNOWN_SHARE * letters_in(text[: max(end for _, end in spans)])

    def run(self, batch: Sequence[list[int]]) -> Vectors:
        """Shape (len(batch), DIM). Rows are padded to the longest of this batch."""
        ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, WORDS: self.words}
        vectors: Vectors = self.session.run(None, feeds)[0]
        return vectors


def letters_in(text: str) -> int:
    return sum(map(str.isalpha, text))


def opening(text: str) -> str:
    """The part of `text` that can reach the first MAX_TOKENS tokens, white space squeezed.

    Each word gives at least one token, so later words cannot matter. White space gives none: it is
    squeezed first, so a text of a million spaces and a word keeps the word.
    """
    words = text.split(maxsplit=MAX_TOKENS)[:MAX_TOKENS]
    return without_surrogates(" ".join(words)[:MAX_CHARACTERS])


def load_tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(bytes(map_verified(path)))
    tokenizer.no_padding()  # the file asks for 128 tokens always
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    return tokenizer


def load_session(tensors: dict[str, Vectors]) -> "InferenceSession":
    """The graph with its weights. onnxruntime repacks the matrices for its own use (42 MB)."""
    from onnxruntime import InferenceSession, OrtValue, SessionOptions

    options = SessionOptions()
    # The server's threads share the cores already; two threads here were slower under load.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_external_initializers(
        list(tensors), [OrtValue.ortvalue_from_numpy(tensor) for tensor in tensors.values()]
    )
    return InferenceSession(read_graph(), options, providers=["CPUExecutionProvider"])


def read_graph() -> bytes:
    try:
        return GRAPH_FILE.read_bytes()
    except OSError as error:
        raise EmbedderMisconfigured(f"{GRAPH_FILE.name} cannot be read; {REMEDY}") from error


def load_model(folder: Path) -> Model:
    """About 0.3 s. Raises EmbedderMisconfigured when a file is missing or not the pinned one."""
    tensors = view_tensors(map_verified(folder / WEIGHTS_FILE))
    words = tensors.pop(WORDS)
    tokenizer = load_tokenizer(folder / TOKENIZER_FILE)
    unknown = tokenizer.token_to_id(UNKNOWN)
    assert unknown is not None
    return Model(tokenizer, load_session(tensors), words, unknown)

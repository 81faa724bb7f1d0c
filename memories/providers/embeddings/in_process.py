"""Embedders in this process: files checked and mapped, loaded once; questions of several threads run together."""

from __future__ import annotations

import hashlib
import mmap
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Condition, Lock
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from memories.language.scripts import without_surrogates
from memories.providers.embeddings.base import EmbedderMisconfigured, Thresholds, Vectors, watched

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MOST = 32


class Asked:
    """A text and, in the end, its vector or what went wrong."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_taken = self.is_done = False
        self.vector: Vectors | None = None
        self.error: Exception | None = None

    def answer(self) -> Vectors:
        if self.error is not None:
            raise self.error
        assert self.vector is not None, "who is done has a vector or an error"
        return self.vector


class Together:
    """Embeds at once where nobody is at it; what comes meanwhile waits, and goes together. Nobody waits for company.

    `embed` answers shape (n, dim); `at_once` is how many of its runs there may be at a time. For all threads.
    """

    def __init__(self, embed: Callable[[Sequence[str]], Vectors], at_once: int) -> None:
        self.embed, self.at_once = embed, at_once
        self.waiting: list[Asked] = []
        self.running = 0
        self.changed = Condition()

    def __call__(self, text: str) -> Vectors:
        """Shape (dim,). Raises what `embed` raises."""
        mine = Asked(text)
        with self.changed:
            self.waiting.append(mine)
        while batch := self.next_batch(mine):
            self.run(batch)
        return mine.answer()

    def next_batch(self, mine: Asked) -> list[Asked]:
        """Who is to be embedded now, by this thread; nobody once its own is done."""
        with self.changed:
            self.changed.wait_for(lambda: mine.is_done or (not mine.is_taken and self.running < self.at_once))
            if mine.is_done:
                return []
            batch, self.waiting = self.waiting[:MOST], self.waiting[MOST:]
            for request in batch:
                request.is_taken = True
            self.running += 1
            return batch

    def run(self, batch: Sequence[Asked]) -> None:
        try:
            for request, vector in zip(batch, self.embed([request.text for request in batch]), strict=True):
                request.vector = vector
        except Exception as error:
            for request in batch:
                request.error = error
        finally:
            with self.changed:
                for request in batch:
                    request.is_done = True
                self.running -= 1
                self.changed.notify_all()


BATCH_TEXTS = 32
# Bounds the memory of one run to about 60 MB; 32 texts of 256 tokens would take 250 MB and are no faster.
BATCH_TOKENS = 2_048
# Two processes answer requests, unless they are told otherwise: each may keep half of the cores busy.
QUESTIONS_AT_ONCE = max(1, (os.cpu_count() or 1) // 2)


class Model(Protocol):
    """Tokenizer and network, for several threads at once."""

    def tokenise(self, text: str) -> list[int]:
        """Return token ids, as many as the model takes; none of a text that it cannot read."""

    def run(self, batch: Sequence[list[int]]) -> Vectors:
        """Shape (len(batch), dim). Rows are padded to the longest of this batch."""


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield positions of texts grouped by length, shortest first, so that little is padded."""
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
    """Embed in this process. Encoding and running are thread-safe.

    A text's vector may differ in the last bits (1e-7) with the texts it is batched with. It is zeros where too many
    of its letters are unknown to the model.

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
        """Raise EmbedderMisconfigured when a file is missing or not the pinned one."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self.embed([self.document_prefix + text for text in texts])

    def embed_query(self, text: str) -> Vectors:
        return self._questions(self.query_prefix + text)

    @watched
    def embed(self, texts: Sequence[str]) -> Vectors:
        """Without prefixes."""
        if self._model is None:
            with self._lock:
                if self._model is None:  # another thread may have loaded it while this one waited
                    self._model = self.load(self._folder)
        model = self._model
        tokens = [model.tokenise(text) for text in texts]
        readable = [position for position, ids in enumerate(tokens) if ids]
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for batch in batches([len(tokens[position]) for position in readable]):
            positions = [readable[number] for number in batch]
            vectors[positions] = model.run([tokens[position] for position in positions])
        return vectors


# Imported on first use: a server with a remote embedder, and every management command, does without it.


UNOBSERVED = {"ORT_DISABLE_TELEMETRY": "1"}
"""Read once, when onnxruntime is imported. As it comes it tells its makers of each process and model, and keeps a
number of the machine in the home directory: nobody who runs this server was asked.
"""


def load_session(graph: bytes, tensors: Mapping[str, NDArray[Any]]) -> InferenceSession:
    """`tensors`: what the graph declares as external, by name. onnxruntime repacks matrices for its own use."""
    os.environ |= UNOBSERVED
    from onnxruntime import InferenceSession, OrtValue, SessionOptions

    options = SessionOptions()
    # The server's threads share the cores already; two threads here were slower under load.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_external_initializers(
        list(tensors), [OrtValue.ortvalue_from_numpy(tensor) for tensor in tensors.values()]
    )
    return InferenceSession(graph, options, providers=["CPUExecutionProvider"])


SCALE = ".scale"
"""After the name of a matrix of bytes: the scales of its rows."""
BLOCK = 128
"""Numbers of a row that are multiplied at a time; they have a scale of their own, here that of the row."""


def quantised(values: Vectors) -> tuple[NDArray[np.int8], Vectors]:
    """Return int8 of the same shape (rows, columns) and a scale for each row, by which its largest becomes 127."""
    scale = np.maximum(np.abs(values).max(axis=1), 1e-12).astype(np.float32) / 127
    return np.rint(values / scale[:, None]).astype(np.int8), scale


def restored(values: NDArray[np.generic], scale: Vectors | None) -> Vectors:
    floats = np.ascontiguousarray(values, dtype=np.float32)
    return floats if scale is None else floats * scale[:, None]


def pack_matrix(name: str, values: NDArray[np.int8], scale: Vectors) -> dict[str, NDArray[Any]]:
    """Return what MatMulNBits multiplies by, by name: (rows, blocks, BLOCK) with 128 for 0, and a scale a block."""
    blocks = values.reshape(len(values), -1, BLOCK)
    return {name: blocks.view(np.uint8) ^ 128, f"{name}{SCALE}": np.repeat(scale, blocks.shape[1])}


# Prose takes 5 characters for a token: only a text that opens with thousands of characters in a few giant words is read
# differently, and 1 MB costs no more than 8 KB.
CHARACTERS_PER_TOKEN = 32
# Of letters that stand in no token: of MiniLM Chinese, Thai, much of Japanese. What is left of such texts is much the
# same in all, and a question would be near to whatever else cannot be read. Signs and emoji take nothing from it.
UNKNOWN_SHARE = 0.15


def opening(text: str, most_tokens: int) -> str:
    """Return the part of `text` that can reach the first `most_tokens` tokens, white space squeezed.

    Each word gives at least one token, so later words cannot matter. White space gives none: it is
    squeezed first, so a text of a million spaces and a word keeps the word.
    """
    words = text.split(maxsplit=most_tokens)[:most_tokens]
    return without_surrogates(" ".join(words)[: CHARACTERS_PER_TOKEN * most_tokens])


def is_unreadable(unread: Sequence[str], pieces: Sequence[str]) -> bool:
    """`pieces`: of a text; `unread`: those of them that are in no token."""
    # A word of too many letters is in none as well, though these are known.
    unknown = sum(letters_in(piece) for piece in unread if not piece.isascii())
    return unknown > UNKNOWN_SHARE * sum(map(letters_in, pieces))


def letters_in(text: str) -> int:
    return sum(map(str.isalpha, text))


def padded(batch: Sequence[list[int]], filler: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ids and mask, both (len(batch), longest)."""
    ids = np.full((len(batch), max(map(len, batch))), filler, dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return ids, mask


def locate_package(package: str, remedy: str) -> Path:
    """Return the folder of the package. It is looked up, never imported.

    Raises EmbedderMisconfigured when it is not installed.
    """
    spec = find_spec(package)  # for a top-level name this finds without executing
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderMisconfigured(f"the model package {package} is not installed; {remedy}")
    return Path(spec.submodule_search_locations[0])


def map_file(path: Path, sha256: str, remedy: str) -> mmap.mmap:
    """Return the file mapped into memory, read-only, once its SHA-256 is the pinned one (90 MB: 0.07 s).

    Raises EmbedderMisconfigured when it is missing or different.
    """
    try:
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                raise EmbedderMisconfigured(f"{path.name} is not the file this version expects; {remedy}")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise EmbedderMisconfigured(f"{path.name} cannot be read ({error.strerror}); {remedy}") from error


def read_graph(path: Path, remedy: str) -> bytes:
    """Raise EmbedderMisconfigured when it is missing."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise EmbedderMisconfigured(f"{path.name} cannot be read; {remedy}") from error

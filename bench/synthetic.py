"""Invented vectors and texts, the same each time, with the structure that makes search hard or easy."""

from __future__ import annotations

import numpy as np

from memories.providers.embeddings import Vectors

# So many texts are about the same thing; around it they differ by so much in each of 384 dimensions.
CLUSTER, NOISE = 250, 0.06
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "wa", "ye", "zi")
VOCABULARY = [a + b + c for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES]


def unit_vectors(size: int, queries: int, dim: int, seed: int) -> tuple[Vectors, Vectors]:
    """Rows (size, dim) around centres, and queries (queries, dim) around the same ones."""
    random = np.random.default_rng(seed)
    centres = normalised(random.standard_normal((max(1, size // CLUSTER), dim), np.float32))
    spread = NOISE * np.sqrt(384 / dim)

    def around(count: int) -> Vectors:
        rows = centres[random.integers(len(centres), size=count)]
        rows += spread * random.standard_normal(rows.shape, np.float32)
        return normalised(rows)

    return around(size), around(queries)


def mixed(vectors: Vectors, size: int, seed: int) -> Vectors:
    """Rows (size, dim) as `vectors` are: these, and of each more with half of what lies between two others added."""
    random = np.random.default_rng(seed)
    item, other, third = (random.integers(len(vectors), size=max(0, size - len(vectors))) for _ in range(3))
    return np.concatenate([normalised(vectors[:size]), between(vectors[item], vectors[other], vectors[third])])


def between(rows: Vectors, some: Vectors, others: Vectors) -> Vectors:
    """Each of these rows with half of what lies between one and another added."""
    return normalised(rows + np.float32(0.5) * (some - others))


def normalised(rows: Vectors) -> Vectors:
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def texts_of(count: int, words: int, seed: int, skipped: int = 0) -> list[str]:
    """Of so many words each. The n-th most frequent one is 1 / n as frequent as the first (Zipf).

    The first `skipped` ones are left out.
    """
    shares = 1 / np.arange(1, len(VOCABULARY) + 1)
    shares[:skipped] = 0
    drawn = np.random.default_rng(seed).choice(len(VOCABULARY), size=(count, words), p=shares / shares.sum())
    return [" ".join(VOCABULARY[number] for number in row) for row in drawn]

"""Vectors kept on disk by the hash of their text, so that the second run embeds nothing."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from memories.models.vector import to_bytes
from memories.providers.embeddings import Embedder, Thresholds, Vectors

DEFAULT_FOLDER = Path(tempfile.gettempdir()) / "memsite-bench"
EMBED_AT_ONCE = 256
QUESTION = b"question\0"
SAMPLE = "Is anybody there?"


class KeptVectors:
    """An embedder that asks `embedder` only for texts it has not seen. The file holds hashes and vectors, no text."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.embedder = embedder
        self.name, self.dim = embedder.name, embedder.dim
        self.known_dim = self.dim
        folder.mkdir(parents=True, exist_ok=True)
        self.file = sqlite3.connect(folder / f"{embedder.name}.sqlite3")
        self.file.execute("CREATE TABLE IF NOT EXISTS kept (hash BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        self.vectors = {key: np.frombuffer(data, "<f4") for key, data in self.file.execute("SELECT * FROM kept")}

    @cached_property
    def question(self) -> bytes:
        """What questions are kept under: how they are read may be learnt anew, while texts keep their vectors."""
        return QUESTION + to_bytes(self.embedder.embed_query(SAMPLE)) + b"\0"

    @property
    def thresholds(self) -> Thresholds:
        return self.embedder.thresholds

    @property
    def in_process(self) -> bool:
        return self.embedder.in_process

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        keys = {text: sha256(text.encode()).digest() for text in texts}
        unknown = [text for text, key in keys.items() if key not in self.vectors]
        for start in range(0, len(unknown), EMBED_AT_ONCE):
            self.keep(unknown[start : start + EMBED_AT_ONCE], keys)
        rows = [self.vectors[keys[text]] for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), self.dim)

    def keep(self, texts: Sequence[str], keys: dict[str, bytes]) -> None:
        vectors = self.embedder.embed_documents(texts)
        self.write([(keys[text], vector) for text, vector in zip(texts, vectors, strict=True)])

    def embed_query(self, text: str) -> Vectors:
        """Apart from documents: some models read a question otherwise."""
        key = sha256(self.question + text.encode()).digest()
        if key not in self.vectors:
            self.write([(key, self.embedder.embed_query(text))])
        return self.vectors[key]

    def write(self, rows: Sequence[tuple[bytes, Vectors]]) -> None:
        self.vectors |= rows
        with self.file:
            self.file.executemany(
                "INSERT OR REPLACE INTO kept VALUES (?, ?)", [(key, to_bytes(row)) for key, row in rows]
            )

"""Vectors such as those of conversations, for any text and without a model: there are no conversations of a million."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.conversations import read_conversations
from bench.hashing import answering_with
from bench.kept_vectors import KeptVectors
from bench.synthetic import between
from memories.providers.embeddings import Embedder, HashEmbedder, MiniLMEmbedder, Vectors


class AlikeEmbedder(HashEmbedder):
    """What a text's vector is made of is drawn by its hash: the same each time, and unlike others with its words.

    `said` and `asked` are vectors of turns and of questions, (n, dim).
    """

    thresholds = MiniLMEmbedder.thresholds

    def __init__(self, documents: Vectors, questions: Vectors) -> None:
        super().__init__(documents.shape[1])
        self.name, self.documents, self.questions = f"alike-{self.dim}", documents, questions
        self.last: Sequence[str] = ()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.last = texts
        item, other, third = drawn(texts, 3).T % len(self.documents)
        return between(self.documents[item], self.documents[other], self.documents[third])

    def embed_query(self, text: str) -> Vectors:
        """Who asks with the words of a text that was just embedded, means that one."""
        if text in self.last:
            vector: Vectors = self.embed_documents([text])[0]
        else:
            vector = self.questions[int(drawn([text], 1)[0, 0]) % len(self.questions)]
        return vector


def drawn(texts: Sequence[str], count: int) -> NDArray[np.uint64]:
    """Numbers, (len(texts), count)."""
    hashes = b"".join(sha256(text.encode()).digest()[: 8 * count] for text in texts)
    return np.frombuffer(hashes, np.uint64).reshape(len(texts), count)


def said_and_asked(data: Path, cache: Path, limit: int | None = None) -> tuple[Vectors, Vectors]:
    """Vectors of the turns of conversations, and of questions about them, by all-MiniLM-L6-v2."""
    conversations = read_conversations(data, limit)
    embedder = KeptVectors(MiniLMEmbedder(), cache)
    page = embedder.embed_documents([item.content for conversation in conversations for item in conversation.items])
    requested = embedder.embed_documents(
        [question.text for conversation in conversations for question in conversation.questions]
    )
    return page, requested


@contextmanager
def alike(vectors: Vectors, question: Vectors) -> Iterator[Embedder]:
    """Answer the requests to this process with this embedder meanwhile."""
    with answering_with(lambda: AlikeEmbedder(vectors, question), "alike") as embedder:
        yield embedder

"""Vectors for candidates, before any transaction begins."""

from collections.abc import Sequence

import structlog

from memories.models.vector import embedded_text
from memories.providers.embeddings import Embedder, EmbedderError
from memories.store import Candidate

log = structlog.get_logger("memories.capture")


def embed_candidates(candidates: Sequence[Candidate], embedder: Embedder) -> bool:
    """Sets each candidate's vector. Where the embedder is away (False) they are stored without, and embedded later."""
    if not candidates:
        return True
    try:
        texts = [embedded_text(candidate.content, candidate.subject) for candidate in candidates]
        vectors = embedder.embed_documents(texts)
    except EmbedderError as error:
        log.warning("candidates_not_embedded", embedder=embedder.name, count=len(candidates), error=str(error))
        return False
    for candidate, vector in zip(candidates, vectors, strict=True):
        candidate.vector, candidate.vector_model = vector, embedder.name
    return True

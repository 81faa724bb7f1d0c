"""Vectors of many texts, also where the embedder refuses some of them: services refuse what is too long for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import structlog

from memories.providers.embeddings import Embedder, EmbedderError, EmbedderMisconfigured, Vectors

log = structlog.get_logger("memories.maintain")
PROBE = "Is anybody there?"
SHORTEST = 100
"""Characters. A text whose beginning of that length is refused as well is not refused for its length."""


def embed(texts: Sequence[str], embedder: Embedder) -> Vectors | None:
    """Shape (len(texts), dim). None if the embedder is away.

    Of a text that fails alone, while others do not, the beginning is embedded; if all of it is refused its vector is
    zero: near to nothing, so that words alone find it, and the others do not wait for it.
    """
    try:
        return embedder.embed_documents(texts)
    except EmbedderError as error:
        log.warning("vectors_wait", embedder=embedder.name, error=str(error))
        if not answers(embedder):
            return None
        if len(texts) == 1:
            return embed_beginning(texts[0], embedder, error)
    middle = len(texts) // 2
    first = embed(texts[:middle], embedder)
    rest = None if first is None else embed(texts[middle:], embedder)
    return None if first is None or rest is None else np.concatenate([first, rest])


def embed_beginning(text: str, embedder: Embedder, error: EmbedderError) -> Vectors | None:
    """Of as much of the text as the embedder takes. Some say of a text that is too long that they are away."""
    while len(text) > SHORTEST:
        text = text[: len(text) // 2]
        try:
            return embedder.embed_documents([text])
        except EmbedderError as again:
            error = again
    if not isinstance(error, EmbedderMisconfigured):
        return None
    log.warning("text_refused", embedder=embedder.name, error=str(error))
    return np.zeros((1, embedder.dim), np.float32)


def answers(embedder: Embedder) -> bool:
    try:
        embedder.embed_query(PROBE)
    except EmbedderError:
        return False
    return True

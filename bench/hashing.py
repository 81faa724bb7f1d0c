"""Hashing vectors of as many dimensions as MiniLM's, for searches that are measured without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from unittest.mock import patch

from django.conf import settings

from memories.index.app_embedder import current_embedder
from memories.providers import embeddings
from memories.providers.embeddings import Embedder, HashEmbedder

DIM = 384


def hashing() -> AbstractContextManager[Embedder]:
    """Answer the requests to this process with a hashing embedder meanwhile."""
    return answering_with(partial(HashEmbedder, DIM), f"hash-{DIM}")


@contextmanager
def answering_with(make: Callable[[], HashEmbedder], name: str) -> Iterator[Embedder]:
    # The name is there to make it another one than that of the tests, which are kept by their settings.
    output = replace(settings.MEMSITE, embedder="hash", embedder_model=name)
    with patch.object(embeddings, "HashEmbedder", make), patch.object(settings, "MEMSITE", output):
        yield current_embedder()

"""Hashing vectors of as many dimensions as MiniLM's, for searches that are measured without a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from unittest.mock import patch

from django.conf import settings

from memories.providers.embeddings import Embedder, HashEmbedder, factory
from memories.retrieve.serving import current_embedder

DIM = 384


@contextmanager
def hashing() -> Iterator[Embedder]:
    """The embedder that requests to this process are answered with meanwhile."""
    # The name is there to make it another one than that of the tests, which are kept by their settings.
    told = replace(settings.MEMSITE, embedder="hash", embedder_model=f"hash-{DIM}")
    with patch.object(factory, "HashEmbedder", partial(HashEmbedder, DIM)), patch.object(settings, "MEMSITE", told):
        yield current_embedder()

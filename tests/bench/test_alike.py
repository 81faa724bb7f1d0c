"""Vectors such as those of conversations."""

from __future__ import annotations

import numpy as np

from bench.alike import alike
from bench.synthetic import unit_vectors
from memories.index.app_embedder import current_embedder
from memories.providers.embeddings import MiniLMEmbedder

SAID, ASKED = unit_vectors(1_000, 50, 384, 0)
TEXTS = [f"text {number}" for number in range(200)]


def test_a_text_has_the_same_vector_each_time_and_no_other_has_it() -> None:
    with alike(SAID, ASKED) as embedder:
        vectors = embedder.embed_documents(TEXTS)
        assert np.array_equal(embedder.embed_documents(TEXTS[7:9]), vectors[7:9])
    assert len(np.unique(vectors, axis=0)) == len(TEXTS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


def test_each_is_near_what_was_said_and_is_asked_for_as_one_asks() -> None:
    with alike(SAID, ASKED) as embedder:
        assert (embedder.embed_documents(TEXTS) @ SAID.T).max(axis=1).min() > 0.7
        assert embedder.embed_query("who said that") in ASKED
        assert np.array_equal(embedder.embed_query(TEXTS[3]), embedder.embed_documents(TEXTS)[3])


def test_requests_are_answered_with_them_meanwhile() -> None:
    before = current_embedder().name
    with alike(SAID, ASKED) as embedder:
        assert current_embedder() is embedder
        assert embedder.thresholds == MiniLMEmbedder.thresholds
    assert current_embedder().name == before

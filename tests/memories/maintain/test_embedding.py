"""An embedder that refuses some texts keeps no other from its vector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from memories.maintain.embedding import PROBE, embed
from memories.models import Vector
from memories.providers.embeddings import EmbedderMisconfigured, EmbedderUnavailable, HashEmbedder, Vectors
from tests.conftest import Caller
from tests.upkeep import upkeep_embed_missing

MOST = 200
"""Characters that it takes."""


class Choosy(HashEmbedder):
    """Refuses all of a request for one text that is too long, or that holds a word it does not like."""

    error: type[Exception] = EmbedderMisconfigured

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if any(len(text) > MOST or "refused" in text for text in texts):
            raise self.error("400: the input is too long")
        return super().embed_documents(texts)


@pytest.mark.parametrize("error", [EmbedderMisconfigured, EmbedderUnavailable])
def test_of_what_is_too_long_the_beginning_counts(error):
    embedder = Choosy(64)
    embedder.error = error
    texts = [f"plain text number {number}" for number in range(7)]
    long = "word " * 100
    vectors = embed([*texts[:3], long, *texts[3:]], embedder)
    plain = HashEmbedder(64)
    assert np.array_equal(vectors[[0, 1, 2, 4, 5, 6, 7]], plain.embed_documents(texts))
    assert np.array_equal(vectors[3], plain.embed_documents([long[:125]])[0])


def test_what_is_refused_is_near_to_nothing():
    vectors = embed(["this one is refused", "and this one is not"], Choosy(64))
    assert vectors.any(axis=1).tolist() == [False, True]


def test_a_text_that_fails_without_being_refused_waits():
    embedder = Choosy(64)
    embedder.error = EmbedderUnavailable
    assert embed(["this one is refused", "and this one is not"], embedder) is None


def test_all_wait_for_one_that_is_away():
    class Away(HashEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            raise EmbedderUnavailable("timed out")

        def embed_query(self, text: str) -> Vectors:
            assert text == PROBE
            raise EmbedderUnavailable("timed out")

    assert embed(["one", "two"], Away(64)) is None


def test_a_refused_memory_keeps_no_other_from_being_found(alice: Caller, monkeypatch):
    monkeypatch.setattr(HashEmbedder, "embed_documents", lambda *_: (_ for _ in ()).throw(EmbedderUnavailable("away")))
    ids = [alice.remember(text)["id"] for text in ("The kettle is blue", "refused as it is", "The cup is red")]
    assert not Vector.objects.exists()
    monkeypatch.undo()

    monkeypatch.setattr(HashEmbedder, "embed_documents", choosy(HashEmbedder.embed_documents))
    assert upkeep_embed_missing() == len(ids)
    assert upkeep_embed_missing() == 0
    results = alice.post("memories/search", {"query": "refused", "mode": "fulltext"}).json()
    assert [hit["id"] for hit in results["results"]] == [ids[1]]


def choosy(plain):
    def embed_documents(self: HashEmbedder, texts: Sequence[str]) -> Vectors:
        if any("refused" in text for text in texts):
            raise EmbedderMisconfigured("400: not that one")
        return plain(self, texts)

    return embed_documents

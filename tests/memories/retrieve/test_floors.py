"""What is left out means the same with a model that calls everything alike as with one that does not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from memories.agent import MemoryAgent
from memories.agent import base as agent_module
from memories.providers.embeddings import Embedder, HashEmbedder, Thresholds, Vectors
from memories.providers.embeddings.base import USUAL
from memories.retrieve.hits import Recall
from memories.retrieve.search import Asked
from tests.conftest import Caller

ALIKE = 0.75
"""What two texts that share no word are alike in `Lifted`."""
TEXTS = (
    "whales sing at night",
    "whales swim north in spring",
    "a choir sings every Tuesday",
    "bears sleep in winter",
    "the red bicycle has a flat tyre",
    "nobody feeds the neighbours' cat",
)
QUESTIONS = ("do whales sing", "where do bears sleep in winter", "who repairs a tyre", "quantum computers", "cat")


class Lifted(HashEmbedder):
    """The same vectors with a direction that all share: cosines are 0.75 + 0.25 · theirs."""

    def __init__(self) -> None:
        super().__init__(1024)
        self.name = "lifted"
        self.plain, self.dim = HashEmbedder(1024), 1025
        told = self.plain.thresholds
        mean, spread = told.usual
        same, related, relevant = map(lifted, (told.same, told.related, told.relevant))
        self.thresholds = Thresholds(same, related, relevant, (lifted(mean), (1 - ALIKE) * spread))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        rows = math.sqrt(1 - ALIKE) * self.plain.embed_documents(texts)
        shared = np.full((len(rows), 1), math.sqrt(ALIKE), np.float32)
        return np.ascontiguousarray(np.concatenate([rows, shared], axis=1), np.float32)


def lifted(cosine: float) -> float:
    return ALIKE + (1 - ALIKE) * cosine


def found_with(embedder: Embedder, caller: Caller, monkeypatch: pytest.MonkeyPatch, text: str) -> Recall:
    monkeypatch.setattr(agent_module, "current_embedder", lambda: embedder)
    return MemoryAgent(caller.app, caller.agent, "test").search(Asked(text=text))


@pytest.mark.parametrize("ranking", ["standard", "product", "dual", "confidence"])
def test_the_same_is_found_with_a_model_that_calls_everything_alike(
    alice: Caller, charlie: Caller, ranking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[str, list[Any]] = {}
    for caller, embedder in ((alice, HashEmbedder(1024)), (charlie, Lifted())):
        monkeypatch.setattr(agent_module, "current_embedder", lambda embedder=embedder: embedder)
        caller.app.policy.ranking = ranking
        caller.app.policy.save()
        for text in TEXTS:
            caller.remember(text)
        for question in QUESTIONS:
            hits = found_with(embedder, caller, monkeypatch, question).hits
            scores = pytest.approx([hit.score for hit in hits], abs=2e-3)
            told.setdefault(question, []).append(([hit.memory.content for hit in hits], scores, hits))
    for (one, _, hits), (other, scores, _) in told.values():
        assert one == other
        assert [hit.score for hit in hits] == scores
    assert [len(one[0][0]) for one in told.values()].count(0) == 1
    assert any(0 < len(one[0][0]) < len(TEXTS) for one in told.values())


def test_a_cosine_is_as_many_spreads_from_what_is_usual() -> None:
    told = Thresholds(same=0.95, related=0.87, relevant=0.79, usual=(0.74, 0.02))
    assert told.likened(0.74) == pytest.approx(USUAL[0])
    assert told.likened(0.78) == pytest.approx(USUAL[0] + 2 * USUAL[1])
    assert Thresholds(same=0.85, related=0.45, relevant=0.25).likened(0.3333) == 0.3333

"""Without its embedder the server stores, finds by words and says so; when it is back, nothing is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from memories.agent import base as agent_module
from memories.agent import current_embedder
from memories.jobs import catalogue
from memories.models import Memory, Vector
from memories.providers.embeddings import EmbedderUnavailable, Thresholds, Vectors
from tests.conftest import Caller
from tests.upkeep import upkeep_embed_missing


class Away:
    """An embedder on a machine that does not answer."""

    name = current_embedder().name
    thresholds = Thresholds(same=0.9, related=0.5, relevant=0.2)
    in_process, known_dim = False, 0

    @property
    def dim(self) -> int:
        raise EmbedderUnavailable("away")

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderUnavailable("away")

    def embed_query(self, text: str) -> Vectors:
        raise EmbedderUnavailable("away")


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    with monkeypatch.context() as patch:
        patch.setattr(agent_module, "current_embedder", Away)
        patch.setattr(catalogue, "current_embedder", Away)
        yield patch


def test_everything_goes_on_by_words_and_says_so(alice: Caller, away: pytest.MonkeyPatch) -> None:
    stored = alice.remember("whales sing at night", subject="sea")
    again = alice.post("memories", {"content": "Whales sing at night.", "subject": "sea"})
    assert again.json()["outcome"] == "reinforced"
    assert not Vector.objects.exists()
    body = alice.post("memories/search", {"query": "do whales sing?"}).json()
    assert [hit["id"] for hit in body["results"]] == [stored["id"]]
    assert body["degraded"] == ["vector"]
    assert alice.post("context", {"query": "do whales sing?"}).json()["degraded"] == ["vector"]
    session = alice.start_session()
    assert "whales sing" in session["context"]["text"]
    assert alice.put(f"sessions/{session['id']}/turns/1", {"llm_output": "[MEMORY:timing:sea] 9s"}).status_code == 201
    assert alice.post(f"sessions/{session['id']}/end").json()["pending"] == 1
    assert alice.patch(f"memories/{stored['id']}", {"content": "whales hum"}).status_code == 200


def test_what_was_stored_meanwhile_is_embedded_when_it_is_back(alice: Caller, away: pytest.MonkeyPatch) -> None:
    alice.remember("whales sing at night")
    assert upkeep_embed_missing() == 0, "it is still away"
    away.undo()
    assert upkeep_embed_missing() == 1
    body = alice.post("memories/search", {"query": "whales sing at night", "mode": "vector"}).json()
    assert [hit["content"] for hit in body["results"]] == ["whales sing at night"]
    assert body["degraded"] == []
    assert Memory.objects.count() == Vector.objects.count() == 1

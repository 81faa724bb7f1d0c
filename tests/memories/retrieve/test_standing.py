"""Standing statements are found by the matter they name, and stand no later than at their places."""

from __future__ import annotations

import pytest

from memories.inject.pipeline import greet
from memories.models.vector import embed_contents
from memories.providers.embeddings import HashEmbedder
from memories.retrieve.scoped_view import Scope
from tests.conftest import Caller
from tests.memories.retrieve.asking import contents, embedder_of, search, store

RULE = "Always include status codes when I ask about API errors."
LONG = f"{'The meeting about the new office went on and on. ' * 30}{RULE}"
REQUEST = "What are some common API errors?"


@pytest.fixture
def notes(alice: Caller) -> list[str]:
    """Notes that share the words of the request."""
    texts = [f"Some common API errors of service {number} are known, API errors included" for number in range(12)]
    for text in texts:
        store(alice, text)
    return texts


@pytest.mark.parametrize("text", [RULE, LONG])
def test_a_request_finds_the_rule_of_its_matter(alice: Caller, notes: list[str], text: str) -> None:
    store(alice, text)
    assert text in contents(search(alice, REQUEST))[:2]


def test_the_vector_of_a_long_text_is_near_its_matter() -> None:
    embedder = HashEmbedder(64)
    requested, plain = embedder.embed_query("API errors"), embedder.embed_documents([LONG])[0]
    made = embed_contents([(LONG, None)], embedder.embed_documents)
    assert made is not None
    assert made[0] @ requested > plain @ requested + 0.3


def test_a_hit_says_that_it_stands(alice: Caller, notes: list[str]) -> None:
    store(alice, RULE)
    tagged = [hit.memory.content for hit in search(alice, REQUEST).hits if "standing" in hit.trust]
    assert tagged == [RULE]


def test_the_parts_of_a_score_add_up(alice: Caller, notes: list[str]) -> None:
    store(alice, RULE)
    assert [sum(hit.parts.values()) for hit in search(alice, REQUEST).hits] == pytest.approx(
        [hit.formula_score for hit in search(alice, REQUEST).hits]
    )


def test_scores_fall(alice: Caller, notes: list[str]) -> None:
    store(alice, RULE)
    scores = [hit.score for hit in search(alice, REQUEST).hits]
    assert scores == sorted(scores, reverse=True)


def test_a_rule_of_another_matter_stays_away(alice: Caller, notes: list[str]) -> None:
    store(alice, "Always name the harbour when I ask about sailing trips.")
    assert not [hit for hit in search(alice, REQUEST).hits if hit.standing]


def test_what_an_assistant_advises_is_no_rule(alice: Caller, notes: list[str]) -> None:
    store(alice, f"Assistant: {RULE}", subject="Assistant")
    assert not [hit for hit in search(alice, REQUEST).hits if hit.standing]


def test_a_preference_stands_however_it_is_worded(alice: Caller, notes: list[str]) -> None:
    store(alice, "Common API errors in a table", kind="preference")
    assert [hit.memory.kind for hit in search(alice, REQUEST).hits if hit.standing] == ["preference"]


def test_one_retriever_alone_ranks_alone(alice: Caller, notes: list[str]) -> None:
    store(alice, RULE)
    assert not [hit for hit in search(alice, REQUEST, mode="fulltext").hits if hit.standing]


def test_a_context_says_what_stands(alice: Caller, notes: list[str]) -> None:
    store(alice, RULE)
    text = alice.post("context", {"query": REQUEST}).json()["text"]
    assert [RULE in line for line in text.splitlines() if "; standing" in line] == [True]


def test_a_greeting_begins_with_what_stands(alice: Caller) -> None:
    store(alice, RULE)
    for number in range(40):
        store(alice, f"Note {number} of the harbour", importance=5)
    scope = Scope(None, None, float("1e10"))
    places = greet(alice.app, scope, embedder_of(alice), "turn", alice.app.created_at, limit=5)
    assert places.memories[0].content == RULE

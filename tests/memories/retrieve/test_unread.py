"""Questions and memories that the embedder cannot read: words are all there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from memories.providers.embeddings import HashEmbedder, Vectors
from memories.retrieve import ranking
from memsite.tenancy.policy import Ranking
from tests.conftest import Caller
from tests.memories.retrieve.asking import contents, search, set_policy, store

UNREAD = "我住在柏林"
QUESTION = "我住在哪里？"


@pytest.fixture(autouse=True)
def reads_ascii_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the model in the process makes zeros of what it does not know."""
    item, many = HashEmbedder.embed_query, HashEmbedder.embed_documents

    def query(self: HashEmbedder, text: str) -> Vectors:
        return item(self, text) * np.float32(text.isascii())

    def documents(self: HashEmbedder, texts: Any) -> Vectors:
        read = np.array([text.isascii() for text in texts], np.float32)[:, None]
        vectors: Vectors = many(self, texts) * read
        return vectors

    monkeypatch.setattr(HashEmbedder, "embed_query", query)
    monkeypatch.setattr(HashEmbedder, "embed_documents", documents)


@pytest.mark.parametrize("ranking", Ranking.values)
def test_what_cannot_be_read_is_found_by_its_words_and_nothing_with_it(alice: Caller, ranking: str) -> None:
    set_policy(alice, ranking=ranking)
    for content in (UNREAD, "我妹妹下个月要结婚", "the sea is cold", "私は東京に住んでいます"):
        store(alice, content)
    match = search(alice, QUESTION)
    assert (contents(match), match.degraded) == ([UNREAD], [])


def test_no_retriever_is_missed_where_meaning_alone_is_asked_for(alice: Caller) -> None:
    store(alice, UNREAD)
    match = search(alice, QUESTION, mode="vector")
    assert (contents(match), match.degraded) == ([], [])


@pytest.mark.parametrize("ranking", Ranking.values)
def test_a_word_of_another_script_in_it_is_found_too(alice: Caller, ranking: str) -> None:
    set_policy(alice, ranking=ranking)
    store(alice, "我们用PostgreSQL存储订单数据")
    store(alice, "the sea is cold")
    assert contents(search(alice, "postgresql")) == ["我们用PostgreSQL存储订单数据"]


def test_a_third_of_the_words_is_enough_and_less_is_not(alice: Caller) -> None:
    for content in (UNREAD, "我对花生过敏", "他喜欢咖啡", "我的猫很老"):
        store(alice, content)
    assert contents(search(alice, "你对什么东西过敏，请告诉我")) == ["我对花生过敏"]
    assert contents(search(alice, "量子力学的老师叫什么名字，在哪个大学教书，过敏")) == []


def test_a_subject_is_named_inside_of_a_sentence_without_spaces(alice: Caller) -> None:
    store(alice, "喜欢喝茶", subject="王小明")
    store(alice, "喜欢喝茶和咖啡", subject="李雷")
    match = search(alice, "王小明喜欢什么")
    assert contents(match)[0] == "喜欢喝茶"
    assert "subject_named" in match.hits[0].parts


def test_among_many_those_that_hold_the_words_are_looked_at_alone(
    alice: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "CANDIDATES", 2)
    for content in ("我对花生过敏", "他喜欢咖啡", "我的猫很老", UNREAD):
        store(alice, content)
    store(alice, "喜欢喝茶", subject="李雷")
    looked_at: list[int] = []
    roughly = ranking.roughly
    monkeypatch.setattr(
        ranking, "roughly", lambda item, two, three: looked_at.append(len(three)) or roughly(item, two, three)
    )
    assert contents(search(alice, QUESTION)) == [UNREAD]
    assert contents(search(alice, "柏林在哪里，猫很老吗")) == ["我的猫很老", UNREAD]
    assert looked_at == [1, 2]

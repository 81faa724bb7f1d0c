"""What a search has to beat: meaning alone, words alone, and their usual fusions."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.conversations import Conversation
from memories.providers.embeddings import Embedder, Vectors
from memories.retrieve.question import STOP_WORDS

WORD = re.compile(r"\w+")
# Constant and depth of reciprocal rank fusion, as in Cormack, Clarke and Büttcher 2009.
RRF_K, RRF_DEPTH = 60, 100
SHOWN = 10

Places = NDArray[np.intp]


class Baselines:
    """Every ranking over one conversation. The whole question is embedded and looked up."""

    def __init__(self, conversation: Conversation, embedder: Embedder) -> None:
        self.ids = [item.id for item in conversation.items]
        contents = [item.content for item in conversation.items]
        self.embedder = embedder
        self.vectors = embedder.embed_documents(contents)
        self.database = full_text_of(contents)

    def rankings(self, question: str) -> dict[str, list[str]]:
        """Ids of the first items by baseline, best first."""
        cosines = self.vectors @ self.embedder.embed_query(question)
        telling = [word for word in words_of(question) if word not in STOP_WORDS]
        bm25 = self.bm25(telling)
        by_meaning, by_words = best_first(cosines), by_positive(bm25)
        orders = {
            "cosine": by_meaning,
            "BM25, all words": by_positive(self.bm25(words_of(question))),
            "BM25, without stop words": by_words,
            "reciprocal rank fusion": reciprocal_rank_fusion([by_meaning, by_words], len(self.ids)),
            "weighted fusion 0.5 / 0.5": best_first(0.5 * np.maximum(cosines, 0) + 0.5 * as_share(bm25)),
        }
        return {name: [self.ids[place] for place in order[:SHOWN]] for name, order in orders.items()}

    def bm25(self, words: Sequence[str]) -> Vectors:
        """FTS5's of each item for any of the words, positive; 0 where none is found."""
        scores = np.zeros(len(self.ids), np.float32)
        if words:
            query = " OR ".join(f'"{word}"' for word in words)
            for place, value in self.database.execute(
                "SELECT rowid, -bm25(item) FROM item WHERE item MATCH ?", [query]
            ):
                scores[place] = value
        return scores


def full_text_of(contents: Sequence[str]) -> sqlite3.Connection:
    """With the tokenizer that the server has."""
    database = sqlite3.connect(":memory:")
    tokenizer = "porter unicode61 remove_diacritics 2"
    database.execute(f"CREATE VIRTUAL TABLE item USING fts5(content, tokenize='{tokenizer}')")
    database.executemany("INSERT INTO item (rowid, content) VALUES (?, ?)", enumerate(contents))
    return database


def words_of(text: str) -> list[str]:
    return list(dict.fromkeys(WORD.findall(text.casefold())))


def best_first(scores: Vectors) -> Places:
    return np.argsort(-scores, kind="stable")


def by_positive(scores: Vectors) -> Places:
    """Without what has no score."""
    order = best_first(scores)
    return order[scores[order] > 0]


def as_share(scores: Vectors) -> Vectors:
    """Of the best."""
    best = scores.max(initial=0)
    return scores / best if best else scores


def reciprocal_rank_fusion(orders: Sequence[Places], size: int) -> Places:
    """By the sum over the orders of 1 / (60 + rank), rank from 1, the first 100 of each."""
    fused = np.zeros(size)
    for order in orders:
        first = order[:RRF_DEPTH]
        fused[first] += 1 / (RRF_K + np.arange(1, len(first) + 1))
    return by_positive(fused.astype(np.float32))

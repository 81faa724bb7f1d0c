import numpy as np
import pytest

from bench.baselines import Baselines, reciprocal_rank_fusion, words_of
from memories.providers.embeddings import HashEmbedder
from tests.bench.invented import conversation


@pytest.fixture(scope="module")
def baselines():
    return Baselines(conversation(), HashEmbedder(512))


def test_each_finds_what_shares_words_with_the_question(baselines):
    rankings = baselines.rankings("Which violin, from which teacher?")
    assert {name: results[0] for name, results in rankings.items()} == dict.fromkeys(rankings, "turn-5")
    assert len(rankings) == 5


def test_words_find_by_stem_and_only_what_has_one(baselines):
    assert baselines.rankings("heater")["BM25, all words"] == ["turn-0", "turn-3"]


def test_stop_words_are_looked_up_only_where_it_says_so(baselines):
    rankings = baselines.rankings("what is the violin")
    assert rankings["BM25, without stop words"] == ["turn-5"]
    assert len(rankings["BM25, all words"]) > 1


def test_a_question_without_a_known_word_leaves_meaning(baselines):
    rankings = baselines.rankings("zyx?")
    assert rankings["BM25, all words"] == []
    assert len(rankings["cosine"]) == 10


def test_reciprocal_rank_fusion_by_hand():
    """1/61 + 1/62 for place 2, 1/62 + 1/61 for place 0, 1/63 for place 1; ties by place; place 3 is in no order."""
    orders = [np.array([2, 0]), np.array([0, 2, 1])]
    assert reciprocal_rank_fusion(orders, 4).tolist() == [0, 2, 1]


def test_words_are_folded_and_unique():
    assert words_of("The heater, THE pots!") == ["the", "heater", "pots"]

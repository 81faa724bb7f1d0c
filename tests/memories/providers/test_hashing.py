from zlib import crc32

import numpy as np
import pytest

from memories.providers.embeddings import HashEmbedder
from memories.providers.embeddings.hashing import stem
from tests.tables import each_row


def test_each_word_counts_at_its_place():
    vector = HashEmbedder(dim=64).embed_query("cat cat dog")
    expected = np.zeros(64)
    expected[crc32(b"cat") % 64] = 2 / np.sqrt(5)
    expected[crc32(b"dog") % 64] = 1 / np.sqrt(5)
    np.testing.assert_allclose(vector, expected, atol=1e-7)


def test_the_places_stay_the_same_in_every_process():
    embedder = HashEmbedder()
    assert [embedder.place(word) for word in ("cat", "dog", "Zürich")] == [40, 61, 34]


def test_the_cosine_is_the_share_of_common_words():
    left, right = HashEmbedder().embed_documents(["red apple pie tin", "red apple"])
    assert left @ right == pytest.approx(2 / np.sqrt(4 * 2))


def test_case_endings_and_order_do_not_matter():
    left, right = HashEmbedder().embed_documents(["Cats jumped", "jumping, CAT!"])
    np.testing.assert_array_equal(left, right)


@each_row(
    ("word", "expected"),
    [("cats", "cat"), ("boxes", "box"), ("is", "is"), ("red", "red"), ("walking", "walk")],
)
def test_stems(word, expected):
    assert stem(word) == expected


def test_a_text_without_words_is_the_zero_vector():
    assert not HashEmbedder().embed_query(" ... ").any()


def test_lone_surrogates_are_taken():
    assert HashEmbedder().embed_query("a\ud800b").shape == (64,)


def test_no_texts_give_no_rows():
    vectors = HashEmbedder(dim=32).embed_documents([])
    assert vectors.shape == (0, 32)
    assert vectors.dtype == np.float32

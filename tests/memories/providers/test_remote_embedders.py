import json
import socket
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event

import numpy as np
import pytest
from werkzeug import Response

from memories.providers import http
from memories.providers.embeddings import (
    EmbedderMisconfigured,
    EmbedderUnavailable,
    MiniLMEmbedder,
    OllamaEmbedder,
    OpenAIEmbedder,
    Patience,
    remote,
)
from memories.providers.embeddings.remote import USUAL, family_of
from memories.providers.http import ServiceAway, ServiceBusy, retry_after_seconds, wait_before_retry
from tests.tables import each_row

KEY = "sk-secret-4711"
TEXT = "the user's private words"
HASTE = Patience(first_wait_seconds=0.0, longest_wait_seconds=0.0)


@pytest.fixture
def ollama(httpserver):
    with closing(OllamaEmbedder(httpserver.url_for("/"), patience=HASTE)) as embedder:
        yield embedder


@pytest.fixture
def openai(httpserver):
    with closing(OpenAIEmbedder(httpserver.url_for("/v1"), api_key=KEY, patience=HASTE)) as embedder:
        yield embedder


def answer(*vectors):
    return {"embeddings": list(vectors)}


def sent(httpserver, position=-1):
    return json.loads(httpserver.log[position][0].get_data())


# Ollama


def test_ollama_gets_documents_with_their_prefix(httpserver, ollama):
    httpserver.expect_request("/api/embed", method="POST").respond_with_json(answer([3, 4], [0, 2.5]))
    vectors = ollama.embed_documents(["one", "two"])
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0.0, 1.0]], rtol=1e-6)
    assert vectors.dtype == np.float32
    assert sent(httpserver) == {
        "model": "nomic-embed-text",
        "input": ["search_document: one", "search_document: two"],
    }


def test_ollama_gets_a_query_with_its_prefix(httpserver, ollama):
    httpserver.expect_request("/api/embed").respond_with_json(answer([0, 5]))
    assert ollama.embed_query("one").tolist() == [0.0, 1.0]
    assert sent(httpserver)["input"] == ["search_query: one"]


def test_other_models_get_no_prefix(httpserver):
    httpserver.expect_request("/api/embed").respond_with_json(answer([1, 0]))
    with closing(OllamaEmbedder(httpserver.url_for(""), "all-minilm", HASTE)) as embedder:
        embedder.embed_documents(["one"])
    assert sent(httpserver) == {"model": "all-minilm", "input": ["one"]}


def test_thresholds_belong_to_the_model():
    with closing(OllamaEmbedder()) as nomic, closing(OllamaEmbedder(model="all-minilm")) as other:
        assert nomic.thresholds.related == 0.60
        assert other.thresholds.related == 0.45


def test_many_documents_are_sent_in_batches_and_keep_their_order(httpserver, ollama):
    def number_them(request):
        numbers = [float(text.rsplit(" ", 1)[1]) for text in request.get_json()["input"]]
        return Response(json.dumps(answer(*([1.0, number] for number in numbers))))

    httpserver.expect_request("/api/embed").respond_with_handler(number_them)
    vectors = ollama.embed_documents([f"note {number}" for number in range(150)])
    assert [len(sent(httpserver, position)["input"]) for position in range(3)] == [64, 64, 22]
    np.testing.assert_allclose(vectors[:, 1] / vectors[:, 0], np.arange(150), rtol=1e-5)


def test_the_dimension_is_asked_once(httpserver, ollama):
    httpserver.expect_request("/api/embed").respond_with_json(answer([1, 0, 0]))
    assert (ollama.dim, ollama.dim) == (3, 3)
    assert ollama.embed_documents([]).shape == (0, 3)
    assert len(httpserver.log) == 1


def test_a_changed_dimension_is_refused(httpserver, ollama):
    httpserver.expect_ordered_request("/api/embed").respond_with_json(answer([1, 0]))
    httpserver.expect_ordered_request("/api/embed").respond_with_json(answer([1, 0, 0]))
    ollama.embed_query("one")
    with pytest.raises(EmbedderMisconfigured, match="3 dimensions after 2"):
        ollama.embed_query("two")


def test_a_missing_model_says_how_to_get_it(httpserver, ollama):
    httpserver.expect_request("/api/embed").respond_with_json({"error": "not found"}, status=404)
    with pytest.raises(EmbedderMisconfigured, match="ollama pull nomic-embed-text"):
        ollama.embed_query("one")


def test_lone_surrogates_and_long_texts_are_sent_safely(httpserver):
    httpserver.expect_request("/api/embed").respond_with_json(answer([1, 0]))
    with closing(OllamaEmbedder(httpserver.url_for(""), "all-minilm", HASTE)) as embedder:
        embedder.embed_documents(["a\ud800b" + "c" * 1_000_000])
    (text,) = sent(httpserver)["input"]
    assert text.startswith("a�bc")
    assert len(text) == 8_000


# OpenAI


def test_openai_sends_the_key_and_sorts_by_index(httpserver, openai):
    data = [{"index": 1, "embedding": [0, 7]}, {"index": 0, "embedding": [3, 4]}]
    httpserver.expect_request(
        "/v1/embeddings", method="POST", headers={"Authorization": f"Bearer {KEY}"}
    ).respond_with_json({"object": "list", "data": data})
    vectors = openai.embed_documents(["one", ""])
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0.0, 1.0]], rtol=1e-6)
    assert sent(httpserver) == {
        "model": "text-embedding-3-small",
        "input": ["one", " "],
        "encoding_format": "float",
    }


def test_without_a_key_no_header_is_sent(httpserver):
    httpserver.expect_request("/embeddings").respond_with_json({"data": [{"index": 0, "embedding": [1]}]})
    with closing(OpenAIEmbedder(httpserver.url_for(""))) as embedder:
        embedder.embed_query("one")
    assert "Authorization" not in httpserver.log[0][0].headers


@pytest.mark.parametrize(
    "body",
    [
        [],
        {"data": None},
        {"data": ["vector"]},
        {"data": [{"embedding": [1.0]}]},
        {"data": [{"index": 5, "embedding": [1.0]}]},
        {"data": [{"index": [], "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]},
    ],
)
def test_openai_answers_of_another_shape_are_refused(httpserver, openai, body):
    httpserver.expect_request("/v1/embeddings").respond_with_json(body)
    with pytest.raises(EmbedderUnavailable):
        openai.embed_query("one")


# Retries and time


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_service_is_asked_again(httpserver, ollama, status):
    httpserver.expect_ordered_request("/api/embed").respond_with_data(
        "slow down", status=status, headers={"Retry-After": "0"}
    )
    httpserver.expect_ordered_request("/api/embed").respond_with_json(answer([1, 0]))
    assert ollama.embed_query("one").tolist() == [1.0, 0.0]
    assert len(httpserver.log) == 2


def test_a_service_that_stays_broken_is_given_up(httpserver, ollama):
    httpserver.expect_request("/api/embed").respond_with_data("oops", status=500)
    with pytest.raises(EmbedderUnavailable, match="answered 500"):
        ollama.embed_query("one")
    assert len(httpserver.log) == HASTE.attempts


def test_a_long_retry_after_is_not_waited_for(httpserver, ollama):
    httpserver.expect_request("/api/embed").respond_with_data("later", status=429, headers={"Retry-After": "3600"})
    with pytest.raises(EmbedderUnavailable, match="answered 429"):
        ollama.embed_query("one")
    assert len(httpserver.log) == 1


@each_row(("asked", "expected"), [(None, True), (0.0, 0.0), (2.0, 2.0), (4.0, 4.0), (4.5, False)])
def test_short_waits_are_honoured(asked, expected):
    found = wait_before_retry(ServiceBusy("busy", asked), longest_seconds=4.0)
    assert found == expected
    assert type(found) is type(expected)


@each_row(
    ("header", "expected"),
    [
        ("", None),
        ("7", 7.0),
        ("soon", None),
        ("-3", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 -0000", 0.0),
        ("Wed, 99 Oct 2015 07:28:00 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, expected):
    assert retry_after_seconds(header) == expected


def test_a_refused_connection_is_temporary():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (
        closing(OllamaEmbedder(f"http://127.0.0.1:{port}", patience=HASTE)) as embedder,
        pytest.raises(EmbedderUnavailable, match=r"127\.0\.0\.1 cannot be reached"),
    ):
        embedder.embed_query("one")


def test_a_service_that_hangs_is_left():
    patience = Patience(total_seconds=1.0, first_wait_seconds=0.0, longest_wait_seconds=0.0)
    # the kernel takes the connection, and nobody ever reads from it
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with (
            closing(OllamaEmbedder(url, patience=patience)) as embedder,
            pytest.raises(EmbedderUnavailable, match="ReadTimeout"),
        ):
            embedder.embed_query("one")


def test_an_answer_that_drips_is_left(monkeypatch):
    response = http.httpx.Response(200, content=iter([b"[", b"1", b"]"]))
    monkeypatch.setattr(http, "monotonic", lambda: 31.0)
    with pytest.raises(ServiceAway, match="too long"):
        http.read_bounded(response, deadline=30.0)


# Answers that are wrong


@pytest.mark.parametrize(
    "body",
    [
        "",
        '{"embeddings": [[1.0, 2.',
        "[[1.0, 2.0]]",
        "\xff",
        "[" * 100_000,
        '{"embeddings": null}',
        '{"embeddings": []}',
        '{"embeddings": [[1, 2], [3, 4]]}',
        '{"embeddings": [1]}',
        '{"embeddings": [[NaN, 1]]}',
        '{"embeddings": [[Infinity, 1]]}',
        '{"embeddings": [[1e999, 1]]}',
        '{"embeddings": [[1e300, 1]]}',
        '{"embeddings": [["1", "2"]]}',
        '{"embeddings": [[null, 1]]}',
        '{"embeddings": [[true, false]]}',
        '{"embeddings": [[[1], [2]]]}',
        '{"embeddings": [[[1], 2]]}',
        '{"embeddings": [[' + "9" * 400 + "]]}",
    ],
)
def test_wrong_answers_are_refused(httpserver, ollama, body):
    httpserver.expect_request("/api/embed").respond_with_data(body.encode("latin-1"))
    with pytest.raises(EmbedderUnavailable):
        ollama.embed_query("one")
    assert len(httpserver.log) == 1


@pytest.mark.parametrize("vectors", [[[1, 2], [1]], [[], []]])
def test_rows_without_one_common_length_are_a_misconfiguration(httpserver, ollama, vectors):
    httpserver.expect_request("/api/embed").respond_with_json(answer(*vectors))
    with pytest.raises(EmbedderMisconfigured, match="length"):
        ollama.embed_documents(["one", "two"])


def test_an_endless_answer_is_cut_off(httpserver, ollama, monkeypatch):
    monkeypatch.setattr(ollama._api, "_max_bytes", 1_000)
    httpserver.expect_request("/api/embed").respond_with_data(" " * 5_000)
    with pytest.raises(EmbedderUnavailable, match="longer than 1,000 bytes"):
        ollama.embed_query("one")


def test_redirects_are_not_followed(httpserver, openai):
    httpserver.expect_request("/v1/embeddings").respond_with_data(
        status=307, headers={"Location": httpserver.url_for("/elsewhere")}
    )
    with pytest.raises(EmbedderMisconfigured, match="redirects are not followed"):
        openai.embed_query("one")
    assert len(httpserver.log) == 1


# Secrets


@pytest.mark.parametrize("status", [307, 400, 401, 403, 404, 429, 500, 200])
def test_neither_key_nor_text_is_in_an_error(httpserver, openai, status):
    httpserver.expect_request("/v1/embeddings").respond_with_data(f"{KEY} {TEXT}", status=status)
    with pytest.raises((EmbedderMisconfigured, EmbedderUnavailable)) as caught:
        openai.embed_query(TEXT)
    shown = repr(caught.value) + "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert TEXT not in shown


def test_the_key_is_not_in_a_repr(openai):
    shown = [repr(part) for part in (openai, vars(openai), vars(openai._api), vars(openai._api._client))]
    assert KEY not in "".join(shown)


@each_row("key", [f"{KEY}\n", f"{KEY} x", f"{KEY}ü", f"{KEY}\x00"])
def test_a_key_no_header_can_carry_is_refused_unseen(key):
    with pytest.raises(EmbedderMisconfigured) as caught:
        OpenAIEmbedder(api_key=key)
    assert KEY not in "".join(traceback.format_exception(caught.value))


@each_row("url", ["", "localhost:11434", "ftp://host/", "http://", "http://host:port", "file:///etc/hosts"])
def test_addresses_that_are_no_web_addresses_are_refused(url):
    with pytest.raises(EmbedderMisconfigured, match="address"):
        OllamaEmbedder(url)


def test_the_password_in_an_address_is_not_shown(httpserver):
    url = httpserver.url_for("").replace("://", f"://user:{KEY}@")
    httpserver.expect_request("/api/embed").respond_with_data("oops", status=500)
    with (
        closing(OllamaEmbedder(url, patience=HASTE)) as embedder,
        pytest.raises(EmbedderUnavailable) as caught,
    ):
        embedder.embed_query("one")
    assert KEY not in "".join(traceback.format_exception(caught.value))


# What the cosines of a model mean


@pytest.fixture(scope="module")
def minilm():
    return MiniLMEmbedder()


def serve_as(httpserver, minilm, floor):
    """A service whose model says MiniLM's cosines, but from `floor` to 1: c' = floor + (1 - floor) · c."""

    def respond(request):
        vectors = minilm.embed_documents(json.loads(request.get_data())["input"]).astype(float)
        raised = np.column_stack([vectors * np.sqrt(1 - floor), np.full(len(vectors), np.sqrt(floor))])
        return Response(json.dumps({"embeddings": raised.tolist()}), content_type="application/json")

    httpserver.expect_request("/api/embed", method="POST").respond_with_handler(respond)


@pytest.mark.parametrize("floor", [0.0, 0.3, 0.7])
def test_a_model_nobody_knows_by_name_is_asked_what_its_cosines_mean(httpserver, minilm, floor):
    serve_as(httpserver, minilm, floor)
    with closing(OllamaEmbedder(httpserver.url_for("/"), "theirs", patience=HASTE)) as embedder:
        assert embedder.thresholds == USUAL
        embedder.embed_query("who knows?")
        found = embedder.thresholds
        embedder.embed_documents(["one", "two"])
    usual = minilm.thresholds
    expected = [usual.same, usual.related, usual.relevant, usual.usual[0]]
    told = [found.same, found.related, found.relevant, found.usual[0]]
    np.testing.assert_allclose(told, [floor + (1 - floor) * cosine for cosine in expected], atol=2e-3)
    assert found.usual[1] == pytest.approx((1 - floor) * usual.usual[1], abs=1e-3)
    assert len(httpserver.log) == 3  # the question, the probes, two documents


@pytest.mark.parametrize("answered", ["too many texts", "all the same"])
def test_who_does_not_say_is_taken_for_a_usual_one_and_asked_no_more(httpserver, answered):
    def respond(request):
        texts = json.loads(request.get_data())["input"]
        if len(texts) > 2 and answered == "too many texts":
            return Response("at most 2", status=413)
        return Response(json.dumps({"embeddings": [[1.0, 0.0]] * len(texts)}), content_type="application/json")

    httpserver.expect_request("/api/embed", method="POST").respond_with_handler(respond)
    with closing(OllamaEmbedder(httpserver.url_for("/"), "theirs", patience=HASTE)) as embedder:
        for _ in range(3):
            assert embedder.embed_query("who knows?").tolist() == [1.0, 0.0]
        assert embedder.thresholds == USUAL
    assert len(httpserver.log) == 4


def test_who_was_away_then_is_asked_again_later(minilm, monkeypatch):
    now, sizes = [0.0], []
    monkeypatch.setattr(remote, "monotonic", lambda: now[0])

    class AwayOnce(OllamaEmbedder):
        def _ask(self, inputs):
            sizes.append(len(inputs))
            if sizes.count(30) == 1 and len(inputs) == 30:
                raise ServiceAway("busy")
            return minilm.embed_documents(inputs).tolist()

    with closing(AwayOnce(model="theirs")) as embedder:
        for now[0] in (0.0, remote.ASK_AGAIN_SECONDS - 1):
            embedder.embed_query("who knows?")
            assert embedder.thresholds == USUAL
        now[0] = remote.ASK_AGAIN_SECONDS
        embedder.embed_query("who knows?")
        assert embedder.thresholds != USUAL
    assert sizes == [1, 30, 1, 1, 30]


def test_while_one_asks_the_others_do_not_wait(minilm):
    asked, answer_it, sizes = Event(), Event(), []
    minilm.embed_query("loads the model")

    class Slow(OllamaEmbedder):
        def _ask(self, inputs):
            sizes.append(len(inputs))
            if len(inputs) > 1:
                asked.set()
                answer_it.wait(60)
            return minilm.embed_documents(inputs).tolist()

    with closing(Slow(model="theirs")) as embedder, ThreadPoolExecutor() as pool:
        first = pool.submit(embedder.embed_query, "who knows?")
        assert asked.wait(60)
        embedder.embed_query("and who else?")
        assert embedder.thresholds == USUAL
        answer_it.set()
        first.result()
        assert embedder.thresholds != USUAL
    assert sizes == [1, 30, 1]


PREFIXES = {
    "multilingual-e5-base": ("passage: ", "query: "),
    "snowflake-arctic-embed2:568m": ("", "query: "),
    "snowflake-arctic-embed:335m": ("", "Represent this sentence for searching relevant passages: "),
    "nomic-embed-text-v2-moe": ("search_document: ", "search_query: "),
    "bge-m3": ("", ""),
}


@each_row("model", PREFIXES)
def test_models_get_the_prefixes_they_were_trained_with(model):
    family = family_of(f"library/{model}")
    assert ((family.document_prefix, family.query_prefix), family.thresholds) == (PREFIXES[model], None)

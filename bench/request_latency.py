"""Whole requests to the search door beside the embedding of their questions alone, one after the other in turns."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from wsgiref.util import setup_testing_defaults

from bench.search_latency import SEED, STOP_WORDS, fill_app, timed
from bench.synthetic import texts_of
from memories.providers.embeddings import Embedder
from memsite.config.wsgi import application
from memsite.tenancy.keys import create_key
from memsite.tenancy.models import Agent

QUESTIONS = 200
# As long as questions are: 14 tokens.
QUESTION = "Did {} say {} about {}?"
EMBEDDING, REQUEST, AGAIN = (
    "embedding the question, alone",
    "the whole request",
    "the same request again, its embedding kept",
)

Seconds = dict[str, list[float]]


def measure_requests(size: int, embedder: Embedder, documents: Embedder) -> Seconds:
    """`embedder` is the one of the settings; `documents` makes the same vectors, from a file if it can."""
    app = fill_app(size, documents, f"requests-{size}")
    key = create_key(Agent.objects.for_app(app).get(), ["read"]).text
    questions = [QUESTION.format(*text.split()) for text in texts_of(QUESTIONS + 1, 3, SEED + 2, skipped=STOP_WORDS)]
    embedder.embed_query("loads the model")
    ask(key, questions.pop())  # loads the index
    seconds: Seconds = {EMBEDDING: [], REQUEST: [], AGAIN: []}
    for number, question in enumerate(questions):
        turns: dict[str, Callable[[], object]] = {
            EMBEDDING: partial(embedder.embed_query, question),
            REQUEST: partial(ask, key, question),
        }
        for name in turns if number % 2 else reversed(turns):
            seconds[name].append(timed(turns[name]))
        seconds[AGAIN].append(timed(partial(ask, key, question)))
    return seconds


def ask(key: str, question: str) -> Sequence[object]:
    """Return the results, of which there are some."""
    results = answered(key, question)
    assert results, "nothing is found"
    return results


def answered(key: str, question: str) -> Sequence[object]:
    """`POST /api/v1/memories/search` through everything that the server does but its socket; the results."""
    body = json.dumps({"query": question}).encode()
    status, answer = post("/api/v1/memories/search", key, body)
    assert status.startswith("200"), status
    results: list[object] = json.loads(answer)["results"]
    return results


def post(path: str, key: str, body: bytes) -> tuple[str, bytes]:
    """Return the status line and the body of the answer."""
    texts: list[str] = []

    def start_response(status: str, headers: object, error: object = None, /) -> Callable[[bytes], object]:
        texts.append(status)
        return lambda written: None

    environ: dict[str, object] = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": path,
        "HTTP_HOST": "localhost",
        "HTTP_AUTHORIZATION": f"Bearer {key}",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }
    setup_testing_defaults(environ)
    answer = application(environ, start_response)
    with closing(answer):
        return texts[0], b"".join(answer)

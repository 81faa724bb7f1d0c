"""What all remote embedders share: prefixes, batches, and a strict look at the answer."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import ClassVar

import numpy as np

from memories.language.scripts import without_surrogates
from memories.providers.embeddings.base import (
    EmbedderError,
    EmbedderMisconfigured,
    EmbedderUnavailable,
    Thresholds,
    Vectors,
    normalise_rows,
    watched,
)
from memories.providers.http import ORDINARY_NETWORKS, JsonApi, Patience, ServiceAway, ServiceRefused, bearer

# all-MiniLM-L6-v2's, calibrated by the benchmark
USUAL = Thresholds(same=0.85, related=0.45, relevant=0.25)


@dataclass(frozen=True)
class Family:
    """What a family of models needs.

    Prefixes are put before each text; models trained with them rank worse without. Without `thresholds` the model
    is asked (`bands`).
    """

    document_prefix: str = ""
    query_prefix: str = ""
    thresholds: Thresholds | None = None


REPRESENT = "Represent this sentence for searching relevant passages: "
INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
NOMIC = Family(document_prefix="search_document: ", query_prefix="search_query: ")

# The first whose name occurs in the model's.
FAMILIES = {
    "nomic-embed-text-v2": NOMIC,
    # a narrow band: similar pairs at 0.60 to 0.65, dissimilar ones at 0.30 to 0.55
    "nomic-embed-text": Family(
        NOMIC.document_prefix,
        NOMIC.query_prefix,
        Thresholds(same=0.85, related=0.60, relevant=0.55, usual=(0.45, 0.07)),
    ),
    "text-embedding-3": Family(thresholds=USUAL),
    "all-minilm": Family(thresholds=USUAL),
    "mxbai-embed": Family(query_prefix=REPRESENT),
    "snowflake-arctic-embed2": Family(query_prefix="query: "),
    "snowflake-arctic-embed-l-v2": Family(query_prefix="query: "),
    "snowflake-arctic-embed-m-v2": Family(query_prefix="query: "),
    "snowflake-arctic-embed": Family(query_prefix=REPRESENT),
    "bge-m3": Family(),
    "bge-small-en": Family(query_prefix=REPRESENT),
    "bge-base-en": Family(query_prefix=REPRESENT),
    "bge-large-en": Family(query_prefix=REPRESENT),
    "e5-mistral": Family(query_prefix=INSTRUCT),
    "e5-large-instruct": Family(query_prefix=INSTRUCT),
    "e5-small": Family("passage: ", "query: "),
    "e5-base": Family("passage: ", "query: "),
    "e5-large": Family("passage: ", "query: "),
    "embeddinggemma": Family("title: none | text: ", "task: search result | query: "),
    "qwen3-embedding": Family(query_prefix=INSTRUCT),
}


def family_of(model: str) -> Family:
    """Return the family whose name occurs in `model` ("library/nomic-embed-text:v1.5"), or a plain one."""
    return next((family for name, family in FAMILIES.items() if name in model.lower()), Family())


# Each a statement, the same in other words, and a question that it answers. Services take thirty texts at once.
PROBES = (
    (
        "The staging server runs out of disk space every Sunday night.",
        "Every Sunday night the disk of the staging server is full.",
        "When does the staging disk fill up?",
    ),
    (
        "Maria is allergic to peanuts and always carries an adrenaline pen.",
        "Because of her peanut allergy Maria never leaves without her adrenaline pen.",
        "What is Maria allergic to?",
    ),
    (
        "We moved the weekly planning meeting from Monday to Wednesday morning.",
        "The weekly planning is on Wednesday mornings now instead of Mondays.",
        "When is the planning meeting?",
    ),
    (
        "My brother plays the cello in a small orchestra in Leipzig.",
        "In Leipzig my brother is the cellist of a little orchestra.",
        "Which instrument does my brother play?",
    ),
    (
        "The invoices have to be approved by two people before they are paid.",
        "No invoice is paid before two people have approved it.",
        "How many people approve an invoice?",
    ),
    (
        "I stopped drinking coffee in spring and only have green tea now.",
        "Since spring I have been drinking green tea and no coffee any more.",
        "What do I drink?",
    ),
    (
        "The mobile app crashes when a photo larger than ten megabytes is uploaded.",
        "Uploading a picture of more than 10 MB makes the mobile app crash.",
        "Why does the mobile app crash?",
    ),
    (
        "Our cat was found under a bridge when she was three weeks old.",
        "She was a kitten of three weeks when we found our cat under a bridge.",
        "Where was the cat found?",
    ),
    (
        "The flight to Lisbon leaves from terminal two at a quarter to seven.",
        "From terminal 2, at 6:45, our plane to Lisbon takes off.",
        "Which terminal does the Lisbon flight leave from?",
    ),
    (
        "Tomatoes grow best on the south side of the greenhouse.",
        "In the greenhouse the south side is the best place for tomatoes.",
        "Where should the tomatoes be planted?",
    ),
)
STATEMENTS = [text for statement, again, _ in PROBES for text in (statement, again)]
QUESTIONS = [question for *_, question in PROBES]
MINILM_APART, MINILM_SAME, MINILM_AWAY, MINILM_NEAR = 0.040, 0.855, 0.031, 0.670
"""What `pair_means` are of all-MiniLM-L6-v2: of statements, and of questions with statements."""
LEAST_APART = 0.05
"""A model that tells the probes apart by less has no bands."""


def measured(statements: Vectors, questions: Vectors, reference: Thresholds) -> Thresholds | None:
    """Return the thresholds of the model that made these vectors of STATEMENTS and QUESTIONS; None if it tells nothing.

    They stand where those of the reference, all-MiniLM-L6-v2, stand between what is unrelated and what belongs
    together: t' = u' + (t - u) · (s' - u') / (s - u), u being the mean cosine of unrelated probes, s of what says the
    same, or answers the question.
    """
    first, again = statements[0::2], statements[1::2]
    apart, same = pair_means(first, again)
    away, near = pair_means(questions, first)
    if same - apart < LEAST_APART or near - away < LEAST_APART:
        return None
    by_statement = (same - apart) / (MINILM_SAME - MINILM_APART)
    by_question = (near - away) / (MINILM_NEAR - MINILM_AWAY)
    mean, spread = reference.usual
    return Thresholds(
        same=apart + (reference.same - MINILM_APART) * by_statement,
        related=apart + (reference.related - MINILM_APART) * by_statement,
        relevant=away + (reference.relevant - MINILM_AWAY) * by_question,
        usual=(away + (mean - MINILM_AWAY) * by_question, spread * by_question),
    )


def pair_means(ones: Vectors, others: Vectors) -> tuple[float, float]:
    """Return the mean cosine of those that do not belong together, and of those that do."""
    cosines = ones @ others.T
    together = float(np.trace(cosines))
    size = len(ones)
    return (float(cosines.sum()) - together) / (size * (size - 1)), together / size


BATCH_TEXTS = 64
# Models read 2,048 to 8,192 tokens; some services refuse a longer text instead of cutting it.
MAX_CHARACTERS = 8_000
ASK_AGAIN_SECONDS = 300.0
"""After which a service is asked anew that was away while it was asked what its cosines mean."""


@contextmanager
def embedder_errors() -> Iterator[None]:
    """Says of an embedder what is said of a service."""
    try:
        yield
    except ServiceAway as error:
        raise EmbedderUnavailable(str(error)) from None
    except ServiceRefused as error:
        raise EmbedderMisconfigured(str(error)) from None


class RemoteEmbedder(ABC):
    """Embed by one HTTP service and one model.

    Sends nothing until it is asked for vectors or for `dim`; after the first answer of a model whose bands are not
    known by its name, it asks it for them, once.
    """

    provider: ClassVar[str]
    in_process = False

    @embedder_errors()
    def __init__(
        self,
        url: str,
        model: str,
        headers: Mapping[str, str] | None = None,
        patience: Patience | None = None,
        hints: Mapping[int, str] | None = None,
        networks: Collection[str] = ORDINARY_NETWORKS,
    ) -> None:
        self.name = f"{self.provider}/{model}"
        self._model = model
        self._api = JsonApi(url, headers, patience, hints, networks=networks)
        self._family = family_of(model)
        self._dim = 0
        self._bands = self._family.thresholds
        self._asking = Lock()
        self._ask_from = 0.0

    @abstractmethod
    def _ask(self, inputs: list[str]) -> object:
        """One request: what should be a list of vectors in the order of `inputs`, still unchecked."""

    def close(self) -> None:
        self._api.close()

    @property
    def thresholds(self) -> Thresholds:
        return self._bands or USUAL

    @property
    def dim(self) -> int:
        """Known after the first answer; asked before that, it embeds one word to find out."""
        if not self._dim:
            self._embed(["dimension"])
        return self._dim

    @property
    def known_dim(self) -> int:
        return self._dim

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One request per BATCH_TEXTS texts."""
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        prefixed = [self._family.document_prefix + sendable(text) for text in texts]
        return np.concatenate([self._embed(batch) for batch in in_batches(prefixed)])

    def embed_query(self, text: str) -> Vectors:
        """One request."""
        vector: Vectors = self._embed([self._family.query_prefix + sendable(text)])[0]
        return vector

    def _embed(self, inputs: list[str]) -> Vectors:
        vectors = self._answer(inputs)
        # One asks; the others do not wait for it.
        if self._bands is None and monotonic() >= self._ask_from and self._asking.acquire(blocking=False):
            try:
                self._bands = self._measured_bands()
            finally:
                self._asking.release()
        return vectors

    def _measured_bands(self) -> Thresholds | None:
        """Return the model's bands; the usual ones if it tells nothing apart or takes fewer texts, None if away."""
        prefixed = [self._family.document_prefix + text for text in STATEMENTS]
        prefixed += [self._family.query_prefix + text for text in QUESTIONS]
        try:
            vectors = self._answer(prefixed)
        except EmbedderUnavailable:
            self._ask_from = monotonic() + ASK_AGAIN_SECONDS
            return None
        except EmbedderError:
            return USUAL
        return measured(vectors[: len(STATEMENTS)], vectors[len(STATEMENTS) :], USUAL) or USUAL

    @watched
    @embedder_errors()
    def _answer(self, inputs: list[str]) -> Vectors:
        # Shape (count, dim), not yet normalised. Raises EmbedderUnavailable when the answer is not `count` rows
        # of numbers that float32 can hold, EmbedderMisconfigured when the rows differ in length or are empty.
        rows = self._ask(inputs)
        count = len(inputs)
        if not isinstance(rows, list) or len(rows) != count:
            raise EmbedderUnavailable(f"the answer does not hold {count} vectors")
        if not all(isinstance(row, list) for row in rows):
            raise EmbedderUnavailable("the answer holds something else than vectors")
        if len({len(row) for row in rows}) != 1 or not rows[0]:
            raise EmbedderMisconfigured("the vectors of one answer differ in length or are empty")
        vectors = as_float32(rows)
        dim = vectors.shape[1]
        # Two threads may both see 0 here and write the same number: harmless.
        if self._dim not in (0, dim):
            raise EmbedderMisconfigured(
                f"{self.name} answered with {dim} dimensions after {self._dim}: was the model replaced?"
            )
        self._dim = dim
        return normalise_rows(vectors)


def sendable(text: str) -> str:
    """Return the part of `text` that is sent. Never empty: OpenAI refuses an empty input."""
    return without_surrogates(text[:MAX_CHARACTERS]) or " "


def in_batches(inputs: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(inputs), BATCH_TEXTS):
        yield inputs[start : start + BATCH_TEXTS]


def as_float32(rows: list[list[object]]) -> Vectors:
    try:
        numbers = np.asarray(rows)
    except ValueError:
        raise EmbedderUnavailable("the answer holds something else than numbers") from None
    if numbers.ndim != 2 or numbers.dtype.kind not in "fi":
        raise EmbedderUnavailable("the answer holds something else than numbers")
    with np.errstate(over="ignore"):  # becomes infinite, and is refused as such
        return numbers.astype(np.float32)


OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "text-embedding-3-small"


class OpenAIEmbedder(RemoteEmbedder):
    """The key goes into one request header and is kept nowhere else. Servers at home need none."""

    provider = "openai"

    def __init__(
        self,
        url: str = OPENAI_URL,
        model: str = OPENAI_MODEL,
        api_key: str = "",
        patience: Patience | None = None,
        networks: Collection[str] = ORDINARY_NETWORKS,
    ) -> None:
        super().__init__(url, model, bearer(api_key), patience, networks=networks)

    def _ask(self, inputs: list[str]) -> object:
        payload = {"model": self._model, "input": inputs, "encoding_format": "float"}
        return in_order(self._api.post("/embeddings", payload))


def in_order(answer: object) -> list[object]:
    """Return the vectors sorted by their `index`. Raises EmbedderUnavailable when an index is missing."""
    try:
        by_index = {item["index"]: item["embedding"] for item in answer["data"]}  # type: ignore[index]
        return [by_index[index] for index in range(len(by_index))]
    except (KeyError, TypeError):
        raise EmbedderUnavailable("the answer is not a list of numbered vectors") from None


OLLAMA_URL = "http://127.0.0.1:11434"
OLLAMA_MODEL = "nomic-embed-text"


class OllamaEmbedder(RemoteEmbedder):
    """Ollama cuts texts that are too long for the model by itself."""

    provider = "ollama"

    def __init__(
        self,
        url: str = OLLAMA_URL,
        model: str = OLLAMA_MODEL,
        patience: Patience | None = None,
        networks: Collection[str] = ORDINARY_NETWORKS,
    ) -> None:
        hints = {404: f"no such model or address; try `ollama pull {model}`"}
        super().__init__(url, model, patience=patience, hints=hints, networks=networks)

    def _ask(self, inputs: list[str]) -> object:
        answer = self._api.post("/api/embed", {"model": self._model, "input": inputs})
        if not isinstance(answer, dict):
            raise EmbedderUnavailable("the answer is not an object")
        return answer.get("embeddings")

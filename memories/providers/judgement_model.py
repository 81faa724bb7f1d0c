"""How two statements relate, and what is worth keeping, judged by two small networks in this process.

Cross-encoders: two texts go through all-MiniLM-L6-v2 together (Devlin et al. 2019, section 3). Their lower layers and
their word table are those of the installed embedding model; the upper layers and the head were tuned on labelled data
by `tools/train_judgement_model.py` and lie beside this file, matrices as int8. One relates statements and reads
sentences; the other reads a statement that was made of a message, beside that message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import structlog
from numpy.typing import NDArray

from memories.providers.embeddings.in_process import load_session, opening, read_graph
from memories.providers.embeddings.minilm import (
    REMEDY,
    TOKENIZER_FILE,
    WORDS,
    locate_model,
    map_verified,
    tuned_tensors,
    view_weights,
)

from .embeddings.base import EmbedderMisconfigured, Vectors

# Imported on first use: who judges by rules does without them.
if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

log = structlog.get_logger("memories.judgement")
RELATIONS = ("same", "adds", "replaces", "contradicts", "both")
WORTH = ("keep", "drop")
CATEGORIES = (
    "timing", "dependency", "behavior", "remediation", "maintenance", "work", "preferences", "health", "hobbies",
    "relationships", "general",
)  # fmt: skip
KINDS = ("fact", "preference", "decision", "plan", "lesson", "instruction")
QUESTIONS = {"relation": RELATIONS, "worth": WORTH, "category": CATEGORIES, "kind": KINDS}
"""What the network answers, in the order of its output; each is a distribution of its own."""
ANSWERS = sum(map(len, QUESTIONS.values()))
MAX_TOKENS = 128
"""Of both texts and three separators; the longer text is cut first."""
BY_ASSISTANT = "Assistant: "
"""Stands before a sentence of an assistant, whose worth is asked for."""
GRAPH_FILE = Path(__file__).with_name("judgement_model.onnx")
TUNED_FILE = Path(__file__).with_name("judgement_model.npz")
STATEMENTS_FILE = Path(__file__).with_name("judgement_model_statements.npz")
TEMPERATURE = "temperature."


@dataclass(frozen=True, slots=True)
class Judgement:
    """Calibrated probabilities that sum to 1.

    `same`: the new statement adds nothing. `adds`: it agrees and says more of the same. `replaces`: the stored one was
    true and is over. `contradicts`: both cannot be right. `both`: they stand side by side.
    """

    same: float
    adds: float
    replaces: float
    contradicts: float
    both: float

    @property
    def at_odds(self) -> float:
        """The probability that both do not hold now."""
        return self.replaces + self.contradicts


@dataclass(frozen=True, slots=True)
class Reading:
    """Of a user's sentence: the probability that it is worth keeping, and if it is, those of what it would be."""

    keep: float
    categories: Mapping[str, float]
    kinds: Mapping[str, float]


class JudgementModel:
    """Judge pairs of statements, and sentences; safe for several threads."""

    def __init__(
        self, tokenizer: Tokenizer, session: InferenceSession, words: Vectors, temperatures: Mapping[str, float]
    ) -> None:
        """Hold the network's weights. `words` is the word table, shape (vocabulary, 384).

        Scores of a question are divided by its temperature (Guo et al. 2017).
        """
        self._tokenizer, self._session, self._words, self._temperatures = tokenizer, session, words, temperatures

    def relate(self, pairs: Sequence[tuple[str, str, str]]) -> list[Judgement]:
        """Return a judgement for each (stored, new, subject), in their order. The subject may be empty."""
        leads = [f"{subject}: " if subject else "" for _, _, subject in pairs]
        texts = [(lead + stored, lead + new) for lead, (stored, new, _) in zip(leads, pairs, strict=True)]
        return [Judgement(**answers["relation"]) for answers in self._answer(texts)]

    def read(self, sentences: Sequence[tuple[str, str]]) -> list[Reading]:
        """Return a reading for each (text that it answers, sentence), in their order. The first may be empty."""
        texts = [(before, sentence) if before else (sentence,) for before, sentence in sentences]
        return [
            Reading(answers["worth"]["keep"], answers["category"], answers["kind"]) for answers in self._answer(texts)
        ]

    def _answer(self, texts: Sequence[tuple[str, ...]]) -> list[dict[str, dict[str, float]]]:
        """Calibrated probabilities by question and answer.

        Each is run alone, which is as fast: the rounding of activations would depend on what runs beside it.
        """
        return [self._probabilities(self._scores(*(opening(text, MAX_TOKENS) for text in one))) for one in texts]

    def _scores(self, first: str, second: str | None = None) -> NDArray[np.float64]:
        encoded = self._tokenizer.encode(first, second)
        ids, segments = np.array([encoded.ids]), np.array([encoded.type_ids])
        feeds = {
            "input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": segments, WORDS: self._words,
        }  # fmt: skip
        scores: NDArray[np.float64] = self._session.run(None, feeds)[0][0].astype(np.float64)
        return scores

    def _probabilities(self, scores: NDArray[np.float64]) -> dict[str, dict[str, float]]:
        found, start = {}, 0
        for question, answers in QUESTIONS.items():
            own = scores[start : start + len(answers)] / self._temperatures[question]
            powers = np.exp(own - own.max())
            found[question] = dict(zip(answers, (powers / powers.sum()).tolist(), strict=True))
            start += len(answers)
        return found


@cache
def is_there() -> bool:
    """Whether the package of the model is installed: a server that embeds elsewhere can do without it. Said once."""
    try:
        locate_model()
    except EmbedderMisconfigured as error:
        log.warning("judged_by_rules", error=str(error))
        return False
    return True


_lock = Lock()


def load_judgement_model(tuned: Path = TUNED_FILE) -> JudgementModel:
    """Return the one of this process with these weights, loaded when first asked for.

    Raises EmbedderMisconfigured when the model package is missing or not the pinned one.
    """
    with _lock:  # lru_cache alone would let two threads load two at once
        return _load(tuned)


@lru_cache(maxsize=2)
def _load(tuned_file: Path) -> JudgementModel:
    from tokenizers import Tokenizer

    folder = locate_model()
    published = view_weights(folder)
    tensors = tuned_tensors(tuned_file, published)
    with np.load(tuned_file) as stored:
        temperatures = {question: float(stored[f"{TEMPERATURE}{question}"]) for question in QUESTIONS}
    tokenizer = Tokenizer.from_buffer(bytes(map_verified(folder / TOKENIZER_FILE)))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    session = load_session(read_graph(GRAPH_FILE, REMEDY), tensors)
    return JudgementModel(tokenizer, session, published[WORDS], temperatures)

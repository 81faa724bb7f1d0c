"""The verdict on a pair: relations, thresholds, the linear model behind them, and its reasons in words."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from memories.language.relate.lexicon import canonical_text
from memories.language.relate.outline import Evidence, Pair

REASON_MAX_CHARS = 120
LEAST, MOST = -1.25, 1.5


class Relation(StrEnum):
    """How a new statement stands to one that is already kept.

    The rules tell same, contradicts and different apart, and what says all of the other in its words and more; a
    language model also sees what adds to it otherwise, and what takes the place of another that was true.
    """

    SAME = "same"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    ELABORATES = "elaborates"
    DIFFERENT = "different"


@dataclass(frozen=True)
class Verdict:
    """A relation, the evidence behind it in an operator's words, and its probability (0-1).

    `is_shown` tells of a contradiction of the rules whether some word or number shows it. Else both only have words of
    their own, which those who hold one subject fixed mean as contraries as a rule.
    `matched` is the share (0-1) of their words that have a like on the other side.
    """

    relation: Relation
    reason: str
    score: float
    is_shown: bool = True
    matched: float = 1.0


@dataclass(frozen=True)
class Thresholds:
    """Cosines of the embedding model in use; the defaults suit all-MiniLM-L6-v2."""

    same: float = 0.85
    related: float = 0.45

    def scale(self, similarity: float) -> float:
        """Map a cosine so that `related` lands on 0 and `same` on 1, whatever the model."""
        scaled = (similarity - self.related) / max(self.same - self.related, 0.01)
        return min(max(scaled, LEAST), MOST)


STRONGEST_FIRST = {
    "number_conflict": 0.5,
    "opposed": 0.5,
    "order_clashes": 0.5,
    "rule_implied": 0.5,
    "negated_one_side": 0.5,
    "rule_clash": 0.5,
    "other_name": 0.5,
    "sibling": 0.5,
    "only_against_all": 0.5,
    "sign_clash": 0.05,
    "change_cue": 0.5,
}
"""Evidence of a contradiction → the value from which it is named."""


def give_reason(relation: Relation, evidence: Evidence) -> str:
    """Give a reason: a contradiction names its conflict; the other verdicts never do."""
    if relation is Relation.CONTRADICTS:
        return find_conflict(evidence) or f"same matter; {evidence.notes.get('remainder', 'each says its own')}"
    share = f"{100 * evidence.features['coverage_mean']:.0f} % of the words are matched"
    if relation is Relation.SAME:
        return f"same matter, no conflict; {share}"
    return f"another matter; {evidence.notes.get('remainder', share)}"


def find_conflict(evidence: Evidence) -> str | None:
    """Name what opposes the two; None where each only has words that the other has not."""
    for name, least in STRONGEST_FIRST.items():
        if name in evidence.notes and evidence.features[name] >= least:
            return evidence.notes[name]
    return None


LABELS = (Relation.SAME, Relation.CONTRADICTS, Relation.DIFFERENT)
WEIGHTS = Path(__file__).with_name("weights.json")
WITH_COSINE, WITHOUT_COSINE = "with_cosine", "without_cosine"

PerLabel = tuple[float, ...]


@dataclass(frozen=True)
class Model:
    """`weights` by feature apply to features as they are; the caution is taken off the log-odds of same in `bias`."""

    weights: dict[str, PerLabel]
    bias: PerLabel

    def probabilities(self, features: Mapping[str, float]) -> dict[Relation, float]:
        """Return the probability of each label, caution included: what is likeliest is what is said.

        Most features are 0, and these few numbers are added up sooner than numpy is asked to.
        """
        scores = list(self.bias)
        for name, weights in self.weights.items():
            if value := features[name]:
                scores = [score + value * weight for score, weight in zip(scores, weights, strict=True)]
        highest = max(scores)
        raised = [math.exp(score - highest) for score in scores]
        total = sum(raised)
        return {label: part / total for label, part in zip(LABELS, raised, strict=True)}


@lru_cache(maxsize=2)
def load_model(name: str) -> Model:
    """Return one of the two models: for pairs whose embeddings are known, and for those without."""
    data = json.loads(WEIGHTS.read_text())[name]
    weights = {feature: tuple(row[label] for label in LABELS) for feature, row in data["weights"].items()}
    caution = {Relation.SAME: data["same_caution"]}
    return Model(weights, tuple(data["bias"][label] - caution.get(label, 0.0) for label in LABELS))


SAME_FROM = 1.125
"""Scaled cosine: a little above what the embedder calls the same."""

_DEFINITE = {"ein": "der", "eine": "die", "einen": "den", "einem": "dem", "une": "la", "una": "la", "een": "de"}


def judge_foreign(sides: Pair, closeness: float | None) -> Verdict | None:
    """Only "a" for "the" still counts as the same; None when both are English."""
    if sides.existing_statement.is_english and sides.new_statement.is_english:
        return None
    # Any other word may deny what is said or turn it round, and so may another order.
    old, new = (
        [_DEFINITE.get(word, word) for word in canonical_text(side.written).split()]
        for side in (sides.existing, sides.new)
    )
    if closeness is not None and closeness >= SAME_FROM and old == new:
        return Verdict(Relation.SAME, "near copy in a language without rules", 0.9)
    return Verdict(Relation.DIFFERENT, "not known to be English; too little certainty", 0.5)

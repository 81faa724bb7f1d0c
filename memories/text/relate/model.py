"""One linear model over the named features: multinomial logistic regression, its weights in `weights.json`."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .verdict import Relation

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

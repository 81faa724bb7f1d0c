"""One linear model over the named features: multinomial logistic regression, its weights in `weights.json`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .verdict import Relation

LABELS = (Relation.SAME, Relation.CONTRADICTS, Relation.DIFFERENT)
WEIGHTS = Path(__file__).with_name("weights.json")
WITH_COSINE, WITHOUT_COSINE = "with_cosine", "without_cosine"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Model:
    """`weights` (features, labels) apply to features as they are; `same_caution` is taken off the log-odds of same."""

    names: tuple[str, ...]
    weights: Floats
    bias: Floats
    same_caution: float

    def probabilities(self, features: Mapping[str, float]) -> dict[Relation, float]:
        """Return the probability of each label, caution included: what is likeliest is what is said."""
        scores = np.array([features[name] for name in self.names]) @ self.weights + self.bias
        scores[LABELS.index(Relation.SAME)] -= self.same_caution
        raised = np.exp(scores - scores.max())
        return dict(zip(LABELS, (raised / raised.sum()).tolist(), strict=True))


@lru_cache(maxsize=2)
def load_model(name: str) -> Model:
    """Return one of the two models: for pairs whose embeddings are known, and for those without."""
    data = json.loads(WEIGHTS.read_text())
    table = data[name]["weights"]
    weights = np.array([[row[label] for label in LABELS] for row in table.values()])
    bias = np.array([data[name]["bias"][label] for label in LABELS])
    return Model(tuple(table), weights, bias, data[name]["same_caution"])

"""One linear model over named features: relevance, and what the memory is worth. Parts add up to the score.

The weights of relevance are learnt from annotated conversations (`make train-ranker`) and stand in `weights.json`.
Worth is the logarithm of importance / 3 · priority · exp(−λ · days), so that adding it here is multiplying there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memories.retrieve.features import Evidence, Features, features
from memories.retrieve.reading import Floats, Reading, Rows

SECONDS_PER_DAY = 86_400
# Age costs this much at most: an exact old match is still found.
MOST_AGE = 1.0
LEAST_PRIORITY = 0.1


@cache
def learnt_weights() -> dict[str, float]:
    """Weight by feature."""
    read: dict[str, dict[str, float]] = json.loads((Path(__file__).parent / "weights.json").read_text())
    return read["weights"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Places in the reading, best first, with their scores and the parts these are made of."""

    places: Rows
    scores: NDArray[np.float64]
    parts: Features

    def parts_of(self, number: int) -> dict[str, float]:
        """Of the hit of this number; what adds nothing is left out."""
        return {name: float(values[number]) for name, values in self.parts.items() if values[number]}


def rank(evidence: Evidence, now: float, decay_per_day: float, relevant: float, covers: float) -> Ranked:
    """What fits the question at all, ranked by relevance and worth."""
    places, found = features(evidence)
    parts = {name: weight * found[name] for name, weight in learnt_weights().items()}
    parts |= worth(evidence.reading, places, now, decay_per_day)
    fitting = fits(evidence, places, relevant, covers)
    return best_first(places[fitting], {name: values[fitting] for name, values in parts.items()})


def rank_by(name: str, scores: Floats, least: float) -> Ranked:
    """By one arm alone."""
    places = np.flatnonzero(scores > least)
    return best_first(places, {name: scores[places]})


def best_first(places: Rows, parts: Features) -> Ranked:
    """Ties by the later place: what was said later."""
    scores: NDArray[np.float64] = np.zeros(len(places)) + sum(parts.values())
    order = np.lexsort((-places, -scores))
    return Ranked(places[order], scores[order], {name: values[order] for name, values in parts.items()})


def fits(evidence: Evidence, places: Rows, relevant: float, covers: float) -> NDArray[np.bool_]:
    """Near enough in meaning, or holding enough of the words: before age or importance say anything."""
    near: NDArray[np.bool_] = evidence.cosines[places] >= relevant
    if not evidence.question.words:
        # Nothing but a subject is asked for: then whatever is about it fits.
        return near | np.isin(evidence.reading.subjects[places], evidence.question.subjects)
    return near | (evidence.words.covered(places) >= covers)


def worth(reading: Reading, places: Rows, now: float, decay_per_day: float) -> Features:
    rows = reading.rows[places]
    columns = reading.view.columns
    days = np.floor(np.maximum(0.0, now - columns.created[rows]) / SECONDS_PER_DAY)
    return {
        "importance": np.log(columns.importance[rows] / 3),
        "priority": np.log(np.maximum(columns.priority[rows], LEAST_PRIORITY)),
        "age": -np.minimum(decay_per_day * days, MOST_AGE),
    }

"""Turn the result of a ranking's formula into the probability that the memory is right: the score that is shown.

The logarithm of the odds is a · formula + b · c + d. What the best have together, c, is the logarithm of a sum: a
memory that is alone with its result is right more often than one among many such. The numbers are fitted on annotated
conversations (`python -m bench.calibrate`) and stand in `calibration.json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.providers.embeddings import Thresholds
from memsite.tenancy.policy import Ranking

DIGITS = 6
# So that no result of a formula is shown as certain, nor overflows.
MOST_ODDS = 12.0
COMPETING = 10
"""How many of the best compete, however many are asked for."""
FILE = Path(__file__).parent / "calibration.json"
SAME_FORMULA: dict[str, str] = {Ranking.CONFIDENCE: Ranking.STANDARD, Ranking.RECENT: Ranking.STANDARD}
"""Rankings that only put what another has scored in another order."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Hold the line that gives the logarithm of the odds in one answer: slope · formula + intercept.

    `ranking` names whose answer it is, and `competing` is what its best have together.
    """

    slope: float = 1.0
    intercept: float = 0.0
    ranking: str = ""
    competing: float = 0.0

    def scores(self, formula: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities, in the order of the formula's results."""
        odds = np.clip(self.slope * formula + self.intercept, -MOST_ODDS, MOST_ODDS)
        shares: NDArray[np.float64] = np.round(1 / (1 + np.exp(-odds)), DIGITS)
        return shares

    def score(self, formula: float) -> float:
        odds = min(max(self.slope * formula + self.intercept, -MOST_ODDS), MOST_ODDS)
        return round(1 / (1 + math.exp(-odds)), DIGITS)

    def formula(self, score: float) -> float:
        """Return the result of the formula that has a score."""
        least = 10.0**-DIGITS
        share = min(max(score, least), 1 - least)
        return (math.log(share / (1 - share)) - self.intercept) / self.slope


def together(formula: NDArray[Any], temperature: float) -> float:
    """Return what the best of these have together: t · ln Σ exp(f / t); 0 if there is none."""
    if not len(formula):
        return 0.0
    best = np.partition(formula, -COMPETING)[-COMPETING:] if len(formula) > COMPETING else formula
    highest = float(best.max())
    return highest + temperature * math.log(np.exp((best - highest) / temperature).sum())


@cache
def lines() -> dict[str, tuple[float, float, float, float]]:
    """Return temperature, a, b and d of each ranking and retriever."""
    read: dict[str, Any] = json.loads(FILE.read_text())
    return {name: (line[0], line[1], line[2], line[3]) for name, line in read["lines"].items()}


def calibration_of(ranking: str, formula: NDArray[Any]) -> Calibration:
    """Return the calibration of an answer by a ranking, whose formula gives these results."""
    name = SAME_FORMULA.get(ranking, ranking)
    return calibration_among(name, together(formula, lines()[name][0]))


def calibration_among(ranking: str, competing: float) -> Calibration:
    _, slope, shared, constant = lines()[ranking]
    return Calibration(slope, shared * competing + constant, ranking, competing)


def calibration_of_all(answers: Collection[Calibration]) -> Calibration | None:
    """Return the calibration of several answers as one; None if they are of different rankings."""
    rankings = {answer.ranking for answer in answers}
    if len(rankings) != 1 or "" in rankings:
        return None
    (ranking,) = rankings
    competing = np.array([answer.competing for answer in answers])
    return calibration_among(ranking, together(competing, lines()[ranking][0]))


def calibration_of_cosines(cosines: NDArray[Any], thresholds: Thresholds) -> Calibration:
    """Return that of an answer by meaning alone, whatever the embedder."""
    calibrated, start = calibration_of("vector", thresholds.likened(cosines)), float(thresholds.likened(0.0))
    return Calibration(
        calibrated.slope * (float(thresholds.likened(1.0)) - start), calibrated.intercept + calibrated.slope * start
    )

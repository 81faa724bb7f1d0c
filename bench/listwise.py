"""A linear ranker learnt from lists: softmax over each question's candidates, L2, by Newton's method.

    loss(w) = −Σ_g a_g · ln( exp(w·x_g) / (exp(w·x_g) + Σ_n exp(w·x_n)) ) + L2 · |w|²

g are the gold candidates, n those of the same question that are not gold; a_g is the question's pull, divided by the
root of how many gold ones it has; the a_g sum to 1. What a candidate is known to have is added to w·x. Features are
standardised for the penalty. The loss is convex, so there is one minimum and the way to it needs no seed: the same
lists give the same weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

L2 = 1e-3
MOST_STEPS = 50
# Half of what a whole Newton step would still gain.
GOOD_ENOUGH = 1e-9

Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Listed:
    """A question's candidates: features of shape (c, f), and which of them are evidence. `pull` is its weight.

    `known` is what each has beside what is learnt, 0 if not given.
    """

    features: NDArray[np.float32]
    gold: NDArray[np.bool_]
    pull: float = 1.0
    known: Doubles | None = None


@dataclass(frozen=True, slots=True)
class Packed:
    """All lists in one: n candidates of q questions with k gold ones.

    `features` (n, f) are standardised; `spread` (f,) is what they were divided by. `starts` (q,) are the questions'
    first candidates, `question` (n,) the question of each, `known` (n,) what each has; `gold` (k,) are positions and
    `pull` (k,) their a_g.
    """

    features: NDArray[np.float32]
    spread: Doubles
    starts: NDArray[np.intp]
    question: NDArray[np.intp]
    known: Doubles
    gold: NDArray[np.intp]
    pull: Doubles


def fit(lists: Sequence[Listed], l2: float = L2) -> Doubles:
    """Weights of shape (f,) for features as they are given. Lists without a choice teach nothing."""
    packed = pack([item for item in lists if item.gold.any() and not item.gold.all()])
    weights = np.zeros(len(packed.spread))
    for _ in range(MOST_STEPS):
        now, slope, curve = derivatives(packed, weights, l2)
        step = np.linalg.solve(curve, slope).astype(np.float64)
        gain = float(slope @ step)
        if gain / 2 < GOOD_ENOUGH:
            break
        weights = descend(packed, weights, step, now, gain, l2)
    return weights / packed.spread


def pack(lists: Sequence[Listed]) -> Packed:
    sizes = np.array([len(item.gold) for item in lists])
    raw = np.concatenate([item.features for item in lists])
    spread = raw.std(0, dtype=np.float64) + 1e-6
    centred = (raw - raw.mean(0, dtype=np.float64).astype(np.float32)) / spread.astype(np.float32)
    gold = np.flatnonzero(np.concatenate([item.gold for item in lists]))
    question = np.repeat(np.arange(len(lists)), sizes)
    pull = np.concatenate([np.full(item.gold.sum(), item.pull / np.sqrt(item.gold.sum())) for item in lists])
    known = np.concatenate([np.zeros(len(item.gold)) if item.known is None else item.known for item in lists])
    return Packed(centred, spread, np.cumsum(sizes) - sizes, question, known, gold, pull / pull.sum())


def odds(packed: Packed, weights: Doubles) -> tuple[Doubles, Doubles, Doubles, Doubles]:
    """Of gold candidates: their log shares (k,) and totals (k,); of all: exp (n,) as it is and with gold as 0."""
    scores = (packed.features @ weights.astype(np.float32)).astype(np.float64) + packed.known
    scores -= np.maximum.reduceat(scores, packed.starts)[packed.question]
    raised = np.exp(scores)
    others = raised.copy()
    others[packed.gold] = 0
    total = np.add.reduceat(others, packed.starts)[packed.question[packed.gold]] + raised[packed.gold]
    return scores[packed.gold] - np.log(total), total, raised, others


def loss(packed: Packed, weights: Doubles, l2: float) -> float:
    return float(-packed.pull @ odds(packed, weights)[0] + l2 * weights @ weights)


def derivatives(packed: Packed, weights: Doubles, l2: float) -> tuple[float, Doubles, Doubles]:
    """Return the loss, its gradient (f,) and its Hessian (f, f)."""
    log_share, total, raised, others = odds(packed, weights)
    features, gold, question = packed.features, packed.gold, packed.question[packed.gold]
    # The probability each candidate has, over the lists of all gold ones it competes with.
    mass = others * np.bincount(question, packed.pull / total, minlength=len(packed.starts))[packed.question]
    mass[gold] = packed.pull * np.exp(log_share)
    residual = mass.copy()
    residual[gold] -= packed.pull
    slope = features.T @ residual.astype(np.float32) + 2 * l2 * weights
    summed = np.add.reduceat(features * others[:, None].astype(np.float32), packed.starts)
    means = (summed[question] + features[gold] * raised[gold, None]) / total[:, None]
    curve = (features * mass[:, None].astype(np.float32)).T @ features - (means * packed.pull[:, None]).T @ means
    value = float(-packed.pull @ log_share + l2 * weights @ weights)
    return value, slope, curve + 2 * l2 * np.eye(len(weights))


def descend(packed: Packed, weights: Doubles, step: Doubles, now: float, gain: float, l2: float) -> Doubles:
    """Return the longest of the step's halves that lowers the loss enough (Armijo)."""
    for halvings in range(20):
        share = 0.5**halvings
        tried: Doubles = weights - share * step
        if loss(packed, tried, l2) <= now - 1e-4 * share * gain:
            return tried
    return weights

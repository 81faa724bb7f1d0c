"""Multinomial logistic regression with an L2 penalty, by Newton's method: for a few features and pairs."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_STEPS = 50
TOLERANCE = 1e-8
BIAS_PENALTY = 1e-6
"""Only so much that the solution is unique: adding a constant to every bias changes nothing."""


def fit(x: Floats, y: Ints, sample_weights: Floats, penalty: float, labels: int = 3) -> tuple[Floats, Floats]:
    """Return (weights (features, labels), bias (labels)) for features as they are; the penalty is on scaled ones."""
    mean, spread = x.mean(axis=0), x.std(axis=0)
    spread[spread == 0.0] = 1.0
    rows = np.hstack([(x - mean) / spread, np.ones((len(x), 1))])
    ridge = np.full((rows.shape[1], labels), penalty)
    ridge[-1] = BIAS_PENALTY
    results = _minimise(rows, np.eye(labels)[y], sample_weights, ridge)
    weights = results[:-1] / spread[:, None]
    return weights, results[-1] - mean @ weights


def softmax(scores: Floats) -> Floats:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _minimise(rows: Floats, targets: Floats, sample_weights: Floats, ridge: Floats) -> Floats:
    """Newton's method with halved steps on the weighted log loss plus ridge/2 · w²."""
    results = np.zeros_like(ridge)
    loss = _loss(rows, targets, sample_weights, ridge, results)
    for _ in range(MAX_STEPS):
        step = _newton_step(rows, targets, sample_weights, ridge, results)
        size = 1.0
        while (tried := _loss(rows, targets, sample_weights, ridge, results - size * step)) > loss and size > TOLERANCE:
            size /= 2
        results, gain, loss = results - size * step, loss - tried, tried
        if gain < TOLERANCE:
            break
    return results


def _loss(rows: Floats, targets: Floats, sample_weights: Floats, ridge: Floats, weights: Floats) -> float:
    likelihood = (softmax(rows @ weights) * targets).sum(axis=1)
    return float(-(sample_weights * np.log(likelihood + 1e-300)).sum() + (ridge * weights**2).sum() / 2)


def _newton_step(rows: Floats, targets: Floats, sample_weights: Floats, ridge: Floats, weights: Floats) -> Floats:
    p = softmax(rows @ weights)
    gradient = rows.T @ (sample_weights[:, None] * (p - targets)) + ridge * weights
    n, labels = ridge.shape
    hessian = np.zeros((labels, n, labels, n))
    for a in range(labels):
        for b in range(labels):
            curvature = sample_weights * p[:, a] * (float(a == b) - p[:, b])
            hessian[a, :, b, :] = rows.T @ (curvature[:, None] * rows)
    flat = hessian.reshape(labels * n, labels * n) + np.diag(ridge.T.ravel())
    return np.asarray(np.linalg.solve(flat, gradient.T.ravel()).reshape(labels, n).T)

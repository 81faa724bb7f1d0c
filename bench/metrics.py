"""How much of a question's evidence is found, and how early."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Score:
    """Shares of the evidence among the first 5 and 10, and 1 / rank of the first evidence, 0 beyond 10."""

    recall_5: float
    recall_10: float
    mrr_10: float

    def __str__(self) -> str:
        return f"{self.recall_5:.3f} / {self.recall_10:.3f} / {self.mrr_10:.3f}"


def score(texts: Sequence[str], gold: Collection[str]) -> Score:
    """Of ids, best first."""
    ranks = [rank for rank, item in enumerate(texts[:10], 1) if item in gold]
    early = sum(rank <= 5 for rank in ranks)
    return Score(early / len(gold), len(ranks) / len(gold), 1 / ranks[0] if ranks else 0.0)


def mean(scores: Sequence[Score]) -> Score:
    return Score(
        fmean(item.recall_5 for item in scores),
        fmean(item.recall_10 for item in scores),
        fmean(item.mrr_10 for item in scores),
    )

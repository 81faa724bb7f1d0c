"""One linear model over named features: relevance, and what the memory is worth. Parts add up to the score.

The weights of relevance are learnt from annotated conversations (`make train-ranker`) and stand in `weights.json`.
Worth is the logarithm of importance / 3 · priority · exp(−λ · days), so that adding it here is multiplying there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.models import Sentiment
from memories.retrieve.columns import TONES
from memories.retrieve.features import ENOUGH_WORDS, Evidence, Features, features, has_look
from memories.retrieve.reading import Floats, Reading, Rows, Scope
from memories.text.looks import Look
from memsite.tenancy.policy import AppPolicy

SECONDS_PER_DAY = 86_400
# Factors of the product that are told also where they are 1.
FORMULA = ("similarity", "importance", "recency")
# The share of words found counts this much of a cosine when it is asked whether anything fits.
COVERED_COUNTS = 0.3
# Of the cosine that is relevant, what a hit needs where many kinds of evidence are summed up. Of 170 questions about
# facts of conversations, 93 instead of 82 have the answer among the first three, and 2 instead of 19 have no hit.
LEAST_RELEVANT = 0.6
# A memory that has to fit by itself needs this share of what the best one needs.
OWN_SHARE = 0.8
# A hit this far behind the best is not shown: exp(-TRAIL) as likely.
TRAIL = 6.0
# Age costs this much at most: an exact old match is still found.
MOST_AGE = 1.0
LEAST_PRIORITY = 0.1
# Set by hand, as much as what fits about equally well: in no annotated conversation somebody asks of themself.
OF_ANOTHER = 1.5
# What a penalty leaves of a score at least.
LEAST_SHARE = 1e-3
# As near in the graph as one hop from everything the question names.
NEAR = 0.5
# Hits within this of each other fit about equally well; where scores are shares, within this share of the best.
BAND, BAND_SHARE = 1.5, 0.25
FRESH_DAYS, OLD_DAYS, OLD_WEIGHT = 7, 90, 0.5


@cache
def learnt_weights() -> dict[str, float]:
    """Weight by feature."""
    read: dict[str, dict[str, float]] = json.loads((Path(__file__).parent / "weights.json").read_text())
    return read["weights"]


@cache
def weights_of(found: tuple[str, ...]) -> tuple[list[str], NDArray[np.float64]]:
    """Those of these features that have a weight, and their weights, shape (names, 1)."""
    weights = {name: weight for name, weight in learnt_weights().items() if name in found}
    return [*weights], np.array([*weights.values()])[:, None]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Places in the reading, best first, with their scores and the parts these are the sum (or product) of.

    `parts` has a row for each of the names, and of each place its column is one of the `columns`: few are told, so that
    the parts are not put in order. NaN is no such part.
    """

    places: Rows
    scores: NDArray[np.float64]
    names: Sequence[str]
    parts: NDArray[np.float64]
    columns: Rows
    combined: str = "sum"

    def parts_of(self, number: int) -> dict[str, float]:
        """Of the hit of this number; what changes nothing is left out."""
        told = zip(self.names, self.parts[:, self.columns[number]].tolist(), strict=True)
        is_sum = self.combined == "sum"
        parts = {name: value for name, value in told if not math.isnan(value)}
        return {name: value for name, value in parts.items() if (value if is_sum else value != 1 or name in FORMULA)}


def rank(evidence: Evidence, scope: Scope, policy: AppPolicy, relevant: float, *, floor: bool = True) -> Ranked:
    """By relevance and worth, if anything fits the question at all; what trails far behind the best is left out.

    `relevant`, here and below: the cosine that is, as MiniLM would have it.
    Without the `floor`, here and below, nothing is left out: what would have come next.
    """
    relevant *= LEAST_RELEVANT
    if floor and not fits(evidence, relevant):
        return best_first(evidence.reading, np.zeros(0, np.intp), {})
    places, found = features(evidence)
    names, weights = weights_of(tuple(found))
    parts = weights * stacked([found[name] for name in names], len(places))
    worths = {**worth(evidence.reading, places, scope, policy), **of_others(evidence, places)}
    ranked = by_sum(places, [*names, *worths], np.concatenate([parts, stacked([*worths.values()], len(places))]))
    if floor:
        relevance = parts.sum(axis=0)
        near = (relevance >= relevance.max() - TRAIL) & speaks_for_itself(evidence, places, relevant)
        ranked = in_order(np.flatnonzero(near), ranked)
    return sorted_by_score(evidence.reading, ranked)


def rank_by(reading: Reading, name: str, places: Rows, scores: Floats, most: int) -> Ranked:
    """By one arm alone: the `most` best, and what is as good as the last of them. Sorting all would cost more."""
    if len(places) > most:
        best = scores >= np.partition(scores, -most)[-most]
        places, scores = places[best], scores[best]
    return best_first(reading, places, {name: scores})


def rank_product(
    evidence: Evidence, scope: Scope, policy: AppPolicy, relevant: float, *, floor: bool = True
) -> Ranked:  # fmt: skip
    """similarity × importance / 3 × recency, where recency is 1 up to 7 days and falls to 0.5 at 90.

    Domain and sentiment are factors too; where they change nothing, they are 1 and not told.
    """
    reading, columns = evidence.reading, evidence.reading.view.columns
    similar = evidence.similarity(np.arange(reading.size), relevant)
    places = np.flatnonzero(is_fitting(evidence, similar, relevant) | (not floor))
    rows = reading.rows[places]
    days = np.maximum(0.0, scope.now - columns.created[rows]) / SECONDS_PER_DAY
    parts = {
        "similarity": similar[places],
        "importance": columns.importance[rows] / 3,
        "recency": np.interp(days, (FRESH_DAYS, OLD_DAYS), (1.0, OLD_WEIGHT)),
    }
    parts |= {name: np.exp(values) for name, values in leanings(reading, places, scope, policy).items()}
    factors = stacked([*parts.values()], len(places))
    scores = factors.prod(axis=0)
    return sorted_by_score(reading, Ranked(places, scores, [*parts], factors, np.arange(len(places)), "product"))


def rank_dual(
    evidence: Evidence, scope: Scope, policy: AppPolicy, relevant: float, *, floor: bool = True
) -> Ranked:  # fmt: skip
    """(w · similarity + (1 − w) · graph proximity) × exp(−λ · days), w = ½ and λ = 0.01 unless the policy says so.

    What fits by itself, or is reached from the entities named, is let in before age counts. `age` and the leanings
    are told as what they take away or add, so that the parts add up.
    """
    reading, weight = evidence.reading, policy.semantic_weight
    similar = evidence.similarity(np.arange(reading.size), relevant)
    near = evidence.proximity.astype(np.float64)
    close = (near >= NEAR) & ((similar >= relevant / 2) | (not evidence.measured))
    places = np.flatnonzero(is_fitting(evidence, similar, relevant) | close | (not floor))
    parts: Features = {"meaning": weight * similar[places], "graph": (1 - weight) * near[places]}
    created = reading.view.columns.created[reading.rows[places]]
    age = -policy.decay_per_day * np.floor(np.maximum(0.0, scope.now - created) / SECONDS_PER_DAY)
    score = parts["meaning"] + parts["graph"]
    for name, logs in {"age": age, **leanings(reading, places, scope, policy)}.items():
        parts[name] = score * np.expm1(logs)
        score = score + parts[name]
    return best_first(reading, places, parts)


def by_column(ranked: Ranked, reading: Reading, column: str) -> Ranked:
    """The highest of this column first among hits that fit about equally well, band by band."""
    values = getattr(reading.view.columns, column)[reading.rows[ranked.places]]
    band = np.floor((ranked.scores.max(initial=0) - ranked.scores) / BAND)
    return in_order(np.lexsort((-ranked.scores, -values, band)), ranked)


def band_of(behind: float, band: float = BAND) -> int:
    """How many bands a score lies behind the best."""
    return math.floor(behind / band) if band else 0


def best_first(reading: Reading, places: Rows, parts: Features) -> Ranked:
    return sorted_by_score(reading, by_sum(places, [*parts], stacked([*parts.values()], len(places))))


def by_sum(places: Rows, names: Sequence[str], parts: NDArray[np.float64]) -> Ranked:
    """In no order yet."""
    return Ranked(places, parts.sum(axis=0), names, parts, np.arange(len(places)))


def sorted_by_score(reading: Reading, ranked: Ranked) -> Ranked:
    """Of equals the one that was written later comes first."""
    return in_order(np.lexsort((-reading.at("pk", ranked.places), -ranked.scores)), ranked)


def stacked(parts: Sequence[NDArray[Any]], size: int) -> NDArray[np.float64]:
    """Shape (parts, size): a few operations on all of them instead of as many on each."""
    return np.array(parts, np.float64).reshape(len(parts), size)


def in_order(order: Rows, ranked: Ranked) -> Ranked:
    places, scores, columns = ranked.places[order], ranked.scores[order], ranked.columns[order]
    return Ranked(places, scores, ranked.names, ranked.parts, columns, ranked.combined)


def at_least(ranked: Ranked, score: float) -> Ranked:
    """Without what scores less."""
    return in_order(np.flatnonzero(ranked.scores >= score), ranked)


def without(ranked: Ranked, reading: Reading, pks: Sequence[int]) -> Ranked:
    return in_order(np.flatnonzero(~np.isin(reading.at("pk", ranked.places), pks)), ranked)


def fits(evidence: Evidence, relevant: float) -> bool:
    """Whether anything answers the question: the best cosine + 0.3 · the best share of its words found ≥ `relevant`,
    or a third of its words where there is no cosine.

    Asked once, of all memories: evidence often neither resembles the question nor shares a word with it, but stands
    beside something that does. A floor for each hit cost 8 % of recall and more, this one 0.1 %.
    """
    question, words = evidence.question, evidence.words
    if question.subjects and not question.words:
        return True
    if evidence.thresholds.likened(evidence.cosines.best) + COVERED_COUNTS * words.most_covered >= relevant:
        return True
    holding = words.holding[words.held(words.holding) >= ENOUGH_WORDS]
    return not evidence.has_cosine(holding).all()


def speaks_for_itself(evidence: Evidence, places: Rows, relevant: float) -> NDArray[np.bool_]:
    """A statement, or a memory without a session, has to fit by itself; a turn may stand beside what fits."""
    reading, named = evidence.reading, evidence.question.subjects
    own = evidence.likened(places) + COVERED_COUNTS * evidence.words.covered(places) >= relevant * OWN_SHARE
    measured = evidence.has_cosine(places)
    if not measured.all():
        own = np.where(measured, own, evidence.words.held(places) >= ENOUGH_WORDS * OWN_SHARE)
    fitting: NDArray[np.bool_] = in_talk(reading, places) | own
    return fitting | np.isin(reading.subjects[places], named) if named else fitting


def in_talk(reading: Reading, places: Rows) -> NDArray[np.bool_]:
    """Which are turns of a talk, and no statements."""
    turns: NDArray[np.bool_] = ~reading.at("stated", places) & (reading.at("session", places) > 0)
    return turns


def is_fitting(evidence: Evidence, similar: NDArray[np.float64], relevant: float) -> NDArray[np.bool_]:
    """As `fits` asks of the best, of each: what resembles the question less may hold its words instead."""
    fitting: NDArray[np.bool_] = similar >= relevant
    holding = evidence.words.holding
    fitting[holding] |= similar[holding] + COVERED_COUNTS * evidence.words.covered(holding) >= relevant
    return fitting


def worth(reading: Reading, places: Rows, scope: Scope, policy: AppPolicy) -> Features:
    rows = reading.rows[places]
    columns = reading.view.columns
    days = np.floor(np.maximum(0.0, scope.now - columns.created[rows]) / SECONDS_PER_DAY)
    return {
        "importance": np.log(columns.importance[rows] / 3),
        "priority": np.log(np.maximum(columns.priority[rows], LEAST_PRIORITY)),
        "age": -np.minimum(policy.decay_per_day * days, MOST_AGE),
        **leanings(reading, places, scope, policy),
    }


def of_others(evidence: Evidence, places: Rows) -> Features:
    """What counts against a memory that tells of a brother, where somebody asks of themself: "where do I live?" """
    if not evidence.question.of_asker:
        return {}
    told = has_look(evidence.looks(places), Look.OF_ANOTHER)
    return {"of_another": -OF_ANOTHER * told} if told.any() else {}


def leanings(reading: Reading, places: Rows, scope: Scope, policy: AppPolicy) -> Features:
    """Logarithms of what counts against memories of another domain, and for those said in the tone of the question."""
    rows, columns = reading.rows[places], reading.view.columns
    found: Features = {}
    if scope.off_domain:
        off = np.isin(columns.agent[rows], scope.off_domain)
        found["domain"] = math.log(max(1 - policy.off_domain_penalty, LEAST_SHARE)) * off
    if scope.tone in TONES[1:]:
        same = columns.sentiment[rows] == TONES.index(Sentiment(scope.tone))
        found["sentiment"] = math.log1p(policy.sentiment_weight) * same
    return found

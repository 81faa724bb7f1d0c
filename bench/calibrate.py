"""Fits the scores that hits are shown with: memories/retrieve/calibration.json. To be run after each change of weights.

    .venv/bin/python -m bench.calibrate --data ../shared/bench [--limit 2]

The logarithm of a hit's odds is a · f + b · c + d, where f is what the ranking's formula gives it and c what the ten
best have together (`memories.retrieve.calibration`). Each ranking answers questions with annotated evidence, questions
of other conversations, which have no answer, and questions over a few memories, with and without the answer among them.
The table is of conversations left out in turn: of hits with a score, how many are evidence. Nothing is written for a
part of the data, unless with --force.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from bench.conversations import Asked, Conversation, read_conversations, read_corpora, stored_conversations
from bench.kept_vectors import KeptVectors
from bench.options import add_data, make_database, parser
from bench.progress import progress
from memories.providers.embeddings import Embedder, MiniLMEmbedder
from memories.retrieve.calibration import COMPETING, FILE, together
from memories.retrieve.pipeline import evidence_for, index_of, make_plan, recall
from memories.retrieve.question import read_question
from memories.retrieve.ranking import COVERED_COUNTS
from memories.retrieve.retrievers.derived import SUFFICIENT
from memories.retrieve.scoped_view import Scope, scoped_view
from memsite.tenancy.models import App
from memsite.tenancy.policy import AppPolicy, Ranking

Doubles = NDArray[np.float64]
MODES = ("vector", "fulltext", "graph")
SUMMARIES = "summaries"
RANKINGS = (Ranking.STANDARD.value, Ranking.PRODUCT.value, Ranking.DUAL.value, *MODES, SUMMARIES)
# All but the default answer every so manieth question only: that is enough for three numbers.
EVERY = 4
FOREIGN_SHARE, FOREIGN_WEIGHT = 0.3, 0.5
FEW = (1, 3, 10, 30)
# Spreads of the formula at which those that compete are added up, of which the likeliest is taken.
TEMPERATURES = (0.15, 0.25, 0.35, 0.5, 0.7, 1.0, 2.0)
PENALTY, STEPS = 1e-4, 50
BUCKETS = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """What a ranking answered to one question: the formula's results, and which of them are evidence."""

    group: str
    formula: Doubles
    right: NDArray[np.bool_]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Line:
    temperature: float
    weights: Doubles

    def scores(self, answers: Sequence[Answer]) -> Doubles:
        odds = np.clip(rows_of(answers, self.temperature) @ self.weights, -30, 30)
        shares: Doubles = 1 / (1 + np.exp(-odds))
        return shares


def main() -> None:
    options = parser(__doc__)
    add_data(options)
    options.add_argument("--force", action="store_true", help="write what a part of the data gives, too")
    given = options.parse_args()
    make_database()
    conversations = [*read_conversations(given.data, given.limit), *read_corpora()]
    answers = collect(conversations, KeptVectors(MiniLMEmbedder(), given.cache))
    lines = {name: fit(some) for name, some in answers.items()}
    for name, some in answers.items():
        print_table(name, some, lines[name].temperature)
    if given.limit and not given.force:
        print("Nothing written: these are not all conversations.")
        return
    numbers = {name: [round(float(x), 4) for x in (line.temperature, *line.weights)] for name, line in lines.items()}
    FILE.write_text(json.dumps({"lines": numbers}).replace('], "', '],\n  "').replace('{"', '{\n "', 1) + "\n")
    print(f"Wrote {FILE}.")


def collect(conversations: Sequence[Conversation], embedder: Embedder) -> dict[str, list[Answer]]:
    """By ranking, the answers over all conversations."""
    random = Random(1)  # noqa: S311 - the same each time
    answers: dict[str, list[Answer]] = {name: [] for name in RANKINGS}
    for conversation, app, ids in stored_conversations(list(conversations), embedder):
        others = [other for other in conversations if other.data_set != conversation.data_set] or conversations
        for number, question in enumerate(conversation.questions):
            for name in RANKINGS if number % EVERY == 0 else RANKINGS[:1]:
                answers[name] += answers_to(name, question, conversation, app, ids, embedder)
                answers[name] += answers_over_few(name, question, conversation, app, ids, embedder, random)
                if random.random() < FOREIGN_SHARE:
                    foreign = Asked(random.choice(random.choice(others).questions).text, frozenset(), "")
                    answers[name] += answers_to(name, foreign, conversation, app, ids, embedder)
    return answers


def answers_to(
    name: str, question: Asked, conversation: Conversation, app: App, ids: dict[int, str], embedder: Embedder,
    only: NDArray[np.int64] | None = None,
) -> Iterator[Answer]:  # fmt: skip
    """Nothing, if nothing was found."""
    weight = 1.0 if question.gold else FOREIGN_WEIGHT
    if name == SUMMARIES:
        yield from passages_for(question, conversation, app, ids, embedder, only, weight)
        return
    policy = AppPolicy(app=app, ranking=name if name not in MODES else Ranking.STANDARD)
    mode, scope = name if name in MODES else "auto", Scope(None, None, timezone.now().timestamp(), only=only)
    hits = recall(app, question.text, scope, embedder, limit=COMPETING, mode=mode, policy=policy).hits
    if hits:
        right = np.array([ids[hit.memory.pk] in question.gold for hit in hits])
        yield Answer(conversation.group, np.array([hit.formula_score for hit in hits]), right, weight)


def passages_for(
    question: Asked, conversation: Conversation, app: App, ids: dict[int, str], embedder: Embedder,
    only: NDArray[np.int64] | None, weight: float,
) -> Iterator[Answer]:  # fmt: skip
    """Each memory stands for a passage of a summary."""
    now = timezone.now()
    scoped = scoped_view(index_of(app, embedder).view(), Scope(None, None, now.timestamp(), only=only))
    plan = make_plan("auto", app.policy)
    evidence = evidence_for(app, read_question(question.text, scoped, now), scoped, embedder, plan)[0]
    every = np.arange(scoped.size)
    formula = evidence.likened(every) + COVERED_COUNTS * evidence.words.covered(every)
    best = np.argsort(-formula)[:COMPETING]
    best = best[formula[best] >= embedder.thresholds.likened(embedder.thresholds.relevant)]
    if len(best) and formula[best[0]] >= SUFFICIENT:
        right = np.array([ids[pk] in question.gold for pk in scoped.values_at("pk", best).tolist()])
        yield Answer(conversation.group, formula[best].astype(np.float64), right, weight)


def answers_over_few(
    name: str, question: Asked, conversation: Conversation, app: App, ids: dict[int, str], embedder: Embedder,
    random: Random,
) -> Iterator[Answer]:  # fmt: skip
    """As in an app that has a few memories: in half of the cases one of them is evidence."""
    size = random.choice(FEW)
    gold = [pk for pk, item in ids.items() if item in question.gold]
    some = random.sample([pk for pk in ids if pk not in gold], min(size, len(ids) - len(gold)))
    if gold and random.random() < 0.5:
        some[0] = random.choice(gold)
    return answers_to(name, question, conversation, app, ids, embedder, only=np.array(some, np.int64))


def rows_of(answers: Sequence[Answer], temperature: float) -> Doubles:
    """For each hit: its formula, what compete have together, and 1. Shape (hits, 3)."""
    formulas = [answer.formula for answer in answers]
    rows = [
        np.stack([formula, np.full(len(formula), together(formula, temperature)), np.ones(len(formula))])
        for formula in formulas
    ]
    return np.concatenate(rows, axis=1).T


def fit(answers: Sequence[Answer], temperature: float | None = None) -> Line:
    """Return the likeliest line; at the likeliest temperature, if none is given."""
    spread = float(np.concatenate([answer.formula for answer in answers]).std())
    right, weight = right_of(answers), weights_of(answers)
    tried = [temperature] if temperature else [share * spread for share in TEMPERATURES]
    lines = [Line(each, logistic(rows_of(answers, each), right, weight)) for each in tried]
    return min(lines, key=lambda line: log_loss(line.scores(answers), right, weight))


def right_of(answers: Sequence[Answer]) -> NDArray[np.bool_]:
    return np.concatenate([answer.right for answer in answers])


def weights_of(answers: Sequence[Answer]) -> Doubles:
    return np.concatenate([np.full(len(answer.right), answer.weight) for answer in answers])


def logistic(rows: Doubles, right: NDArray[np.bool_], weight: Doubles) -> Doubles:
    """By Newton's method."""
    weights = np.array([0.0, 0.0, -2.0])
    for _ in range(STEPS):
        share = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (weight * (share - right)) + PENALTY * weights
        curve = rows.T @ (rows * (weight * share * (1 - share))[:, None]) + PENALTY * np.eye(3)
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def log_loss(scores: Doubles, right: NDArray[np.bool_], weight: Doubles) -> float:
    likely = np.clip(np.where(right, scores, 1 - scores), 1e-9, 1)
    return float(-(weight * np.log(likely)).sum() / weight.sum())


def print_table(name: str, answers: Sequence[Answer], temperature: float) -> None:
    """Of conversations left out: of the hits with about a score, the mean of the scores and the share that is right."""
    scores, right = [], []
    # Questions without an answer teach the line, and are not what is asked as a rule.
    for group in progress(sorted({answer.group for answer in answers if answer.weight == 1.0}), "fold"):
        line = fit([answer for answer in answers if answer.group != group], temperature)
        left_out = [answer for answer in answers if answer.group == group and answer.weight == 1.0]
        scores.append(line.scores(left_out))
        right.append(right_of(left_out))
    score, is_right = np.concatenate(scores), np.concatenate(right)
    print(f"{name}: {len(score):,} hits, log loss {log_loss(score, is_right, np.ones(len(score))):.4f}")
    bucket = np.minimum((score * BUCKETS).astype(int), BUCKETS - 1)
    for number in range(BUCKETS):
        of_it = bucket == number
        if of_it.any():
            print(
                f"  {number / BUCKETS:.1f}  {of_it.sum():6,}  {score[of_it].mean():.3f}  {is_right[of_it].mean():.3f}"
            )


if __name__ == "__main__":
    main()

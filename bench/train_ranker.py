"""Learns the weights of the default ranking: memories/retrieve/weights.json.

    .venv/bin/python -m bench.train_ranker --data ../shared/bench [--all]

Learnt are the weights of what a statement has by itself (`BESIDE`), beside those that are there: how the stored ones
came about tells bench/README.md. With --all, every weight is learnt anew. Features are those of
`memories.retrieve.ranking`, without the floor. Figures are always of conversations that the weights have not seen:
conversations are left out by fifths, and then each corpus whole. The file is written only if the new weights are, seen
that way, no worse than the present ones, which may have seen everything; or with --force.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from bench.conversations import Asked, Conversation, read_conversations, read_corpora, stored_conversations
from bench.kept_vectors import KeptVectors
from bench.listwise import Doubles, Listed, fit
from bench.metrics import Score, mean, score
from bench.options import add_data, make_database, parser
from bench.progress import progress
from bench.recall import ALL, FIGURES, WEIGHTS
from memories.language.coverage import read_overview
from memories.providers.embeddings import Embedder, MiniLMEmbedder
from memories.retrieve import ranking
from memories.retrieve.pipeline import evidence_for, indexes, make_plan
from memories.retrieve.question import read_question
from memories.retrieve.ranking import NAMES, features
from memories.retrieve.scoped_view import Scope, scoped_view
from memsite.tenancy.models import App

# What one question of a data set counts; of all others, `PULL_OF_FEW`: they have few.
PULL, PULL_OF_FEW = {"locomo": 1.0, "realtalk": 1.5, "beam": 1.5, "chats": 4.0, "facts": 1.0, "personas": 0.3}, 2.0
# Features whose weights are learnt beside the others, and the data sets that have none of them.
BESIDE, WITHOUT_THEM = ("stated_", "meaning_stated"), ("locomo", "realtalk", "beam")
# Apps of this ending are never learnt from.
HELD_OUT = "-held"
FOLDS = 5
ALL_OF_THEM = slice(None)
# Features that gained nothing when they were given a weight.
LEFT_OUT = ("meaning_of_best", "answers_words")
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Lesson:
    """A question over its conversation: its list, the features' names and the candidates' item ids."""

    conversation: Conversation
    question: Asked
    names: tuple[str, ...]
    listed: Listed
    ids: NDArray[np.str_]

    def beside(self, known: Doubles) -> Lesson:
        """Return it with what its candidates have by weights that are known."""
        return replace(self, listed=replace(self.listed, known=self.listed.features @ known))

    def score(self, weights: Doubles) -> Score:
        order = np.argsort(-(self.listed.features @ weights), kind="stable")
        return score(self.ids[order[:10]].tolist(), self.question.gold)


@dataclass(frozen=True, slots=True)
class Validated:
    """What weights that never saw the corpus do with it.

    `scores` follow the lessons, `apart` too; `folds` are the weights of each fold, shape (folds, f).
    """

    scores: list[Score]
    folds: Doubles
    apart: list[Score]


def main() -> None:
    options = parser(__doc__)
    add_data(options)
    options.add_argument("--all", action="store_true", help="learn every weight anew")
    options.add_argument("--force", action="store_true", help="write the weights whatever they are worth")
    given = options.parse_args()
    make_database()
    embedder = KeptVectors(MiniLMEmbedder(), given.cache)
    conversations = [*read_conversations(given.data, given.limit), *read_corpora()]
    learnt_from = [conversation for conversation in conversations if not conversation.name.endswith(HELD_OUT)]
    some = [row for row in learnt_from if given.all or row.data_set not in WITHOUT_THEM]
    names, lessons = make_lessons(some, embedder)
    present = present_weights(names)
    learnt = np.array([given.all or name.startswith(BESIDE) for name in names])
    known = np.where(learnt, 0.0, present)
    lessons = [lesson.beside(known) for lesson in lessons]
    validated, weights = cross_validate(lessons, learnt), learn(lessons, learnt)
    print_scores("left out", lessons, validated.scores)
    print_scores("corpus left out", lessons, validated.apart)
    print_scores("new, all seen", lessons, [lesson.score(weights) for lesson in lessons])
    print_scores("present, all seen", lessons, [lesson.score(present) for lesson in lessons])
    print_weights(names, weights, present, validated, lessons)
    if given.limit:
        print("Nothing written: these are not all conversations.")
        return
    if given.all:
        keep_figures(given.cache / FIGURES, lessons, validated)
    if given.force or is_no_worse(lessons, validated, present):
        write_weights(WEIGHTS, names, weights, [conversation.name for conversation in learnt_from])
        print(f"Wrote {WEIGHTS}.")
    else:
        print(
            f"Kept {WEIGHTS}: on conversations left out, the new weights find less than it does on those it has seen."
        )


def make_lessons(conversations: list[Conversation], embedder: Embedder) -> tuple[list[str], list[Lesson]]:
    """Return the features' names and a lesson for every question."""
    lessons = [
        lesson
        for conversation, app, ids in stored_conversations(conversations, embedder)
        for lesson in lessons_of(conversation, app, ids, embedder)
    ]
    return list(lessons[0].names), lessons


def lessons_of(conversation: Conversation, app: App, ids: dict[int, str], embedder: Embedder) -> Iterator[Lesson]:
    """`ids` are item ids by memory pk."""
    view = indexes.of(app, embedder.name, embedder.dim).view()
    now = timezone.now()
    reading = scoped_view(view, Scope(None, None, now.timestamp()))
    plan = make_plan("auto", app.policy)
    id_of_place = np.array([ids[int(pk)] for pk in reading.pks])
    for question in conversation.questions:
        overview = read_overview(question.text)
        read = read_question(overview.topic if overview else question.text, reading, now)
        places, results = features(evidence_for(app, read, reading, embedder, plan)[0])
        names, nothing = tuple(name for name in NAMES if name not in LEFT_OUT), np.zeros(len(places))
        values = np.stack([results.get(name, nothing) for name in names], axis=1).astype(np.float32)
        candidates = id_of_place[places]
        pull = PULL.get(conversation.data_set, PULL_OF_FEW)
        listed = Listed(values, np.isin(candidates, list(question.gold)), pull)
        yield Lesson(conversation, question, names, listed, candidates)


def learn(lessons: Sequence[Lesson], learnt: NDArray[np.bool_] | slice = ALL_OF_THEM) -> Doubles:
    """Return the present weights, but for those that are `learnt`."""
    weights = present_weights(lessons[0].names)
    weights[learnt] = fit([replace(lesson.listed, features=lesson.listed.features[:, learnt]) for lesson in lessons])
    return weights


def cross_validate(lessons: Sequence[Lesson], learnt: NDArray[np.bool_] | slice = ALL_OF_THEM) -> Validated:
    """Score each lesson by weights learnt without its conversation, and by those learnt without its corpus."""
    groups = sorted({lesson.conversation.group for lesson in lessons})
    scores, folds = scores_without(lessons, learnt, lambda lesson: groups.index(lesson.conversation.group) % FOLDS)
    apart, _ = scores_without(lessons, learnt, lambda lesson: lesson.conversation.data_set)
    return Validated(scores, folds, apart)


def scores_without(
    lessons: Sequence[Lesson], learnt: NDArray[np.bool_] | slice, part_of: Callable[[Lesson], int | str]
) -> tuple[list[Score], Doubles]:
    """Return each lesson's score by weights learnt without its part, and the weights of each part left out."""
    parts = [part_of(lesson) for lesson in lessons]
    weights = {
        part: learn([lesson for lesson, own in zip(lessons, parts, strict=True) if own != part], learnt)
        for part in progress(list(dict.fromkeys(parts)), "part")
    }
    scores = [lesson.score(weights[part]) for lesson, part in zip(lessons, parts, strict=True)]
    return scores, np.array([*weights.values()])


def present_weights(names: Sequence[str]) -> Doubles:
    return np.array([ranking.learnt_weights().get(name, 0.0) for name in names])


def scores_by(lessons: Sequence[Lesson], scores: Sequence[Score]) -> dict[str, dict[str, list[Score]]]:
    """By data set and category, all of a data set first."""
    grouped: dict[str, dict[str, list[Score]]] = {}
    for lesson, item in zip(lessons, scores, strict=True):
        by_category = grouped.setdefault(lesson.conversation.data_set, {ALL: []})
        by_category[ALL].append(item)
        by_category.setdefault(lesson.question.category, []).append(item)
    return grouped


def is_no_worse(lessons: Sequence[Lesson], validated: Validated, present: Doubles) -> bool:
    """Tell whether, over data sets, the new weights find as much in the mean of R@10 and MRR@10."""
    new = scores_by(lessons, validated.scores)
    old = scores_by(lessons, [lesson.score(present) for lesson in lessons])

    def worth(scores: Sequence[Score]) -> float:
        return mean(scores).recall_10 + mean(scores).mrr_10

    return fmean(worth(new[name][ALL]) - worth(old[name][ALL]) for name in new) >= 0


def print_scores(title: str, lessons: Sequence[Lesson], scores: Sequence[Score]) -> None:
    for data_set, by_category in scores_by(lessons, scores).items():
        for category, some in by_category.items():
            print(f"{title:18}{data_set:10}{category:14}{len(some):5}  {mean(some)}")


def print_weights(
    names: Sequence[str], weights: Doubles, present: Doubles, validated: Validated, lessons: Sequence[Lesson]
) -> None:
    """Each with its range over the folds, the share of folds that agree with its sign, and weight · spread."""
    effects = weights * np.concatenate([lesson.listed.features for lesson in lessons]).std(0, dtype=np.float64)
    print(f"{'feature':22}{'weight':>9}{'present':>9}{'folds from':>12}{'to':>9}{'same sign':>11}{'effect':>8}")
    for index in np.argsort(-abs(effects), kind="stable"):
        folds = validated.folds[:, index]
        agree = np.mean(np.sign(folds) == np.sign(weights[index]))
        print(
            f"{names[index]:22}{weights[index]:9.3f}{present[index]:9.3f}{folds.min():12.3f}{folds.max():9.3f}"
            f"{agree:11.0%}{effects[index]:8.3f}"
        )


def keep_figures(file: Path, lessons: Sequence[Lesson], validated: Validated) -> None:
    """For the report of `bench.recall`."""
    grouped = scores_by(lessons, validated.scores)
    figures = {
        data_set: {category: figures_of(mean(some)) for category, some in by_category.items()}
        for data_set, by_category in grouped.items()
    }
    file.write_text(json.dumps({"left_out": figures}, indent=1))


def figures_of(item: Score) -> list[float]:
    return [item.recall_5, item.recall_10, item.mrr_10]


def write_weights(file: Path, names: Sequence[str], weights: Doubles, learnt_from: Sequence[str]) -> None:
    """`learnt_from` are names of conversations: figures of others are told apart in the report of `bench.recall`."""
    by_name = {name: round(float(weight), DIGITS) for name, weight in sorted(zip(names, weights, strict=True))}
    file.write_text(json.dumps({"weights": by_name, "learnt_from": [*learnt_from]}, indent=1) + "\n")


if __name__ == "__main__":
    main()

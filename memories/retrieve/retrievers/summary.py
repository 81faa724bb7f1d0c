"""Retrieve from summaries: what those of the categories say to a question, before any memory is looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from memories.language.relate.grammar import stem
from memories.language.scripts import parts_in
from memories.models import Passage, Summary
from memories.models.vector import by_number
from memories.providers.embeddings import Embedder, Vectors
from memories.retrieve.question import Question
from memories.retrieve.ranking import COVERED_COUNTS
from memsite.tenancy.access import Users
from memsite.tenancy.models import App

MOST_SUMMARIES = 3
# A passage is enough of an answer when it is as near as this, and holds half of the question's words.
NEAR_ENOUGH = 0.45
SUFFICIENT = NEAR_ENOUGH + COVERED_COUNTS / 2


@dataclass(frozen=True, slots=True)
class Answer:
    """Hold a passage that fits. `meaning` is its cosine as MiniLM would have it.

    `covered` is the share of the question's words that it holds.
    """

    passage: Passage
    meaning: float
    covered: float

    @property
    def score(self) -> float:
        return sum(self.parts().values())

    def parts(self) -> dict[str, float]:
        return {"meaning": self.meaning, "words_covered": COVERED_COUNTS * self.covered}


def answers(
    app: App, users: Users, question: Question, vector: Vectors | None, embedder: Embedder, shown: set[int]
) -> list[Answer]:
    """Return passages of the three summaries that fit best, best first, if their memories may be shown. One query.

    Vectors of another model, whatever its name, and those that cannot be read count nothing.
    """
    rows = [row for row in passages(app, users) if row.memory_id in shown]
    meaning = np.zeros(len(rows))
    if vector is not None:
        alike, vectors = by_number(
            ((at, row.data) for at, row in enumerate(rows) if row.model == embedder.name), len(vector)
        )
        meaning[alike] = embedder.thresholds.likened(vectors @ vector)
    asked = {stem(word) for word in question.words}
    found = [Answer(row, float(meaning[at]), covered(asked, row.text)) for at, row in enumerate(rows)]
    found.sort(key=lambda answer: -answer.score)
    best = list(dict.fromkeys(answer.passage.summary_id for answer in found))[:MOST_SUMMARIES]
    return [answer for answer in found if answer.passage.summary_id in best]


def passages(app: App, users: Users) -> QuerySet[Passage]:
    """Select passages about these end users, and about nobody in particular.

    None in an app that keeps no summaries any more: nobody keeps them up to date.
    """
    if not app.policy.capture_summaries:
        return Passage.objects.for_app(app).none()
    current = Summary.objects.for_app(app).current().filter(user_id__in={"", *(users or ())})
    return Passage.objects.for_app(app).filter(summary__in=current).select_related("summary")


def covered(asked: set[str], text: str) -> float:
    said = set(map(stem, parts_in(text)))
    return len(asked & said) / max(1, len(asked))

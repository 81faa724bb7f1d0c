"""Retrieve from what is derived of memories: the graph of entities and links, and the summaries of categories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from memories.index.similarity import Floats
from memories.language.entities import phrase_keys
from memories.language.relate.grammar import stem
from memories.language.scripts import parts_in
from memories.models import Entity, Link, Mention, Passage, Summary
from memories.models.vector import by_number
from memories.providers.embeddings import Embedder, Vectors
from memories.retrieve.question import STOP_WORDS, Question
from memories.retrieve.ranking import COVERED_COUNTS
from memories.retrieve.scoped_view import ScopedView
from memsite.tenancy.access import Users
from memsite.tenancy.models import App

HOPS = 2
# Along links from so many memories at most: an entity that thousands mention leads everywhere.
MOST_STARTS = 500
PER_HOP = 0.5
MOST_SUMMARIES = 3
# A passage is enough of an answer when it is as near as this, and holds half of the question's words.
NEAR_ENOUGH = 0.45
SUFFICIENT = NEAR_ENOUGH + COVERED_COUNTS / 2


def graph_proximity(app: App, text: str, scoped: ScopedView) -> Floats:
    """Return the mean over the entities named of 0.5 ^ hops from each, 0 where not reached. Shape (scoped.size,).

    What the caller may not see is no way to anything, and an entity that only such memories mention does not count.
    """
    proximity = np.zeros(scoped.size, np.float32)
    keys = [key for key in phrase_keys(text) if key not in STOP_WORDS]
    entities = list(Entity.objects.for_app(app).filter(key__in=keys).values_list("pk", flat=True)) if keys else []
    mentions: dict[int, set[int]] = {pk: set() for pk in entities}
    rows = Mention.objects.for_app(app).filter(entity_id__in=entities).values_list("entity_id", "memory_id")
    for entity, memory in rows if entities else ():
        mentions[entity].add(memory)
    starts = [pks for pks in map(scoped.visible, mentions.values()) if pks]
    for pks in starts:
        near = np.zeros(scoped.size, np.float32)
        for hops, reached in enumerate(walk(app, pks, scoped)):
            places = scoped.places(np.fromiter(reached, np.int64, len(reached)))
            near[places] = PER_HOP**hops
        proximity += near
    return proximity / np.float32(max(1, len(starts)))


def walk(app: App, starts: set[int], scoped: ScopedView) -> Iterable[set[int]]:
    """Yield what is new at each hop: the starts first. One query per hop."""
    seen = edge = starts
    yield starts
    for _ in range(HOPS):
        if not edge or len(edge) > MOST_STARTS:
            return
        links = Link.objects.for_app(app).order_by()
        onward = links.filter(from_memory__in=edge).values_list("to_memory", flat=True)
        back = links.filter(to_memory__in=edge).values_list("from_memory", flat=True)
        edge = scoped.visible(set(onward.union(back, all=True)) - seen)
        seen = seen | edge
        yield edge


@dataclass(frozen=True, slots=True)
class SummaryPassage:
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


def summary_answers(
    app: App, users: Users, question: Question, vector: Vectors | None, embedder: Embedder, shown_pks: set[int]
) -> list[SummaryPassage]:
    """Return passages of the three summaries that fit best, best first, if their memories may be shown. One query.

    Vectors of another model, whatever its name, and those that cannot be read count nothing.
    """
    rows = [row for row in passages(app, users) if row.memory_id in shown_pks]
    meaning = np.zeros(len(rows))
    if vector is not None:
        same_model = ((number, row.data) for number, row in enumerate(rows) if row.model == embedder.name)
        alike, vectors = by_number(same_model, len(vector))
        meaning[alike] = embedder.thresholds.likened(vectors @ vector)
    words = {stem(word) for word in question.words}
    answers = []
    for row, cosine in zip(rows, meaning.tolist(), strict=True):
        covered = len(words & set(map(stem, parts_in(row.text)))) / max(1, len(words))
        answers.append(SummaryPassage(row, cosine, covered))
    answers.sort(key=lambda answer: -answer.score)
    best = list(dict.fromkeys(answer.passage.summary_id for answer in answers))[:MOST_SUMMARIES]
    return [answer for answer in answers if answer.passage.summary_id in best]


def passages(app: App, users: Users) -> QuerySet[Passage]:
    """Select passages about these end users, and about nobody in particular.

    None in an app that keeps no summaries any more: nobody keeps them up to date.
    """
    if not app.policy.capture_summaries:
        return Passage.objects.for_app(app).none()
    current = Summary.objects.for_app(app).current().filter(user_id__in={"", *(users or ())})
    return Passage.objects.for_app(app).filter(summary__in=current).select_related("summary")

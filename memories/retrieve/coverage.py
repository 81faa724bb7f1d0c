"""Answer questions over many memories: of all that fits, what is spread over sessions and says nothing twice.

By maximal marginal relevance: each next memory is the one that fits best, less what it repeats, and less for each one
that its session has given already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from django.db.models import F
from numpy.typing import NDArray

from memories.index.similarity import Floats, Rows, estimates, hamming
from memories.language.coverage import ORDER, SUMMARY, Overview
from memories.models import Memory
from memories.retrieve.hits import Hit, SummaryAnswer
from memories.retrieve.ranking import Evidence, Ranked, rearranged
from memories.retrieve.retrievers.derived import MOST_SUMMARIES, passages
from memories.retrieve.scoped_view import ScopedView
from memsite.tenancy.access import Users
from memsite.tenancy.models import App

PART = "coverage"
"""The part of a score that is taken off what covers less than what stands before it."""
CHOSEN_FROM = 200
PER_SESSION, IN_TALK = 0.5, 0.3
"""What each memory of a session takes off the others of it, in spreads of the scores; where it is asked what was said
of a matter, in order or in short."""
MEANING, FIRST = 0.5, 2
"""What meaning counts beside words where that is asked, and of how many of the best others are the like."""
LEAST_OF_HITS = 0.2
"""A category is the matter of a summary where it has this share of the hits."""
ALIKE, REPEATED = 0.92, 3.0
"""The cosine from which on two memories say nearly the same, and what that takes off the later one, in spreads."""


def covering(evidence: Evidence, ranked: Ranked, overview: Overview, most: int) -> Ranked:
    """Return the ranking with the `most` memories first that cover the matter, in the order in which they were chosen.

    A score never exceeds the one before it. What the asker has said is looked for among what no assistant said. For a
    summary, a question and its answer in a talk stay together, though only one of them may fit.
    """
    if len(ranked.places) < 2:
        return ranked
    places = ranked.places[:CHOSEN_FROM]
    scoped, by_assistant = evidence.scoped, is_by_assistant(evidence.scoped, places)
    if overview.by_asker and overview.way != SUMMARY and not by_assistant.all():
        groups = places[~by_assistant, None]
    elif overview.way == SUMMARY and by_assistant.any():
        groups = exchanges(scoped, places, by_assistant)
    else:
        groups = places[:, None]
    if overview.way in (ORDER, SUMMARY) and not evidence.question.subjects:
        chosen = choose(scoped, in_matter(evidence, groups), groups, most, IN_TALK)
    else:
        chosen = choose(scoped, best_of(ranked, groups), groups, most, PER_SESSION)
    order = np.concatenate([chosen, ranked.places[~np.isin(ranked.places, chosen)]])
    known = dict(zip(ranked.places.tolist(), ranked.scores.tolist(), strict=True))
    scores = np.array([known.get(place, float(ranked.scores.max())) for place in order.tolist()])
    return rearranged(ranked, order, np.minimum.accumulate(scores), PART)


def is_by_assistant(scoped: ScopedView, places: Rows) -> NDArray[np.bool_]:
    """Tell which memories an assistant said, by the subjects they are stored under."""
    return np.isin(scoped.values_at("subject", places), scoped.view.subjects.assistants)


def exchanges(scoped: ScopedView, places: Rows, by_assistant: NDArray[np.bool_]) -> Rows:
    """Return a row for each place or exchange, the best first: a question and its answer; -1 for what is not there.

    An answer stands right behind its question, in the same session.
    """
    positions, joined, turns = scoped.at_of_place[places].astype(np.intp), scoped.joined, scoped.order.rows
    first = np.unique(np.where(by_assistant & joined[positions], positions - 1, positions), return_index=True)
    begins = first[0][np.argsort(first[1])]
    after = turns[np.minimum(begins + 1, scoped.size - 1)]
    is_answered = joined[begins + 1] & is_by_assistant(scoped, after) & ~is_by_assistant(scoped, turns[begins])
    return np.stack([turns[begins], np.where(is_answered, after, -1)], axis=1)


def best_of(ranked: Ranked, groups: Rows) -> NDArray[np.float64]:
    """Return the best score of each group (row), in spreads of the scores."""
    known = dict(zip(ranked.places.tolist(), ranked.scores.tolist(), strict=True))
    values = np.array([max(known.get(place, -np.inf) for place in group) for group in groups.tolist()])
    return values / max(float(ranked.scores[:CHOSEN_FROM].std()), 1e-9)


def in_matter(evidence: Evidence, groups: Rows) -> NDArray[np.float64]:
    """Return how much each group (row) is of the matter, in spreads: its words lead, and it is like those with most.

    What somebody brought up is told in the words of the matter, however little each turn answers the question.
    """
    there, places = groups >= 0, np.maximum(groups, 0)
    words, cosines = in_spreads(evidence.words.bm25[places]), in_spreads(evidence.cosines.at(places))
    values = np.average(words + MEANING * cosines, axis=1, weights=there)
    best = np.argsort(-values, kind="stable")[:FIRST]
    return values + in_spreads(likeness(evidence.scoped, groups[:, 0])[best].mean(axis=0))


def in_spreads(values: Floats) -> NDArray[np.float64]:
    """Return distances from the mean."""
    away: NDArray[np.float64] = (values - values.mean(dtype=np.float64)) / max(float(values.std()), 1e-6)
    return away


def choose(scoped: ScopedView, values: NDArray[np.float64], groups: Rows, most: int, per_session: float) -> Rows:
    """Return the places of the groups (rows) that are chosen, one after the other, until there are `most`.

    `values` are the groups', in spreads.
    """
    sessions = scoped.values_at("session_number", groups[:, 0])
    alike = likeness(scoped, groups[:, 0])
    chosen = list[int]()
    repeats, crowded = np.zeros(len(groups)), np.zeros(len(groups))
    for _ in range(len(groups)):
        best = int((values - repeats - crowded).argmax())
        chosen += [place for place in groups[best].tolist() if place >= 0]
        if len(chosen) >= most:
            break
        values[best] = -np.inf
        crowded += per_session * (sessions == sessions[best])
        repeats = np.maximum(repeats, REPEATED * (alike[best] >= ALIKE))
    return np.array(chosen, np.intp)


def likeness(scoped: ScopedView, places: Rows) -> Floats:
    """Return the cosines between all of these, as their signs tell them. Shape (n, n)."""
    signs = scoped.view.columns.signs[scoped.rows[places]]
    table = estimates(64 * signs.shape[1]).astype(np.float32)
    cosines: Floats = np.stack([table[hamming(signs, sign)] for sign in signs])
    return cosines


def in_time(hits: list[Hit]) -> list[Hit]:
    """Return hits in the order of the times from which they hold, or at which they were stored; turns in order."""

    def moment(memory: Memory) -> tuple[datetime, int, int, int]:
        return memory.valid_from or memory.created_at, memory.session_id or 0, memory.turn_number or 0, memory.pk

    return sorted(hits, key=lambda hit: moment(hit.memory))


def summaries_of(app: App, users: Users, scoped: ScopedView, hits: Sequence[Hit]) -> list[SummaryAnswer]:
    """Return the summaries of the categories that most hits are of, each line with its memory. One query.

    Lines on memories that the caller may not see are left out.
    """
    counts = Counter(hit.memory.category for hit in hits)
    names = [name for name, count in counts.most_common(MOST_SUMMARIES) if count >= LEAST_OF_HITS * len(hits)]
    lines = passages(app, users).filter(summary__category__in=names).annotate(source=F("memory__uid"))
    rows = list(lines.order_by("summary_id", "pk")) if names and app.policy.capture_summaries else []
    visible = scoped.visible({row.memory_id for row in rows})
    answers: dict[int, SummaryAnswer] = {}
    for row in rows:
        if row.memory_id in visible:
            answer = answers.setdefault(row.summary_id, SummaryAnswer(row.summary, [], []))
            answer.passages.append(row.text)
            answer.sources.append(row.source)
    return sorted(answers.values(), key=lambda answer: names.index(answer.summary.category))

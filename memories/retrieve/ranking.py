"""Rank with one linear model over named features: relevance, and what the memory is worth. Parts add up to the score.

The weights of relevance are learnt from annotated conversations (`make train-ranker`) and stand in `weights.json`.
Worth is the logarithm of importance / 3 · priority · exp(−λ · days), so that adding it here is multiplying there.

What a formula gives is its `formula_score`, told part by part. A part also says what puts a memory behind others: so
the order is that of the formula, and of the score that `calibration.py` makes of it.

Features are computed for the likely candidates alone. A time told by an event ("before the move") is before the day of
the memory that tells of the move.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.index.columns import TONES, distinct, of_several, run_starts
from memories.index.similarity import Cosines, Floats, Rows, highest, likely_among, lowest_of_highest, top
from memories.language.surface import Look
from memories.models import Sentiment
from memories.providers.embeddings import Thresholds
from memories.providers.embeddings.base import USUAL
from memories.providers.relation import reads_well
from memories.retrieve.calibration import COMPETING, Calibration, calibration_of
from memories.retrieve.question import Question
from memories.retrieve.retrievers.fulltext import LEAST_BEST, WordMatches
from memories.retrieve.scoped_view import Scope, ScopedView
from memsite.tenancy.policy import AppPolicy, Ranking

CANDIDATES = 200
# Turns before and after that count as neighbours.
REACH = 3
# Of a rough score, so much is shared with the turn before and the one after.
SHARE = 0.4
# What the best words are worth in a rough score, and being of the one who is named: in spreads.
ROUGH_WORDS, ROUGH_SUBJECT = 4, np.float32(0.7)
# The share of the question's words that is enough where there is no cosine.
ENOUGH_WORDS = 1 / 3
# Weight, in memories, of the embedder's usual cosines in an app's mean and spread.
PRIOR_MEMORIES = 20
NAMES = (
    "meaning", "meaning_of_best", "words", "words_covered", "meaning_and_words", "near_meaning", "covered_nearby",
    "answers_meaning", "answers_words", "session_meaning", "session_words", "session_topic", "opens_session",
    "subject_named", "subject_other", "subject_first", "subject_asks", "other_asks",
    "first_person", "past_tense", "numbers", "times", "names", "greeting", "asks", "when_times", "who_names",
    "day_named",
    "of_assistant", "answers_asked", "meaning_of_exchange", "long_meaning", "long_words", "long_covered_nearby",
    "long_session_words", "meaning_stated",
    "stated_when_times", "stated_who_persons", "stated_who_names", "stated_where_names", "stated_many_numbers",
)  # fmt: skip
"""Of all features."""
# Features that count differently among long texts: there words mislead and meaning leads.
LONG_TOO = ("meaning", "words", "covered_nearby", "session_words")

# What the look of a text says by itself.
LOOKS = {
    "first_person": Look.FIRST_PERSON,
    "past_tense": Look.PAST,
    "numbers": Look.NUMBERS,
    "times": Look.TIMES,
    "names": Look.NAMES,
    "greeting": Look.GREETING,
    "asks": Look.ASKS,
}
LOOK_BITS = np.array([*LOOKS.values()], np.uint16)[:, None]

# Of each candidate.
Features = dict[str, NDArray[Any]]
Bits = NDArray[np.uint16]
Looks = Callable[[Rows], Bits]
Meaning = Callable[[Rows], Floats]
"""Cosines at some places, in spreads from the mean."""
SECONDS_PER_DAY = 86_400
# Factors of the product that are told also where they are 1.
FORMULA = ("similarity", "importance", "recency")
# The share of words found counts this much of a cosine when it is asked whether anything fits.
COVERED_COUNTS = 0.3
# Of the cosine that is relevant, what a hit needs where many kinds of evidence are summed up. Of 208 questions about
# facts of dialogues (development) 182 have the answer among the first three, with 0.6 only 179; of 145 about something
# else 34 bring a hit, with 0.6 as many.
LEAST_RELEVANT = 0.5
# The same of a question in another language. Of 131 over statements (`bench/languages.txt`) both packaged models answer
# as many as with 0.5; of 40 about something else 16 and 33 bring no hit, with 0.5 only 12 and 16.
LEAST_RELEVANT_FOREIGN = 0.85
# In an app of so many memories at most, what stands out by so many spreads is relevant. The embedder's usual cosines
# count as those of so many memories.
SMALL_APP, STANDS_OUT, PRIOR_OF_FEW = 100, 0.25, 2
# A memory that has to fit by itself needs this share of what the best one needs.
OWN_SHARE = 0.5
# In a formula of shares the best few need no more than where evidence is summed up, if the best has this share of what
# is relevant by itself. A statement that holds what the question asks for, such as a number, counts so much more.
FEW, BEST_SHARE, ASKED = 5, 0.6, 0.3
# A hit this far behind the best is not shown: exp(-TRAIL) as likely.
TRAIL = 6.5
# Age costs this much at most: an exact old match is still found.
MOST_AGE = 1.0
LEAST_PRIORITY = 0.1
# Set by hand, as much as what fits about equally well: in no annotated conversation somebody asks of themself.
OF_ANOTHER = 1.5
# What a penalty leaves of a score at least.
LEAST_SHARE = 1e-3
# As near in the graph as one hop from everything the question names.
NEAR = 0.5
# What holding an identifier or a quoted phrase of the question adds to each formula, and what a name does where the
# formula knows no words: more than the best have otherwise, so that what holds them stands before what does not.
EXACT = {"sum": 6.0, "share": 2.0, "words": 50.0}
NAMED = 0.5
PUT_BACK = {"confidence": "less_confident", "updated": "less_recent"}
"""By the column that hits are sorted by: the part that lowers what it puts behind others."""
PART_OF = {"vector": "meaning", "fulltext": "words", "graph": "graph"}
"""By retriever: the part that it gives."""
BELOW_FLOOR = "below_floor"
"""The part that puts what is not relevant behind what is, where both are shown."""
# What it leaves of the lowest score above the floor, and of any where nothing reaches it.
BEHIND, MOST_BELOW_FLOOR = 0.02, 0.05
# Hits within this of each other fit about equally well; where scores are shares, within this share of the best.
BAND, BAND_SHARE = 1.5, 0.25
FRESH_DAYS, OLD_DAYS, OLD_WEIGHT = 7, 90, 0.5
# A stretch of days before or after the event, within which a memory is as good as on the day.
STRETCH_DAYS = 60
MOST_WORDS = 4
# Such a stretch is a guess and says less than a day that is named.
ANCHORED_WEIGHS = 0.5
_ANCHORED = re.compile(r"\b(before|after|since|until|till)\s+([^?.!,;:\n]{3,60})", re.IGNORECASE)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Hold all evidence for a question over one scoped view. `looks` answers the `Look` bits of some places.

    `measured` is False where the vector retriever failed, or the embedder cannot read the question. `by_validity`: when
    statements hold tells whether they are of the days asked for, not on which day they were said.
    """

    scoped: ScopedView
    question: Question
    cosines: Cosines
    words: WordMatches
    looks: Looks
    thresholds: Thresholds
    proximity: Floats
    measured: bool = True
    by_validity: bool = False

    def similarity(self, places: Rows, relevant: float) -> NDArray[np.float64]:
        """Return the cosine as MiniLM would have it; where there is none, the share of words held.

        A third of the words is worth what is `relevant`.
        """
        by_words = np.minimum(1.0, relevant / ENOUGH_WORDS * self.words.share_held(places))
        cosines = np.maximum(self.likened(places), 0)
        similarities: NDArray[np.float64] = np.where(self.has_cosine(places), cosines, by_words)
        return similarities

    def likened(self, places: Rows) -> Floats:
        return self.thresholds.likened(self.cosines.at(places))

    def has_cosine(self, places: Rows) -> NDArray[np.bool_]:
        scoped = self.scoped
        embedded: NDArray[np.bool_] = scoped.view.columns.embedded[scoped.rows[places]] & self.measured
        return embedded


@dataclass(frozen=True, slots=True)
class Scale:
    """Turn cosines into distances from the app's mean, in spreads."""

    mean: np.float32
    spread: np.float32

    def __call__(self, cosines: Floats) -> Floats:
        away: Floats = cosines - self.mean
        away /= self.spread
        return away


def scale_of(cosines: Cosines, size: int, usual: tuple[float, float]) -> Scale:
    """Return the scale for so many memories. A small app leans on the embedder's usual (mean, spread)."""
    mean, spread = cosines.usual
    total = size + PRIOR_MEMORIES
    centre = (size * mean + PRIOR_MEMORIES * usual[0]) / total
    squares = size * (spread**2 + (mean - centre) ** 2) + PRIOR_MEMORIES * usual[1] ** 2
    return Scale(np.float32(centre), np.float32(math.sqrt(squares / total)))


def candidates(evidence: Evidence, scale: Scale) -> Rows:
    """Return the positions in turn order of the best by a rough score that neighbours share in.

    Looked at are memories that are near or hold telling words, and what stands beside them. So many of these have at
    least the lowest of the best by themselves; what has as much with the others' shares, or one beside it, has a part
    of it by itself. For all others nothing more is computed, and they share nothing.
    """
    scoped = evidence.scoped
    if scoped.size <= CANDIDATES:
        return np.arange(scoped.size)
    good = distinct(np.concatenate([evidence.cosines.foremost, by_words(evidence.words, scoped.size)]), scoped.size)
    if not len(good):  # a name alone is asked for, or nothing that is held
        good = np.arange(scoped.size)
    score, positions = roughly(evidence, scale, good), scoped.at_of_place[good].astype(np.intp)
    if not scoped.has_sessions:
        return np.sort(positions[highest(score, CANDIDATES)])
    # In order, and 0 behind the last: that is before the first, too.
    line = np.zeros(scoped.size + 1, np.float32)
    line[positions] = score
    least = lowest_of_highest(score, CANDIDATES)
    positions = positions[score >= (least / (1 + 2 * SHARE) if least > 0 else least)]
    joined = scoped.joined
    beside = np.concatenate([positions[joined[positions]] - 1, positions[joined[positions + 1]] + 1])
    line[beside] = roughly(evidence, scale, scoped.order.rows[beside])
    positions = distinct(np.concatenate([positions, beside]), scoped.size)
    shared = (
        np.maximum(line[positions - 1], 0) * joined[positions]
        + np.maximum(line[positions + 1], 0) * joined[positions + 1]
    )
    return np.sort(positions[highest(line[positions] + np.float32(SHARE) * shared, CANDIDATES)])


def by_words(words: WordMatches, size: int) -> Rows:
    """Return those that hold the most telling words: as many as are likely by meaning."""
    holding, most = words.holding, likely_among(size)
    return holding[highest(words.bm25[holding], most)] if len(holding) > most else holding


def roughly(evidence: Evidence, scale: Scale, places: Rows) -> Floats:
    """Return a rough score of some places, by themselves."""
    scoped, words = evidence.scoped, evidence.words
    score = scale(evidence.cosines.at(places))
    if len(words.holding):
        score += words.bm25[places] * np.float32(ROUGH_WORDS / max(words.best, LEAST_BEST))
    if evidence.question.subjects:
        score += ROUGH_SUBJECT * subjects_named(evidence, scoped.subjects[places])[0]
    return score


def features(evidence: Evidence) -> tuple[Rows, Features]:
    """Return the candidates' places, and each feature's value for each of them; bools count as 0 and 1.

    A feature that tells nothing, because the question or the app has nothing of the kind, is left out: it is 0 of all.
    """
    scoped, question = evidence.scoped, evidence.question
    scale = scale_of(evidence.cosines, scoped.size, evidence.thresholds.usual)
    positions = candidates(evidence, scale)
    places = scoped.order.rows[positions]

    def meaning(places: Rows) -> Floats:
        return scale(evidence.cosines.at(places))

    if scoped.has_sessions:
        near, exists = neighbours(scoped, positions)
        evidence.cosines.look_closer(near[REACH - 1 : REACH + 2].ravel())
        before, look = evidence.looks(np.stack([near[REACH - 1], places]))
        before_meaning = meaning(near[REACH - 1]) * exists[REACH - 1]
        values = meaning_and_words(evidence, scale, places)
        values |= around(evidence, meaning, near, exists, has_look(before, Look.ASKS)) | session(
            evidence, meaning, positions
        )
        values |= with_statements_alone(evidence, values, places)
    else:
        evidence.cosines.look_closer(places)
        before_meaning = np.zeros(len(places), np.float32)
        look, values = evidence.looks(places), meaning_and_words(evidence, scale, places)
        values |= alone(evidence, values, places)
    values |= form(evidence, places, look)
    if assistants := scoped.view.subjects.assistants:
        is_spoken = np.isin(scoped.values_at("subject", places), assistants) & has_look(look, Look.SPOKEN)
        values["of_assistant"] = is_spoken
        if question.of_answers:
            values["answers_asked"] = is_spoken
        # An answer is of the matter of its question, whether or not it names it.
        values["meaning_of_exchange"] = is_spoken * np.maximum(before_meaning, 0)
    if question.subjects:
        values |= subject(evidence, places, look)
    if question.days:
        values["day_named"] = closeness_in_days(evidence, places)
    if scoped.chat < 1:
        values |= {f"long_{name}": (1 - scoped.chat) * values[name] for name in LONG_TOO}
    if scoped.has_sessions and len(places):
        # People come to the point at once. What was learnt of their talk is in no such order.
        values["opens_session"] = values["opens_session"] * has_look(look, Look.SPOKEN).mean()
    statements = ~has_look(look, Look.SPOKEN) & ~in_talk(scoped, places)
    values["meaning_stated"] = scoped.chat * statements * values["meaning"]
    values |= {f"stated_{name}": scoped.chat * has for name, has in asked_for(question, look).items()}
    return places, values


def closeness_in_days(evidence: Evidence, places: Rows) -> NDArray[np.float64]:
    """Return 1 on a named day (in a named month), falling with the days before and, half as fast, after it."""
    scoped, question = evidence.scoped, evidence.question
    when = scoped.values_at("day", places)
    closeness = np.zeros(len(places), np.float32)
    for start, end in question.days:
        away = np.maximum(start - when, 0) + 0.5 * np.maximum(when - end, 0)
        closeness = np.maximum(closeness, np.exp(-away / 7).astype(np.float32))
    of_day = (when > 0) & in_talk(scoped, places) if evidence.by_validity else when > 0
    weight = (0.15 + 0.85 * scoped.chat) * question.days_weigh
    weighed: NDArray[np.float64] = weight * np.where(of_day, closeness, 0.0)
    return weighed


def asked_for(question: Question, look: Bits) -> dict[str, NDArray[np.bool_]]:
    """Tell which statements hold what the question asks for: a time, a person, a name, a number."""
    wanted = {
        "when_times": (question.wants_time, Look.TIMES),
        "who_persons": (question.wants_person, Look.PERSONS),
        "who_names": (question.wants_person, Look.NAMES),
        "where_names": (question.wants_place, Look.NAMES),
        "many_numbers": (question.wants_number, Look.NUMBERS),
    }
    is_stated = ~has_look(look, Look.SPOKEN)
    return {name: is_stated & has_look(look, bit) for name, (is_wanted, bit) in wanted.items() if is_wanted}


def meaning_and_words(evidence: Evidence, scale: Scale, places: Rows) -> Features:
    words, cosines = evidence.words, evidence.cosines.at(places)
    close, bm25 = scale(cosines), words.bm25[places]
    return {
        "meaning": close,
        "meaning_of_best": cosines / max(evidence.cosines.best, 1e-3),
        "words": bm25,
        "words_covered": words.covered(places),
        "meaning_and_words": np.maximum(close, 0) * bm25 / words.total,
    }


def around(
    evidence: Evidence, meaning: Meaning, near: Rows, exists: NDArray[np.bool_], asks: NDArray[np.bool_]
) -> Features:
    """Return what the turns before and after say: an answer stands beside its question, a topic runs over turns.

    `asks` tells of each turn before whether it is a question.
    """
    scoped, words = evidence.scoped, evidence.words
    before, after, beside = REACH - 1, REACH + 1, slice(REACH - 2, REACH + 3)
    close = meaning(near[before]) * exists[before]
    bits = np.bitwise_or.reduce(words.bits[near[beside]] * exists[beside])
    questions = scoped.chat * (asks & exists[before])
    return {
        "near_meaning": np.maximum(close, meaning(near[after]) * exists[after]),
        "covered_nearby": words.weight_of(bits) / words.total,
        "answers_meaning": questions * np.maximum(close, 0),
        "answers_words": questions * words.bm25[near[before]] / max(words.best, LEAST_BEST),
    }


def alone(evidence: Evidence, itself: Features, places: Rows) -> Features:
    """Return the same, and what `session` returns, where each memory is a session of its own.

    `itself` is all there is.
    """
    scoped, words = evidence.scoped, evidence.words
    return {
        "covered_nearby": itself["words_covered"],
        "session_meaning": itself["meaning"],
        "session_words": itself["words"] / words.total,
        "session_topic": words.topics(scoped.values_at("session_number", places)),
        "opens_session": np.full(len(places), scoped.chat),
    }


def with_statements_alone(evidence: Evidence, values: Features, places: Rows) -> Features:
    """Return the same features, those of statements as if each stood alone: it follows the one before for no reason."""
    stated = evidence.scoped.values_at("stated", places)
    if not stated.any():
        return {}
    itself = alone(evidence, values, places) | {"near_meaning": np.float32(0)}
    return {name: np.where(stated, own, values[name]) for name, own in itself.items()}


def neighbours(scoped: ScopedView, positions: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """Return the places (2·REACH+1, c) of the turns around each, itself in the middle, and which of them exist.

    `at` are their positions in turn order.
    """
    near = positions[None, :] + np.arange(-REACH, REACH + 1)[:, None]
    inside = (near >= 0) & (near < scoped.size)
    near = np.clip(near, 0, max(0, scoped.size - 1))
    places = scoped.order.rows[near]
    sessions = scoped.values_at("session_number", places)
    return places, inside & (sessions == sessions[REACH])


def session(evidence: Evidence, meaning: Meaning, positions: Rows) -> Features:
    """Return how much the whole session is about it, and whether it opens it. `at` are positions in turn order."""
    scoped, words = evidence.scoped, evidence.words
    nth = np.searchsorted(scoped.session_bounds, positions, "right") - 1
    # They rise, as `at` does.
    begins = run_starts(nth)
    sessions, of_place = nth[begins], np.cumsum(begins) - 1
    starts = scoped.session_bounds[sessions]
    members, firsts = scoped.members(starts, scoped.session_bounds[sessions + 1])
    number = scoped.values_at("session_number", scoped.order.rows[starts])
    return {
        "session_meaning": np.maximum.reduceat(meaning(members), firsts)[of_place],
        "session_words": np.maximum.reduceat(words.bm25[members], firsts)[of_place] / words.total,
        "session_topic": words.topics(number)[of_place],
        "opens_session": scoped.chat * np.exp(-(positions - starts[of_place]) / 2),
    }


def subjects_named(
    evidence: Evidence, subjects: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which of these are the one named; another one; and, where several are named, the one named first."""
    named = evidence.question.subjects
    nothing = np.zeros(subjects.shape, bool)
    if not named:
        return nothing, nothing, nothing
    first = subjects == named[0]
    if len(named) > 1:
        return nothing, nothing, first
    return first, (subjects > 0) & ~first, nothing


def subject(evidence: Evidence, places: Rows, look: Bits) -> Features:
    own, other, first = subjects_named(evidence, evidence.scoped.values_at("subject", places))
    return {
        "subject_named": own,
        "subject_other": other,
        "subject_first": first,
        "subject_asks": own & has_look(look, Look.ASKS),
        "other_asks": other & has_look(look, Look.ASKS),
    }


def form(evidence: Evidence, places: Rows, look: Bits) -> Features:
    """Return how the text looks. Says much of a spoken turn of a chat, and nothing of a statement or a document."""
    scoped, question = evidence.scoped, evidence.question
    spoken = scoped.chat * has_look(look, Look.SPOKEN)
    if not spoken.any():
        return {}
    values: Features = dict(zip(LOOKS, spoken * ((look & LOOK_BITS) != 0), strict=True))
    if question.wants_time:
        values["when_times"] = values["times"]
    if question.wants_name:
        values["who_names"] = values["names"]
    return values


def has_look(look: Bits, bit: Look) -> NDArray[np.bool_]:
    has: NDArray[np.bool_] = (look & np.uint16(bit)) != 0
    return has


@cache
def learnt_weights() -> dict[str, float]:
    """Return the weight of each feature."""
    read: dict[str, dict[str, float]] = json.loads((Path(__file__).parent / "weights.json").read_text())
    return read["weights"]


@cache
def weights_of(names: tuple[str, ...]) -> tuple[list[str], NDArray[np.float64]]:
    """Return those of these features that have a weight, and their weights, shape (names, 1)."""
    weights = {name: weight for name, weight in learnt_weights().items() if name in names}
    return [*weights], np.array([*weights.values()])[:, None]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Hold places, best first, with the results of a formula and the parts these are the sum (or product) of.

    `parts` has a row for each of the names, and of each place its column is one of the `columns`: few are told, so that
    the parts are not put in order. NaN is no such part.
    """

    places: Rows
    scores: NDArray[np.float64]
    names: Sequence[str]
    parts: NDArray[np.float64]
    columns: Rows
    combined: str = "sum"
    calibration: Calibration = Calibration()  # noqa: RUF009 - it cannot be changed

    def parts_of(self, number: int) -> dict[str, float]:
        """Return the parts of the hit of this number, without those that change nothing."""
        named_parts = zip(self.names, self.parts[:, self.columns[number]].tolist(), strict=True)
        is_sum = self.combined == "sum"
        parts = {name: value for name, value in named_parts if not math.isnan(value)}
        return {name: value for name, value in parts.items() if (value if is_sum else value != 1 or name in FORMULA)}


def rank(
    evidence: Evidence, scope: Scope, policy: AppPolicy, relevant: float, *, floor: bool = True, column: str = ""
) -> Ranked:
    """Rank by relevance and worth, if anything fits the question at all; leave out what trails far behind the best.

    Among hits that fit about equally well the highest in a `column` comes first, if one is named.

    `relevant`, here and below: the cosine that is, as MiniLM would have it. Without the `floor`, here and below,
    nothing is left out: what would have come next.
    """
    relevant = least_of_sum(evidence, relevant)
    anything = fits(evidence, relevant)
    if floor and not anything:
        return best_first(evidence.scoped, np.zeros(0, np.intp), {}, Ranking.STANDARD)
    scoped, words, named = evidence.scoped, evidence.words, evidence.question.subjects
    places, values = features(evidence)
    names, weights = weights_of(tuple(values))
    parts = weights * stacked([values[name] for name in names], len(places))
    worths = {**worth(scoped, places, scope, policy), **of_others(evidence, places)}
    if words.is_exact:
        worths["exact"] = EXACT["sum"] * words.exact[places]
    every = np.concatenate([parts, stacked([*worths.values()], len(places))])
    ranked = by_sum(places, [*names, *worths], every)
    relevance = parts.sum(axis=0)
    # What fits by itself, or is a turn that may stand beside what fits; and what is about a subject named.
    own = evidence.likened(places) + COVERED_COUNTS * words.covered(places) >= relevant * OWN_SHARE
    measured = evidence.has_cosine(places)
    if not measured.all():
        own = np.where(measured, own, words.share_held(places) >= ENOUGH_WORDS * OWN_SHARE)
    fitting: NDArray[np.bool_] = in_talk(scoped, places) | own
    if named:
        fitting |= np.isin(scoped.subjects[places], named)
    fitting = anything & fitting & (relevance >= relevance.max(initial=-math.inf) - TRAIL)
    fitting |= words.exact[places] > 0
    return in_policy_order(scoped, ranked, Ranking.STANDARD, fitting, floor=floor, column=column)


def rank_by(
    scoped: ScopedView, name: str, places: Rows, scores: Floats, most: int, exact: Floats | None = None
) -> Ranked:
    """Rank by one retriever alone: the `most` best, and what ties with the last of them.

    Sorting all would cost more.

    `exact` is added: what each of the places has for holding what the question names.
    """
    parts = {name: scores}
    if exact is not None:
        parts["exact"], scores = exact, scores + exact
    most = max(most, COMPETING)
    if len(places) > most:
        best = scores >= np.partition(scores, -most)[-most]
        places, parts = places[best], {part: values[best] for part, values in parts.items()}
    return best_first(scoped, places, parts, next(retriever for retriever, part in PART_OF.items() if part == name))


def rank_product(evidence: Evidence, scope: Scope, policy: AppPolicy, relevant: float, *, floor: bool = True) -> Ranked:
    """Rank by similarity × importance / 3 × recency, where recency is 1 up to 7 days and falls to 0.5 at 90.

    Domain and sentiment are factors too; where they change nothing, they are 1 and not told.
    """
    scoped, columns, exact = evidence.scoped, evidence.scoped.view.columns, exactness(evidence)
    similar = evidence.similarity(np.arange(scoped.size), relevant)
    fitting = is_fitting(evidence, similar) | (exact > 0)
    places = np.flatnonzero(fitting | (not floor))
    rows = scoped.rows[places]
    days = np.maximum(0.0, scope.now - columns.created[rows]) / SECONDS_PER_DAY
    parts = {
        "similarity": np.where(exact[places] > 0, np.maximum(similar[places], LEAST_SHARE), similar[places]),
        "importance": columns.importance[rows] / 3,
        "recency": np.interp(days, (FRESH_DAYS, OLD_DAYS), (1.0, OLD_WEIGHT)),
    }
    parts |= {name: np.exp(values) for name, values in leanings(scoped, places, scope, policy).items()}
    parts["asked"] = 1 + gain_of_form(evidence, places, similar[places])
    factors = stacked([*parts.values()], len(places))
    if exact.any():
        scores = factors.prod(axis=0)
        parts["exact"] = np.divide(scores + exact[places], scores, out=np.ones_like(scores), where=exact[places] > 0)
        factors = np.concatenate([factors, parts["exact"][None]])
    scores, numbers = factors.prod(axis=0), np.arange(len(places))
    ranked = Ranked(places, scores, [*parts], factors, numbers, "product")
    return in_policy_order(scoped, ranked, Ranking.PRODUCT, fitting[places], floor=floor)


def rank_dual(evidence: Evidence, scope: Scope, policy: AppPolicy, relevant: float, *, floor: bool = True) -> Ranked:
    """Rank by (w · similarity + (1 − w) · graph proximity) × exp(−λ · days); by default w = ½ and λ = 0.01.

    What fits by itself, or is reached from the entities named, is let in before age counts. `age` and the leanings are
    told as what they take away or add, so that the parts add up.
    """
    scoped, weight, exact = evidence.scoped, policy.semantic_weight, exactness(evidence)
    similar = evidence.similarity(np.arange(scoped.size), relevant)
    near = evidence.proximity.astype(np.float64)
    close = (near >= NEAR) & ((similar >= relevant / 2) | (not evidence.measured))
    fitting = is_fitting(evidence, similar) | close | (exact > 0)
    places = np.flatnonzero(fitting | (not floor))
    parts: Features = {"meaning": weight * similar[places], "graph": (1 - weight) * near[places]}
    parts["asked"] = parts["meaning"] * gain_of_form(evidence, places, similar[places])
    created = scoped.view.columns.created[scoped.rows[places]]
    age = -policy.decay_per_day * np.floor(np.maximum(0.0, scope.now - created) / SECONDS_PER_DAY)
    score = parts["meaning"] + parts["graph"] + parts["asked"]
    for name, logs in {"age": age, **leanings(scoped, places, scope, policy)}.items():
        parts[name] = score * np.expm1(logs)
        score = score + parts[name]
    if exact.any():
        parts["exact"] = exact[places]
    ranked = by_sum(places, [*parts], stacked([*parts.values()], len(places)))
    return in_policy_order(scoped, ranked, Ranking.DUAL, fitting[places], floor=floor)


def gain_of_form(evidence: Evidence, places: Rows, similar: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share by which each counts more, as it holds what the question asks for: of the likeliest."""
    gained, question = np.zeros(len(places)), evidence.question
    if question.wants_time or question.wants_person or question.wants_place or question.wants_number:
        likeliest = top(similar.astype(np.float32), CANDIDATES)
        for has in asked_for(question, evidence.looks(places[likeliest])).values():
            gained[likeliest] += ASKED * has
    return gained


def least_relevant(evidence: Evidence) -> float:
    """Return the lowest cosine that is relevant by itself, in this app: as the embedder has it.

    In a small app it may be lower than usual, as far as for what stands beside other evidence: where the best stands
    out from the others as the best of so many that have nothing to do with the question would not.
    """
    thresholds, size, best = evidence.thresholds, evidence.scoped.size, evidence.cosines.best
    usual, relevant = thresholds.usual, thresholds.relevant
    lowest = usual[0] + (LEAST_RELEVANT * thresholds.likened(relevant) - USUAL[0]) * (usual[1] / USUAL[1])
    if size > SMALL_APP or not lowest <= best < relevant:
        return relevant
    every = evidence.cosines.at(np.arange(size)).astype(np.float64)
    others, total = np.delete(every, int(every.argmax())), size - 1 + PRIOR_OF_FEW
    mean = (others.sum() + PRIOR_OF_FEW * usual[0]) / total
    squares = np.square(others - mean).sum() + PRIOR_OF_FEW * (usual[1] ** 2 + (usual[0] - mean) ** 2)
    # The expected highest of so many, in spreads (Blom 1958).
    highest_of_others = NormalDist().inv_cdf((size - 0.375) / (size + 0.25))
    stands_out = float(mean + math.sqrt(squares / total) * (highest_of_others + STANDS_OUT))
    return min(relevant, max(lowest, stands_out))


def least_of_sum(evidence: Evidence, relevant: float) -> float:
    """Return the cosine that is relevant where evidence is summed up.

    What is asked in another language than English needs more, by as much as all of the app's memories are nearer to it
    than usual: a model that hardly knows a language finds all of its texts alike.
    """
    if reads_well(evidence.question.text):
        return relevant * LEAST_RELEVANT
    mean = evidence.thresholds.likened(evidence.cosines.usual[0])
    return relevant * LEAST_RELEVANT_FOREIGN + max(0.0, mean - USUAL[0])


def exactness(evidence: Evidence) -> Floats:
    """Return what each place gains in a formula of shares for holding what the question names."""
    words = evidence.words
    nothing = evidence.scoped.nothing
    if words.exact is nothing and words.named is nothing:
        return nothing
    gained: Floats = np.float32(EXACT["share"]) * words.exact + np.float32(NAMED) * words.named
    return gained


def in_policy_order(
    scoped: ScopedView, ranked: Ranked, ranking: str, fitting: NDArray[np.bool_], *, floor: bool, column: str = ""
) -> Ranked:
    """Sort by the formula, or by a column within bands of it. Without the `floor`, what is not fitting follows."""
    competing = ranked.scores[fitting] if fitting.any() else ranked.scores
    ranked = replace(ranked, calibration=calibration_of(ranking, competing))
    above = sorted_by_score(scoped, in_order(np.flatnonzero(fitting), ranked))
    if column:
        above = by_column(above, scoped, column)
    if floor:
        return above
    below = sorted_by_score(scoped, in_order(np.flatnonzero(~fitting), ranked))
    return joined(above, lowered(below, BELOW_FLOOR, np.minimum(below.scores, highest_below(above))))


def highest_below(above: Ranked) -> float:
    """Return the highest result of the formula for what is below the floor: less than the lowest above it."""
    if not len(above.scores):
        least = above.calibration.formula(MOST_BELOW_FLOOR)
        return max(least, 0.0) if above.combined == "product" else least
    lowest = float(above.scores.min())
    return lowest * (1 - BEHIND) if above.combined == "product" else lowest - BEHIND


def joined(first: Ranked, other: Ranked) -> Ranked:
    """Return one ranking and then the other, of the same formula."""
    names = [*dict.fromkeys([*first.names, *other.names])]
    parts = np.full((len(names), len(first.places) + len(other.places)), np.nan)
    for ranked, start in ((first, 0), (other, len(first.places))):
        rows = [names.index(name) for name in ranked.names]
        parts[rows, start : start + len(ranked.places)] = ranked.parts[:, ranked.columns]
    places = np.concatenate([first.places, other.places])
    scores = np.concatenate([first.scores, other.scores])
    return replace(first, places=places, scores=scores, names=names, parts=parts, columns=np.arange(len(places)))


def lowered(ranked: Ranked, name: str, scores: NDArray[np.float64]) -> Ranked:
    """Return the ranking, in its order, with these lower results. The part of this name says by how much."""
    if (scores == ranked.scores).all():
        return ranked
    if ranked.combined == "product":
        part = np.divide(scores, ranked.scores, out=np.ones_like(scores), where=ranked.scores > 0)
    else:
        part = scores - ranked.scores
    parts = np.concatenate([ranked.parts[:, ranked.columns], part[None]])
    return replace(ranked, scores=scores, names=[*ranked.names, name], parts=parts, columns=np.arange(len(scores)))


def by_column(ranked: Ranked, scoped: ScopedView, column: str) -> Ranked:
    """Sort by this column, highest first, among hits that fit about equally well, band by band.

    What is put behind a hit that fits less well has no higher score.
    """
    values = getattr(scoped.view.columns, column)[scoped.rows[ranked.places]]
    band = np.floor((ranked.scores.max(initial=0) - ranked.scores) / BAND)
    ranked = in_order(np.lexsort((-ranked.scores, -values, band)), ranked)
    return lowered(ranked, PUT_BACK[column], np.minimum.accumulate(ranked.scores))


def band_of(behind: float, band: float = BAND) -> int:
    """Return how many bands a score lies behind the best."""
    return math.floor(behind / band) if band else 0


def best_first(scoped: ScopedView, places: Rows, parts: Features, ranking: str) -> Ranked:
    ranked = sorted_by_score(scoped, by_sum(places, [*parts], stacked([*parts.values()], len(places))))
    return replace(ranked, calibration=calibration_of(ranking, ranked.scores))


def by_sum(places: Rows, names: Sequence[str], parts: NDArray[np.float64]) -> Ranked:
    """Return a ranking, unsorted, whose formula is the sum of parts."""
    return Ranked(places, parts.sum(axis=0), names, parts, np.arange(len(places)))


def sorted_by_score(scoped: ScopedView, ranked: Ranked) -> Ranked:
    """Sort by score; of equals the one that was written later comes first."""
    return in_order(np.lexsort((-scoped.values_at("pk", ranked.places), -ranked.scores)), ranked)


def stacked(parts: Sequence[NDArray[Any]], size: int) -> NDArray[np.float64]:
    """Stack parts to shape (parts, size): a few operations on all of them instead of as many on each."""
    return np.array(parts, np.float64).reshape(len(parts), size)


def in_order(order: Rows, ranked: Ranked) -> Ranked:
    places, scores, columns = ranked.places[order], ranked.scores[order], ranked.columns[order]
    return replace(ranked, places=places, scores=scores, columns=columns)


def rearranged(ranked: Ranked, places: Rows, scores: NDArray[np.float64], part: str) -> Ranked:
    """Return these places with these scores. What its score differs from the ranking's by is of each its `part`.

    A place that the ranking has not has no other part.
    """
    positions = {place: number for number, place in enumerate(ranked.places.tolist())}
    numbers = np.array([positions.get(place, -1) for place in places.tolist()], np.intp)
    is_known = numbers >= 0
    columns = np.where(is_known, ranked.columns[numbers] if len(positions) else -1, -1)
    parts = np.pad(ranked.parts, ((0, 1), (0, 1)), constant_values=np.nan)[:, columns]
    before = np.where(is_known, ranked.scores[numbers] if len(positions) else 0.0, 0.0)
    is_sum = ranked.combined == "sum"
    change = scores - before if is_sum else scores / np.where(before > 0, before, 1)
    parts[-1] = np.where(is_known & (scores == before), np.nan, change)
    names, columns = [*ranked.names, part], np.arange(len(places))
    return replace(ranked, places=places, scores=scores, names=names, parts=parts, columns=columns)


def at_least(ranked: Ranked, score: float) -> Ranked:
    """Leave out what has a lower score, from 0 to 1."""
    return in_order(np.flatnonzero(ranked.calibration.scores(ranked.scores) >= score), ranked)


def first_of(ranked: Ranked, most: int) -> Ranked:
    """Leave out what comes after the first."""
    return in_order(np.arange(min(most, len(ranked.places))), ranked)


def without(ranked: Ranked, scoped: ScopedView, pks: Sequence[int]) -> Ranked:
    """Leave out these memories."""
    return in_order(np.flatnonzero(~np.isin(scoped.values_at("pk", ranked.places), pks)), ranked)


def fits(evidence: Evidence, relevant: float) -> bool:
    """Tell whether anything answers the question: best cosine + 0.3 · best share of its words found ≥ `relevant`.

    Where there is no cosine, a third of its words is enough. Asked once, of all memories: evidence often neither
    resembles the question nor shares a word with it, but stands beside something that does. A floor for each hit cost 8
    % of recall and more, this one 0.1 %.
    """
    question, words = evidence.question, evidence.words
    if (question.subjects and not question.words) or words.is_exact:
        return True
    if evidence.thresholds.likened(evidence.cosines.best) + COVERED_COUNTS * words.most_covered >= relevant:
        return True
    holding = words.holding[words.share_held(words.holding) >= ENOUGH_WORDS]
    return not evidence.has_cosine(holding).all()


def in_talk(scoped: ScopedView, places: Rows) -> NDArray[np.bool_]:
    """Tell which places are turns of a talk, and no statements."""
    turns: NDArray[np.bool_] = ~scoped.values_at("stated", places) & of_several(scoped.values_at("session", places))
    return turns


def is_fitting(evidence: Evidence, similar: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Ask of each place what `fits` asks of the best: it may hold the question's words instead of resembling it.

    Of the best few it asks less, where the best nearly fits.
    """
    relevant, thresholds = evidence.thresholds.likened(least_relevant(evidence)), evidence.thresholds
    evident: NDArray[np.float64] = similar.copy()
    holding = evidence.words.holding
    evident[holding] += COVERED_COUNTS * evidence.words.covered(holding)
    fitting: NDArray[np.bool_] = evident >= relevant
    best, usual = top(evident.astype(np.float32), FEW), thresholds.likened(thresholds.relevant)
    if evident[best].max(initial=0) >= BEST_SHARE * usual:
        fitting[best] |= evident[best] >= LEAST_RELEVANT * usual
    return fitting


def worth(scoped: ScopedView, places: Rows, scope: Scope, policy: AppPolicy) -> Features:
    rows = scoped.rows[places]
    columns = scoped.view.columns
    days = np.floor(np.maximum(0.0, scope.now - columns.created[rows]) / SECONDS_PER_DAY)
    return {
        "importance": np.log(columns.importance[rows] / 3),
        "priority": np.log(np.maximum(columns.priority[rows], LEAST_PRIORITY)),
        "age": -np.minimum(policy.decay_per_day * days, MOST_AGE),
        **leanings(scoped, places, scope, policy),
    }


def of_others(evidence: Evidence, places: Rows) -> Features:
    """Return what counts against a memory of somebody else, where one asks about oneself: "where do I live?"."""
    if not evidence.question.of_asker:
        return {}
    of_another = has_look(evidence.looks(places), Look.OF_ANOTHER)
    return {"of_another": -OF_ANOTHER * of_another} if of_another.any() else {}


def leanings(scoped: ScopedView, places: Rows, scope: Scope, policy: AppPolicy) -> Features:
    """Return logarithms of what counts against memories of another domain, and for those in the question's tone."""
    rows, columns = scoped.rows[places], scoped.view.columns
    values: Features = {}
    if scope.off_domain:
        off = np.isin(columns.agent[rows], scope.off_domain)
        values["domain"] = math.log(max(1 - policy.off_domain_penalty, LEAST_SHARE)) * off
    if scope.tone in TONES[1:]:
        same = columns.sentiment[rows] == TONES.index(Sentiment(scope.tone))
        values["sentiment"] = math.log1p(policy.sentiment_weight) * same
    return values


def anchored_days(evidence: Evidence) -> Evidence:
    """Return the evidence with the days that an event in the question stands for, if it names no other times."""
    question = evidence.question
    anchor = _ANCHORED.search(question.text) if not question.days else None
    if anchor is None:
        return evidence
    names = evidence.words.names
    words = [names.index(word) for word in _WORD.findall(anchor[2].casefold()) if word in names][:MOST_WORDS]
    if not words:
        return evidence
    # The day of the memory nearest to the question that holds all of these words.
    days, all_of = evidence.scoped.days, np.bitwise_or.reduce([np.uint32(1 << number) for number in words])
    telling = np.flatnonzero((evidence.words.bits & all_of == all_of) & (days > 0))
    if own := evidence.words.own:
        telling = telling[np.logical_and.reduce([np.isin(telling, own(number)) for number in words])]
    if not len(telling):
        return evidence
    day = int(days[telling[np.argmax(evidence.cosines.at(telling))]])
    is_before = anchor[1].casefold() in ("before", "until", "till")
    span = (day - STRETCH_DAYS, day) if is_before else (day, day + STRETCH_DAYS)
    return replace(evidence, question=replace(question, days=[span], days_weigh=ANCHORED_WEIGHS))

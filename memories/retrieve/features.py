"""What speaks for a memory as the answer to a question: named numbers, computed for the likely candidates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.providers.embeddings import Thresholds
from memories.retrieve.cosines import Cosines
from memories.retrieve.nearest import highest, likely_among, lowest_of_highest
from memories.retrieve.order import distinct, first_ones
from memories.retrieve.question import Question
from memories.retrieve.reading import Floats, Reading, Rows
from memories.retrieve.words import LEAST_BEST, Words
from memories.text.looks import Look

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
    "subject_named", "subject_other", "subject_first", "subject_addressed", "subject_asks", "other_asks",
    "first_person", "past_tense", "numbers", "times", "names", "greeting", "asks", "when_times", "who_names",
    "day_named", "long_meaning", "long_words", "long_covered_nearby", "long_session_words",
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


@dataclass(frozen=True, slots=True)
class Evidence:
    """All there is about a question over one reading. `looks` answers the `Look` bits of some places.

    `measured` is False where the vector arm could not answer, or the embedder cannot read the question.
    """

    reading: Reading
    question: Question
    cosines: Cosines
    words: Words
    looks: Looks
    thresholds: Thresholds
    proximity: Floats
    measured: bool = True

    def similarity(self, places: Rows, relevant: float) -> NDArray[np.float64]:
        """The cosine as MiniLM would have it; where there is none, the share of words held, a third of them being worth
        what is `relevant`.
        """
        by_words = np.minimum(1.0, relevant / ENOUGH_WORDS * self.words.held(places))
        cosines = np.maximum(self.likened(places), 0)
        found: NDArray[np.float64] = np.where(self.has_cosine(places), cosines, by_words)
        return found

    def likened(self, places: Rows) -> Floats:
        return self.thresholds.likened(self.cosines.at(places))

    def has_cosine(self, places: Rows) -> NDArray[np.bool_]:
        reading = self.reading
        embedded: NDArray[np.bool_] = reading.view.columns.embedded[reading.rows[places]] & self.measured
        return embedded


@dataclass(frozen=True, slots=True)
class Scale:
    """Cosines as distances from the app's mean in spreads."""

    mean: np.float32
    spread: np.float32

    def __call__(self, cosines: Floats) -> Floats:
        away: Floats = cosines - self.mean
        away /= self.spread
        return away


def scale_of(cosines: Cosines, size: int, usual: tuple[float, float]) -> Scale:
    """Of so many. A small app leans on the embedder's usual (mean, spread)."""
    mean, spread = cosines.usual
    total = size + PRIOR_MEMORIES
    centre = (size * mean + PRIOR_MEMORIES * usual[0]) / total
    squares = size * (spread**2 + (mean - centre) ** 2) + PRIOR_MEMORIES * usual[1] ** 2
    return Scale(np.float32(centre), np.float32(math.sqrt(squares / total)))


def candidates(evidence: Evidence, scale: Scale) -> Rows:
    """Where in order the best are by a rough score that their neighbours share in: of those that are near or hold
    telling words, and what stands beside them.

    So many of these have at least the lowest of the best by themselves; what has as much with the others' shares, or
    one beside it, has a part of it by itself. For all others nothing more is worked out, and they share nothing.
    """
    reading = evidence.reading
    if reading.size <= CANDIDATES:
        return np.arange(reading.size)
    good = distinct(np.concatenate([evidence.cosines.foremost, by_words(evidence.words, reading.size)]), reading.size)
    if not len(good):  # a name alone is asked for, or nothing that is held
        good = np.arange(reading.size)
    score, at = roughly(evidence, scale, good), reading.at_of_place[good].astype(np.intp)
    if not reading.has_sessions:
        return np.sort(at[highest(score, CANDIDATES)])
    # In order, and 0 behind the last: that is before the first, too.
    line = np.zeros(reading.size + 1, np.float32)
    line[at] = score
    least = lowest_of_highest(score, CANDIDATES)
    at = at[score >= (least / (1 + 2 * SHARE) if least > 0 else least)]
    joined = reading.joined
    beside = np.concatenate([at[joined[at]] - 1, at[joined[at + 1]] + 1])
    line[beside] = roughly(evidence, scale, reading.order.rows[beside])
    at = distinct(np.concatenate([at, beside]), reading.size)
    shared = np.maximum(line[at - 1], 0) * joined[at] + np.maximum(line[at + 1], 0) * joined[at + 1]
    return np.sort(at[highest(line[at] + np.float32(SHARE) * shared, CANDIDATES)])


def by_words(words: Words, size: int) -> Rows:
    """As many as are likely by meaning: those that hold the words which tell most."""
    holding, most = words.holding, likely_among(size)
    return holding[highest(words.bm25[holding], most)] if len(holding) > most else holding


def roughly(evidence: Evidence, scale: Scale, places: Rows) -> Floats:
    """How good some places may be, by themselves."""
    reading, words = evidence.reading, evidence.words
    score = scale(evidence.cosines.at(places))
    if len(words.holding):
        score += words.bm25[places] * np.float32(ROUGH_WORDS / max(words.best, LEAST_BEST))
    if evidence.question.subjects:
        score += ROUGH_SUBJECT * subjects_named(evidence, reading.subjects[places])[0]
    return score


def features(evidence: Evidence) -> tuple[Rows, Features]:
    """The candidates' places, and each feature's value for each of them; bools count as 0 and 1.

    What tells nothing, because the question or the app has nothing of the kind, is left out: it is 0 of all of them.
    """
    reading, question = evidence.reading, evidence.question
    scale = scale_of(evidence.cosines, reading.size, evidence.thresholds.usual)
    at = candidates(evidence, scale)
    places = reading.order.rows[at]

    def meaning(places: Rows) -> Floats:
        return scale(evidence.cosines.at(places))

    if reading.has_sessions:
        near, exists = neighbours(reading, at)
        evidence.cosines.look_closer(near[REACH - 1 : REACH + 2].ravel())
        before, look = evidence.looks(np.stack([near[REACH - 1], places]))
        found = meaning_and_words(evidence, scale, places)
        found |= around(evidence, meaning, near, exists, has_look(before, Look.ASKS)) | session(evidence, meaning, at)
    else:
        evidence.cosines.look_closer(places)
        look, found = evidence.looks(places), meaning_and_words(evidence, scale, places)
        found |= alone(evidence, found, places)
    found |= form(evidence, places, look)
    if question.subjects:
        found |= subject(evidence, places, look)
    if question.days:
        weight = (0.15 + 0.85 * reading.chat) * question.days_weigh
        found["day_named"] = weight * day_closeness(reading, question.days, places)
    if reading.chat < 1:
        found |= {f"long_{name}": (1 - reading.chat) * found[name] for name in LONG_TOO}
    return places, found


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
) -> Features:  # fmt: skip
    """What the turns before and after say: an answer stands beside its question, a topic runs over turns.

    `asks` says of each turn before whether it is a question.
    """
    reading, words = evidence.reading, evidence.words
    before, after, beside = REACH - 1, REACH + 1, slice(REACH - 2, REACH + 3)
    close = meaning(near[before]) * exists[before]
    held = np.bitwise_or.reduce(words.bits[near[beside]] * exists[beside])
    asked = reading.chat * (asks & exists[before])
    return {
        "near_meaning": np.maximum(close, meaning(near[after]) * exists[after]),
        "covered_nearby": words.weight_of(held) / words.total,
        "answers_meaning": asked * np.maximum(close, 0),
        "answers_words": asked * words.bm25[near[before]] / max(words.best, LEAST_BEST),
    }


def alone(evidence: Evidence, itself: Features, places: Rows) -> Features:
    """The same, and what `session` tells, where nothing stands beside anything: each is a session of its own, and
    `itself` all that there is.
    """
    reading, words = evidence.reading, evidence.words
    return {
        "covered_nearby": itself["words_covered"],
        "session_meaning": itself["meaning"],
        "session_words": itself["words"] / words.total,
        "session_topic": words.topics(reading.at("session_number", places)),
        "opens_session": np.full(len(places), reading.chat),
    }


def neighbours(reading: Reading, at: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """Places (2·REACH+1, c) of the turns around each, itself in the middle, and which of them exist.

    `at` is where they are in order.
    """
    near = at[None, :] + np.arange(-REACH, REACH + 1)[:, None]
    inside = (near >= 0) & (near < reading.size)
    near = np.clip(near, 0, max(0, reading.size - 1))
    places = reading.order.rows[near]
    sessions = reading.at("session_number", places)
    return places, inside & (sessions == sessions[REACH])


def session(evidence: Evidence, meaning: Meaning, at: Rows) -> Features:
    """How much the whole session is about it, and whether it opens it. `at` is where the candidates are in order."""
    reading, words = evidence.reading, evidence.words
    nth = np.searchsorted(reading.session_bounds, at, "right") - 1
    # They rise, as `at` does.
    begins = first_ones(nth)
    sessions, of_place = nth[begins], np.cumsum(begins) - 1
    starts = reading.session_bounds[sessions]
    members, firsts = reading.members(starts, reading.session_bounds[sessions + 1])
    number = reading.at("session_number", reading.order.rows[starts])
    return {
        "session_meaning": np.maximum.reduceat(meaning(members), firsts)[of_place],
        "session_words": np.maximum.reduceat(words.bm25[members], firsts)[of_place] / words.total,
        "session_topic": words.topics(number)[of_place],
        "opens_session": reading.chat * np.exp(-(at - starts[of_place]) / 2),
    }


def subjects_named(
    evidence: Evidence, subjects: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of these are the one named; another one; and, where several are named, the one named first."""
    named = evidence.question.subjects
    nothing = np.zeros(subjects.shape, bool)
    if not named:
        return nothing, nothing, nothing
    first = subjects == named[0]
    if len(named) > 1:
        return nothing, nothing, first
    return first, (subjects > 0) & ~first, nothing


def subject(evidence: Evidence, places: Rows, look: Bits) -> Features:
    own, other, first = subjects_named(evidence, evidence.reading.at("subject", places))
    return {
        "subject_named": own,
        "subject_other": other,
        "subject_first": first,
        "subject_addressed": other & has_look(look, Look.ADDRESSES),
        "subject_asks": own & has_look(look, Look.ASKS),
        "other_asks": other & has_look(look, Look.ASKS),
    }


def form(evidence: Evidence, places: Rows, look: Bits) -> Features:
    """How the text looks. Says much of a turn of a chat and nothing of a document, hence `chat`."""
    reading, question = evidence.reading, evidence.question
    if not reading.chat:
        return {}
    found: Features = dict(zip(LOOKS, reading.chat * ((look & LOOK_BITS) != 0), strict=True))
    if question.wants_time:
        found["when_times"] = found["times"]
    if question.wants_name:
        found["who_names"] = found["names"]
    return found


def has_look(look: Bits, bit: Look) -> NDArray[np.bool_]:
    has: NDArray[np.bool_] = (look & np.uint16(bit)) != 0
    return has


def day_closeness(reading: Reading, days: Sequence[tuple[int, int]], places: Rows) -> Floats:
    """1 on a day (in a month) that is named, falling with the days before and, half as fast, after it."""
    when = reading.at("day", places)
    closeness = np.zeros(len(places), np.float32)
    for start, end in days:
        away = np.maximum(start - when, 0) + 0.5 * np.maximum(when - end, 0)
        closeness = np.maximum(closeness, np.exp(-away / 7).astype(np.float32))
    return np.where(when > 0, closeness, np.float32(0))

"""Times told by an event: "before the move" is before the day of the memory that tells of the move."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from memories.retrieve.features import Evidence
from memories.retrieve.words import bit_of

# A stretch of days before or after the event, within which a memory is as good as on the day.
STRETCH_DAYS = 60
MOST_WORDS = 4
# Such a stretch is a guess and says less than a day that is named.
ANCHORED_WEIGHS = 0.5
_ANCHORED = re.compile(r"\b(before|after|since|until|till)\s+([^?.!,;:\n]{3,60})", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def anchored_days(evidence: Evidence) -> Evidence:
    """The evidence with the days that an event in the question stands for, if it names no other times."""
    question = evidence.question
    told = _ANCHORED.search(question.text) if not question.days else None
    if told is None:
        return evidence
    looked_up = evidence.words.names
    words = [looked_up.index(word) for word in _WORD.findall(told[2].casefold()) if word in looked_up]
    day = day_of(evidence, words[:MOST_WORDS])
    if day is None:
        return evidence
    is_before = told[1].casefold() in ("before", "until", "till")
    span = (day - STRETCH_DAYS, day) if is_before else (day, day + STRETCH_DAYS)
    return replace(evidence, question=replace(question, days=[span], days_weigh=ANCHORED_WEIGHS))


def day_of(evidence: Evidence, words: list[int]) -> int | None:
    """The day of the memory nearest to the question that holds all of these words; None if none does."""
    if not words:
        return None
    days, all_of = evidence.reading.days, np.bitwise_or.reduce([bit_of(number) for number in words])
    telling = np.flatnonzero((evidence.words.bits & all_of == all_of) & (days > 0))
    if not len(telling):
        return None
    return int(days[telling[np.argmax(evidence.cosines.at(telling))]])
